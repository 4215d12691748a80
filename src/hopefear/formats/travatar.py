"""Travatar's files.

N-best lists: ``0 ||| text ||| score ||| NAME=VALUE NAME=VALUE``; qaware-decode writes them, too.
Weights: ``NAME=VALUE NAME=VALUE`` on a line, or the section [weight_vals] of travatar.ini.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.bar_lines import (
    bar_fields,
    format_pairs,
    is_pair,
    read_bar_lines,
    write_bar_lines,
)
from hopefear.formats.base import nbest_formats, weights_formats
from hopefear.formats.fields import WeightTable, format_number, is_number, split_blanks
from hopefear.formats.files import Source
from hopefear.nbest import BarLayout
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["TravatarNBest", "TravatarWeights"]

_SECTION = "[weight_vals]"


@nbest_formats.register("travatar")
@dataclass(frozen=True, kw_only=True)
class TravatarNBest:
    """Four fields: the score is the third, the features are the fourth."""

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        return BarLayout(total=2, features=3)

    def sniff(self, source: Source) -> bool:
        """Look for a number in the third field and NAME=VALUE in the fourth."""
        rows = bar_fields(source, 4)
        return rows != [] and all(
            len(row) == 4 and is_number(row[2]) and all(map(is_pair, split_blanks(row[3])))
            for row in rows
        )

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses; each must have a score."""

        def fields(hypothesis: Hypothesis) -> list[str]:
            if hypothesis.score is None:
                text = hypothesis.text
                raise FormatError(f"the travatar format needs a score, and {text!r} has none")
            return [format_number(hypothesis.score), format_pairs(hypothesis.features, "travatar")]

        write_bar_lines(segments, out, "travatar", fields)


@weights_formats.register("travatar")
@dataclass(frozen=True, kw_only=True)
class TravatarWeights:
    """NAME=VALUE, any number of them on a line; the last ``=`` parts name and value."""

    def sniff(self, source: Source) -> bool:
        """Look for the section of travatar.ini, or for NAME=VALUE everywhere."""
        lines = source.head(1000)
        if any(line.strip() == _SECTION for line in lines):
            return True
        words = [word for line in lines for word in split_blanks(line)]
        return bool(words) and all("=" in word[1:-1] for word in words)

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table = WeightTable(source)
        for number, line in _weight_lines(source):
            for word in split_blanks(line):
                name, equals, value = word.rpartition("=")
                if not equals or not name:
                    raise source.error(number, f"expected NAME=VALUE, found '{word}'")
                table.add(number, name, value)
        return table.weights()

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights on one line."""
        out.write(format_pairs(weights, "travatar") + "\n")


def _weight_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Give all lines, or if there are sections, as in travatar.ini, those of the weights."""
    is_ini = any(line.startswith("[") and line.endswith("]") for line in source.head(1000))
    inside = not is_ini
    for number, line in source:
        if is_ini and line.startswith("["):
            inside = line.strip() == _SECTION
        elif is_ini and not line.strip():
            inside = False
        elif inside:
            yield number, line
