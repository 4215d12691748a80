"""An axis: which part of the numbers it shows, where, and at which of them it has a mark."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Axis", "fit_axis", "format_tick", "round_ticks"]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Maps numbers from `low` to `high` to places from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float
    ticks: Sequence[float]
    step: float

    def place(self, value: float) -> float:
        """Return where a number is."""
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)


def fit_axis(
    values: Iterable[float], begin: float, end: float, *, ticks: int = 6, whole: bool = False
) -> Axis:
    """Return an axis that shows all values with some room around them."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = 0.04 * (high - low) or abs(low) * 0.05 or 0.5
    low, high = low - room, high + room
    step = _round_step((high - low) / ticks, whole=whole)
    return Axis(
        low=low, high=high, begin=begin, end=end, ticks=round_ticks(low, high, step), step=step
    )


def round_ticks(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of `step` between two numbers.

    Examples
    --------
    >>> round_ticks(-0.3, 1.1, 0.5)
    [0.0, 0.5, 1.0]
    """
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _round_step(step: float, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, about `step`."""
    least = 0.75 * step
    power = 10.0 ** math.floor(math.log10(least))
    chosen = next(n * power for n in (1.0, 2.0, 5.0, 10.0) if n * power >= least * (1 - 1e-9))
    return max(chosen, 1.0) if whole else chosen


def format_tick(value: float, step: float) -> str:
    """Return a number with as many digits as the steps between marks need.

    Examples
    --------
    >>> format_tick(0.30000000000000004, 0.1), format_tick(20000.0, 5000.0)
    ('0.3', '20000')
    """
    if value and not 1e-4 <= step <= 1e6:
        return f"{value:.3g}"
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{digits}f}"
