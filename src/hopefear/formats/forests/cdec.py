"""cdec's forests as JSON files ``ID.json.gz``, which cdec wrote until October 2014.

One object with repeated keys in a fixed order: rules and features, then the edges of each node
followed by the node, tails before heads, the goal last. A node without edges is an axiom: it
derives the empty string.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Forest, ForestBuilder
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import (
    JsonPairs,
    format_number,
    json_feature,
    json_integer,
    json_list,
    json_text,
    parse_json,
)
from hopefear.formats.files import Source
from hopefear.formats.forests.files import (
    Suffix,
    first_bytes,
    format_side,
    numbered_files,
    parse_side,
    read_whole,
    write_numbered,
)
from hopefear.settings import setting, settings
from hopefear.types import Vocabulary

__all__ = ["CdecForests"]

_START = re.compile(
    rb'\s*\{\s*("(features|edges|node|is_sorted)"\s*:|"rules"\s*:\s*(null|\[\s*[\]0-9]))'
)


@forest_formats.register("cdec-forest")
@settings
class CdecForests:
    """A directory with one file per sentence, or a file with one forest.

    Only the target sides of rules are kept, so the source sides of written rules have only
    nonterminals. Newer versions of cdec write a binary archive that only the same build can read.
    """

    suffix: Suffix = setting("json.gz", "Suffix of the files to write.")

    def sniff(self, source: Source) -> bool:
        """Look for an object that begins with numbered rules, features, edges or a node."""
        start = first_bytes(source) or "\n".join(source.head(20)).encode()
        return bool(_START.match(start))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in the order of the sentences, one at a time."""
        if source.is_directory:
            for sentence, path in enumerate(numbered_files(source)):
                text = _decoded(read_whole(path), str(path))
                yield sentence, _parse(text, str(path), words, feature_names)
        else:
            text = _decoded(b"".join(source.pieces()), source.name)
            yield 0, _parse(text, source.name, words, feature_names)

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a new directory, which appears only when complete."""
        write_numbered(path, forests, _format, self.suffix)


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}:{line}: not UTF-8: {error.reason}") from None


def _parse(text: str, name: str, words: Vocabulary, feature_names: Vocabulary) -> Forest:
    # Files of cdec's own tests have a quote at the end.
    pairs = parse_json(re.sub(r'\}"\s*$', "}", text), name, 1, pairs=True)
    if not isinstance(pairs, JsonPairs):
        raise FormatError(f"{name}:1: expected an object, got {pairs!r:.40}")
    reader = _Reader()
    try:
        for key, value in pairs:
            reader.add(key, value)
        return reader.finish(ForestBuilder(words, feature_names))
    except (FormatError, ForestError) as error:
        raise FormatError(f"{name}:1: {error}") from None


UNKNOWN = (-1, -1)


@dataclass
class _Edge:
    tails: list[int]
    target: list[str | int]
    features: dict[str, float]
    span: tuple[int, int]


@dataclass
class _Reader:
    """Processes keys and values in order."""

    nodes: list[list[_Edge]] = field(default_factory=list)
    rules: dict[int, list[str | int]] = field(default_factory=dict)
    features: list[str] = field(default_factory=list)
    edges: list[_Edge | None] = field(default_factory=list)  # None: the edge already has its head

    def add(self, key: str, value: object) -> None:
        match key:
            case "rules":
                items = json_list(value, "rules")
                if len(items) % 2:
                    raise FormatError("rules must alternate numbers and strings")
                for number, text in zip(items[::2], items[1::2], strict=True):
                    rule = json_integer(number, "the number of a rule")
                    self.rules[rule] = _target(json_text(text, f"rule {rule}"))
            case "features":
                self.features = [json_text(name, "a feature") for name in json_list(value, key)]
            case "edges":
                for edge in json_list(value, key):
                    self.edges.append(self._edge(edge, f"edge {len(self.edges)}"))
            case "node":
                self._node(_table(value, f"node {len(self.nodes)}"))
            case "is_sorted":
                pass
            case _:
                raise FormatError(f"unknown key '{key}'")

    def finish(self, builder: ForestBuilder) -> Forest:
        if not self.nodes:
            raise FormatError("the forest has no node")
        known = self._has_spans()
        axiom = _Edge([], [], {}, UNKNOWN)
        goal = len(self.nodes) - 1
        for node, edges in enumerate(self.nodes):
            begin, end = edges[0].span if edges and known else UNKNOWN
            builder.add_node(begin=begin if begin >= 0 else None, covered=end - begin)
            for edge in edges if edges or node == goal else [axiom]:
                builder.add_edge(node, tails=edge.tails, target=edge.target, features=edge.features)
        builder.set_root(goal)
        return builder.build()

    def _has_spans(self) -> bool:
        """Whether spans are places of the source: cdec also writes spans that were never set.

        If they are, the source begins at 0, and the goal covers all of it.
        """
        spans = [edge.span for edges in self.nodes for edge in edges if edge.span != UNKNOWN]
        whole = (min((b for b, _ in spans), default=-1), max((e for _, e in spans), default=-1))
        goal = self.nodes[-1][0].span if self.nodes[-1] else UNKNOWN
        return whole[0] == 0 and goal in (whole, UNKNOWN)

    def _edge(self, value: object, what: str) -> _Edge:
        table = _table(value, what)
        tails = [
            json_integer(tail, f"{what}: a tail") for tail in json_list(table.get("tail"), what)
        ]
        if early := [tail for tail in tails if tail >= len(self.nodes)]:
            raise FormatError(f"{what}: its tail {early[0]} is not an earlier node")
        spans = [
            json_integer(place, f"{what}: a span", least=-(2**15))
            for place in json_list(table.get("spans"), f"{what}: spans")
        ]
        begin, end = spans[:2] if len(spans) >= 2 and 0 <= spans[0] <= spans[1] else UNKNOWN
        rule = table.get("rule")
        if rule is None:
            target: list[str | int] = list(range(len(tails)))
        elif isinstance(rule, str):
            target = _target(rule)
        else:
            number = json_integer(rule, f"{what}: the rule")
            if number not in self.rules:
                raise FormatError(f"{what}: rule {number} does not exist")
            target = self.rules[number]
        return _Edge(tails, target, self._features(table.get("feats"), what), (begin, end))

    def _features(self, value: object, what: str) -> dict[str, float]:
        items = json_list(value, f"{what}: feats")
        if len(items) % 2:
            raise FormatError(f"{what}: feats must alternate features and values")
        found: dict[str, float] = {}
        for feature, number in zip(items[::2], items[1::2], strict=True):
            if isinstance(feature, str):
                name = feature
            elif not self.features:
                raise FormatError(f"{what}: feats uses the number {feature!r} before any features")
            else:
                most = len(self.features) - 1
                name = self.features[json_integer(feature, f"{what}: a feature", most=most)]
            found[name] = found.get(name, 0.0) + json_feature(name, number, f"{what}: ")
        return found

    def _node(self, table: dict[str, object]) -> None:
        what = f"node {len(self.nodes)}"
        taken: list[_Edge] = []
        for value in json_list(table.get("in_edges"), f"{what}: in_edges"):
            place = json_integer(value, f"{what}: an edge")
            if place >= len(self.edges):
                raise FormatError(f"{what}: edge {place} does not exist yet")
            edge = self.edges[place]
            if edge is None:
                raise FormatError(f"{what}: edge {place} already has a head")
            self.edges[place] = None
            taken.append(edge)
        self.nodes.append(taken)


def _table(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, JsonPairs):
        raise FormatError(f"{what} must be an object, got {value!r:.40}")
    return dict(value)


def _target(rule: str) -> list[str | int]:
    """Return the target side of ``[X] ||| source ||| target``, or of ``[X] ||| target``."""
    fields = rule.split("|||")
    if len(fields) < 2:
        raise FormatError(f"expected a rule like '[X] ||| source ||| target', found '{rule:.60}'")
    return parse_side(fields[2] if len(fields) > 2 else fields[1])


def _format(forest: Forest) -> bytes:
    rules: dict[str, int] = {}
    numbers = [rules.setdefault(_rule(forest, e), len(rules) + 1) for e in range(forest.edge_count)]
    names: dict[str, int] = {}
    parts = []
    for node in range(forest.node_count):
        edges = [_format_edge(forest, edge, numbers[edge], names) for edge in forest.edges(node)]
        numbered = ",".join(map(str, forest.edges(node)))
        parts.append(f'"edges":[{",".join(edges)}],"node":{{"in_edges":[{numbered}],"cat":"X"}}')
    listed = ",".join(f"{number},{_quoted(rule)}" for rule, number in rules.items())
    features = ",".join(map(_quoted, names))
    return f'{{"rules":[{listed}],"features":[{features}],{",".join(parts)}}}\n'.encode()


def _rule(forest: Forest, edge: int) -> str:
    tails = range(len(forest.tails(edge)))
    source = " ".join(f"[X,{tail + 1}]" for tail in tails)
    return f"[X] ||| {source} ||| {format_side(forest.target(edge), 'cdec-forest')}"


def _format_edge(forest: Forest, edge: int, rule: int, names: dict[str, int]) -> str:
    head = forest.head(edge)
    begin = forest.source_begin(head)
    span = [-1, -1] if begin is None else [begin, begin + forest.covered(head)]
    features = ",".join(
        f"{names.setdefault(name, len(names))},{format_number(value)}"
        for name, value in forest.features(edge).items()
    )
    tails = ",".join(map(str, forest.tails(edge).tolist()))
    spans = ",".join(map(str, [*span, -1, -1]))
    return f'{{"tail":[{tails}],"spans":[{spans}],"feats":[{features}],"rule":{rule}}}'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
