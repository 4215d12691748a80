"""Configurations: TOML into frozen dataclasses, and back with every default written out.

A dataclass is read from a table by the annotations of its fields:

- ``bool``, ``int``, ``float`` (an integer will do), ``str``, ``Path``, ``Literal["a", "b"]``;
- ``X | None``: absent means None, since TOML has no null;
- ``tuple[X, ...]`` from an array; a single string or path will do where several may stand;
- ``Mapping[str, X]`` from a table, and so is a class like ``Weights``, a mapping to numbers;
- another dataclass from a table;
- ``Annotated[Learner, learners]``, where ``learners`` is a Registry: from a table whose ``name``
  selects the class and whose other keys are its settings, or from the name alone.

Objects that already have the right type are taken as they are, and `Text`, which people type on a
command line, is read as its setting's type demands. Everything else is a ConfigError that says the
file and the dotted key. No library that we looked at (msgspec, cattrs) has classes chosen by a
registered name, suggestions for misspelled keys, and errors that know the setting they are about.
"""

import re
import tomllib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from hopefear.errors import ConfigError, HopefearError, OptionError, file_error_reason
from hopefear.registry import Registry, suggest
from hopefear.settings.declare import Declaration, declaration, type_hints

__all__ = [
    "Table",
    "Text",
    "decode",
    "decode_value",
    "dumps",
    "encode",
    "encode_choice",
    "format_table",
    "load",
    "loads",
    "parse_assignment",
    "parse_fields",
    "put",
    "read_table",
    "registry_of",
]

T = TypeVar("T")
Table = dict[str, Any]


class Text(str):
    """A value as people type it, to be read as the type of its setting demands."""

    __slots__ = ()


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


def read_table(path: Path) -> Table:
    """Read a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {file_error_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error


def decode(
    kind: Callable[..., T], table: Mapping[str, object], *, source: str = "configuration"
) -> T:
    """Make the dataclass `kind` from a table of plain values; `source` is named in errors."""
    try:
        return _dataclass(kind, table, "")
    except _UnknownKeyError as unknown:
        places = [place for name in unknown.names for place in _places(kind, name)]
        known = f"; did you mean '{places[0]}'?" if places else unknown.known
        text = f"{source}: {unknown.key}: {unknown.problem}{known}"
        raise ConfigError(text, settings=unknown.settings) from None
    except _MisfitError as misfit:
        text = f"{source}: {misfit.key}{misfit.message}"
        raise ConfigError(text, settings=misfit.settings) from misfit.__cause__


def _places(kind: Any, name: str, key: str = "") -> Iterator[str]:
    """Yield the dotted keys of settings with this name, whatever is chosen."""
    hints, options = _options(kind)
    for option in options:
        inner = _join(key, option)
        if option == name:
            yield inner
        elif isinstance(hints[option], type) and is_dataclass(hints[option]):
            yield from _places(hints[option], name, inner)


def decode_value(hint: Any, value: object, key: str) -> object:
    """Convert a value to the annotated type `hint`; `key` is named in errors."""
    try:
        return _value(hint, value, key)
    except _MisfitError as misfit:
        text = f"{misfit.key}{misfit.message}"
        raise ConfigError(text, settings=misfit.settings) from misfit.__cause__


def dumps(config: object) -> str:
    """Write a dataclass as TOML, defaults included; `loads` gives an equal one back."""
    return format_table(encode(config))


def format_table(table: Mapping[str, object]) -> str:
    """Write a table of plain values as TOML.

    Examples
    --------
    >>> print(format_table({"epochs": 10, "learner": {"name": "mira", "max_step": 0.01}}), end="")
    epochs = 10
    <BLANKLINE>
    [learner]
    name = "mira"
    max_step = 0.01
    """
    import tomli_w  # few commands write

    try:
        text = tomli_w.dumps(table)
        text.encode()
    except (TypeError, UnicodeEncodeError) as error:
        raise ConfigError(f"cannot be written as TOML: {error}") from error
    return text


def encode(config: object) -> Table:
    """Return the table of plain values (numbers, strings, lists, dicts) that `decode` reads."""
    if isinstance(config, type) or not is_dataclass(config):
        raise ConfigError(f"{config!r} is not a dataclass and cannot be a configuration")
    kind: type = type(config)
    hints = type_hints(kind)
    table: Table = {}
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


def encode_choice(registry: Registry[Any], chosen: object) -> Table:
    """Return the table of an object whose class is registered: its name and its settings."""
    return {"name": registry.name_of(type(chosen)), **encode(chosen)}


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
    # A table as text cannot be anything else, and others may look into it before it is decoded.
    table[last] = _toml(value) if isinstance(value, Text) and value.startswith("{") else value


def parse_assignment(text: str) -> tuple[str, Text]:
    """Split ``key=value`` into a dotted key and a value to be read as its setting demands.

    Examples
    --------
    >>> parse_assignment("learner.max_step=0.1")
    ('learner.max_step', '0.1')
    """
    key, equals, value = text.partition("=")
    if not equals or not all(key.split(".")):
        raise ConfigError(f"expected KEY=VALUE, as in learner.max_step=0.1, found '{text}'")
    return key, Text(value)


def parse_fields(text: str) -> dict[str, Text]:
    """Split ``key=value,key=value``, a table as people type it where its settings are few.

    Examples
    --------
    >>> parse_fields("bits=8,overlap=true")
    {'bits': '8', 'overlap': 'true'}
    """
    fields: dict[str, Text] = {}
    for part in re.split(r"[,\s]+(?=\w+=)", text.strip()):
        key, value = parse_assignment(part)
        fields[key] = value
    return fields


@cache
def registry_of(hint: Any) -> Registry[Any] | None:
    """Find the registry in ``Annotated[X, registry]``, also within ``... | None``."""
    if get_origin(hint) in (Union, types.UnionType):
        return next((r for kind in get_args(hint) if (r := registry_of(kind))), None)
    metadata = getattr(hint, "__metadata__", ())
    return next((item for item in metadata if isinstance(item, Registry)), None)


class _MisfitError(Exception):
    """A value does not fit: its dotted key, what follows it in a message, and what would help."""

    def __init__(
        self,
        key: str,
        problem: str,
        *,
        settings: Iterable[str] | None = None,
        separator: str = ": ",
    ) -> None:
        super().__init__(key, problem)
        self.key, self.message = key, f"{separator if key else ''}{problem}"
        self.settings = (key,) if settings is None else tuple(settings)


class _UnknownKeyError(_MisfitError):
    """There is no such setting here, but there may be one of these names elsewhere."""

    def __init__(self, key: str, problem: str, known: str, names: Iterable[str]) -> None:
        super().__init__(key, f"{problem}{known}")
        self.problem, self.known, self.names = problem, known, names


def _dataclass(
    kind: Callable[..., T], table: object, key: str, *, taken: tuple[str, ...] = (), of: str = ""
) -> T:
    """Make a dataclass; keys that are `taken` are not its own, and `of` says what it is."""
    if isinstance(table, Text):
        table = _toml(table)
    if isinstance(kind, type) and isinstance(table, kind):
        return cast(T, table)
    if not isinstance(table, Mapping):
        raise _MisfitError(key, f"expected a table, got {_show(table)}")
    hints, options = _options(kind)
    for name in table:
        if name not in options and name not in taken:
            known = suggest(str(name), [*taken, *options])
            inner = table[name]
            names = [name, *(inner if isinstance(inner, Mapping) else ())]
            raise _UnknownKeyError(_join(key, name), f"unknown key{of}", known, names)
    values = {
        name: _value(hints[name], table[name], _join(key, name), declaration(option))
        for name, option in options.items()
        if name in table
    }
    for name, option in options.items():
        if name not in values and option.default is MISSING and option.default_factory is MISSING:
            raise _MisfitError(_join(key, name), "is missing and has no default")
    try:
        return kind(**values)
    except OptionError as error:
        name = _join(key, error.field)
        raise _MisfitError(name, error.problem, separator="") from error
    except HopefearError as error:
        settings = [_join(key, name) for name in error.settings]
        raise _MisfitError(key, str(error), settings=settings) from error


def _options(kind: Any) -> tuple[dict[str, Any], dict[str, Field[Any]]]:
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise TypeError(f"{kind} is not a dataclass and cannot be read from a configuration")
    return type_hints(kind), {option.name: option for option in fields(kind) if option.init}


def _value(hint: Any, value: object, key: str, declared: Declaration | None = None) -> object:
    """Convert the plain `value` to the annotated type `hint`."""
    if declared is not None and declared.parse is not None and isinstance(value, str):
        try:
            value = declared.parse(value)
        except HopefearError as error:
            raise _MisfitError(key, str(error)) from error
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        registry = registry_of(hint)
        return (
            _value(arguments[0], value, key) if registry is None else _choice(registry, value, key)
        )
    if origin in (Union, types.UnionType):
        return _union([kind for kind in arguments if kind is not type(None)], value, key)
    if origin is Literal:
        value = _unquoted(value)
        if value in arguments and isinstance(value, str):
            return str(value)
        raise _MisfitError(
            key, f"unknown value {_show(value)}{suggest(str(value), map(str, arguments))}"
        )
    if origin in (tuple, Sequence):
        return _array(arguments[0], value, key)
    if isinstance(kind := origin or hint, type) and issubclass(kind, Mapping):
        return _mapping(kind, float if origin is None else arguments[1], value, key)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(hint, value, key)
    return value if hint is object else _scalar(hint, value, key)


def _array(kind: Any, value: object, key: str) -> tuple[object, ...]:
    if isinstance(value, Text):
        value = _toml(value) if value.startswith("[") else [value]
    elif isinstance(value, str | Path) and not {str, Path}.isdisjoint((kind, *get_args(kind))):
        value = [value]
    if not isinstance(value, list | tuple):
        raise _MisfitError(key, f"expected an array, got {_show(value)}")
    return tuple(_value(kind, item, f"{key}[{i}]") for i, item in enumerate(value))


def _choice(registry: Registry[Any], value: object, key: str) -> object:
    if isinstance(value, Text):
        value = _toml(value) if value.startswith("{") else _unquoted(value)
    if is_dataclass(value) and not isinstance(value, type):
        registry.name_of(type(value))  # an error unless it is registered
        return value
    table = {"name": str(value)} if isinstance(value, str) else value
    if not isinstance(table, Mapping):
        raise _MisfitError(key, f"expected a {registry.kind}'s name or table, got {_show(value)}")
    name = table.get("name")
    if not isinstance(name, str):
        known = ", ".join(registry)
        problem = f"must name a {registry.kind}; known: {known}"
        raise _MisfitError(_join(key, "name"), problem, settings=[key])
    try:
        kind = registry[name]
    except ConfigError as error:
        raise _MisfitError(_join(key, "name"), str(error), settings=[key]) from error
    if not isinstance(kind, type) or not is_dataclass(kind):
        problem = f"the {registry.kind} '{name}' has no settings: make it a dataclass"
        raise _MisfitError(_join(key, "name"), problem, settings=[key])
    return _dataclass(kind, table, key, taken=("name",), of=f" of the {registry.kind} '{name}'")


def _union(kinds: list[Any], value: object, key: str) -> object:
    if len(kinds) == 1:
        return _value(kinds[0], value, key)
    # Any text is a str, so that other kinds come first.
    for kind in sorted(kinds, key=lambda kind: isinstance(value, Text) and kind is str):
        try:
            return _value(kind, value, key)
        except _MisfitError as misfit:
            if misfit.key != key:  # the kind is right, and something in it is not
                raise
    expected = " or ".join(dict.fromkeys(map(_title, kinds)))
    raise _MisfitError(key, f"expected {expected}, got {_show(value)}")


def _mapping(kind: Any, inner: Any, value: object, key: str) -> object:
    if isinstance(value, Text):
        value = _toml(value)
    if not isinstance(value, Mapping):
        raise _MisfitError(key, f"expected a table, got {_show(value)}")
    if inner is float and all(type(item) is float for item in value.values()):
        table = dict(value)  # the usual case, and there may be millions of them
    else:
        table = {name: _value(inner, item, _join(key, name)) for name, item in value.items()}
    if kind is Mapping:
        return table
    try:
        return kind(table)
    except HopefearError as error:
        raise _MisfitError(key, str(error)) from error


def _scalar(hint: Any, value: object, key: str) -> object:
    if isinstance(value, Text):
        value = _read_scalar(hint, value)
    # bool is a subclass of int, but true is not a number; numbers out of arrays are
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if hint is float and is_number:
        try:
            return float(cast(Real, value))
        except OverflowError:
            raise _MisfitError(key, f"{value} is too large") from None
    if hint is int and is_number and isinstance(value, Integral):
        return int(value)
    if hint is Path and isinstance(value, str | Path):
        return Path(value)
    if hint in (bool, str) and type(value) is hint:
        return value
    raise _MisfitError(key, f"expected {_title(hint)}, got {_show(value)}")


def _read_scalar(hint: Any, text: Text) -> object:
    if hint in (str, Path):
        return _unquoted(text)
    if hint is bool:
        return {"true": True, "false": False}.get(text, str(text))
    try:
        return hint(text) if hint in (int, float) else str(text)
    except ValueError:
        return str(text)


def _toml(text: Text) -> object:
    """Read text that has to be a TOML value; return it as it is if it is not one."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return str(text)


def _unquoted(value: object) -> object:
    """Remove TOML's quotes from text, which need not have any."""
    if not isinstance(value, Text):
        return value
    return _toml(value) if value[:1] in ("'", '"') else str(value)


def _plain(hint: Any, value: Any) -> object:
    """Convert a field's value to what TOML and JSON can hold."""
    registry = registry_of(hint)
    if registry is not None and not isinstance(value, tuple):
        return encode_choice(registry, value)
    if isinstance(value, tuple | list):
        inner = next((kind for kind in get_args(hint) if get_origin(kind) is tuple), hint)
        return [_plain((get_args(inner) or (Any,))[0], item) for item in value]
    if isinstance(value, Mapping):
        inner = get_args(hint)[-1] if get_args(hint) else Any
        return {str(name): _plain(inner, item) for name, item in value.items()}
    if is_dataclass(value):
        return encode(value)
    return str(value) if isinstance(value, Path) else value


_TITLES = {
    bool: "true or false",
    float: "a number",
    int: "a whole number",
    str: "text",
    Path: "the name of a file",
    tuple: "an array",
    Mapping: "a table",
}


def _title(hint: Any) -> str:
    """Return what a message calls a type."""
    kind = get_origin(hint) or hint
    return _TITLES.get(kind, getattr(kind, "__name__", str(kind)))


def _join(key: str, name: object) -> str:
    return f"{key}.{name}" if key else str(name)


def _show(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    return "an array" if isinstance(value, list) else f"{value!r:.60}"
