"""Values out of JSON, checked."""

import json
import sys

from hopefear.errors import FormatError
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source

__all__ = ["json_number", "parse_json"]


def parse_json(text: str, source: Source, line: int) -> object:
    """Read JSON that begins at a line of a file; no key may come twice, no number be NaN."""
    try:
        value: object = _decoder.decode(text)
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        raise source.error(place, f"not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:  # too many digits, too deep, or what we refuse
        raise source.error(line, str(error)) from None
    return value


def json_number(value: object, what: str) -> float:
    """Return a number out of JSON as a float; `what` begins the message if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{what} must be a number, got {value!r:.40}")
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise FormatError(f"{what} is too large for a double")
    return float(value)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for i, name in enumerate(names) if name in names[:i])
        raise FormatError(f"'{repeated}' comes twice")
    return table


_decoder = json.JSONDecoder(parse_constant=parse_number, object_pairs_hook=_distinct)
