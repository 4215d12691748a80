from dataclasses import replace
from importlib import import_module
from typing import Literal

import numpy as np
import pytest

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.demo.synthetic import START
from hopefear.errors import ConfigError, LearningError
from hopefear.learners import Pro
from hopefear.learners.classifier import regress, separate
from hopefear.nbest import NBestBuilder
from hopefear.regularizers import L1, L2, L2Start, NoPenalty, Regularizer
from hopefear.rhythm import Rhythm
from hopefear.runs.loop import About, learn
from hopefear.types import FloatArray
from tuning_sets import course_of, next_state, start_vector, synthetic_set


def sampled(data: ListSet, *, kept: int = 20, threshold: float = 0.05) -> _core.RankingPairs:
    return _core.sample_pairs(
        data.nbest,
        data.gains,
        samples=300,
        kept=kept,
        threshold=threshold,
        seed=7,
        threads=1,
    )


def features(data: ListSet, row: int) -> list[float]:
    return list(data.nbest.features_of(row).values())


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_the_classifier_is_scikit_learns_logistic_regression(strength: float) -> None:
    data = synthetic_set(sentences=60)
    pairs = sampled(data)
    start = start_vector(data)
    found = regress(data, pairs, L2(strength=strength).bind([], start), start)

    rows = np.array(
        [
            np.subtract(features(data, better), features(data, worse))
            for better, worse in zip(pairs.better, pairs.worse, strict=True)
        ]
    )
    # Each pair is an example of either class, mirrored; halving the weights undoes the doubling.
    sklearn = import_module("sklearn.linear_model")  # it has no types
    trusted = sklearn.LogisticRegression(
        C=1 / strength, fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    trusted.fit(
        np.concatenate([rows, -rows]),
        np.repeat([1, 0], len(rows)),
        sample_weight=np.full(2 * len(rows), 0.5),
    )
    np.testing.assert_allclose(found, trusted.coef_[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("strength", [0.003, 0.1, 10.0])
def test_with_the_hinge_loss_it_is_scikit_learns_support_vector_machine(strength: float) -> None:
    data = synthetic_set(sentences=30)
    pairs = sampled(data)
    start = start_vector(data)
    found = separate(data, pairs, L2(strength=strength).bind([], start), start)
    rows = np.array(
        [
            np.subtract(features(data, better), features(data, worse))
            for better, worse in zip(pairs.better, pairs.worse, strict=True)
        ]
    )
    sklearn = import_module("sklearn.svm")
    trusted = sklearn.LinearSVC(
        C=1 / strength, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1_000_000
    )
    trusted.fit(
        np.concatenate([rows, -rows]),
        np.repeat([1, 0], len(rows)),
        sample_weight=np.full(2 * len(rows), 0.5),
    )

    def objective(w: FloatArray) -> float:
        return float(strength / 2 * w @ w + np.maximum(0, 1 - rows @ w).sum())

    assert objective(found) <= objective(trusted.coef_[0]) * (1 + 1e-3)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_regularizer_against_the_mean_is_one_against_the_sum_times_the_pairs(
    loss: Literal["logistic", "hinge"],
) -> None:
    data = synthetic_set(sentences=10)
    start = start_vector(data)
    pro = Pro(pairs="oracle", max_oracles=0, loss=loss, regularizer=L2(strength=0.01), mean=True)
    oracles = _core.corpus_oracles(data.nbest, data.corpus_score, np.arange(10))
    count = sum(len(best) * (len(data.nbest.rows(i)) - len(best)) for i, best in enumerate(oracles))
    summed = replace(pro, regularizer=L2(strength=0.01 * count), mean=False)
    # In the given order: greedy oracles depend on it.
    one, other = (
        learner.weights(
            next_state(
                learner,
                data,
                learner.start(data, start, start),
                (1, 0),
                rhythm=Rhythm(order="given"),
            )
        )
        for learner in (pro, summed)
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("regularizer", [NoPenalty(), L1(), L2(strength=0.0)])
def test_the_hinge_loss_needs_a_pull(regularizer: Regularizer) -> None:
    data = synthetic_set(sentences=2)
    start = start_vector(data)
    with pytest.raises(ConfigError, match=r"Pro\.loss: 'hinge' needs regularizer l2 or l2-start"):
        Pro(loss="hinge", regularizer=regularizer).start(data, start, start)


def test_pairs_are_of_one_list_and_the_better_gains_more_than_the_threshold() -> None:
    data = synthetic_set()
    pairs = sampled(data, threshold=0.1)
    assert len(pairs.better) > 0
    offsets = data.nbest.offsets
    np.testing.assert_array_equal(
        np.searchsorted(offsets, pairs.better, side="right"),
        np.searchsorted(offsets, pairs.worse, side="right"),
    )
    assert (data.gains[pairs.better] - data.gains[pairs.worse] > 0.1).all()


def test_the_kept_pairs_are_those_that_differ_most() -> None:
    data = synthetic_set(sentences=1)
    everything, some = sampled(data, kept=10_000), sampled(data, kept=15)
    assert len(some.better) == 15

    def differences(pairs: _core.RankingPairs) -> list[float]:
        return sorted(data.gains[pairs.better] - data.gains[pairs.worse], reverse=True)

    assert differences(some) == differences(everything)[:15]


def test_oracle_pairs_rank_every_oracle_above_every_other_hypothesis() -> None:
    data = synthetic_set(sentences=2)
    sentences = np.arange(2)
    oracles = _core.corpus_oracles(data.nbest, data.corpus_score, sentences)
    pairs = _core.oracle_pairs(data.nbest, sentences, oracles)
    expected = [
        (oracle, other)
        for sentence in range(2)
        for oracle in oracles[sentence]
        for other in data.nbest.rows(sentence)
        if other not in oracles[sentence]
    ]
    assert list(zip(pairs.better, pairs.worse, strict=True)) == expected


def test_of_many_oracles_some_are_paired_and_the_others_are_not_ranked_below() -> None:
    data = synthetic_set(sentences=1, size=12)
    lists, sentences, oracles = data.nbest, np.array([0]), [[0, 2, 3, 5, 7, 8]]
    pairs = _core.oracle_pairs(lists, sentences, oracles, most=3)
    others = [1, 4, 6, 9, 10, 11]
    expected = [(better, worse) for better in (0, 3, 7) for worse in others]
    assert list(zip(pairs.better, pairs.worse, strict=True)) == expected
    every = _core.oracle_pairs(lists, sentences, oracles)
    assert len(every.better) == len(_core.oracle_pairs(lists, sentences, oracles, most=6).better)


def test_corpus_oracles_are_the_best_choice_where_all_choices_can_be_tried() -> None:
    data = synthetic_set(sentences=2, size=8)
    oracles = _core.corpus_oracles(data.nbest, data.corpus_score, np.arange(2))
    statistics = data.nbest.statistics
    assert statistics is not None
    best = max(
        float(data.metric.score(statistics[a] + statistics[b]))
        for a in data.nbest.rows(0)
        for b in data.nbest.rows(1)
    )
    chosen = statistics[oracles[0][0]] + statistics[oracles[1][0]]
    assert float(data.metric.score(chosen)) == pytest.approx(best)


def test_options_are_checked_when_they_are_set() -> None:
    with pytest.raises(ConfigError, match=r"Pro\.interpolation must be .*<= 1, got 2"):
        Pro(interpolation=2)


@pytest.mark.parametrize("regularizer", [L2(strength=0.01), L2Start(strength=3.0), NoPenalty()])
def test_newtons_method_ends_where_the_gradient_vanishes(regularizer: Regularizer) -> None:
    data = synthetic_set(sentences=60)
    pairs, start = sampled(data), start_vector(data)
    penalty = regularizer.bind([], start)
    found = regress(data, pairs, penalty, start)
    gradient = _core.logistic_loss(data.nbest, pairs, found)[1]
    gradient += penalty.gradient(found)
    assert np.abs(gradient / data.feature_unit).max() <= 1e-7 * len(pairs)
    assert not np.array_equal(found, start)


@pytest.mark.parametrize("count", [5, 64, 65, 90])
def test_any_number_of_sparse_features_can_be_classified_by(count: int) -> None:
    """The gradient is gone where the regression ends, whichever way it takes its steps."""
    random = np.random.default_rng(count)
    builder = NBestBuilder()
    for sentence in range(80):
        for i in range(4):
            own = random.choice(count, size=4, replace=False)
            builder.add(sentence, f"h {i}", {f"f{k}": float(random.normal()) for k in own})
    lists = builder.finish()
    names = lists.feature_names
    sentences = np.arange(80)
    pairs = _core.oracle_pairs(lists, sentences, [[4 * i] for i in range(80)])
    zero, unit = np.zeros(len(names)), random.uniform(0.5, 2.0, size=len(names))
    found = _core.logistic_regression(lists, pairs, zero, zero, unit, strength=0.3, tolerance=1e-9)
    gradient = _core.logistic_loss(lists, pairs, found)[1] + 0.3 * found
    assert np.abs(gradient).max() < 1e-8
    assert np.abs(found).max() > 0.1


@pytest.mark.parametrize("memory_limit", [0, 1])
def test_large_values_that_a_list_shares_do_not_matter_nor_where_the_lists_lie(
    memory_limit: int,
) -> None:
    """The regression ends where it ends for the differences themselves."""
    random = np.random.default_rng(5)
    values = random.normal(size=(40, 6, 3)).round(3)
    found = []
    for offset in (0.0, 2.0**20):
        builder = NBestBuilder(memory_limit=memory_limit)
        for sentence, rows in enumerate(values):
            for i, row in enumerate(rows):
                own = row + offset * (sentence + 1)
                builder.add(sentence, f"h {i}", {f"f{k}": float(v) for k, v in enumerate(own)})
        lists = builder.finish()
        # two oracles a list, so that a hypothesis is in several pairs
        pairs = _core.oracle_pairs(lists, np.arange(40), [[6 * i, 6 * i + 3] for i in range(40)])
        zero, one = np.zeros(3), np.ones(3)
        found.append(
            _core.logistic_regression(lists, pairs, zero, zero, one, strength=0.3, tolerance=1e-7)
        )
    rows = np.concatenate([(v[i] - v[[1, 2, 4, 5]]) for v in values for i in (0, 3)])
    margins = rows @ found[0]
    gradient = 0.3 * found[0] - rows.T @ (1 / (1 + np.exp(margins)))
    assert np.abs(gradient).max() < 1e-6
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_features_that_are_always_the_same_leave_the_classifier_a_choice() -> None:
    """Without a penalty the Hessian is singular."""
    builder = NBestBuilder()
    for sentence, (a, b) in enumerate([(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]):
        builder.add(sentence, "better", {"one": a, "two": a})
        builder.add(sentence, "worse", {"one": b, "two": b})
    lists = builder.finish()
    pairs = _core.oracle_pairs(lists, np.arange(3), [[0], [2], [4]])
    zero, one = np.zeros(2), np.ones(2)
    found = _core.logistic_regression(lists, pairs, zero, zero, one, strength=0.0, tolerance=1e-9)
    # Two of three pairs are right: the sum of both weights is the logit of 2/3.
    assert found.sum() == pytest.approx(np.log(2.0), rel=1e-6)


def test_a_logistic_regression_that_could_grow_without_end_stops_all_the_same() -> None:
    builder = NBestBuilder()
    builder.add(0, "a b", {"good": 1.0})
    builder.add(0, "c d", {"good": 0.0})
    lists = builder.finish()
    pairs = _core.oracle_pairs(lists, np.array([0]), [[0]])
    zero, one = np.zeros(1), np.ones(1)
    found = _core.logistic_regression(lists, pairs, zero, zero, one, strength=0.0, tolerance=1e-7)
    assert 16 < found[0] < 100


def test_all_pairs_of_a_list_are_drawn_equally_often() -> None:
    gains = np.arange(5.0) ** 2
    builder = NBestBuilder()
    for i in range(5):
        builder.add(0, f"w{i}", {"x": i})
    pairs = _core.sample_pairs(
        builder.finish(),
        gains,
        samples=100_000,
        kept=100_000,
        threshold=0.0,
        seed=3,
        threads=1,
    )
    counts = np.bincount(5 * pairs.better + pairs.worse, minlength=25).reshape(5, 5)
    drawn = counts[np.tril_indices(5, -1)]
    assert drawn.sum() == counts.sum()
    # each with probability 2/25: the deviation of its count is 86
    assert np.abs(drawn - 8000).max() < 4 * 86


@pytest.mark.parametrize("regularizer", [L1(), L2(), NoPenalty()])
def test_without_pairs_there_is_nothing_to_learn(regularizer: Regularizer) -> None:
    data = synthetic_set()
    learner = Pro(threshold=1.0, regularizer=regularizer)  # no two gains differ by more
    course = course_of(learner, data, START.vector(data.feature_names))
    with pytest.raises(LearningError, match="did not change the weights"):
        list(learn(course, START, About(name="pro")))
