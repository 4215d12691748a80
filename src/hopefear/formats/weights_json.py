"""Weights as one JSON object: {"name": value}, as qaware-decode and many scripts save them."""

import json
import re
from dataclasses import dataclass
from typing import TextIO

from hopefear.errors import FormatError
from hopefear.formats.base import weights_formats
from hopefear.formats.fields import format_number
from hopefear.formats.files import Source
from hopefear.formats.json_fields import json_number, parse_json
from hopefear.types import Weights

__all__ = ["JsonWeights"]


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@weights_formats.register("json")
@dataclass(frozen=True, kw_only=True)
class JsonWeights:
    """An object whose keys are the features."""

    def sniff(self, source: Source) -> bool:
        """Look for an object with nothing in it but names and numbers."""
        text = _QUOTED.sub("", "\n".join(source.head())).lstrip()
        return text.startswith("{") and text.count("{") == 1 and "[" not in text

    def read(self, source: Source) -> Weights:
        """Read the weights."""
        text = "\n".join(line for _, line in source)
        table = parse_json(text, source, 1)
        if not isinstance(table, dict):
            raise FormatError(f"{source.name}: expected an object of weights, got {text[:40]!r}")
        return Weights(
            {name: json_number(value, f"{source.name}: '{name}'") for name, value in table.items()}
        )

    def write(self, weights: Weights, out: TextIO) -> None:
        """Write the weights, one feature a line."""
        pairs = zip(weights.names, weights.array.tolist(), strict=True)
        lines = (f"  {json.dumps(n, ensure_ascii=False)}: {format_number(v)}" for n, v in pairs)
        out.write("{\n" + ",\n".join(lines) + "\n}\n")
