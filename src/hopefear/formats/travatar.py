"""Travatar's files. Weights: NAME=VALUE NAME=VALUE on a line, or [weight_vals] in travatar.ini."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from hopefear.formats.base import weights_formats
from hopefear.formats.fields import WeightTable, check_name, format_number, split_blanks
from hopefear.formats.files import Source
from hopefear.types import Weights

__all__ = ["TravatarWeights"]

_SECTION = "[weight_vals]"


@weights_formats.register("travatar")
@dataclass(frozen=True, kw_only=True)
class TravatarWeights:
    """NAME=VALUE, any number of them on a line; the last ``=`` parts name and value."""

    def sniff(self, source: Source) -> bool:
        """Look for the section of travatar.ini, or for NAME=VALUE everywhere."""
        lines = source.head()
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
        pairs = zip(weights.names, weights.array.tolist(), strict=True)
        words = (f"{check_name(name, 'travatar')}={format_number(value)}" for name, value in pairs)
        out.write(" ".join(words) + "\n")


def _weight_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Give all lines, or if there are sections, as in travatar.ini, those of the weights."""
    is_ini = any(line.startswith("[") and line.endswith("]") for line in source.head())
    inside = not is_ini
    for number, line in source:
        if is_ini and line.startswith("["):
            inside = line.strip() == _SECTION
        elif is_ini and not line.strip():
            inside = False
        elif inside:
            yield number, line
