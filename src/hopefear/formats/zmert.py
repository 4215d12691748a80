"""Z-MERT's parameters: the start weights of Joshua's tuner, and what it may do with them.

``NAME ||| VALUE Opt|Fix MIN MAX RANDMIN RANDMAX``, and a last line ``normalization = ...``.
"""

from dataclasses import dataclass
from typing import TextIO

from hopefear.formats.base import weights_formats
from hopefear.formats.fields import WeightTable, check_name, format_number, split_blanks
from hopefear.formats.files import Source
from hopefear.types import Weights

__all__ = ["ZmertWeights"]

_FORM = "NAME ||| VALUE Opt|Fix MIN MAX RANDMIN RANDMAX"


@weights_formats.register("zmert")
@dataclass(frozen=True, kw_only=True)
class ZmertWeights:
    """The value of each parameter; ranges, and which are fixed, are for the tuner."""

    def sniff(self, source: Source) -> bool:
        """Look for parameters in all lines but that of the normalization."""
        lines = [words for line in source.head() if _has_parameter(words := split_blanks(line))]
        return lines != [] and all(map(_is_parameter, lines))

    def read(self, source: Source) -> Weights:
        """Read the values."""
        table = WeightTable(source)
        for number, line in source:
            words = split_blanks(line)
            if not _has_parameter(words):
                continue
            if not _is_parameter(words):
                raise source.error(number, f"expected {_FORM}, found {line!r}")
            table.add(number, words[0], words[2])
        return table.weights()

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write parameters that may become anything, and start at random from -1 to 1."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            check_name(name, "zmert")
            out.write(f"{name} ||| {format_number(value)} Opt -Inf +Inf -1 +1\n")
        out.write("normalization = none\n")


def _has_parameter(words: list[str]) -> bool:
    return words != [] and words[:2] != ["normalization", "="]


def _is_parameter(words: list[str]) -> bool:
    return len(words) == 8 and words[1] == "|||" and words[3] in ("Opt", "Fix")
