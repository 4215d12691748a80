"""Writing TOML: the standard library only reads it (https://toml.io, version 1.0)."""

import json
import re
from collections.abc import Mapping
from typing import TypeGuard

from hopefear.errors import ConfigError

__all__ = ["format_table"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_table(table: Mapping[str, object]) -> str:
    """Write a table of plain values as a TOML document.

    Examples
    --------
    >>> print(format_table({"epochs": 10, "learner": {"name": "mira", "max_step": 0.01}}), end="")
    epochs = 10
    <BLANKLINE>
    [learner]
    name = "mira"
    max_step = 0.01
    """
    return "\n".join(_lines(table, ())).lstrip("\n") + "\n" if table else ""


def _lines(table: Mapping[str, object], path: tuple[str, ...]) -> list[str]:
    """Write the plain keys first: after a header, keys would belong to the inner table."""
    lines, inner = [], []
    for key, value in table.items():
        name = _key(key)
        if isinstance(value, Mapping):
            inner += ["", f"[{'.'.join((*path, name))}]", *_lines(value, (*path, name))]
        elif _tables(value):
            for item in value:
                inner += ["", f"[[{'.'.join((*path, name))}]]", *_lines(item, (*path, name))]
        else:
            lines.append(f"{name} = {_inline(value)}")
    return lines + inner


def _tables(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    return isinstance(value, list) and value != [] and all(isinstance(x, Mapping) for x in value)


def _inline(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    raise ConfigError(f"{value!r} (a {type(value).__name__}) cannot be written as TOML")


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{text!r} cannot be written as TOML: {error.reason}") from None
    # JSON's escapes are TOML's, but for one control character that only TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
