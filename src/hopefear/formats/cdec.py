"""cdec's files.

N-best lists: ``0 ||| text ||| NAME=VALUE NAME=VALUE ||| score``.
Weights: ``NAME VALUE`` a line, which is also the form of Moses' sparse weights.
"""

import re
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
from hopefear.formats.fields import WeightTable, check_name, format_number, is_number, split_blanks
from hopefear.formats.files import Source
from hopefear.nbest import BarLayout
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["CdecNBest", "CdecWeights"]

_LAST_SEPARATOR = re.compile(r"(.*)[ \t=]", re.DOTALL)


@nbest_formats.register("cdec")
@dataclass(frozen=True, kw_only=True)
class CdecNBest:
    """Features are NAME=VALUE; a fifth field, if any, is skipped.

    Parameters
    ----------
    semicolons : bool
        Whether ``;`` separates features as well as blanks, as old tools wrote them.
    """

    semicolons: bool = False

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        return BarLayout(features=2, total=3, semicolons=self.semicolons)

    def sniff(self, source: Source) -> bool:
        """Look for NAME=VALUE, and nothing else, in the third field."""
        words = [word for row in bar_fields(source, 3) for word in split_blanks(row[2])]
        return words != [] and all(map(is_pair, words))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)

    def write(self, segments: Iterable[Segment], out: TextIO) -> None:
        """Write the hypotheses; the score is left out where there is none."""

        def fields(hypothesis: Hypothesis) -> list[str]:
            pairs = format_pairs(hypothesis.features, "cdec", ";" if self.semicolons else "")
            return [pairs] if hypothesis.score is None else [pairs, format_number(hypothesis.score)]

        write_bar_lines(segments, out, "cdec", fields)


@weights_formats.register("cdec")
@dataclass(frozen=True, kw_only=True)
class CdecWeights:
    """NAME VALUE a line; a tab or ``=`` may stand for the blank, and ``#`` begins a comment."""

    def sniff(self, source: Source) -> bool:
        """Look for two words in every line, of which the first is no label of Moses' (NAME=)."""
        lines = [line for line in source.head() if line and not line.startswith("#")]
        words = [split_blanks(line) for line in lines]
        return (
            bool(lines)
            and all(len(pair) == 2 and is_number(pair[1]) for pair in words)
            and not any("\t" in line for line in lines)
            and not all(pair[0].endswith("=") for pair in words)
        )

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table = WeightTable(source)
        for number, line in source:
            line = line.rstrip(" \t")
            if not line or line.startswith("#"):
                continue
            found = _LAST_SEPARATOR.match(line)
            name = found[1].rstrip(" \t") if found else ""
            if not found or len(split_blanks(name)) != 1 or name[0] in " \t":
                raise source.error(number, f"expected NAME VALUE, found {line!r}")
            table.add(number, name, line[found.end() :])
        return table.weights()

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            check_name(name, "cdec")
            if name.startswith("#"):
                raise FormatError(f"the cdec format cannot carry {name!r}: # begins a comment")
            out.write(f"{name} {format_number(value)}\n")
