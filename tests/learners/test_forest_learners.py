"""Every learner on forests: directly, or by lists of their best derivations."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hopefear.candidates import ForestSet
from hopefear.events import EpochFinished, RunFinished
from hopefear.learners import (
    ForestMira,
    KBestMira,
    Learner,
    Mert,
    OnlineLearner,
    Pro,
    Rampion,
    Relisting,
    Scaled,
    Sgd,
    learners,
    suited,
)
from hopefear.metrics import Chrf, TextMetric, Wer
from hopefear.runs import learn
from hopefear.types import FloatArray
from tuning_sets import FOREST_START, next_state, synthetic_forests

# The papers' rates are for hundreds of sentences and thousands of steps. Online learners have tests
# of their own.
LEARNERS: dict[str, Learner] = {
    name: learners[name]() for name in learners if not isinstance(learners[name](), OnlineLearner)
} | {
    "mert": Mert(restarts=2, random_directions=2),
    "mert l2": Mert(restarts=1, penalty="l2", strength=1e-3),
    "pro": Pro(samples=200, kept=10, interpolation=0.5, epochs=3),
    "rampion": Rampion(rate=0.01),
    "sgd": Sgd(rate=0.01),
    "forest-mira model context": ForestMira(context="model"),
    "forest-mira scaled": Scaled(learner=ForestMira()),
}


@pytest.fixture(scope="module")
def small() -> ForestSet:
    return synthetic_forests()


@pytest.fixture
def start(small: ForestSet) -> FloatArray:
    return FOREST_START.vector(small.feature_names)


def made(name: str, data: ForestSet) -> Learner:
    return suited(LEARNERS[name], data, k=20, iterations=2)


def run(learner: Learner, data: ForestSet, start: FloatArray) -> list[FloatArray]:
    state, weights = learner.start(data, start, start), []
    for epoch in range(min(learner.epochs, 5)):
        following = next_state(learner, data, state, (1, epoch))
        if following is state:
            break
        state = following
        weights.append(np.array(learner.weights(state)))
    return weights


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_raises_the_metric_of_forests(
    name: str, small: ForestSet, start: FloatArray
) -> None:
    found = run(made(name, small), small, start)
    assert max(small.score(w) for w in found) > small.score(start) + 5.0


@pytest.mark.parametrize("name", LEARNERS)
def test_any_number_of_threads_gives_the_same_bits(name: str, start: FloatArray) -> None:
    several = [synthetic_forests(threads=threads) for threads in (1, 2)]
    one, two = (run(made(name, data), data, start) for data in several)
    assert_array_equal(one, two)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_state_can_be_continued_twice_with_the_same_result(
    name: str, small: ForestSet, start: FloatArray
) -> None:
    learner, before = made(name, small), start.copy()
    state = learner.start(small, start, start)
    first, second = (learner.weights(next_state(learner, small, state, (1, 0))) for _ in range(2))
    assert_array_equal(first, second)
    assert_array_equal(start, before)


@pytest.mark.parametrize("metric", [Wer(), Chrf()], ids=lambda metric: metric.name)
@pytest.mark.parametrize("name", ["mert", "forest-mira", "kbest-mira"])
def test_metrics_without_statistics_on_edges_are_learned(name: str, metric: TextMetric) -> None:
    data = synthetic_forests(metric=metric)
    start = FOREST_START.vector(data.feature_names)
    sign = 1.0 if metric.higher_is_better else -1.0
    found = run(made(name, data), data, start)
    assert max(sign * data.score(w) for w in found) > sign * data.score(start) + 5.0


def test_lists_grow_by_what_is_new_until_nothing_is(small: ForestSet, start: FloatArray) -> None:
    learner = Relisting(learner=KBestMira(epochs=3), k=5, epochs=50)
    state = learner.start(small, start, start)
    sizes: list[int] = []
    for epoch in range(learner.epochs):
        following = next_state(learner, small, state, (1, epoch))
        if following is state:
            break
        state = following
        assert state.lists is not None
        sizes.append(len(state.lists.nbest))
    assert len(sizes) < learner.epochs
    assert sizes[0] == 5 * small.sentence_count
    assert sizes == sorted(set(sizes))


def test_lists_are_the_best_derivations_with_different_words(
    small: ForestSet, start: FloatArray
) -> None:
    nbest = small.kbest_lists(start, 7).nbest
    for sentence, forest in enumerate(small.forests):
        assert forest is not None
        best = forest.kbest(start, 7, distinct=True)
        rows = nbest.rows(sentence)
        assert [nbest.text(row) for row in rows] == [d.text for d in best]
        assert [nbest.features_of(row) for row in rows] == [d.features for d in best]


def test_the_loop_tells_of_forests_what_it_tells_of_lists(small: ForestSet) -> None:
    dev = synthetic_forests(seed=2)
    learner = suited(KBestMira(epochs=5), small, k=20, iterations=3)
    events = list(learn(small, learner, start=FOREST_START, name="kbest-mira", dev=dev))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.dev_score is not None
    assert finished.dev_score > dev.score(FOREST_START.vector(dev.feature_names))
    assert sum(isinstance(event, EpochFinished) for event in events) == finished.epochs
