"""What keeps weights small, near where they started, or in a shape.

A regularizer is bound to the features of a run and to the start of the run; what comes out is a
`Penalty`: a function of the weights. Learners use its value and gradient, or its proximal step.
Penalties of a form that kernels apply lazily say so; nothing depends on their class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hopefear.registry import Registry
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = [
    "L1",
    "L2",
    "L2Start",
    "NoPenalty",
    "Penalty",
    "Regularizer",
    "regularizers",
]


class Penalty:
    """R(w), a function that is added to the sum of the losses.

    Attributes
    ----------
    pull : tuple of float and array, optional
        C and o if R(w) = C/2 ‖w − o‖²: what kernels apply without visiting every feature.
    l1 : float
        C if R(w) = C ‖w‖₁, which has no gradient at 0; else 0.
    """

    pull: tuple[float, FloatArray] | None = None
    l1: float = 0.0

    def value(self, weights: FloatArray) -> float:
        """Return R(w)."""
        return 0.0

    def gradient(self, weights: FloatArray) -> FloatArray:
        """Return ∇R(w); where there is none, the subgradient of least norm."""
        return np.zeros_like(weights)

    def proximal(self, weights: FloatArray, step: float) -> FloatArray:
        """Return argmin_v R(v) + 1/(2 step) ‖v − w‖², or a gradient step towards it."""
        return weights - step * self.gradient(weights)


@dataclass(frozen=True, eq=False)
class _Pull(Penalty):
    """C/2 ‖w − o‖²."""

    pull: tuple[float, FloatArray]

    def value(self, weights: FloatArray) -> float:
        strength, origin = self.pull
        return float(strength / 2 * (weights - origin) @ (weights - origin))

    def gradient(self, weights: FloatArray) -> FloatArray:
        strength, origin = self.pull
        return strength * (weights - origin)

    def proximal(self, weights: FloatArray, step: float) -> FloatArray:
        # v = (w + s C o)/(1 + s C)
        strength, origin = self.pull
        return (weights + step * strength * origin) / (1 + step * strength)


@dataclass(frozen=True, eq=False)
class _Lasso(Penalty):
    """C ‖w‖₁."""

    l1: float

    def value(self, weights: FloatArray) -> float:
        return float(self.l1 * np.abs(weights).sum())

    def gradient(self, weights: FloatArray) -> FloatArray:
        return self.l1 * np.sign(weights)

    def proximal(self, weights: FloatArray, step: float) -> FloatArray:
        # v = sign(w) max(0, |w| − s C)
        return np.sign(weights) * np.maximum(np.abs(weights) - step * self.l1, 0.0)


class Regularizer(Protocol):
    """The settings of a penalty."""

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return the penalty for features of these names and a start at `origin`."""


regularizers: Registry[Regularizer] = Registry("regularizer", group="hopefear.regularizers")


@regularizers.register("none")
@settings
class NoPenalty:
    """No regularization."""

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w) = 0."""
        return _Pull((0.0, np.zeros_like(origin)))


@settings
class _Weighted:
    strength: float = setting(1.0, "C, how much the penalty counts against the losses.", least=0)


@regularizers.register("l2")
@settings
class L2(_Weighted):
    """C/2 ‖w‖², or C/2 ‖w‖² + S/2 ‖w − w₀‖²."""

    start_strength: float = setting(
        0.0,
        "S, how much a pull to the start counts beside the pull to zero; cdec's PRO has both.",
        least=0,
    )

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w), up to a constant the pull to the mean of zero and the start."""
        both = self.strength + self.start_strength
        share = self.start_strength / both if both else 0.0
        return _Pull((both, share * origin))


@regularizers.register("l2-start")
@settings
class L2Start(_Weighted):
    """C/2 ‖w − w₀‖²: stay near the start."""

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w) = C/2 ‖w − w₀‖²."""
        return _Pull((self.strength, origin))


@regularizers.register("l1")
@settings
class L1(_Weighted):
    """C ‖w‖₁: many weights become exactly zero."""

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w) = C ‖w‖₁."""
        return _Lasso(self.strength)
