"""ORO's updates against the paper's equations, written out in NumPy."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scipy.special import logsumexp

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import ConfigError, DataError
from hopefear.learners import Oro
from hopefear.rhythm import Rhythm
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set

# All sentences are one batch, so that an epoch is one update.
ONE_BATCH = Oro(decay=1.0)
WHOLE = Rhythm(block=0)


def matrix(data: ListSet) -> FloatArray:
    rows = range(len(data.nbest))
    return np.array([list(data.nbest.features_of(row).values()) for row in rows])


def update(learner: Oro, data: ListSet, w: FloatArray) -> FloatArray:
    return learner.weights(
        next_state(learner, data, learner.start(data, w, w), (1, 0), rhythm=WHOLE)
    )


def oracles(data: ListSet) -> list[list[int]]:
    # Greedy search looks at the sentences in the order of the batch.
    order = np.random.default_rng([1, 0]).permutation(data.nbest.sentence_count)
    found = _core.corpus_oracles(data.nbest, data.corpus_score, order)
    by_sentence: list[list[int]] = [[] for _ in order]
    for sentence, rows in zip(order, found, strict=True):
        by_sentence[int(sentence)] = list(rows)
    return by_sentence


def differences(data: ListSet) -> FloatArray:
    h = matrix(data)
    return np.array(
        [
            h[oracle] - h[row]
            for sentence, best in enumerate(oracles(data))
            for oracle in best
            for row in data.nbest.rows(sentence)
            if row not in best
        ]
    )


def test_the_subgradient_of_the_hinge_is_normalized_by_the_violating_pairs() -> None:
    data = synthetic_set(sentences=6, size=5)
    w = start_vector(data)
    learner = replace(ONE_BATCH, update="subgradient", l2=0.01, rate=0.2)
    phi = differences(data)
    violating = phi[phi @ w < 1]
    expected = (1 - 0.01 * 0.2) * w + 0.2 / len(violating) * violating.sum(axis=0)
    np.testing.assert_allclose(update(learner, data, w), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", [0.0, 0.3, 3.0])
def test_violated_pairs_are_those_with_a_margin_below_one(scale: float) -> None:
    data = synthetic_set(sentences=7, size=6)
    w, sentences = scale * start_vector(data), np.array([5, 0, 3])
    oracles = _core.corpus_oracles(data.nbest, data.corpus_score, sentences)
    pairs = _core.oracle_pairs(data.nbest, sentences, oracles, most=0)
    rows = _core.pair_differences(data.nbest, pairs)
    violated = rows.dot(w) < 1.0
    count, total = _core.violated_pairs(data.nbest, pairs, w)
    assert count == violated.sum()
    expected = rows.transposed_dot(violated.astype(np.float64), len(w))
    np.testing.assert_allclose(total, expected, atol=1e-9)


def test_pairs_of_other_lists_are_refused() -> None:
    large, few = synthetic_set(sentences=4, size=6), synthetic_set(sentences=1, size=6)
    oracles = _core.corpus_oracles(large.nbest, large.corpus_score, np.array([3]))
    pairs = _core.oracle_pairs(large.nbest, np.array([3]), oracles, most=0)
    with pytest.raises(DataError, match="the pairs belong to other n-best lists"):
        _core.violated_pairs(few.nbest, pairs, start_vector(few))


def test_the_subgradient_of_the_softmax_is_the_mean_over_sentences() -> None:
    data = synthetic_set(sentences=6, size=5)
    w, h = start_vector(data), matrix(data)
    learner = replace(ONE_BATCH, loss="softmax", update="subgradient", l2=0.01, rate=0.2)

    def mean_log_ratio(weights: FloatArray) -> float:
        scores = h @ weights
        return float(
            np.mean(
                [
                    logsumexp(scores[best]) - logsumexp(scores[list(data.nbest.rows(sentence))])
                    for sentence, best in enumerate(oracles(data))
                ]
            )
        )

    steps = np.eye(len(w)) * 1e-6
    gradient = [(mean_log_ratio(w + s) - mean_log_ratio(w - s)) / 2e-6 for s in steps]
    expected = (1 - 0.01 * 0.2) * w + 0.2 * np.array(gradient)
    np.testing.assert_allclose(update(learner, data, w), expected, rtol=1e-6, atol=1e-8)


def test_the_optimized_update_stays_within_the_learning_rate() -> None:
    data = synthetic_set(sentences=6, size=5)
    w = start_vector(data)
    phi = differences(data)
    found = update(replace(ONE_BATCH, l2=1e-5, rate=0.05), data, w)
    # w′ = w + Σ τ Φ with Σ τ ≤ η: the step cannot be longer than η times the longest Φ
    assert np.linalg.norm(found - w) <= 0.05 * np.linalg.norm(phi, axis=1).max() + 1e-6
    assert np.maximum(0, 1 - phi @ found).sum() < np.maximum(0, 1 - phi @ w).sum()


@pytest.mark.parametrize("loss", ["hinge", "softmax"])
def test_with_a_small_rate_the_optimized_update_is_a_step_along_the_mean(
    loss: Literal["hinge", "softmax"],
) -> None:
    # Every τ is at its bound η, since so small a step meets no constraint; then Σ τ is made η.
    data = synthetic_set(sentences=6, size=5)
    w, rate = 3 * start_vector(data), 1e-6
    learner = replace(ONE_BATCH, loss=loss, l2=0.01, rate=rate)
    if loss == "hinge":
        phi = differences(data)
        violating = phi[phi @ w < 1]
    else:
        batch = np.random.default_rng([1, 0]).permutation(6)
        best = _core.corpus_oracles(data.nbest, data.corpus_score, batch)
        _, tangents = _core.softmax_tangents(data.nbest, batch, best, w)
        units = np.eye(len(batch))
        violating = np.array([tangents.transposed_dot(unit, len(w)) for unit in units])
    expected = -0.01 * rate * w + rate * violating.mean(axis=0)
    np.testing.assert_allclose(update(learner, data, w) - w, expected, rtol=1e-6)


def test_mira_meets_all_margins_if_staying_counts_for_nothing() -> None:
    data = synthetic_set(sentences=2, size=3)
    found = update(replace(ONE_BATCH, update="mira", l2=1e-6), data, start_vector(data))
    assert (differences(data) @ found).min() > 0.99


def test_weights_stay_in_the_ball_of_radius_one_over_root_lambda() -> None:
    data = synthetic_set(sentences=6, size=5)
    found = update(
        replace(ONE_BATCH, update="subgradient", l2=4.0, rate=0.2), data, 10 * start_vector(data)
    )
    assert np.linalg.norm(found) == pytest.approx(0.5)


def test_the_rate_falls_from_batch_to_batch_over_all_epochs() -> None:
    data = synthetic_set(sentences=6, size=5)
    start, lists = start_vector(data), data.nbest
    learner = Oro(update="subgradient", max_oracles=0, l2=0.01)
    w, epoch = start, 4
    order = np.random.default_rng([1, epoch]).permutation(6)
    for k, batch in enumerate(np.split(order, 3), 1):  # η_k = η₀ α^(k/K), k from 1
        oracles = _core.corpus_oracles(lists, data.corpus_score, batch)
        pairs = _core.oracle_pairs(lists, batch, oracles, most=0)
        count, violating = _core.violated_pairs(lists, pairs, w)
        rate = 0.2 * 0.85 ** (epoch + k / 3)
        w = (1 - 0.01 * rate) * w + rate / count * violating
    state = learner.start(data, start, start)
    found = next_state(learner, data, state, (1, epoch), rhythm=Rhythm(block=2))
    np.testing.assert_allclose(learner.weights(found), w, rtol=1e-9)


def test_the_printed_softmax_constraint_is_another_one() -> None:
    data = synthetic_set(sentences=6, size=5)
    tangent, printed = (
        update(replace(ONE_BATCH, loss="softmax", tangent_offset=offset), data, start_vector(data))
        for offset in (True, False)
    )
    assert not np.allclose(tangent, printed)


def test_mira_is_not_defined_for_the_softmax() -> None:
    with pytest.raises(ConfigError, match="hinge loss only"):
        Oro(update="mira", loss="softmax")
