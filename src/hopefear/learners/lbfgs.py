"""Smooth losses by L-BFGS, all sentences at once.

Liu and Nocedal (1989); Byrd et al. (1995) for the bounds that an l1 penalty needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from hopefear import _core
from hopefear.errors import OptionError
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners
from hopefear.losses import JensenRiskBound, Loss, losses
from hopefear.regularizers import L1, L2, Regularizer, regularizers
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Lbfgs", "minimize"]

Objective = Callable[[FloatArray], tuple[float, FloatArray]]


def minimize(
    objective: Objective,
    regularizer: Regularizer,
    start: FloatArray,
    *,
    origin: FloatArray | None = None,
    scale: FloatArray | None = None,
    max_iterations: int = 1000,
    tolerance: float = 1e-6,
) -> FloatArray:
    """Return the weights that minimize objective plus regularizer, found from `start`.

    Parameters
    ----------
    objective : callable
        Returns the value and the gradient at given weights.
    regularizer : Regularizer
        Added to the objective. An l1 penalty is made smooth by splitting w = p − n with p, n ≥ 0.
    start : array
        Where the search starts.
    origin : array, optional
        What the regularizer may pull to; `start` if not given.
    scale : array, optional
        The unit of each feature. The search is in w · scale, where features of different units look
        alike; that changes how fast it is, not what it finds.
    max_iterations : int
        Steps, at most.
    tolerance : float
        The greatest component of the gradient at the end.
    """
    from scipy.optimize import Bounds  # 50 MB of memory: only where it is used
    from scipy.optimize import minimize as scipy_minimize

    split = isinstance(regularizer, L1)
    pull = start if origin is None else origin
    unit = np.ones_like(start) if scale is None else np.where(scale > 0, scale, 1.0)

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        if split:
            positive, negative = np.split(x, 2)
            loss, gradient = objective((positive - negative) / unit)
            penalty = regularizer.strength / unit
            both = np.concatenate([penalty + gradient / unit, penalty - gradient / unit])
            return loss + float(penalty @ (positive + negative)), both
        w = x / unit
        loss, gradient = objective(w)
        return loss + regularizer.value(w, pull), (gradient + regularizer.gradient(w, pull)) / unit

    x, best, left = start * unit, np.inf, max_iterations
    while True:
        found = scipy_minimize(
            value,
            np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)]) if split else x,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0, np.inf) if split else None,
            options={"maxiter": left, "ftol": 0.0, "gtol": tolerance},
        )
        x = found.x[: len(start)] - found.x[len(start) :] if split else found.x
        left -= found.nit
        # Where both parts of a weight have grown, the search may stall: go on from their
        # difference, as long as that helps.
        if not split or left <= 0 or not found.fun < best:
            return x / unit
        best = found.fun


@learners.register("lbfgs")
@dataclass(frozen=True, kw_only=True)
class Lbfgs:
    """R(w) + Σᵢ Lᵢ(w) for a loss that is smooth.

    Parameters
    ----------
    loss : Loss
        A soft loss of the table, or risk.
    cost_scale : float
        α: the cost of a hypothesis is α times what it loses of the metric.
    regularizer : Regularizer
        R, against the sum over all sentences.
    iterations : int
        Steps of L-BFGS in an epoch.
    epochs : int
        L-BFGS forgets its curvature between epochs.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    loss: Annotated[Loss, losses] = field(default_factory=JensenRiskBound)
    cost_scale: float = 10.0  # α
    regularizer: Annotated[Regularizer, regularizers] = field(default_factory=L2)
    iterations: int = 20
    epochs: int = 10

    def __post_init__(self) -> None:
        require.positive(self, "cost_scale")
        require.integer(self, "iterations", 1)
        require.integer(self, "epochs", 1)
        if not self.loss.smooth:
            name = losses.name_of(type(self.loss))
            problem = f": '{name}' is not smooth; set soft = true, or learn with 'sgd'"
            raise OptionError(self, "loss", problem)

    def init(self, data: TuningSet, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Start at `weights`, which the regularizer may also pull back to."""
        return weights, weights

    def epoch(
        self,
        data: TuningSet,
        state: tuple[FloatArray, FloatArray],
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> tuple[FloatArray, FloatArray]:
        """Take `iterations` steps."""
        w, origin = state
        lists, costs, loss = data.nbest.core, data.costs, self.loss.core()

        def objective(weights: FloatArray) -> tuple[float, FloatArray]:
            return _core.loss_gradient(lists, weights, costs, self.cost_scale, loss, data.threads)

        found = minimize(
            objective,
            self.regularizer,
            w,
            origin=origin,
            scale=data.feature_spread,
            max_iterations=self.iterations,
        )
        return state if np.array_equal(found, w) else (found, origin)

    def weights(self, state: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Return the weights."""
        return state[0]
