"""Weights as names and values: tables, JSON, and the files of cdec and Travatar.

Our runs write tables of name, tab and value. qaware-decode and many scripts write a JSON object.
cdec, and Moses for sparse features, write ``NAME VALUE`` lines. Travatar writes ``NAME=VALUE`` on
one line, or in the section [weight_vals] of travatar.ini.
"""

import json
import re
from collections.abc import Iterator
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.fields import (
    WeightTable,
    check_name,
    format_number,
    format_pairs,
    is_number,
    json_feature,
    parse_json,
    split_blanks,
)
from hopefear.formats.files import Source
from hopefear.settings import settings
from hopefear.types import Weights

__all__ = ["CdecWeights", "JsonWeights", "TravatarWeights", "TsvWeights"]


@weights_formats.register("tsv")
@settings
class TsvWeights:
    """One feature per line: name, tab, value."""

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


# Also without its end, which may lie beyond what is looked at: no place is looked at twice.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?|\\.')


@weights_formats.register("json")
@settings
class JsonWeights:
    """An object whose keys are the features."""

    def sniff(self, source: Source) -> bool:
        """Look for an object without inner objects and lists."""
        text = _QUOTED.sub("", "\n".join(source.head())).lstrip()
        return text.startswith("{") and text.count("{") == 1 and "[" not in text

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        text = "\n".join(line for _, line in source)
        table = parse_json(text, source, 1)
        if not isinstance(table, dict):
            raise FormatError(f"{source.name}: expected an object of weights, got {text[:40]!r}")
        return Weights(
            {name: json_feature(name, value, f"{source.name}: ") for name, value in table.items()}
        )

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights, one feature per line."""
        pairs = zip(weights.names, weights.array.tolist(), strict=True)
        lines = (f"  {json.dumps(n, ensure_ascii=False)}: {format_number(v)}" for n, v in pairs)
        out.write("{\n" + ",\n".join(lines) + "\n}\n")


_LAST_SEPARATOR = re.compile(r"(.*)[ \t=]", re.DOTALL)


@weights_formats.register("cdec")
@settings
class CdecWeights:
    """NAME VALUE lines; a tab or ``=`` may separate them, and ``#`` begins a comment."""

    def sniff(self, source: Source) -> bool:
        """Look for lines of a name, which is not a label of Moses (NAME=), and a number."""
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
                raise FormatError(f"the cdec format cannot represent {name!r}: # begins a comment")
            out.write(f"{name} {format_number(value)}\n")


_SECTION = "[weight_vals]"


@weights_formats.register("travatar")
@settings
class TravatarWeights:
    """Any number of NAME=VALUE per line; the last ``=`` separates name and value."""

    def sniff(self, source: Source) -> bool:
        """Look for the section of travatar.ini, or for only NAME=VALUE."""
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
    """Yield all lines, or those of [weight_vals] if there are sections."""
    is_ini = any(line.startswith("[") and line.endswith("]") for line in source.head(1000))
    inside = not is_ini
    for number, line in source:
        if is_ini and line.startswith("["):
            inside = line.strip() == _SECTION
        elif is_ini and not line.strip():
            inside = False
        elif inside:
            yield number, line
