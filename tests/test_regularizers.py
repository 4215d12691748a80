"""A regularizer that is neither l1 nor l2 is used by every learner of gradients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from hopefear import _core
from hopefear.learners import AnyLearner, Lbfgs, Pro, Rampion, Sgd
from hopefear.learners.classifier import regress
from hopefear.losses import Log
from hopefear.regularizers import L2, Penalty, Regularizer
from hopefear.settings import setting, settings
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set

FEATURE, VALUE = "noise", 3.0


@dataclass(frozen=True, eq=False)
class Spring(Penalty):
    """C/4 (w_f - v)^4 for one feature f."""

    feature: int
    strength: float

    def value(self, weights: FloatArray) -> float:
        return float(self.strength / 4 * (weights[self.feature] - VALUE) ** 4)

    def gradient(self, weights: FloatArray) -> FloatArray:
        gradient = np.zeros_like(weights)
        gradient[self.feature] = self.strength * (weights[self.feature] - VALUE) ** 3
        return gradient


@settings
class Towards:
    """Pulls the weight of a feature to a value, and knows the feature by its name."""

    strength: float = setting(1.0, "C.", least=0)

    def bind(self, names: Sequence[str], origin: FloatArray) -> Penalty:
        return Spring(list(names).index(FEATURE), self.strength)


LEARNERS: dict[str, Callable[[Regularizer], AnyLearner]] = {
    "pro": lambda regularizer: Pro(samples=300, kept=20, regularizer=regularizer),
    "sgd": lambda regularizer: Sgd(rate=0.001, regularizer=regularizer),
    "rampion": lambda regularizer: Rampion(rate=0.001, regularizer=regularizer),
    "lbfgs": lambda regularizer: Lbfgs(regularizer=regularizer),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_penalty_moves_the_weight_that_it_names(name: str) -> None:
    data = synthetic_set()
    start, feature = start_vector(data), list(data.feature_names).index(FEATURE)
    assert abs(start[feature] - VALUE) > 0.5

    def distance(strength: float) -> float:
        learner = LEARNERS[name](Towards(strength=strength))
        state = learner.start(data, start, start)
        for epoch in range(2):
            state = next_state(learner, data, state, (1, epoch))
        return float(abs(learner.weights(state)[feature] - VALUE))

    alone, pulled = distance(0.0), distance(100.0)
    assert pulled < alone
    assert pulled < abs(start[feature] - VALUE)


def test_lbfgs_minimizes_the_loss_and_the_penalty() -> None:
    data = synthetic_set(sentences=60)
    start = start_vector(data)
    learner = Lbfgs(loss=Log(), regularizer=Towards(strength=2.0), iterations=1000)
    state = next_state(learner, data, learner.start(data, start, start), (1, 0))
    penalty = learner.regularizer.bind(list(data.feature_names), start)

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        loss, gradient = _core.loss_gradient(
            data.nbest, w, data.costs, learner.cost_scale, learner.loss.core(), 1
        )
        return loss + penalty.value(w), gradient + penalty.gradient(w)

    trusted = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-7})
    assert_allclose(learner.weights(state), trusted.x, rtol=1e-4, atol=1e-5)


def test_pro_minimizes_the_logistic_loss_and_the_penalty() -> None:
    data = synthetic_set(sentences=60)
    start = start_vector(data)
    pairs = _core.sample_pairs(
        data.nbest, data.gains, samples=300, kept=20, threshold=0.05, seed=7, threads=1
    )
    penalty = Towards(strength=2.0).bind(list(data.feature_names), start)
    h = np.array([list(data.nbest.features_of(row).values()) for row in range(len(data.nbest))])
    rows = h[np.asarray(pairs.better)] - h[np.asarray(pairs.worse)]

    def objective(w: FloatArray) -> float:
        return float(np.logaddexp(0, -rows @ w).sum()) + penalty.value(w)

    def gradient(w: FloatArray) -> FloatArray:
        return np.asarray(penalty.gradient(w) - rows.T @ (1 / (1 + np.exp(rows @ w))))

    trusted = minimize(objective, start, jac=gradient, method="BFGS", options={"gtol": 1e-6})
    assert_allclose(regress(data, pairs, penalty, start), trusted.x, rtol=1e-4, atol=1e-5)


def test_l2_pulls_to_zero_and_to_the_start_at_once() -> None:
    """cdec's PRO: C ‖w‖² and T ‖w − w before‖², up to a constant one pull to a point between."""
    w, start = np.array([1.0, -2.0, 0.5]), np.array([0.5, 0.0, 3.0])
    penalty = L2(strength=500.0, start_strength=5000.0).bind(["a", "b", "c"], start)

    def both(w: FloatArray) -> float:
        return float(250.0 * w @ w + 2500.0 * (w - start) @ (w - start))

    assert_allclose(penalty.gradient(w), 500.0 * w + 5000.0 * (w - start))
    assert penalty.value(w) - penalty.value(start) == pytest.approx(both(w) - both(start))
    assert L2(strength=0.0).bind(["a"], np.ones(1)).value(np.ones(1)) == 0.0
