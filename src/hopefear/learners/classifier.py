"""The classifier of PRO: which of two hypotheses is better, from the difference of their features.

Logistic regression as in Hopkins and May (2011), or a support vector machine as in Watanabe (2012).
"""

from typing import cast

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners.minimize import minimize
from hopefear.regularizers import Penalty
from hopefear.types import FloatArray

__all__ = ["regress", "separate"]

# From soft to nearly hard; the hinge loss of a pair is exact to the last of them times log 2.
SMOOTHING = (1.0, 0.1, 0.01, 0.001)


def regress(
    data: ListSet,
    pairs: _core.RankingPairs,
    penalty: Penalty,
    start: FloatArray,
    count: float = 1.0,
) -> FloatArray:
    """Return argmin count · R(w) + Σ log(1 + exp(−w·x)), searched from `start`."""
    lists, tolerance = data.nbest, 1e-7 * len(pairs)
    if penalty.pull is None:
        # A pair's loss has at most ¼ of the variance of its difference as second derivative.
        of_loss = data.feature_spread**2 * len(pairs) / 2 / count
        curvature = of_loss + penalty.curvature(start)

        def objective(w: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = _core.logistic_loss(lists, pairs, w)
            return value / count, gradient / count

        return minimize(
            objective,
            penalty,
            start,
            scale=np.sqrt(curvature),
            tolerance=1e-7 * np.sqrt(len(pairs) / count),
        )
    strength, origin = penalty.pull
    return _core.logistic_regression(
        lists,
        pairs,
        start,
        origin,
        data.feature_unit,
        strength=count * strength,
        tolerance=tolerance,
    )


def separate(
    data: ListSet,
    pairs: _core.RankingPairs,
    penalty: Penalty,
    start: FloatArray,
    count: float = 1.0,
) -> FloatArray:
    """Return argmin count · C/2 ‖w − o‖² + Σ max(0, 1 − w·x), searched from `start`.

    max(0, 1 − w·x) is the limit of ε log(1 + exp((1 − w·x)/ε)), which is logistic regression in
    w/ε: a Newton method that does not mind features of different units.
    """
    (strength, origin), w = cast(tuple[float, FloatArray], penalty.pull), start
    for epsilon in SMOOTHING:
        w = epsilon * _core.logistic_regression(
            data.nbest,
            pairs,
            w / epsilon,
            origin / epsilon,
            data.feature_unit,
            strength=count * strength * epsilon,
            margin=1.0 / epsilon,
            tolerance=1e-7 * len(pairs),
        )
    return w
