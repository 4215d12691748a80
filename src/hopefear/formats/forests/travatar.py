"""Travatar's forests: one JSON object per line with nodes, edges and the source words.

Node 0 is the root. In target sides -1, -2, ... are the first, second, ... tail, and ``<unk>``
stands for the source words.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Forest, ForestBuilder
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import (
    format_number,
    json_features,
    json_integer,
    json_list,
    json_object,
    json_text,
    parse_json,
    split_blanks,
)
from hopefear.formats.files import Source
from hopefear.formats.forests.files import write_lines
from hopefear.settings import settings
from hopefear.types import Vocabulary

__all__ = ["TravatarForests"]

_START = re.compile(r'\s*\{\s*"nodes"\s*:')


UNKNOWN = "<unk>"


@forest_formats.register("travatar-forest")
@settings
class TravatarForests:
    """A file with one line per sentence.

    Labels of nodes, target labels and Viterbi scores are ignored, and so are all factors of a
    target side but the first.
    """

    def sniff(self, source: Source) -> bool:
        """Look for an object that begins with nodes."""
        return not source.is_directory and bool(_START.match("\n".join(source.head(1))))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in order, one at a time, skipping empty lines."""
        for number, line in source:
            if not line.strip():
                continue
            table = parse_json(line, source, number)
            try:
                yield number - 1, _forest(json_object(table, "a forest"), words, feature_names)
            except (FormatError, ForestError) as error:
                raise source.error(number, str(error)) from None

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a file; sentences without a forest become empty lines."""
        write_lines(path, forests, _format)


def _forest(table: dict[str, object], words: Vocabulary, feature_names: Vocabulary) -> Forest:
    builder = ForestBuilder(words, feature_names)
    source = [json_text(word, "a source word") for word in json_list(table.get("words"), "words")]
    nodes = [json_object(node, "a node") for node in json_list(table.get("nodes"), "nodes")]
    spans: list[tuple[int, int]] = []
    for number, node in enumerate(nodes):
        what = f"node {number}"
        if json_integer(node.get("id", number), f"{what}: its id") != number:
            raise FormatError(f"{what}: its id is {node['id']}; nodes must be sorted by id")
        spans.append(_span(node.get("span"), what))
        begin, end = spans[-1]
        builder.add_node(begin=begin if begin >= 0 else None, covered=end - begin)
    if not nodes:
        raise FormatError("the forest has no node")
    for number, value in enumerate(json_list(table.get("edges"), "edges")):
        what = f"edge {number}"
        edge = json_object(value, what)
        most = len(nodes) - 1
        head = json_integer(edge.get("head"), f"{what}: its head", most=most)
        tails = [
            json_integer(tail, f"{what}: a tail", most=most)
            for tail in json_list(edge.get("tails"), f"{what}: tails")
        ]
        begin, end = spans[head]
        covered = source[max(0, begin) : max(0, end)]
        features = json_features(edge.get("features"), what)
        target = _target(edge, what, len(tails), covered)
        builder.add_edge(head, tails=tails, target=target, features=features)
    builder.set_root(0)
    return builder.build()


def _span(value: object, what: str) -> tuple[int, int]:
    places = [
        json_integer(place, f"{what}: its span", least=-1)
        for place in json_list(value, f"{what}: span")
    ]
    if not places:
        return -1, -1
    if len(places) != 2 or places[0] > places[1]:
        raise FormatError(f"{what}: its span must be a begin and an end, got {places}")
    return places[0], places[1]


def _target(edge: dict[str, object], what: str, tails: int, source: list[str]) -> list[str | int]:
    factors = json_list(edge.get("trg"), f"{what}: trg")
    first = json_object(factors[0], f"{what}: trg") if factors else {}
    symbols = json_list(first.get("words", edge.get("trg_words")), f"{what}: words")
    target: list[str | int] = []
    for symbol in symbols:
        if symbol == UNKNOWN:
            target += list(range(tails)) if tails else source or [UNKNOWN]
        elif isinstance(symbol, str):
            target += split_blanks(symbol)
        else:
            least = json_integer(symbol, f"{what}: a tail's place", least=-(2**31), most=-1)
            target.append(-1 - least)
    return target


def _format(forest: Forest) -> str:
    """Return a line with the nodes in reverse order, so that the root is node 0."""
    root = forest.root
    nodes = []
    for node in range(root, -1, -1):
        begin = forest.source_begin(node)
        begin = -1 if begin is None else begin
        into = ", ".join(map(str, forest.edges(node)))
        span = f"[{begin}, {begin + forest.covered(node)}]"
        nodes.append(f'{{"sym": "X", "span": {span}, "id": {root - node}, "edges": [{into}]}}')
    edges = []
    for edge in range(forest.edge_count):
        tails = ", ".join(str(root - int(tail)) for tail in forest.tails(edge))
        symbols = ", ".join(_symbol(symbol) for symbol in forest.target(edge))
        features = ", ".join(
            f"{json.dumps(name, ensure_ascii=False)}: {format_number(value)}"
            for name, value in forest.features(edge).items()
        )
        edges.append(
            f'{{"id": {edge}, "head": {root - forest.head(edge)}, "tails": [{tails}], '
            f'"trg": [{{"words": [{symbols}]}}], "features": {{{features}}}}}'
        )
    return f'{{"nodes": [{", ".join(nodes)}], "edges": [{", ".join(edges)}], "words": []}}'


def _symbol(symbol: str | int) -> str:
    if isinstance(symbol, int):
        return str(-1 - symbol)
    if symbol == UNKNOWN or split_blanks(symbol) != [symbol]:
        raise FormatError(f"the travatar-forest format cannot represent the word {symbol!r}")
    return json.dumps(symbol, ensure_ascii=False)
