"""Regularizers between the sentences of online learners: MIRA, AROW and the others."""

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hopefear.candidates import ForestSet
from hopefear.candidates.discretized import discretize_forest, learn_bins
from hopefear.learners import Arow, Mira, OnlineLearner, learners
from hopefear.learners.regularized import BETWEEN
from hopefear.metrics import Bleu, References
from hopefear.regularizers import L2, L2Start, LinearNeighbors, NoPenalty
from hopefear.rhythm import Step
from hopefear.translation.features.bins import Discretization
from hopefear.types import FloatArray, Vocabulary
from tuning_sets import garbled_forests

ONLINE = [name for name in learners if isinstance(learners[name](), OnlineLearner)]


@pytest.fixture(scope="module")
def data() -> ForestSet:
    forests, references = garbled_forests(sentences=2 * BETWEEN, seed=2)
    return ForestSet(forests, References(references), Bleu(tokenize="none"), threads=1)


def learned(
    learner: OnlineLearner, data: ForestSet, start: FloatArray, sentences: int
) -> FloatArray:
    state = learner.start(data, start, start)
    after, _ = learner.learn(state, data, np.arange(sentences), Step())
    return np.array(after.weights.current)


def with_penalty(name: str, strength: float) -> tuple[OnlineLearner, OnlineLearner]:
    plain = cast(OnlineLearner, learners[name]())
    return plain, replace(plain, regularizer=L2(strength=strength))


@pytest.mark.parametrize("name", ONLINE)
def test_the_weights_take_a_proximal_step_after_16_sentences(name: str, data: ForestSet) -> None:
    start = np.ones(len(data.feature_names))
    plain, pulled = with_penalty(name, 3.0)
    early = BETWEEN - 1
    assert_allclose(learned(pulled, data, start, early), learned(plain, data, start, early))
    state = plain.start(data, start, start)
    before, _ = plain.learn(state, data, np.arange(BETWEEN), Step())
    w, rates = np.array(before.weights.current), before.rates
    # v = w/(1 + s C), s = rate · 16/N
    expected = w / (1 + rates * (BETWEEN / data.sentence_count) * 3.0)
    assert_allclose(learned(pulled, data, start, BETWEEN), expected)


def test_without_a_regularizer_nothing_changes(data: ForestSet) -> None:
    start = np.ones(len(data.feature_names))
    none = learned(Mira(regularizer=L2(strength=0.0)), data, start, data.sentence_count)
    assert isinstance(Mira().regularizer, NoPenalty)
    assert_allclose(none, learned(Mira(), data, start, data.sentence_count))


def test_the_pull_to_the_start_is_to_the_start_of_the_run(data: ForestSet) -> None:
    start = np.ones(len(data.feature_names))
    near = Mira(rate=1.0, regularizer=L2Start(strength=1e9))
    assert_allclose(learned(near, data, start, data.sentence_count), start, atol=1e-6)


@pytest.mark.parametrize("kind", [Mira, Arow])
def test_neighbors_of_bins_come_nearer_to_a_line(kind: type[Mira]) -> None:
    forests, references = garbled_forests(sentences=BETWEEN, seed=3)
    names, bins = Vocabulary(), learn_bins(forests, Discretization(bits=3, kept=()))
    binned = [discretize_forest(forest, bins, names) for forest in forests]
    data = ForestSet(binned, References(references), Bleu(tokenize="none"), threads=1)
    start = np.random.default_rng(1).normal(size=len(names))
    shape = LinearNeighbors(strength=1e4, l2=0.0)

    def bent(w: FloatArray) -> float:
        return shape.bind(list(names), start).value(w)

    plain = learned(kind(), data, start, BETWEEN)
    assert bent(learned(kind(regularizer=shape), data, start, BETWEEN)) < 0.01 * bent(plain)
