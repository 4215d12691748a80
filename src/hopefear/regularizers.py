"""What keeps weights small, or near where they started."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from hopefear.registry import Registry
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["L1", "L2", "L2Start", "NoPenalty", "Regularizer", "regularizers"]


class Regularizer(Protocol):
    """A penalty that is added to the sum of the losses."""

    @property
    def strength(self) -> float:
        """Its weight against the sum of the losses: C."""

    def value(self, weights: FloatArray, start: FloatArray) -> float:
        """Return the penalty."""

    def gradient(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        """Return its derivative; where there is none, the one of least norm."""


regularizers: Registry[Regularizer] = Registry("regularizer", group="hopefear.regularizers")


@regularizers.register("none")
@dataclass(frozen=True, kw_only=True)
class NoPenalty:
    """No regularization."""

    strength: ClassVar[float] = 0.0

    def value(self, weights: FloatArray, start: FloatArray) -> float:
        """Return 0."""
        return 0.0

    def gradient(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        """Return 0."""
        return np.zeros_like(weights)


@dataclass(frozen=True, kw_only=True)
class _Penalty:
    strength: float = 1.0  # C

    def __post_init__(self) -> None:
        require.non_negative(self, "strength")


@regularizers.register("l2")
@dataclass(frozen=True, kw_only=True)
class L2(_Penalty):
    """C/2 ‖w‖²."""

    def value(self, weights: FloatArray, start: FloatArray) -> float:
        """Return C/2 ‖w‖²."""
        return float(self.strength / 2 * weights @ weights)

    def gradient(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        """Return C w."""
        return self.strength * weights


@regularizers.register("l2-start")
@dataclass(frozen=True, kw_only=True)
class L2Start(_Penalty):
    """C/2 ‖w − w₀‖²: stay near the start."""

    def value(self, weights: FloatArray, start: FloatArray) -> float:
        """Return C/2 ‖w − w₀‖²."""
        return float(self.strength / 2 * (weights - start) @ (weights - start))

    def gradient(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        """Return C (w − w₀)."""
        return self.strength * (weights - start)


@regularizers.register("l1")
@dataclass(frozen=True, kw_only=True)
class L1(_Penalty):
    """C ‖w‖₁: many weights become exactly zero."""

    def value(self, weights: FloatArray, start: FloatArray) -> float:
        """Return C ‖w‖₁."""
        return float(self.strength * np.abs(weights).sum())

    def gradient(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        """Return C sign(w)."""
        return self.strength * np.sign(weights)
