"""Subgradient descent against the update written out, with all features at every step."""

from dataclasses import replace

import numpy as np
import pytest

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners import Rampion, Sgd
from hopefear.regularizers import L1, L2, L2Start, NoPenalty, Regularizer
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set


def matrix(data: ListSet) -> FloatArray:
    rows = range(len(data.nbest))
    return np.array([list(data.nbest.features_of(row).values()) for row in rows])


def slow_epochs(
    data: ListSet, start: FloatArray, learner: Sgd, epochs: int
) -> tuple[FloatArray, FloatArray]:
    """Ramp 3 with an l2 penalty: the last weights, and the mean over all steps."""
    h, costs, w = matrix(data), learner.cost_scale * data.costs, start.copy()
    origin = start if isinstance(learner.regularizer, L2Start) else np.zeros_like(start)
    seen = []
    for epoch in range(epochs):
        rate = learner.rate * learner.decay**epoch
        strength = getattr(learner.regularizer, "strength", 0.0)
        pull = rate * strength / data.nbest.sentence_count
        order = np.random.default_rng([1, epoch]).permutation(data.nbest.sentence_count)
        for sentence in order:
            rows = np.array(data.nbest.rows(int(sentence)))
            scores = h[rows] @ w
            hope, fear = (
                rows[np.argmax(scores - costs[rows])],
                rows[np.argmax(scores + costs[rows])],
            )
            w = w - pull * (w - origin) + rate * (h[hope] - h[fear])
            seen.append(w)
    return w, np.mean(seen, axis=0)


@pytest.mark.parametrize(
    "regularizer", [NoPenalty(), L2(strength=50.0), L2Start(strength=5.0), L2(strength=20_000.0)]
)
def test_epochs_are_those_of_the_update_written_out(regularizer: Regularizer) -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = Sgd(rate=0.001, decay=0.8, regularizer=regularizer)
    state = learner.start(data, start, start)
    for epoch in range(3):
        state = next_state(learner, data, state, (1, epoch))
    last, mean = slow_epochs(data, start, learner, 3)
    assert not np.allclose(last, mean)
    for averaged, expected in ((False, last), (True, mean)):
        found = replace(learner, averaged=averaged).weights(state)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_an_l1_penalty_makes_the_weight_of_noise_exactly_zero() -> None:
    data = synthetic_set(sentences=60)
    learner = Sgd(rate=0.001, regularizer=L1(strength=100.0), averaged=False)
    state = learner.start(data, start_vector(data), start_vector(data))
    for epoch in range(10):
        state = next_state(learner, data, state, (1, epoch))
    weights = dict(zip(list(data.nbest.feature_names), learner.weights(state), strict=True))
    assert weights["noise"] == 0.0
    assert weights["words"] != 0.0


def test_an_l1_penalty_is_paid_by_all_weights_at_the_end_of_an_epoch() -> None:
    data = synthetic_set()
    data.feature_names.add("of no hypothesis")
    learner = Sgd(rate=0.001, regularizer=L1(strength=100.0), averaged=False)
    start = start_vector(data)
    start[-1] = 1.0
    state = learner.start(data, start, start)
    for epoch in range(3):
        state = next_state(learner, data, state, (1, epoch))
        # N steps, and each of them takes η C / N off.
        assert learner.weights(state)[-1] == pytest.approx(1 - (epoch + 1) * 0.1, rel=1e-12)


def test_a_round_of_rampion_lowers_the_ramp_loss() -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = Rampion(rate=0.001)
    ramp = _core.Loss(up=_core.Side(cost=-1.0), down=_core.Side(cost=1.0))

    def loss(w: FloatArray) -> float:
        return _core.loss_gradient(data.nbest, w, data.costs, learner.cost_scale, ramp, 1)[0]

    state = learner.start(data, start, start)
    losses = [loss(start)]
    for epoch in range(4):
        state = next_state(learner, data, state, (1, epoch))
        losses.append(loss(learner.weights(state)))
    assert losses == sorted(losses, reverse=True)
