"""L-BFGS with a penalty that is not smooth."""

import numpy as np
import pytest

from hopefear.learners.lbfgs import minimize
from hopefear.regularizers import L1
from hopefear.types import FloatArray


def test_an_l1_penalty_finds_the_same_optimum_from_any_start() -> None:
    random = np.random.default_rng(41)
    rows = random.normal(size=(200, 6)) * [1, 10, 0.1, 1, 1, 1] - [0, 5, 0, 0, 0, 0]
    penalty = L1(strength=0.1)

    def loss(w: FloatArray) -> tuple[float, FloatArray]:
        scores = rows @ w
        return float(np.logaddexp(0, -scores).sum()), -rows.T @ (1 / (1 + np.exp(scores)))

    starts = np.zeros(6), random.normal(size=6)
    found = [minimize(loss, penalty, start, scale=rows.std(axis=0)) for start in starts]
    values = [loss(w)[0] + penalty.value(w, w) for w in found]
    assert values[1] == pytest.approx(values[0], rel=1e-9)
