"""Lattices as columns: PLF of Moses and cdec, and JLF of cicada.

PLF: a line ``((('word', 0.5, 1), ...), ...)`` for each lattice; cdec also has named features,
``('word', {'f': 0.5}, 1)``. JLF: a line ``[[["word", {"feature": 1.0}, 1], ...], ...]``.

The inner lists are the arcs that leave the states, in order. The last number of an arc is how many
states further it ends.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Arc, Forest, lattice_forest
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import (
    format_number,
    json_features,
    json_integer,
    json_list,
    json_text,
    parse_json,
    parse_number,
    split_blanks,
)
from hopefear.formats.files import Source
from hopefear.formats.forests.files import write_lines
from hopefear.settings import setting, settings
from hopefear.types import Vocabulary

__all__ = ["ColumnArc", "JlfLattices", "PlfLattices", "columns_forest", "forest_columns"]


@dataclass(frozen=True)
class ColumnArc:
    """An arc: its words, its features, and how many states further it ends."""

    words: tuple[str, ...] = ()
    features: dict[str, float] = field(default_factory=dict)
    distance: int = 1


def columns_forest(
    columns: Sequence[Sequence[ColumnArc]], words: Vocabulary, feature_names: Vocabulary
) -> Forest:
    """Return the forest whose derivations are the paths from the first state to the last."""
    end = len(columns)
    if not end:
        raise FormatError("the lattice is empty")
    arcs = []
    for state, column in enumerate(columns):
        for arc in column:
            if not 1 <= arc.distance <= end - state:
                raise FormatError(
                    f"state {state}: the length of an arc must be from 1 to {end - state}, where "
                    f"the lattice ends; got {arc.distance}"
                )
            arcs.append(
                Arc(
                    source=state,
                    target=state + arc.distance,
                    words=arc.words,
                    features=arc.features,
                )
            )
    return lattice_forest(arcs, final={end: {}}, words=words, feature_names=feature_names)


def forest_columns(forest: Forest, format: str) -> list[list[ColumnArc]]:
    """Return a forest as a lattice; raise FormatError if it is not one.

    In a lattice every edge has at most one tail and appends words to it. An edge of several words
    becomes several arcs, of which the first has the features.
    """
    arcs: dict[int, list[tuple[int, tuple[str, ...], dict[str, float]]]] = {}
    plain_start = _is_start(forest, 0)
    for edge in range(forest.edge_count):
        head, tails = forest.head(edge), forest.tails(edge).tolist()
        if not tails and plain_start and head == 0:
            continue
        target = forest.target(edge)
        words = target[1:] if tails and target[:1] == (0,) else target
        if len(tails) > 1 or any(isinstance(word, int) for word in words):
            raise FormatError(
                f"the {format} format can only represent lattices, but edge {edge} does more than "
                "append words to one tail"
            )
        # State 0 is the start; it is node 0 if all paths begin there.
        source = 0 if not tails else tails[0] + (not plain_start)
        said = tuple(word for word in words if isinstance(word, str))
        arcs.setdefault(source, []).append((head + (not plain_start), said, forest.features(edge)))
    last = forest.root + (not plain_start)
    return _columns(arcs, _without_last(arcs, last))


Arcs = dict[int, list[tuple[int, tuple[str, ...], dict[str, float]]]]


def _is_start(forest: Forest, node: int) -> bool:
    """Whether a node is the start: its only edge is empty, and all other edges have tails."""
    leaves = [e for e in range(forest.edge_count) if not len(forest.tails(e))]
    return (
        leaves == list(forest.edges(node))
        and len(leaves) == 1
        and not forest.target(leaves[0])
        and not forest.features(leaves[0])
        and forest.node_count > 1
    )


def _without_last(arcs: Arcs, last: int) -> int:
    """Return the last state, without a final one that only an empty arc leads to."""
    into = [(state, arc) for state, leaving in arcs.items() for arc in leaving if arc[0] == last]
    if len(into) == 1 and into[0][0] == last - 1 and into[0][1][1:] == ((), {}) and last > 1:
        arcs.pop(last - 1, None)
        return last - 1
    return last


def _columns(arcs: Arcs, last: int) -> list[list[ColumnArc]]:
    """Insert states for arcs of several words, just before the states in which they end."""
    inner = [0] * (last + 1)  # the number of states to insert before each state
    for leaving in arcs.values():
        for head, words, _ in leaving:
            inner[head] += max(0, len(words) - 1)
    place, places, free = 0, [], []
    for extra in inner:
        free.append(place)
        place += extra
        places.append(place)
        place += 1
    columns: list[list[ColumnArc]] = [[] for _ in range(places[last])]
    for source in sorted(arcs):
        for head, words, features in arcs[source]:
            at = places[source]
            for i, word in enumerate(words or [None]):
                final = i + 1 >= len(words)
                to = places[head] if final else free[head]
                free[head] += not final
                said = () if word is None else (word,)
                columns[at].append(ColumnArc(said, features if i == 0 else {}, to - at))
                at = to
    return columns


_PLF_START = re.compile(r"\s*\(\s*(\)|\(\s*\(\s*['\"])")


_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[(),{}:])"
    r"|'(?P<single>(?:[^'\\]|\\.)*)'"
    r'|"(?P<double>(?:[^"\\]|\\.)*)"'
    r"|(?P<number>[^\s(),{}:'\"]+))"
)


_ESCAPED = re.compile(r"\\(.)")


PLF_EPSILON = "*EPS*"


@forest_formats.register("plf")
@settings
class PlfLattices:
    """A file with one lattice per line; ``*EPS*`` stands for no word."""

    label: str = setting(
        "LatticeCost_0",
        "Name of the value of an arc, by default as in cdec; several are LABEL_0, LABEL_1, ...",
    )

    def sniff(self, source: Source) -> bool:
        """Look for nested tuples."""
        return not source.is_directory and bool(_PLF_START.match("\n".join(source.head(1))))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the lattices in order, skipping empty lines and empty lattices."""
        for number, line in source:
            if not line.strip():
                continue
            try:
                columns = _Parser(line, self.label).lattice()
                if columns:
                    yield number - 1, columns_forest(columns, words, feature_names)
            except (FormatError, ForestError) as error:
                raise source.error(number, str(error)) from None

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a file, with plain numbers if the label is the only feature."""
        write_lines(path, forests, self._format)

    def _format(self, forest: Forest) -> str:
        columns = forest_columns(forest, "plf")
        return "(" + "".join(self._format_column(column) for column in columns) + ")"

    def _format_column(self, column: list[ColumnArc]) -> str:
        return "(" + "".join(self._format_arc(arc) for arc in column) + "),"

    def _format_arc(self, arc: ColumnArc) -> str:
        word = arc.words[0] if arc.words else PLF_EPSILON
        if arc.words == (PLF_EPSILON,) or (arc.words and split_blanks(word) != [word]):
            raise FormatError(f"the plf format cannot represent the word {word!r}")
        if set(arc.features) <= {self.label}:
            score = format_number(arc.features.get(self.label, 0.0))
        else:
            pairs = (f"{_quoted(n)}: {format_number(v)}" for n, v in arc.features.items())
            score = "{" + ", ".join(pairs) + "}"
        return f"({_quoted(word)}, {score}, {arc.distance}),"


class _Parser:
    """Parses one line, token by token."""

    def __init__(self, text: str, label: str) -> None:
        self._text, self._label, self._place = text, label, 0
        self._kind, self._token = "", ""
        self._advance()

    def lattice(self) -> list[list[ColumnArc]]:
        columns = [
            [self._arc() for _ in self._items("an arc")] for _ in self._items("a list of arcs")
        ]
        if self._kind:
            raise self._expected("the end of the line")
        return columns

    def _items(self, what: str) -> Iterator[None]:
        """Iterate over a tuple; a comma may follow its last item."""
        self._take("(", f"'(' of {what}")
        while not self._is(")"):
            yield
            if not self._is(")"):
                self._take(",", f"',' or ')' after {what}")
        self._advance()

    def _arc(self) -> ColumnArc:
        self._take("(", "'(' of an arc")
        word = self._string("a word in quotes")
        numbers: list[float] = []
        features: dict[str, float] = {}
        while self._is(","):
            self._advance()
            if self._is("{"):
                features = self._features()
            elif not self._is(")"):
                numbers.append(self._number())
        self._take(")", "',' or ')' in an arc")
        # The last number is the length, also a single one, as for cdec and Moses.
        distance = numbers.pop() if numbers else 1.0
        if distance != int(distance):
            raise FormatError(
                f"the length of an arc must be a whole number, got {distance}; it is the last "
                "number of an arc, also where there is only one"
            )
        label = self._label.removesuffix("_0")
        for i, number in enumerate(numbers):
            features[self._label if len(numbers) == 1 else f"{label}_{i}"] = number
        said = () if word == PLF_EPSILON else tuple(split_blanks(word))
        return ColumnArc(said, features, int(distance))

    def _features(self) -> dict[str, float]:
        self._advance()
        features: dict[str, float] = {}
        while not self._is("}"):
            name = self._string("the name of a feature in quotes")
            self._take(":", "':' after the name of a feature")
            if name in features:
                raise FormatError(f"the feature '{name}' appears twice in an arc")
            features[name] = self._number()
            if not self._is("}"):
                self._take(",", "',' or '}' after a feature")
        self._advance()
        return features

    def _string(self, what: str) -> str:
        if self._kind not in ("single", "double"):
            raise self._expected(what)
        text = _ESCAPED.sub(r"\1", self._token)
        self._advance()
        return text

    def _number(self) -> float:
        if self._kind != "number":
            raise self._expected("a number")
        value = parse_number(self._token)
        self._advance()
        return value

    def _is(self, mark: str) -> bool:
        return self._kind == "mark" and self._token == mark

    def _take(self, mark: str, what: str) -> None:
        if not self._is(mark):
            raise self._expected(what)
        self._advance()

    def _advance(self) -> None:
        found = _TOKEN.match(self._text, self._place)
        if found is None:
            if self._text[self._place :].strip():
                raise FormatError(f"column {self._place + 1}: a closing quote is missing")
            self._kind, self._token = "", ""
            return
        self._kind, self._token = str(found.lastgroup), found[str(found.lastgroup)]
        self._place = found.end()

    def _expected(self, what: str) -> FormatError:
        found = f"'{self._token:.40}'" if self._kind else "the end of the line"
        return FormatError(f"column {self._place}: expected {what}, found {found}")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_JLF_START = re.compile(r"\s*\[\s*\[\s*\[")


JLF_EPSILON = "<epsilon>"


@forest_formats.register("jlf")
@settings
class JlfLattices:
    """A file with one lattice per line; ``<epsilon>`` is no word, attributes are ignored."""

    def sniff(self, source: Source) -> bool:
        """Look for nested lists."""
        return not source.is_directory and bool(_JLF_START.match("\n".join(source.head(1))))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the lattices in order, skipping empty lines and empty lattices."""
        for number, line in source:
            if not line.strip():
                continue
            value = parse_json(line, source, number)
            try:
                columns = [
                    [_jlf_arc(arc, state) for arc in json_list(column, f"state {state}")]
                    for state, column in enumerate(json_list(value, "a lattice"))
                ]
                if columns:
                    yield number - 1, columns_forest(columns, words, feature_names)
            except (FormatError, ForestError) as error:
                raise source.error(number, str(error)) from None

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a file; raise FormatError for forests that are not lattices."""
        write_lines(path, forests, _format_jlf)


def _jlf_arc(value: object, state: int) -> ColumnArc:
    what = f"state {state}, an arc"
    items = json_list(value, what)
    if len(items) not in (3, 4):
        raise FormatError(f"{what}: expected word, features and length, got {value!r:.60}")
    word = json_text(items[0], f"{what}: its word")
    features = json_features(items[1], what)
    said = () if word == JLF_EPSILON else tuple(split_blanks(word))
    return ColumnArc(said, features, json_integer(items[-1], f"{what}: its length", least=1))


def _format_jlf(forest: Forest) -> str:
    columns = forest_columns(forest, "jlf")
    return f"[{', '.join(_format_jlf_column(column) for column in columns)}]"


def _format_jlf_column(column: list[ColumnArc]) -> str:
    arcs = []
    for arc in column:
        word = arc.words[0] if arc.words else JLF_EPSILON
        if arc.words == (JLF_EPSILON,) or (arc.words and split_blanks(word) != [word]):
            raise FormatError(f"the jlf format cannot represent the word {word!r}")
        features = ", ".join(
            f"{json.dumps(name, ensure_ascii=False)}: {format_number(value)}"
            for name, value in arc.features.items()
        )
        arcs.append(f"[{json.dumps(word, ensure_ascii=False)}, {{{features}}}, {arc.distance}]")
    return f"[{', '.join(arcs)}]"
