"""k-best MIRA against the paper's rule, written out in NumPy."""

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import ConfigError, DataError
from hopefear.learners import KBestMira
from hopefear.metrics import Bleu, References
from hopefear.nbest import NBestBuilder
from hopefear.types import FloatArray, IntArray
from strategies import arrays
from tuning_sets import next_state, start_vector, synthetic_set


def matrix(data: ListSet) -> FloatArray:
    """All feature vectors."""
    names = list(data.feature_names)
    rows = [data.nbest.features_of(row) for row in range(len(data.nbest))]
    return np.array([[row.get(name, 0.0) for name in names] for row in rows])


def slow_epoch(
    data: ListSet,
    start: FloatArray,
    order: IntArray,
    *,
    max_step: float,
    decay: float,
    context: str = "hope",
) -> tuple[FloatArray, FloatArray]:
    """Return the last weights and the mean of the weights after each sentence."""
    h, w = matrix(data), start.copy()
    statistics = data.nbest.statistics
    assert statistics is not None
    document = np.array([4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0, 4.0])
    seen = []
    for sentence in order:
        rows = np.array(data.nbest.rows(int(sentence)))
        sums = document + statistics[rows]
        precisions = np.exp(np.log(sums[:, :4] / sums[:, 4:8]).mean(axis=1))
        brevity = np.exp(np.minimum(0, 1 - sums[:, 8] / sums[:, 4]))
        gains = sums[:, 8] * precisions * brevity
        scores = h[rows] @ w
        hope, fear = np.argmax(scores + gains), np.argmax(scores - gains)
        difference = h[rows[hope]] - h[rows[fear]]
        violation = gains[hope] - gains[fear] - w @ difference
        if gains[hope] > gains[fear] and violation > 0 and difference.any():
            w = w + min(max_step, violation / (difference @ difference)) * difference
        taken = hope if context == "hope" else np.argmax(scores)
        document = decay * document + statistics[rows[taken]]
        seen.append(w)
    return w, np.mean(seen, axis=0)


@pytest.mark.parametrize("max_step", [0.001, 0.1])
def test_an_epoch_is_that_of_the_rule_written_out(max_step: float) -> None:
    data = synthetic_set()
    start = start_vector(data)
    order = np.random.default_rng(5).permutation(data.nbest.sentence_count)
    state = _core.kbest_mira_epoch(
        data.nbest,
        data.corpus_score,
        order,
        max_step=max_step,
        decay=0.9,
        hope_context=True,
        state=_core.KBestMiraState(start, data.corpus_score.first_document()),
    )
    last, mean = slow_epoch(data, start, order, max_step=max_step, decay=0.9)
    np.testing.assert_allclose(state.weights(), last, rtol=1e-9)
    np.testing.assert_allclose(state.average(), mean, rtol=1e-9)


@pytest.mark.parametrize("context", ["hope", "model"])
def test_the_learner_visits_sentences_in_random_order_with_its_options(
    context: Literal["hope", "model"],
) -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = KBestMira(max_step=0.02, decay=0.9, context=context, line_search=0)
    found = next_state(learner, data, learner.start(data, start, start), (7, 0))
    order = np.random.default_rng([7, 0]).permutation(data.sentence_count)
    _, mean = slow_epoch(data, start, order, max_step=0.02, decay=0.9, context=context)
    np.testing.assert_allclose(learner.weights(found), mean, rtol=1e-9)


def test_every_so_many_epochs_there_is_a_line_search() -> None:
    data = synthetic_set()
    plain, searched = KBestMira(line_search=0), KBestMira(line_search=2)
    state = found = plain.start(data, start_vector(data), start_vector(data))
    for epoch in range(4):
        state = next_state(plain, data, state, (1, epoch))
        found = next_state(searched, data, found, (1, epoch))
        expected = state.weights
        if epoch % 2:
            expected = data.line_search(state.mean, state.weights - state.mean)
            assert (expected != state.weights).any()
        np.testing.assert_array_equal(found.weights, expected)


def test_an_epochs_weights_are_the_mean_over_its_own_steps() -> None:
    data = synthetic_set()
    learner = KBestMira(line_search=0)
    first = next_state(
        learner, data, learner.start(data, start_vector(data), start_vector(data)), (1, 0)
    )
    second = next_state(learner, data, first, (1, 1))
    mean_of_both = (learner.weights(first) + learner.weights(second)) / 2
    np.testing.assert_allclose(second.core.average(), mean_of_both, rtol=1e-9)


def test_a_line_search_never_lowers_the_metric() -> None:
    data = synthetic_set()
    for seed in range(3):
        plain, searched = (KBestMira(line_search=every) for every in (0, 1))
        state = plain.start(data, start_vector(data), start_vector(data))
        mean = next_state(plain, data, state, (seed, 0)).mean
        found = next_state(searched, data, state, (seed, 0)).weights
        assert data.score(found) >= data.score(mean)


def test_lists_without_statistics_are_refused() -> None:
    data = synthetic_set()
    bare = _core.NBestBuilder(data.nbest.words, data.nbest.feature_names).finish(1)
    with pytest.raises(DataError, match="no statistics; compute them with a metric"):
        _core.kbest_mira_epoch(
            bare,
            data.corpus_score,
            np.arange(1),
            max_step=0.1,
            decay=0.9,
            hope_context=True,
            state=_core.KBestMiraState(start_vector(data), data.corpus_score.first_document()),
        )


def test_options_are_checked_when_they_are_set() -> None:
    with pytest.raises(ConfigError, match=r"KBestMira\.max_step must be .*> 0, got -0\.5"):
        KBestMira(max_step=-0.5)
    with pytest.raises(ConfigError, match=r"KBestMira\.decay must be .*<= 1, got 1\.5"):
        KBestMira(decay=1.5)


def test_features_that_a_hypothesis_does_not_have_count_nothing() -> None:
    random = np.random.default_rng(3)
    names = ["x", "y", "z"]
    builder = NBestBuilder()
    for sentence in range(30):
        for _ in range(12):
            text = " ".join(random.choice(["a", "b", "c", "d", "e"], 6))
            some = [name for name in names if random.random() < 0.5]
            builder.add(sentence, text, {name: float(random.normal()) for name in some})
    lists, metric = builder.finish(), Bleu(tokenize="none")
    metric.prepare(References([["a b c d e"]] * 30)).set_statistics(lists)
    data = ListSet(nbest=lists, metric=metric, threads=1)
    start, order = np.array([0.5, -0.5, 0.25]), random.permutation(30)
    state = _core.kbest_mira_epoch(
        lists,
        data.corpus_score,
        order,
        max_step=0.1,
        decay=0.9,
        hope_context=True,
        state=_core.KBestMiraState(start, data.corpus_score.first_document()),
    )
    last, mean = slow_epoch(data, start, order, max_step=0.1, decay=0.9)
    np.testing.assert_allclose(state.weights(), last, rtol=1e-9)
    np.testing.assert_allclose(state.average(), mean, rtol=1e-9)


@given(arrays(5), st.integers(0, 4))
def test_saved_weights_go_on_where_they_were(start: FloatArray, steps: int) -> None:
    online = _core.OnlineWeights(start)
    ids, values = np.array([1, 3], dtype=np.int32), np.array([0.3, -2.0])
    for step in range(steps):
        online.add(ids, values, 0.1 * step)
        online.count()
    loaded = _core.OnlineWeights.load(online.save())
    for weights in (online, loaded):
        weights.add(ids, values, 0.7)
        weights.count()
    assert_array_equal(loaded.current, online.current)
    assert_array_equal(loaded.average(), online.average())


@pytest.mark.parametrize("saved", [[], [1.0], [2.0, 1, 0, 0, 1], [math.nan] * 7, [1e300] * 10])
def test_saved_weights_that_do_not_fit_together_are_refused(saved: list[float]) -> None:
    with pytest.raises(DataError, match="saved numbers"):
        _core.OnlineWeights.load(np.array(saved, dtype=np.float64))


def test_penalties_of_other_weights_are_refused() -> None:
    states = [_core.SubgradientState(np.zeros(n), np.empty(0)).save() for n in (3, 500)]
    # Saved are the weights, the penalties and the loss, each with its length before it.
    weights, others = (state[: 1 + int(state[0])] for state in states)
    mixed = np.concatenate([weights, states[1][len(others) :]])
    with pytest.raises(DataError, match="saved numbers: penalties of 500 weights, but there are 3"):
        _core.SubgradientState.load(mixed)
