"""Joshua's weights, and the parameters of its tuner Z-MERT.

Joshua: ``NAME VALUE`` lines in a file, or in joshua.config, where ``weights-file`` may name more.
Z-MERT: ``NAME ||| VALUE Opt|Fix MIN MAX RANDMIN RANDMAX``, and a last line ``normalization = ...``.
"""

import re
from collections.abc import Sequence
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.fields import (
    WeightTable,
    check_name,
    format_number,
    parse_number,
    split_blanks,
)
from hopefear.formats.files import PathLike, Source, named_file, open_output, open_source
from hopefear.settings import settings
from hopefear.types import Weights

__all__ = ["JoshuaWeights", "ZmertWeights", "write_joshua_config"]

_CONFIG = re.compile(
    r"\s*(?:(?:feature[-_]function|weights[-_]file|output[-_]format)\s*=|(?:tm|lm)\s+=\s+[a-zA-Z])"
)


_COMMENTS = ("#", "//")


@weights_formats.register("joshua")
@settings
class JoshuaWeights:
    """NAME VALUE lines; as in Joshua, the weights of a repeated name are added up.

    Settings in joshua.config (``key = value``) are skipped, except weights-file.
    """

    def sniff(self, source: Source) -> bool:
        """Look for a setting that only joshua.config has."""
        return self.has_settings(source.head(1000))

    @staticmethod
    def has_settings(lines: Sequence[str]) -> bool:
        """Whether some line is a setting of joshua.config."""
        return any(_CONFIG.match(line) for line in lines)

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        table: dict[str, float] = {}
        _read(source, table)
        return Weights(table)

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            out.write(_line(name, value))


def _line(name: str, value: float) -> str:
    if check_name(name, "joshua").startswith(_COMMENTS) or name.endswith("="):
        raise FormatError(f"the joshua format cannot represent the feature {name!r}")
    return f"{name} {format_number(value)}\n"


def write_joshua_config(path: PathLike, weights: Weights, template: PathLike) -> None:
    """Write a copy of the joshua.config `template` with new weights, all in lines of its own.

    Its weights and those of its ``weights-file`` stay if they are not among `weights`. Joshua adds
    the weights of a repeated name up, so that nothing may name a feature twice.
    """
    with open_source(template) as source:
        own = JoshuaWeights().read(source)
    lines = []
    with open_source(template) as source:
        for _, line in source:
            words = split_blanks(line)
            is_weight = len(words) == 2 and not words[0].endswith("=") and words[0] in own
            if not is_weight and _key(line) != "weights-file":
                lines.append(f"{line}\n")
    merged = dict(own) | dict(weights)
    with open_output(path) as out:
        out.writelines(lines)
        out.writelines(_line(name, value) for name, value in merged.items())


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
            key, path = _key(line), line.partition("=")[2].strip()
            if key == "weights-file" and path and not inner:
                with open_source(named_file(source, path, key)) as file:
                    _read(file, table, inner=True)


def _key(line: str) -> str:
    """Return the key of ``key = value``; Joshua takes both _ and -."""
    return line.partition("=")[0].strip().replace("_", "-")


_FORM = "NAME ||| VALUE Opt|Fix MIN MAX RANDMIN RANDMAX"


@weights_formats.register("zmert")
@settings
class ZmertWeights:
    """The value of each parameter; ranges and Opt or Fix are ignored."""

    def sniff(self, source: Source) -> bool:
        """Look for lines of parameters, except for the normalization."""
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
        """Write unlimited parameters whose random restarts are from -1 to 1."""
        for name, value in zip(weights.names, weights.array.tolist(), strict=True):
            check_name(name, "zmert")
            out.write(f"{name} ||| {format_number(value)} Opt -Inf +Inf -1 +1\n")
        out.write("normalization = none\n")


def _has_parameter(words: list[str]) -> bool:
    return words != [] and words[:2] != ["normalization", "="]


def _is_parameter(words: list[str]) -> bool:
    return len(words) == 8 and words[1] == "|||" and words[3] in ("Opt", "Fix")
