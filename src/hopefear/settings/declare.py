"""How a setting is declared, once: a field with its default, its help and its limits.

The command line, TOML files, Python's keyword arguments and the reference page all read the same
declaration::

    @settings
    class KBestMira:
        epochs: int = setting(60, "Passes over the sentences.", least=1)

A value outside the limits is an OptionError when the object is made, wherever it came from.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from inspect import Parameter, Signature
from numbers import Real
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from hopefear.errors import ConfigError, OptionError
from hopefear.registry import suggest

__all__ = ["Declaration", "declaration", "parse_size", "setting", "settings", "type_hints"]

T = TypeVar("T")
_KEY = "hopefear"


class Declaration(NamedTuple):
    """What a setting declares beside its type and default.

    Attributes
    ----------
    help : str
        One or two sentences for users.
    group : str
        The heading under which help lists it; that of the setting that contains it if empty.
    option : str
        The command line's name for it without dashes, as in "refs"; the dotted key if empty.
        Settings of the outermost class, and those that `prefix` lifts, are called by their names.
    prefix : str, optional
        Of a setting that is a table: put this before the options of what it contains, as in "dev-"
        for ``--dev-refs``. None leaves them their dotted keys.
    lift : tuple of str
        Of a setting that is a table: call these of what it contains by their names alone, as in
        ``--tokenize`` for ``metric.tokenize``.
    short : str
        A letter for it on the command line, as in "o" for ``-o``.
    argument : bool
        Whether it is an argument of the command line, not an option.
    metavar : str
        What stands for the value in help.
    shown : str
        The default in words, where the default itself says little: "one per core".
    complete : callable, optional
        Returns names that the shell offers as values. Other values are the owner's to refuse.
    parse : callable, optional
        Turns text into the value, as in "2G" for a number of bytes.
    least, most, above : float, optional
        Limits of numbers: >= least, <= most, > above.
    """

    help: str = ""
    group: str = ""
    option: str = ""
    prefix: str | None = None
    lift: tuple[str, ...] = ()
    short: str = ""
    argument: bool = False
    metavar: str = ""
    shown: str = ""
    complete: Callable[[], Iterable[str]] | None = None
    parse: Callable[[str], object] | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None


def setting(
    default: Any = MISSING,
    help: str = "",
    *,
    factory: Callable[[], Any] | None = None,
    group: str = "",
    option: str = "",
    prefix: str | None = None,
    lift: tuple[str, ...] = (),
    short: str = "",
    argument: bool = False,
    metavar: str = "",
    shown: str = "",
    complete: Callable[[], Iterable[str]] | None = None,
    parse: Callable[[str], object] | None = None,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> Any:
    """Declare a setting; see `Declaration`. `factory` makes defaults that are objects."""
    declared = Declaration(
        help=help,
        group=group,
        option=option,
        prefix=prefix,
        lift=lift,
        short=short,
        argument=argument,
        metavar=metavar,
        shown=shown,
        complete=complete,
        parse=parse,
        least=least,
        most=most,
        above=above,
    )
    metadata = MappingProxyType({_KEY: declared})
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def declaration(of: Field[Any]) -> Declaration:
    """Return what a dataclass's field declares."""
    found = of.metadata.get(_KEY)
    return found if isinstance(found, Declaration) else Declaration()


# No field_specifiers: type checkers then take any declared setting for a field with a default,
# although its default is not a keyword argument.
@dataclass_transform(frozen_default=True, kw_only_default=True)
def settings(cls: type[T]) -> type[T]:
    """Make a frozen dataclass of settings; a method `check`, if any, sees them all together.

    All classes share their methods. `dataclass` would compile some for each when it is made, a
    millisecond a class, which is a tenth of a second at every start of the program.
    """
    for name, method in _METHODS.items():
        if vars(cls).get(name) is None:  # a class with __eq__ has None for __hash__
            setattr(cls, name, method)
    return dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)


class _Signature:
    """The signature of a class of settings, made when somebody asks for it."""

    def __get__(self, instance: object, owner: type) -> Signature:
        parameters = []
        for option in fields(owner):
            made = option.default_factory
            default = option.default if made is MISSING else made()
            default = Parameter.empty if default is MISSING else default
            hint = type_hints(owner)[option.name]
            name, kind = option.name, Parameter.KEYWORD_ONLY
            parameters.append(Parameter(name, kind, default=default, annotation=hint))
        return Signature(parameters)


class _Settings:
    """What all classes of settings have; `settings` copies it into them."""

    __signature__ = _Signature()

    def __init__(self, **values: object) -> None:
        owner: Any = self
        for option in fields(owner):
            if option.init and option.name in values:
                value = values.pop(option.name)
            elif option.default is not MISSING:
                value = option.default
            elif option.default_factory is not MISSING:
                value = option.default_factory()
            else:
                raise TypeError(f"{type(self).__name__} needs the argument '{option.name}'")
            object.__setattr__(self, option.name, value)
        for name in values:
            raise TypeError(f"{type(self).__name__} got an unexpected keyword argument '{name}'")
        _check(self)

    def __repr__(self) -> str:
        owner: Any = self
        shown = (f"{x.name}={getattr(self, x.name)!r}" for x in fields(owner) if x.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), _values(self)))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to '{name}' of settings; use replace()")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete '{name}' of settings")


_NOT_COPIED = ("__module__", "__doc__", "__dict__", "__weakref__", "__qualname__")
_METHODS = {name: value for name, value in vars(_Settings).items() if name not in _NOT_COPIED}


def _values(of: Any) -> tuple[object, ...]:
    return tuple(getattr(of, option.name) for option in fields(of) if option.compare)


def _check(self: object) -> None:
    owner: type = type(self)
    for name, kind, declared in _limits(owner):
        _check_value(self, name, kind, declared)
    if (together := getattr(self, "check", None)) is not None:
        together()


@cache
def type_hints(kind: type) -> dict[str, Any]:
    """Return the annotations of a class's settings, resolved."""
    return get_type_hints(kind, include_extras=True)


@cache
def _limits(kind: type) -> tuple[tuple[str, Any, Declaration], ...]:
    hints = type_hints(kind)
    return tuple(
        (option.name, plain, declaration(option))
        for option in fields(kind)
        if (plain := _plain(hints[option.name])) in (int, float) or get_origin(plain) is Literal
    )


def _plain(hint: Any) -> Any:
    """Return the type that a value has, without annotations and without None."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    optional = get_origin(hint) is not Literal and type(None) in get_args(hint)
    return _plain(kinds[0]) if optional and len(kinds) == 1 else hint


def _check_value(owner: object, name: str, kind: Any, declared: Declaration) -> None:
    value = getattr(owner, name)
    if value is None:
        return
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            known = list(map(str, get_args(kind)))
            raise OptionError(owner, name, f": unknown {value!r}{suggest(str(value), known)}")
        return
    whole = kind is int
    fits = type(value) is int if whole else isinstance(value, Real) and not isinstance(value, bool)
    if not fits or not math.isfinite(value) or not _within(value, declared):
        demand = f"must be a {'whole' if whole else 'finite'} number{_bounds(declared)}"
        raise OptionError(owner, name, f" {demand}, got {value!r}")


def _within(value: float, declared: Declaration) -> bool:
    least, most, above = declared.least, declared.most, declared.above
    return (
        (least is None or value >= least)
        and (most is None or value <= most)
        and (above is None or value > above)
    )


def _bounds(declared: Declaration) -> str:
    limits = [(">=", declared.least), (">", declared.above), ("<=", declared.most)]
    given = [f"{sign} {limit}" for sign, limit in limits if limit is not None]
    return f" {' and '.join(given)}" if given else ""


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Return the number of bytes that people write as in "2G"; for settings of memory.

    Examples
    --------
    >>> parse_size("1.5G"), parse_size("0")
    (1610612736, 0)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)i?B?", text, re.ASCII)
    if not found:
        raise ConfigError(f"'{text}' is not a size; write bytes, or as in 500M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])
