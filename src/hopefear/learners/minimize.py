"""A smooth function plus a penalty, minimized by L-BFGS.

Liu and Nocedal (1989), On the limited memory BFGS method; Byrd et al. (1995), A limited memory
algorithm for bound constrained optimization, for the bounds that an l1 penalty needs.
"""

from collections.abc import Callable

import numpy as np

from hopefear.errors import import_extra
from hopefear.regularizers import Penalty
from hopefear.types import FloatArray

__all__ = ["Objective", "minimize"]

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
    scipy = import_extra("scipy.optimize", "scipy", "L-BFGS")

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
        found = scipy.minimize(
            value,
            np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)]) if split else x,
            jac=True,
            method="L-BFGS-B",
            bounds=scipy.Bounds(0, np.inf) if split else None,
            options={"maxiter": left, "ftol": 0.0, "gtol": tolerance},
        )
        x = found.x[: len(start)] - found.x[len(start) :] if split else found.x
        left -= found.nit
        # Where both parts of a weight have grown, the search may stall: go on from their
        # difference, as long as that helps.
        if not split or left <= 0 or not found.fun < best:
            return np.asarray(x / unit)
        best = found.fun
