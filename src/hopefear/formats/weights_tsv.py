"""Weights as a table: name, tab, value. What our own runs write."""

from dataclasses import dataclass
from typing import TextIO

from hopefear.formats.base import weights_formats
from hopefear.formats.fields import WeightTable, check_name, format_number
from hopefear.formats.files import Source
from hopefear.types import Weights

__all__ = ["TsvWeights"]


@weights_formats.register("tsv")
@dataclass(frozen=True, kw_only=True)
class TsvWeights:
    """One feature a line: name, tab, value."""

    def sniff(self, source: Source) -> bool:
        """Look for exactly one tab in every line."""
        lines = source.head()
        return lines != [] and all(line.count("\t") == 1 for line in lines)

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table = WeightTable(source)
        for number, line in source:
            name, tab, value = line.partition("\t")
            if not tab:
                raise source.error(number, f"expected a name, a tab and a value, found {line!r}")
            table.add(number, name, value)
        return table.weights()

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            check_name(name, "tsv", forbidden="\t\n")
            out.write(f"{name}\t{format_number(value)}\n")
