"""Joshua's files.

N-best lists: ``0 ||| text ||| NAME=VALUE NAME=VALUE ||| score``, all numbers with three decimals.
Weights: ``NAME VALUE`` a line, in a file of their own or among the lines of joshua.config.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.bar_lines import read_bar_lines
from hopefear.formats.base import nbest_formats, weights_formats
from hopefear.formats.fields import check_name, format_number, parse_number, split_blanks
from hopefear.formats.files import Source, named_file, open_source
from hopefear.nbest import BarLayout
from hopefear.types import Segment, Weights

__all__ = ["JoshuaNBest", "JoshuaWeights"]

_CONFIG = re.compile(
    r"\s*(?:(?:feature[-_]function|weights[-_]file|output[-_]format)\s*=|(?:tm|lm)\s+=\s+[a-zA-Z])"
)
_COMMENTS = ("#", "//")


@nbest_formats.register("joshua")
@dataclass(frozen=True, kw_only=True)
class JoshuaNBest:
    """The third field has the features, as in cdec's lists."""

    @property
    def layout(self) -> BarLayout:
        """Which field is what."""
        return BarLayout(features=2, total=3)

    def sniff(self, source: Source) -> bool:
        """Leave it to cdec's format, which is the same."""
        return False

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses."""
        return read_bar_lines(source, self.layout)


@weights_formats.register("joshua")
@dataclass(frozen=True, kw_only=True)
class JoshuaWeights:
    """NAME VALUE; the weights of a name that comes again are added up, as Joshua does.

    Lines of joshua.config that set something (``key = value``) are skipped, but for weights-file.
    """

    def sniff(self, source: Source) -> bool:
        """Look for a line that only joshua.config has."""
        return any(_CONFIG.match(line) for line in source.head(1000))

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table: dict[str, float] = {}
        _read(source, table)
        return Weights(table)

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            check_name(name, "joshua")
            if name.startswith(_COMMENTS) or name.endswith("="):
                raise FormatError(f"the joshua format would not read {name!r} as a feature's name")
            out.write(f"{name} {format_number(value)}\n")


def _read(source: Source, table: dict[str, float], *, inner: bool = False) -> None:
    for number, line in source:
        words = split_blanks(line)
        if not words or words[0].startswith(_COMMENTS):
            continue
        if len(words) == 2 and not words[0].endswith("="):
            try:
                value = parse_number(words[1])
                table[words[0]] = table[words[0]] + value if words[0] in table else value
            except FormatError as error:
                message = f"the weight of feature '{words[0]}': {error}"
                raise source.error(number, message) from None
        elif "=" not in line:
            raise source.error(number, f"expected NAME VALUE or key = value, found {line!r}")
        else:
            key, _, path = (part.strip() for part in line.partition("="))
            if key.replace("_", "-") == "weights-file" and path and not inner:
                with open_source(named_file(source, path, key)) as file:
                    _read(file, table, inner=True)
