"""Subgradient descent against the update written out, with all features at every step."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest
from scipy.special import softmax

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import ConfigError, DataError
from hopefear.learners import Rampion, Sgd
from hopefear.losses import BayesRisk, Loss, Perceptron, Ramp1, Ramp2, Ramp3, SoftRamp3
from hopefear.regularizers import L1, L2, L2Start, NoPenalty, Regularizer
from hopefear.rhythm import Rhythm
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set

Share: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def one_hot(values: FloatArray) -> FloatArray:
    chosen = np.zeros(len(values))
    chosen[np.argmax(values)] = 1.0
    return chosen


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


def slow_cccp(
    data: ListSet, start: FloatArray, learner: Rampion, rounds: int, raised: Share, lowered: Share
) -> FloatArray:
    """Algorithm 1, lines 4 to 15, for any two sides; `raised` is held during the passes."""
    h, costs, w = matrix(data), learner.cost_scale * data.costs, start.copy()
    lists = [np.array(data.nbest.rows(i)) for i in range(data.sentence_count)]
    for _ in range(rounds):
        held = [raised(h[rows] @ w, costs[rows]) for rows in lists]
        for _ in range(learner.passes):
            for rows, up in zip(lists, held, strict=True):
                down = lowered(h[rows] @ w, costs[rows])
                w = w - learner.rate * (w - start) / len(lists)
                w = w + learner.rate * (up - down) @ h[rows]
    return w


@pytest.mark.parametrize(
    ("loss", "raised", "lowered"),
    [
        (Ramp1(), lambda s, c: one_hot(s), lambda s, c: one_hot(s + c)),
        (Ramp2(), lambda s, c: one_hot(s - c), lambda s, c: one_hot(s)),
        (Ramp3(), lambda s, c: one_hot(s - c), lambda s, c: one_hot(s + c)),
        (SoftRamp3(), lambda s, c: softmax(s - c), lambda s, c: softmax(s + c)),
        (Ramp1(soft="both"), lambda s, c: softmax(s), lambda s, c: softmax(s + c)),
        (Ramp2(soft="down"), lambda s, c: one_hot(s - c), lambda s, c: softmax(s)),
        (Ramp3(soft="up"), lambda s, c: softmax(s - c), lambda s, c: one_hot(s + c)),
    ],
    ids=["ramp 1", "ramp 2", "ramp 3", "soft", "Jensen", "Och and Ney", "soft up"],
)
def test_rounds_of_rampion_are_those_of_the_procedure(
    loss: Loss, raised: Share, lowered: Share
) -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = Rampion(loss=loss, rate=0.01, passes=3)
    state = learner.start(data, start, start)
    for epoch in range(4):
        state = next_state(learner, data, state, (1, epoch), rhythm=Rhythm(order="given"))
    expected = slow_cccp(data, start, learner, 4, raised, lowered)
    assert np.abs(expected - start).max() > 0.01
    np.testing.assert_allclose(learner.weights(state), expected, rtol=1e-9, atol=1e-12)


def test_sentences_without_a_reference_are_left_out_of_the_procedure() -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = Rampion(loss=Perceptron(reference="bold"), rate=0.01, regularizer=NoPenalty())
    reached = [
        i for i in range(data.sentence_count) if (data.costs[list(data.nbest.rows(i))] == 0).any()
    ]
    assert 0 < len(reached) < data.sentence_count
    everything, some = (
        next_state(learner, of, learner.start(of, start, start), (1, 0), rhythm=Rhythm())
        for of in (data, data.subset(reached))
    )
    np.testing.assert_allclose(learner.weights(everything), learner.weights(some), rtol=1e-9)


def test_the_risk_has_no_concave_part() -> None:
    with pytest.raises(ConfigError, match=r"Rampion\.loss.*'sgd'"):
        Rampion(loss=BayesRisk())
    data = synthetic_set(sentences=2)
    with pytest.raises(DataError, match="no concave part"):
        _core.raised_shares(data.nbest, start_vector(data), data.costs, 1.0, BayesRisk().core(), 1)


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
