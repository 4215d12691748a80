"""The settings of a class and of all that it contains, each with the names that users give it.

Command lines, Python's keyword arguments, error messages and the reference page are all made from
what `walk` yields.
"""

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, lru_cache
from inspect import Parameter, Signature
from inspect import signature as inspect_signature
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from hopefear.errors import ConfigError
from hopefear.registry import Registry, suggest
from hopefear.settings.config import Table, decode_value, encode, encode_choice, registry_of
from hopefear.settings.declare import Declaration, declaration, type_hints

__all__ = [
    "Option",
    "default_text",
    "is_required",
    "keyword_options",
    "signature",
    "type_name",
    "walk",
]

T = TypeVar("T")


class Option(NamedTuple):
    """A setting as users meet it.

    Attributes
    ----------
    key : str
        Its dotted key in TOML: "tuning.references".
    name : str
        Its name on the command line without dashes: "refs", or "learner.max-step".
    group : str
        The heading under which it is listed.
    hint : type
        Its annotated type.
    default : object
        Its default as a plain value; None if there is none, or if it is None.
    required : bool
        Whether it has no default.
    declared : Declaration
        Help, limits and the rest.
    registry : Registry, optional
        What its name is chosen from.
    chosen : tuple of (key, name)
        The choices that it depends on: (("learner", "mira"),).
    """

    key: str
    name: str
    group: str
    hint: Any
    default: object
    required: bool
    declared: Declaration
    registry: Registry[Any] | None
    chosen: tuple[tuple[str, str], ...]

    @property
    def keyword(self) -> str:
        """The name of the keyword argument in Python."""
        name = self.name.replace("-", "_").replace(".", "__")
        return f"{name}_" if iskeyword(name) else name

    @property
    def kind(self) -> Any:
        """The type of one value: without None, annotations and arrays around it."""
        found = _bare(self.hint)
        return _bare(get_args(found)[0]) if get_origin(found) is tuple else found

    @property
    def several(self) -> bool:
        """Whether it takes several values."""
        return get_origin(_bare(self.hint)) is tuple

    @property
    def is_table(self) -> bool:
        """Whether only a table can say it, and no text that its metavar would name."""
        table = _is_mapping(self.kind) or is_dataclass(self.kind)
        return self.registry is None and table and not self.declared.metavar

    @property
    def choices(self) -> tuple[str, ...]:
        """All values that it can have, if these are names."""
        if self.registry is not None:
            return tuple(self.registry)
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def completions(self) -> tuple[str, ...]:
        """Values that a shell offers."""
        offered = self.declared.complete
        return self.choices or (() if offered is None else tuple(offered()))


def walk(kind: type, given: Mapping[str, object] | None = None) -> Iterator[Option]:
    """Yield the settings of a class and of all that it contains.

    Parameters
    ----------
    kind : type
        A dataclass of settings.
    given : mapping, optional
        A table of chosen values: what depends on a choice is what the chosen class has, with the
        chosen values as defaults. Without it, all that any registered class has, one after another.
    """
    yield from _walk(kind, given, _Place())


def signature(kind: type, function: Callable[..., object]) -> Signature:
    """Return the signature of a function whose last parameter, ``**settings``, is a class's.

    Settings with dotted names, such as a learner's own, are left to ``**settings``.
    """
    own = inspect_signature(function)
    *first, rest = own.parameters.values()
    keywords = [
        Parameter(
            option.keyword,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if option.required else option.default,
            annotation=option.hint,
        )
        for option in {option.keyword: option for option in _by_priority(kind)}.values()
        if "." not in option.name and option.keyword not in own.parameters
    ]
    return own.replace(parameters=[*first, *keywords, rest])


def keyword_options(kind: type, keywords: Mapping[str, object], source: str) -> Table:
    """Return the values that keyword arguments stand for by dotted keys, outer ones first.

    A keyword is the name of an option with underscores ("dev_refs"), or a dotted key with double
    ones ("learner__max_step"); a table may be a mapping or an object. None stands for nothing.
    """
    options = _by_priority(kind)
    known = {option.keyword: option for option in options}
    by_key = {option.key: option for option in options}
    found: Table = {}
    for keyword, value in keywords.items():
        key = keyword.replace("__", ".")
        option = known.get(keyword) or by_key.get(key)
        if option is None and not any(one.startswith(f"{key}.") for one in by_key):
            names = [name for name in known if "__" not in name]
            raise ConfigError(f"{source}: unknown setting '{keyword}'{suggest(keyword, names)}")
        if value is None:
            continue
        unnamed = isinstance(value, Mapping) and "name" not in value
        if option is not None and is_dataclass(option.kind) and option.declared.parse is not None:
            parsed = option.declared.parse(value) if isinstance(value, str) else value
            found |= _flat(option.key, parsed)
            continue
        if option is None or (option.registry is not None and unnamed):
            found |= _flat(key, value)
        elif option.registry is not None or option.chosen or _stands_for_table(option, value):
            found[option.key] = _plain(option.registry, value)
        else:
            found[option.key] = _decode(option, value)
    return dict(sorted(found.items(), key=lambda item: item[0].count(".")))


def _stands_for_table(option: Option, value: object) -> bool:
    """Whether a value is text that the owner of a setting reads a table from, or that names one."""
    return _is_mapping(option.kind) and isinstance(value, str | Path)


def _by_priority(kind: type) -> tuple[Option, ...]:
    """Return the settings so that of two with a name, the one that is not a table is the last."""
    return _prioritized(kind, Registry.changes)


@lru_cache(maxsize=64)
def _prioritized(kind: type, changes: int) -> tuple[Option, ...]:
    """Walk a class once, as long as nothing else is registered."""
    return tuple(sorted(walk(kind), key=lambda option: not option.is_table))


def _decode(option: Option, value: object) -> object:
    if option.declared.parse is not None and isinstance(value, str):
        value = option.declared.parse(value)
    return decode_value(option.hint, value, option.keyword)


def _flat(key: str, value: object) -> Table:
    """Return the settings within a table that only its dotted keys can name."""
    table = _plain(None, value)
    if not isinstance(table, Mapping):
        raise ConfigError(f"{key}: expected a table, got {value!r:.60}", settings=(key,))
    return {f"{key}.{name}": inner for name, inner in table.items()}


def _plain(registry: Registry[Any] | None, value: object) -> object:
    """Return what a table can hold of a value whose type depends on other settings."""
    if is_dataclass(value) and not isinstance(value, type):
        return encode(value) if registry is None else encode_choice(registry, value)
    return dict(value) if isinstance(value, Mapping) else value


class _Place(NamedTuple):
    """Where in the tree we are."""

    key: str = ""
    prefix: str | None = ""
    lift: tuple[str, ...] = ()
    group: str = ""
    chosen: tuple[tuple[str, str], ...] = ()
    above: tuple[type, ...] = ()


def _walk(kind: type, given: Mapping[str, object] | None, place: _Place) -> Iterator[Option]:
    hints = type_hints(kind)
    for field in fields(kind):
        if not field.init:
            continue
        declared, hint = declaration(field), hints[field.name]
        key = f"{place.key}.{field.name}" if place.key else field.name
        group = declared.group or place.group
        bare = _bare(hint)
        registry = registry_of(_item(hint))
        option = Option(
            key=key,
            name=_name(field.name, declared, place),
            group=group,
            hint=hint,
            default=_default(field) if given is None else given.get(field.name, _default(field)),
            required=field.default is MISSING and field.default_factory is MISSING,
            declared=declared,
            registry=registry,
            chosen=place.chosen,
        )
        above = (*place.above, kind)
        inside = _Place(key, declared.prefix, declared.lift, group, place.chosen, above)
        if registry is not None and get_origin(bare) is not tuple:
            yield option
            yield from _walk_choices(registry, option.default, given is not None, inside)
        elif registry is None and isinstance(bare, type) and is_dataclass(bare):
            table = option.default
            if is_dataclass(table) and not isinstance(table, type):
                table = encode(table)
            inner = table if isinstance(table, Mapping) else None
            if declared.metavar:  # text can say it, too
                yield option
            yield from _walk(bare, inner if given is not None else None, inside)
        else:
            yield option


def _walk_choices(
    registry: Registry[Any], default: object, only_chosen: bool, place: _Place
) -> Iterator[Option]:
    """Yield the settings of the chosen class, or of every registered one."""
    if is_dataclass(default) and not isinstance(default, type):
        default = encode_choice(registry, default)
    table = default if isinstance(default, Mapping) else {"name": default}
    names: Iterable[object] = [table.get("name")] if only_chosen else registry
    for name in names:
        kind = registry[name] if isinstance(name, str) and name in registry else None
        # Learners that contain learners would never end.
        if isinstance(kind, type) and is_dataclass(kind) and kind not in place.above:
            chosen = (*place.chosen, (place.key, str(name)))
            yield from _walk(kind, table if only_chosen else None, place._replace(chosen=chosen))


def _name(field: str, declared: Declaration, place: _Place) -> str:
    """Return the name on the command line."""
    own = declared.option or field.replace("_", "-")
    if place.prefix is not None:
        return f"{place.prefix}{own}"
    if declared.option or field in place.lift:
        return own
    return f"{place.key}.{field}".replace("_", "-")


def _default(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


@cache
def _bare(hint: Any) -> Any:
    """Return a type without annotations and without None; the first one of several."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return _bare(next(kind for kind in get_args(hint) if kind is not type(None)))
    return hint


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _item(hint: Any) -> Any:
    """Return the annotated type of the items of an array, or of the value itself."""
    bare = _bare(hint)
    return get_args(bare)[0] if get_origin(bare) is tuple else hint


def type_name(option: Option) -> str:
    """Return what stands for a value in help."""
    if option.declared.metavar:
        return option.declared.metavar
    kind = option.kind
    if option.choices and option.registry is None:
        return "|".join(option.choices)
    if option.registry is not None:
        return "NAME"
    names = {int: "N", float: "X", Path: "FILE", str: "TEXT", bool: "BOOL"}
    return names.get(kind, "TABLE" if option.is_table else "VALUE")


def is_required(option: Option) -> bool:
    """Return whether a command needs it; what a chosen part needs, the part says itself."""
    outermost = "." not in option.key and option.registry is None
    return option.required and outermost and not option.declared.argument


def default_text(option: Option) -> str:
    """Return the default in words; empty if it is nothing to speak of."""
    if option.declared.shown:
        return option.declared.shown
    if option.required:
        return "required" if is_required(option) else ""
    default = option.default
    if option.registry is not None and default is not None and default != ():
        default = default.get("name") if isinstance(default, Mapping) else default
        default = default if isinstance(default, str) else option.registry.name_of(type(default))
    if default is None or default is False or default in ((), [], {}, ""):
        return ""
    return "yes" if default is True else str(default)
