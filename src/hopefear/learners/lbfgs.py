"""Smooth losses by L-BFGS, all sentences at once.

Liu and Nocedal (1989); Byrd et al. (1995) for the bounds that an l1 penalty needs.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.losses import JensenRiskBound, Loss, losses
from hopefear.regularizers import L2, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Lbfgs", "minimize"]

Objective = Callable[[FloatArray], tuple[float, FloatArray]]


def minimize(
    objective: Objective,
    penalty: Penalty,
    start: FloatArray,
    *,
    scale: FloatArray | None = None,
    max_iterations: int = 1000,
    tolerance: float = 1e-6,
) -> FloatArray:
    """Return the weights that minimize objective plus penalty, searched from `start`.

    Parameters
    ----------
    objective : callable
        Returns the value and the gradient at given weights.
    penalty : Penalty
        Added to the objective. An l1 penalty is made smooth by splitting w = p − n with p, n ≥ 0.
    start : array
        Where the search starts.
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

    split = penalty.l1 > 0
    unit = np.ones_like(start) if scale is None else np.where(scale > 0, scale, 1.0)

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        if split:
            positive, negative = np.split(x, 2)
            loss, gradient = objective((positive - negative) / unit)
            charge = penalty.l1 / unit
            both = np.concatenate([charge + gradient / unit, charge - gradient / unit])
            return loss + float(charge @ (positive + negative)), both
        w = x / unit
        loss, gradient = objective(w)
        return loss + penalty.value(w), (gradient + penalty.gradient(w)) / unit

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
@settings
class Lbfgs:
    """R(w) + Σᵢ Lᵢ(w) for a loss that is smooth."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=10)
    whole: ClassVar[bool] = True

    loss: Annotated[Loss, losses] = setting(
        factory=JensenRiskBound, help="A soft loss of the table, or risk."
    )
    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2, help="R, counted against the sum over all sentences."
    )
    iterations: int = setting(
        20, "Steps of L-BFGS in an epoch; it forgets its curvature in between.", least=1
    )

    def check(self) -> None:
        """Refuse a loss without a gradient."""
        if not self.loss.smooth:
            name = losses.name_of(type(self.loss))
            problem = f": '{name}' is not smooth; set soft = 'both', or learn with 'sgd'"
            raise OptionError(self, "loss", problem)

    def start(
        self, data: ListSet, weights: FloatArray, origin: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Start at `weights`; the regularizer may pull back to `origin`."""
        return weights, origin

    def learn(
        self,
        state: tuple[FloatArray, FloatArray],
        data: ListSet,
        block: Block,
        step: Step,
        heard: Sequence[None] = (),
    ) -> tuple[tuple[FloatArray, FloatArray], None]:
        """Take `iterations` steps."""
        w, origin = state
        lists, costs, loss = data.nbest, data.costs, self.loss.core()

        def objective(weights: FloatArray) -> tuple[float, FloatArray]:
            return _core.loss_gradient(lists, weights, costs, self.cost_scale, loss, data.threads)

        found = minimize(
            objective,
            self.regularizer.bind(list(data.feature_names), origin),
            w,
            scale=data.feature_spread,
            max_iterations=self.iterations,
        )
        return (state if np.array_equal(found, w) else (found, origin)), None

    def weights(self, state: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Return the weights."""
        return state[0]
