"""Configurations: TOML into frozen dataclasses, and back with every default written out.

A dataclass is read from a table by the annotations of its fields:

- ``bool``, ``int``, ``float`` (an integer will do), ``str``, ``Path``, ``Literal["a", "b"]``;
- ``X | None``: absent means None, since TOML has no null;
- ``tuple[X, ...]`` from an array; of strings and paths, a single one will do;
- ``Mapping[str, X]`` and ``Weights`` from a table;
- another dataclass from a table;
- ``Annotated[Learner, learners]``, where ``learners`` is a Registry: from a table whose ``name``
  selects the class and whose other keys are its options, or from the name alone.

Everything that does not fit is a ConfigError which says the file and the dotted key.
"""

import tomllib
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from hopefear.errors import ConfigError, HopefearError, OptionError
from hopefear.registry import Registry, suggest
from hopefear.settings.overrides import read_table
from hopefear.settings.toml_writer import format_table
from hopefear.types import Weights

__all__ = ["decode", "dumps", "encode", "load", "loads"]

T = TypeVar("T")


def load(kind: type[T], path: str | Path) -> T:
    """Read the configuration `kind`, a dataclass, from a TOML file."""
    return decode(kind, read_table(Path(path)), source=str(path))


def loads(kind: type[T], text: str, *, source: str = "configuration") -> T:
    """Read the configuration `kind`, a dataclass, from TOML; `source` is named in errors."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # too many digits, or too deep, as well
        raise ConfigError(f"{source}: {error}") from error
    return decode(kind, table, source=source)


def decode(
    kind: Callable[..., T], table: Mapping[str, object], *, source: str = "configuration"
) -> T:
    """Make the dataclass `kind` of a table of plain values; `source` is named in errors."""
    try:
        return _dataclass(kind, table, "")
    except _MisfitError as misfit:
        text = f"{source}: {misfit.key}{misfit.message}"
        raise ConfigError(text, settings=misfit.settings) from misfit.__cause__


def dumps(config: object) -> str:
    """Write a dataclass as TOML, defaults included; `loads` gives an equal one back."""
    return format_table(encode(config))


def encode(config: object) -> dict[str, object]:
    """Return the table of plain values (numbers, strings, lists, dicts) that `decode` reads."""
    if isinstance(config, type) or not is_dataclass(config):
        raise ConfigError(f"{config!r} is not a dataclass and cannot be a configuration")
    hints = get_type_hints(type(config), include_extras=True)
    table: dict[str, object] = {}
    for option in fields(config):
        if not option.init:
            continue
        value = getattr(config, option.name)
        if value is not None:
            table[option.name] = _plain(hints[option.name], value)
        elif option.default is not None:
            title = f"{type(config).__name__}.{option.name}"
            raise ConfigError(f"{title} is None, which cannot be written: it is not the default")
    return table


class _MisfitError(Exception):
    """A value does not fit: the dotted key, what follows it in a message, and what would help."""

    def __init__(
        self, key: str, problem: str, *, settings: Iterable[str] = (), separator: str = ": "
    ) -> None:
        super().__init__(key, problem)
        self.key, self.message = key, f"{separator if key else ''}{problem}"
        self.settings = tuple(settings)


def _dataclass(
    kind: Callable[..., T], table: object, key: str, *, taken: tuple[str, ...] = (), of: str = ""
) -> T:
    """Make a dataclass; keys that are `taken` are not its own, and `of` says what it is."""
    if not isinstance(table, Mapping):
        raise _MisfitError(key, f"expected a table, got {_show(table)}")
    hints, options = _options(kind)
    for name in table:
        if name not in options and name not in taken:
            problem = f"unknown key{of}{suggest(name, [*taken, *options])}"
            raise _MisfitError(_join(key, name), problem, settings=[_join(key, name)])
    values = {
        name: _value(hints[name], table[name], _join(key, name))
        for name in options
        if name in table
    }
    for name, option in options.items():
        if name not in values and option.default is MISSING and option.default_factory is MISSING:
            name = _join(key, name)
            raise _MisfitError(name, "is missing and has no default", settings=[name])
    try:
        return kind(**values)
    except OptionError as error:
        name = _join(key, error.field)
        raise _MisfitError(name, error.problem, settings=[name], separator="") from error
    except HopefearError as error:
        settings = [_join(key, name) for name in error.settings]
        raise _MisfitError(key, str(error), settings=settings) from error


def _options(kind: Any) -> tuple[dict[str, Any], dict[str, Field[Any]]]:
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise TypeError(f"{kind} is not a dataclass and cannot be read from a configuration")
    hints = get_type_hints(kind, include_extras=True)
    return hints, {option.name: option for option in fields(kind) if option.init}


def _value(hint: Any, value: object, key: str) -> object:
    """Convert the plain `value` to the annotated type `hint`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        registry = _registry(hint)
        return (
            _value(arguments[0], value, key) if registry is None else _choice(registry, value, key)
        )
    if origin in (Union, types.UnionType):
        return _union([kind for kind in arguments if kind is not type(None)], value, key)
    if origin is Literal:
        if value in arguments and isinstance(value, str):
            return value
        hint = suggest(str(value), map(str, arguments))
        raise _MisfitError(key, f"unknown value {_show(value)}{hint}")
    if origin is tuple:
        if isinstance(value, str) and arguments[0] in (str, Path):
            value = [value]
        if not isinstance(value, list | tuple):
            raise _MisfitError(key, f"expected an array, got {_show(value)}")
        return tuple(_value(arguments[0], item, f"{key}[{i}]") for i, item in enumerate(value))
    if hint is Weights or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _mapping(hint, arguments, value, key)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(hint, value, key)
    return _scalar(hint, value, key)


def _choice(registry: Registry[Any], value: object, key: str) -> object:
    table = {"name": value} if isinstance(value, str) else value
    if not isinstance(table, Mapping):
        raise _MisfitError(key, f"expected a {registry.kind}'s name or table, got {_show(value)}")
    name = table.get("name")
    if not isinstance(name, str):
        known = ", ".join(registry)
        raise _MisfitError(_join(key, "name"), f"must name a {registry.kind}; known: {known}")
    try:
        kind = registry[name]
    except ConfigError as error:
        raise _MisfitError(_join(key, "name"), str(error)) from error
    if not isinstance(kind, type) or not is_dataclass(kind):
        message = f"the {registry.kind} '{name}' has no settings: make it a dataclass"
        raise _MisfitError(_join(key, "name"), message)
    return _dataclass(kind, table, key, taken=("name",), of=f" of the {registry.kind} '{name}'")


def _union(kinds: list[Any], value: object, key: str) -> object:
    if len(kinds) == 1:
        return _value(kinds[0], value, key)
    for kind in kinds:
        try:
            return _value(kind, value, key)
        except _MisfitError:
            continue
    expected = " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
    raise _MisfitError(key, f"expected {expected}, got {_show(value)}")


def _mapping(hint: Any, arguments: tuple[Any, ...], value: object, key: str) -> object:
    if not isinstance(value, Mapping):
        raise _MisfitError(key, f"expected a table, got {_show(value)}")
    kind = float if hint is Weights else arguments[1]
    if hint is Weights and all(type(item) is float for item in value.values()):
        table = dict(value)  # the usual case, and there may be millions of them
    else:
        table = {name: _value(kind, item, _join(key, name)) for name, item in value.items()}
    if hint is not Weights:
        return table
    try:
        return Weights(table)
    except HopefearError as error:
        raise _MisfitError(key, str(error)) from error


def _scalar(hint: Any, value: object, key: str) -> object:
    # bool is a subclass of int, but true is no number; what arrays hold is one
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if hint is float and is_number:
        try:
            return float(cast(Real, value))
        except OverflowError:
            raise _MisfitError(key, f"{value} is too large") from None
    if hint is int and is_number and isinstance(value, Integral):
        return int(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if hint in (bool, str) and type(value) is hint:
        return value
    expected = getattr(hint, "__name__", str(hint))
    raise _MisfitError(key, f"expected {expected}, got {_show(value)}", settings=[key])


def _plain(hint: Any, value: Any) -> object:
    """Convert a field's value to what TOML and JSON can hold."""
    registry = _registry(hint)
    if registry is not None and not isinstance(value, tuple):
        return {"name": registry.name_of(type(value)), **encode(value)}
    if isinstance(value, tuple | list):
        inner = next((kind for kind in get_args(hint) if get_origin(kind) is tuple), hint)
        return [_plain((get_args(inner) or (Any,))[0], item) for item in value]
    if isinstance(value, Mapping):
        inner = get_args(hint)[-1] if get_args(hint) else Any
        return {str(name): _plain(inner, item) for name, item in value.items()}
    if is_dataclass(value):
        return encode(value)
    return str(value) if isinstance(value, Path) else value


def _registry(hint: Any) -> Registry[Any] | None:
    """Find the registry in ``Annotated[X, registry]``, also within ``... | None``."""
    if get_origin(hint) in (Union, types.UnionType):
        return next((r for kind in get_args(hint) if (r := _registry(kind))), None)
    metadata = getattr(hint, "__metadata__", ())
    return next((item for item in metadata if isinstance(item, Registry)), None)


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _show(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    return "an array" if isinstance(value, list) else repr(value)
