"""Values out of JSON, checked."""

import json
import sys
from typing import cast

from hopefear.errors import FormatError
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source

__all__ = [
    "JsonPairs",
    "json_integer",
    "json_list",
    "json_number",
    "json_object",
    "json_text",
    "parse_json",
]


class JsonPairs(tuple[tuple[str, object], ...]):
    """An object as its keys and values in order, for formats in which keys come again."""

    __slots__ = ()


def parse_json(
    text: str, source: Source | str, line: int, *, pairs: bool = False, infinite: bool = False
) -> object:
    """Read JSON that begins at a line of a file; all numbers are finite, unless told otherwise.

    No key may come twice, unless objects are asked for as `JsonPairs`.
    """
    name = source if isinstance(source, str) else source.name
    try:
        decoder = _pairs_decoder if pairs else _infinite_decoder if infinite else _decoder
        value: object = decoder.decode(text)
        if "\\ud" in text or "\\uD" in text:  # perhaps half a character
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        raise FormatError(f"{name}:{place}: not JSON: {error.msg} (column {error.colno})") from None
    except UnicodeEncodeError as error:
        raise FormatError(f"{name}:{line}: a text is not Unicode: {error.reason}") from None
    except (ValueError, RecursionError) as error:  # too many digits, too deep, or what we refuse
        raise FormatError(f"{name}:{line}: {error}") from None
    return value


def json_number(value: object, what: str) -> float:
    """Return a number out of JSON as a float; `what` begins the message if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise FormatError(f"{what} must be a number, got {value!r:.40}")
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise FormatError(f"{what} is too large for a double")
    return float(value)


def json_integer(value: object, what: str, *, most: int = 2**31 - 1, least: int = 0) -> int:
    """Return a whole number out of JSON that is not below `least` nor above `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{what} must be a whole number, got {value!r:.40}")
    if not least <= value <= most:
        raise FormatError(f"{what} must be from {least} to {most}, got {value!r:.40}")
    return value


def json_text(value: object, what: str) -> str:
    """Return a string out of JSON."""
    if not isinstance(value, str):
        raise FormatError(f"{what} must be a string, got {value!r:.40}")
    return value


def json_list(value: object, what: str) -> list[object]:
    """Return a list out of JSON; null counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormatError(f"{what} must be a list, got {value!r:.40}")
    return value


def json_object(value: object, what: str) -> dict[str, object]:
    """Return an object out of JSON; null counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FormatError(f"{what} must be an object, got {value!r:.40}")
    return cast(dict[str, object], value)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for i, name in enumerate(names) if name in names[:i])
        raise FormatError(f"'{repeated}' comes twice")
    return table


_decoder = json.JSONDecoder(parse_constant=parse_number, object_pairs_hook=_distinct)
_pairs_decoder = json.JSONDecoder(parse_constant=parse_number, object_pairs_hook=JsonPairs)
_infinite_decoder = json.JSONDecoder(object_pairs_hook=_distinct)
