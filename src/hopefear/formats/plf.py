"""PLF, the lattices of Moses: a line ``((('word', 0.5, 1), ...), ...)`` each.

The outer tuples are those of the states in order; the last number of an arc is how many states it
goes on. cdec also has named features: ``('word', {'f': 0.5}, 1)``.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import ForestError, FormatError
from hopefear.forest import Forest
from hopefear.formats.base import forest_formats
from hopefear.formats.fields import format_number, parse_number, split_blanks
from hopefear.formats.files import Source
from hopefear.formats.lattices import ColumnArc, columns_forest, forest_columns
from hopefear.formats.lines import write_lines
from hopefear.types import Vocabulary

__all__ = ["PlfLattices"]

_START = re.compile(r"\s*\(\s*(\)|\(\s*\(\s*['\"])")
_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[(),{}:])"
    r"|'(?P<single>(?:[^'\\]|\\.)*)'"
    r'|"(?P<double>(?:[^"\\]|\\.)*)"'
    r"|(?P<number>[^\s(),{}:'\"]+))"
)
_ESCAPED = re.compile(r"\\(.)")
EPSILON = "*EPS*"


@forest_formats.register("plf")
@dataclass(frozen=True, kw_only=True)
class PlfLattices:
    """A file with a lattice a line; ``*EPS*`` is no word.

    Attributes
    ----------
    label : str
        What the numbers of an arc are called: one by the label alone, several as LABEL_0, ...
    """

    label: str = "LatticeCost"

    def sniff(self, source: Source) -> bool:
        """Look for tuples in tuples."""
        return not source.is_directory and bool(_START.match("\n".join(source.head(1))))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the lattices in order. Empty lines and empty lattices have no forest."""
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
        """Write a file, with numbers if the label's is the only feature, else with names."""
        write_lines(path, forests, self._format)

    def _format(self, forest: Forest) -> str:
        columns = forest_columns(forest, "plf")
        return "(" + "".join(self._format_column(column) for column in columns) + ")"

    def _format_column(self, column: list[ColumnArc]) -> str:
        return "(" + "".join(self._format_arc(arc) for arc in column) + "),"

    def _format_arc(self, arc: ColumnArc) -> str:
        word = arc.words[0] if arc.words else EPSILON
        if arc.words == (EPSILON,) or (arc.words and split_blanks(word) != [word]):
            raise FormatError(f"the plf format cannot carry the word {word!r}")
        if set(arc.features) <= {self.label}:
            score = format_number(arc.features.get(self.label, 0.0))
        else:
            pairs = (f"{_quoted(n)}: {format_number(v)}" for n, v in arc.features.items())
            score = "{" + ", ".join(pairs) + "}"
        return f"({_quoted(word)}, {score}, {arc.distance}),"


class _Parser:
    """Reads one line, token by token."""

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
        """Go through a tuple; a comma may come after its last item, too."""
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
        named = False
        while self._is(","):
            self._advance()
            if self._is("{"):
                features, named = self._features(), True
            elif not self._is(")"):
                numbers.append(self._number())
        self._take(")", "',' or ')' in an arc")
        # A single number is a score: confusion networks need no lengths.
        distance = 1.0
        if named or len(numbers) > 1:
            distance = numbers.pop() if numbers else 1.0
        if distance != int(distance):
            raise FormatError(f"the length of an arc must be a whole number, got {distance}")
        for i, number in enumerate(numbers):
            features[self._label if len(numbers) == 1 else f"{self._label}_{i}"] = number
        said = () if word == EPSILON else tuple(split_blanks(word))
        return ColumnArc(said, features, int(distance))

    def _features(self) -> dict[str, float]:
        self._advance()
        features: dict[str, float] = {}
        while not self._is("}"):
            name = self._string("the name of a feature in quotes")
            self._take(":", "':' after the name of a feature")
            if name in features:
                raise FormatError(f"the feature '{name}' comes twice in an arc")
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
                raise FormatError(f"column {self._place + 1}: a quote is not closed")
            self._kind, self._token = "", ""
            return
        self._kind, self._token = str(found.lastgroup), found[str(found.lastgroup)]
        self._place = found.end()

    def _expected(self, what: str) -> FormatError:
        found = f"'{self._token:.40}'" if self._kind else "the end of the line"
        return FormatError(f"column {self._place}: expected {what}, found {found}")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
