"""cicada's forests: JSON with rules, nodes and a goal, perhaps after ``ID |||``.

A node is the list of its edges; an edge refers to its rule by a number from 1. The right-hand side
of a rule is the target side, in which ``[x,1]`` is the first tail.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Forest, ForestBuilder
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import (
    check_sentence,
    format_number,
    json_features,
    json_integer,
    json_list,
    json_object,
    json_text,
    parse_json,
)
from hopefear.formats.files import Source, open_output, open_source
from hopefear.formats.forests.files import first_bytes, format_side, numbered_files, parse_side
from hopefear.settings import settings
from hopefear.types import Vocabulary

__all__ = ["CicadaForests"]

_START = re.compile(rb'\s*([0-9]+ *\|\|\| *)?\{\s*"rules"\s*:\s*\[\s*"')


_NUMBERED = re.compile(r"\s*([0-9]{1,10})\s*\|\|\|(.*)", re.DOTALL)


@forest_formats.register("cicada-forest")
@settings
class CicadaForests:
    """A file with one line per sentence, or a directory with one file per sentence.

    Attributes of edges and labels of rules are ignored. The format writes a file of lines with
    sentence numbers.
    """

    def sniff(self, source: Source) -> bool:
        """Look for an object that begins with rules."""
        start = first_bytes(source) or "\n".join(source.head(1)).encode()
        return bool(_START.match(start))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in order, one at a time."""
        if not source.is_directory:
            yield from _lines(source, words, feature_names)
            return
        for sentence, path in enumerate(numbered_files(source)):
            with open_source(path) as file:
                for _, forest in _lines(file, words, feature_names):
                    yield sentence, forest

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a file with one forest per line."""
        with open_output(path) as out:
            for sentence, forest in forests:
                try:
                    out.write(f"{sentence} ||| {_format(forest)}\n")
                except FormatError as error:
                    raise FormatError(f"{path}: sentence {sentence}: {error}") from error


def _lines(
    source: Source, words: Vocabulary, feature_names: Vocabulary
) -> Iterator[tuple[int, Forest]]:
    last = -1
    for number, line in source:
        if not line.strip():
            continue
        found = _NUMBERED.fullmatch(line)
        sentence = int(found[1]) if found else last + 1
        if sentence <= last:
            raise source.error(number, f"sentence {sentence} comes after sentence {last}")
        last = sentence
        table = parse_json(found[2] if found else line, source, number)
        try:
            check_sentence(sentence)
            yield sentence, _forest(json_object(table, "a forest"), words, feature_names)
        except (FormatError, ForestError) as error:
            raise source.error(number, str(error)) from None


def _forest(table: dict[str, object], words: Vocabulary, feature_names: Vocabulary) -> Forest:
    rules = [
        _target(json_text(rule, f"rule {number}"), number)
        for number, rule in enumerate(json_list(table.get("rules"), "rules"), 1)
    ]
    nodes = json_list(table.get("nodes"), "nodes")
    builder = ForestBuilder(words, feature_names)
    for _ in nodes:
        builder.add_node()
    if table.get("goal") is None:
        raise FormatError("the forest has no goal, and therefore no derivation")
    builder.set_root(json_integer(table["goal"], "the goal", most=len(nodes) - 1))
    for head, node in enumerate(nodes):
        for place, value in enumerate(json_list(node, f"node {head}")):
            what = f"node {head}, edge {place}"
            edge = json_object(value, what)
            tails = [
                json_integer(tail, f"{what}: a tail", most=len(nodes) - 1)
                for tail in json_list(edge.get("tail"), f"{what}: tail")
            ]
            rule = json_integer(edge.get("rule"), f"{what}: its rule", least=1, most=len(rules))
            features = json_features(edge.get("feature"), what)
            builder.add_edge(head, tails=tails, target=rules[rule - 1], features=features)
    return builder.build()


def _target(rule: str, number: int) -> list[str | int]:
    _, bars, right = rule.partition("|||")
    if not bars or "|||" in right:
        raise FormatError(f"rule {number} must be '[x] ||| words', found '{rule:.60}'")
    return parse_side(right)


def _format(forest: Forest) -> str:
    rules: dict[str, int] = {}
    nodes = []
    for node in range(forest.node_count):
        edges = []
        for edge in forest.edges(node):
            rule = f"[X] ||| {format_side(forest.target(edge), 'cicada-forest')}"
            number = rules.setdefault(rule, len(rules) + 1)
            tails = ",".join(map(str, forest.tails(edge).tolist()))
            features = ",".join(
                f"{_quoted(name)}:{format_number(value)}"
                for name, value in forest.features(edge).items()
            )
            edges.append(f'{{"tail":[{tails}],"feature":{{{features}}},"rule":{number}}}')
        nodes.append(f"[{','.join(edges)}]")
    listed = ",".join(map(_quoted, rules))
    return f'{{"rules":[{listed}],"nodes":[{",".join(nodes)}],"goal":{forest.root}}}'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
