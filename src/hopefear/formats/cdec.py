"""cdec's files. Weights: NAME VALUE a line, which is also the form of Moses' sparse weights."""

import re
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.fields import WeightTable, check_name, format_number, split_blanks
from hopefear.formats.files import Source
from hopefear.types import Weights

__all__ = ["CdecWeights", "read_pairs", "write_pairs"]

_LAST_SEPARATOR = re.compile(r"(.*)[ \t=]", re.DOTALL)


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
            and all(len(pair) == 2 for pair in words)
            and not any("\t" in line for line in lines)
            and not all(pair[0].endswith("=") for pair in words)
        )

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table = WeightTable(source)
        read_pairs(source, table)
        return table.weights()

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights."""
        write_pairs(weights, out, "cdec")


def read_pairs(source: Source, table: WeightTable) -> None:
    """Read lines of a name and a value into a table; the last of blank, tab and = parts them."""
    for number, line in source:
        line = line.rstrip(" \t")
        if not line or line.startswith("#"):
            continue
        found = _LAST_SEPARATOR.match(line)
        name = found[1].rstrip(" \t") if found else ""
        if not found or len(split_blanks(name)) != 1 or name[0] in " \t":
            raise source.error(number, f"expected NAME VALUE, found {line!r}")
        table.add(number, name, line[found.end() :])


def write_pairs(weights: Weights, out: TextIO, format: str) -> None:
    """Write a name, a blank and a value a line."""
    for name, value in zip(weights.names, weights.array.tolist(), strict=True):
        check_name(name, format)
        if name.startswith("#"):
            raise FormatError(f"the {format} format cannot carry {name!r}: # begins a comment")
        out.write(f"{name} {format_number(value)}\n")
