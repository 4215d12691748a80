"""What keeps weights small, near where they started, or in a shape.

The shapes are those of Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical
machine translation, TACL, section 4: the weights of a feature's bins as a curve.

A regularizer is bound to the features of a run and to the start of the run; what comes out is a
`Penalty`: a function of the weights. Learners use its value and gradient, or its proximal step.
Penalties of a form that kernels apply lazily say so; nothing depends on their class.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np

from hopefear.errors import import_extra
from hopefear.registry import Registry
from hopefear.settings import setting, settings
from hopefear.translation.features.bins import split_bin_name
from hopefear.types import FloatArray, IntArray

__all__ = [
    "L1",
    "L2",
    "L2Start",
    "LinearNeighbors",
    "MonotoneNeighbors",
    "NoPenalty",
    "Penalty",
    "Regularizer",
    "regularizers",
    "settled",
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

    def curvature(self, weights: FloatArray) -> FloatArray:
        """Return about how large R″ is for each weight, so that searches know the scale."""
        return np.zeros_like(weights)

    def value(self, weights: FloatArray) -> float:
        """Return R(w)."""
        return 0.0

    def gradient(self, weights: FloatArray) -> FloatArray:
        """Return ∇R(w); where there is none, the subgradient of least norm."""
        return np.zeros_like(weights)

    def proximal(self, weights: FloatArray, step: float | FloatArray) -> FloatArray:
        """Return argmin_v R(v) + Σ (vᵢ − wᵢ)²/(2 stepᵢ), or a gradient step towards it.

        The step may be one for all features, or one for each.
        """
        return weights - step * self.gradient(weights)

    def held(self, weights: FloatArray, before: "Penalty | None" = None) -> "Penalty":
        """Return the penalty as a quadratic function near these weights, if it can be one.

        Its proximal step is an affine function of the weights, wherever they are. It is nowhere
        weaker than it was `before`, and the same object where it is no stronger.
        """
        return self


@dataclass(frozen=True, eq=False)
class _Pull(Penalty):
    """C/2 ‖w − o‖²."""

    pull: tuple[float, FloatArray]

    def curvature(self, weights: FloatArray) -> FloatArray:
        return np.full_like(weights, self.pull[0])

    def value(self, weights: FloatArray) -> float:
        strength, origin = self.pull
        return float(strength / 2 * (weights - origin) @ (weights - origin))

    def gradient(self, weights: FloatArray) -> FloatArray:
        strength, origin = self.pull
        return strength * (weights - origin)

    def proximal(self, weights: FloatArray, step: float | FloatArray) -> FloatArray:
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

    def proximal(self, weights: FloatArray, step: float | FloatArray) -> FloatArray:
        # v = sign(w) max(0, |w| − s C)
        return np.sign(weights) * np.maximum(np.abs(weights) - step * self.l1, 0.0)


# Beyond this tanh is 1 and has no slope.
_STEEP = 20.0
LEAST_STEP = 1e-12
LEAST_RISE = 1e-3  # of the damping, for another round


@dataclass(frozen=True, eq=False)
class _Neighbors(Penalty):
    """A pull, and β Σ D (½(w_{j−1} + w_{j+1}) − w_j)² over the bins between two others.

    D = 1 is equation 10. With a steepness γ, D = tanh^{2γ}(a/b) is equation 13, where a is what is
    squared and b = ½(w_{j−1} − w_{j+1}): near zero as long as w_j is between its neighbors.
    """

    toward: _Pull
    strength: float  # β
    steepness: int  # γ; 0 for D = 1
    chains: IntArray  # the bins of all features, one after the other
    inner: IntArray  # the places in `chains` of bins between two others
    damping: float | FloatArray = 1.0  # D of each of these, if γ is 0

    def curvature(self, weights: FloatArray) -> FloatArray:
        found = self.toward.curvature(weights)
        # 2 β (¼ + 1 + ¼), where every bin is the first, the middle and the last of three
        found[self.chains] += 3 * self.strength
        return found

    def _parts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        w, j = weights[self.chains], self.inner
        return (w[j - 1] + w[j + 1]) / 2 - w[j], (w[j - 1] - w[j + 1]) / 2

    def _ratio(self, a: FloatArray, b: FloatArray) -> FloatArray:
        # Where the neighbors are equal, any distance from them is outside; none is no penalty.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(np.clip(a / b, -_STEEP, _STEEP))

    def _damping(self, a: FloatArray, b: FloatArray) -> FloatArray:
        if not self.steepness:
            return self.damping * np.ones_like(a)
        damping: FloatArray = np.tanh(self._ratio(a, b)) ** (2 * self.steepness)
        return damping

    def value(self, weights: FloatArray) -> float:
        a, b = self._parts(weights)
        return self.toward.value(weights) + self.strength * float(self._damping(a, b) @ a**2)

    def gradient(self, weights: FloatArray) -> FloatArray:
        a, b = self._parts(weights)
        # d(D a²) = 2 D a da + a² dD;   da = (½, −1, ½),  db = (½, 0, −½)
        to_a = 2 * self._damping(a, b) * a
        to_b = np.zeros_like(a)
        if self.steepness:
            r = self._ratio(a, b)
            t = np.tanh(r)
            # dD = 2γ tanh^{2γ−1} (1 − tanh²) dr,  a² dr = r² (b da − a db)
            slope = 2 * self.steepness * t ** (2 * self.steepness - 1) * (1 - t**2) * r**2
            slope = np.where(np.abs(r) < _STEEP, slope, 0.0)
            to_a, to_b = to_a + slope * b, -slope * a
        gradient = np.zeros(len(self.chains))
        np.add.at(gradient, self.inner - 1, (to_a + to_b) / 2)
        np.add.at(gradient, self.inner, -to_a)
        np.add.at(gradient, self.inner + 1, (to_a - to_b) / 2)
        found = self.toward.gradient(weights)
        found[self.chains] += self.strength * gradient
        return found

    def held(self, weights: FloatArray, before: Penalty | None = None) -> Penalty:
        if not self.steepness:
            return self
        damping = self._damping(*self._parts(weights))
        if before is not None:
            least = cast(_Neighbors, before).damping
            if (damping <= least + LEAST_RISE).all():
                return before
            damping = np.maximum(damping, least)
        return replace(self, steepness=0, damping=damping)

    def proximal(self, weights: FloatArray, step: float | FloatArray) -> FloatArray:
        if self.steepness:
            return settled(self, weights, lambda held: held.proximal(weights, step))
        # R is quadratic: (1/s + C + 2 β AᵀDA) v = w/s + C o, where A has a row (½, −1, ½) for each
        # bin between two others.
        linalg = import_extra("scipy.linalg", "scipy", "a penalty of neighbors")
        pulled = self.toward.proximal(weights, step)
        if not len(self.inner):
            return pulled
        (constant, origin), w, j = self.toward.pull, weights[self.chains], self.inner
        steps = np.broadcast_to(step, weights.shape)[self.chains]
        # A weight that must not move has no step.
        stiffness = 1 / np.maximum(steps, LEAST_STEP)
        damped = 2 * self.strength * self._damping(*self._parts(weights))
        bands = np.zeros((3, len(w)))  # above the diagonal by two, by one, and the diagonal
        bands[2] = stiffness + constant
        np.add.at(bands[2], j - 1, damped / 4)
        np.add.at(bands[2], j, damped)
        np.add.at(bands[2], j + 1, damped / 4)
        np.add.at(bands[1], j, -damped / 2)
        np.add.at(bands[1], j + 1, -damped / 2)
        np.add.at(bands[0], j + 1, damped / 4)
        right = stiffness * w + constant * origin[self.chains]
        pulled[self.chains] = linalg.solveh_banded(bands, right)
        return pulled


def settled(
    penalty: Penalty, start: FloatArray, solve: Callable[[Penalty], FloatArray]
) -> FloatArray:
    """Solve a problem with a penalty that is held: at the start, and then where it rises to.

    Of monotone neighbors the damping is held. Where the solution takes a bin out of its neighbors'
    range, the damping is that of the solution from then on: it only rises, so that this ends, and
    with β → ∞ no bin is left outside.
    """
    held = penalty.held(start)
    while True:
        found = solve(held)
        after = penalty.held(found, held)
        if after is held:
            return found
        held = after


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


@settings
class _OfBins(_Weighted):
    """A pull to zero or to the start, and a shape of the weights of each discretized feature."""

    strength: float = setting(
        1.0, "β, how much the shape counts against the losses; for the grid to find.", least=0
    )
    l2: float = setting(1.0, "C of C/2 ‖w‖², for all features.", least=0)
    start_strength: float = setting(0.0, "S of S/2 ‖w − w₀‖², for all features.", least=0)

    def _bind(self, names: Sequence[str], origin: FloatArray, steepness: int) -> Penalty:
        features: dict[str, list[tuple[int, int]]] = {}
        for i, name in enumerate(names):
            if (found := split_bin_name(name)) is not None:
                features.setdefault(found[0], []).append((found[1], i))
        chains: list[int] = []
        inner: list[int] = []
        for bins in features.values():
            inner += range(len(chains) + 1, len(chains) + len(bins) - 1)
            chains += [i for _, i in sorted(bins)]
        both = L2(strength=self.l2, start_strength=self.start_strength).bind(names, origin)
        return _Neighbors(
            cast(_Pull, both),
            self.strength,
            steepness,
            np.array(chains, dtype=np.int64),
            np.array(inner, dtype=np.int64),
        )


@regularizers.register("lnr")
@settings
class LinearNeighbors(_OfBins):
    """Equation 10: every bin's weight near the mean of its neighbors', as on a line."""

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w) = C/2 ‖w‖² + β Σ (½(w_{j−1} + w_{j+1}) − w_j)²."""
        return self._bind(names, origin, 0)


@regularizers.register("mnr")
@settings
class MonotoneNeighbors(_OfBins):
    """Equation 13: every bin's weight between its neighbors', as on any rising or falling curve."""

    steepness: int = setting(
        2, "γ: how sharply the penalty begins where a weight leaves its neighbors' range.", least=1
    )

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        """Return R(w) = C/2 ‖w‖² + β Σ tanh^{2γ}(a/b) a², see `_Neighbors`."""
        return self._bind(names, origin, self.steepness)
