"""What options must satisfy, checked when they are set: call these in ``__post_init__``.

Every function takes the object and the name of one of its fields, and raises OptionError with a
message such as ``Mira.max_step must be > 0, got -0.5``.
"""

import math
from collections.abc import Iterable
from numbers import Real

from hopefear.errors import OptionError
from hopefear.registry import suggest

__all__ = ["finite", "integer", "non_negative", "one_of", "positive", "probability"]


def finite(owner: object, field: str) -> float:
    """Require a number that is neither infinite nor NaN."""
    value = getattr(owner, field)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        _refuse(owner, field, "must be a finite number")
    return float(value)


def positive(owner: object, field: str) -> None:
    """Require a finite number above 0."""
    if not finite(owner, field) > 0:
        _refuse(owner, field, "must be > 0")


def non_negative(owner: object, field: str) -> None:
    """Require a finite number that is not below 0."""
    if not finite(owner, field) >= 0:
        _refuse(owner, field, "must be >= 0")


def integer(owner: object, field: str, smallest: int, largest: int | None = None) -> None:
    """Require a whole number that is not below `smallest` and, if given, not above `largest`."""
    value = getattr(owner, field)
    if type(value) is not int or value < smallest or (largest is not None and value > largest):
        bounds = f">= {smallest}" if largest is None else f"from {smallest} to {largest}"
        _refuse(owner, field, f"must be a whole number {bounds}")


def probability(owner: object, field: str) -> None:
    """Require a number from 0 to 1."""
    if not 0 <= finite(owner, field) <= 1:
        _refuse(owner, field, "must be from 0 to 1")


def one_of(owner: object, field: str, choices: Iterable[str]) -> None:
    """Require one of the given names."""
    value, names = getattr(owner, field), sorted(choices)
    if value not in names:
        hint = suggest(value, names) if isinstance(value, str) else f"; known: {', '.join(names)}"
        raise OptionError(owner, field, f": unknown {value!r}{hint}")


def _refuse(owner: object, field: str, demand: str) -> None:
    value = getattr(owner, field)
    raise OptionError(owner, field, f" {demand}, got {value!r}")
