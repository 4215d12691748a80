"""Scores before and after."""

from dataclasses import dataclass

__all__ = ["Scores"]


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The metric on one data set: before and after tuning, and the best that lists hold."""

    start: float
    tuned: float
    oracle: float | None = None
