"""Settings put together: those of a TOML file, and options that go over them."""

import tomllib
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError, file_error_reason

__all__ = ["Table", "parse_assignment", "parse_value", "put", "read_table"]

Table = dict[str, Any]


def read_table(path: Path) -> Table:
    """Read a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {file_error_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:  # too many digits, or too deep, as well
        raise ConfigError(f"{path}: {error}") from error


def put(table: Table, key: str, value: object, source: str) -> None:
    """Set a dotted key; a name alone, as ``learner = "mert"``, first becomes a table."""
    *path, last = key.split(".")
    for part in path:
        inner = table.setdefault(part, {})
        if isinstance(inner, str):
            inner = table[part] = {"name": inner}
        if not isinstance(inner, dict):
            raise ConfigError(f"{source}: {key}: '{part}' is {inner!r}, not a table")
        table = inner
    table[last] = value


def parse_assignment(text: str) -> tuple[str, object]:
    """Read ``key=value``: a dotted key, and a TOML value; what is no such value is text.

    Examples
    --------
    >>> parse_assignment("learner.max_step=0.1"), parse_assignment("metric.tokenize=none")
    (('learner.max_step', 0.1), ('metric.tokenize', 'none'))
    """
    key, equals, value = text.partition("=")
    if not equals or not all(key.split(".")):
        raise ConfigError(f"expected KEY=VALUE, as in learner.epochs=5, found '{text}'")
    return key, parse_value(value)


def parse_value(text: str) -> object:
    """Read a TOML value; what is no such value is text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
