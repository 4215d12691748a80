"""What holds for every learner."""

import dataclasses

import numpy as np
import pytest

from hopefear.candidates import ListSet
from hopefear.learners import Lbfgs, Learner, Mert, Oro, Pro, Rampion, Sgd, learners
from hopefear.losses import losses
from hopefear.metrics import Column
from hopefear.nbest import NBestBuilder
from hopefear.regularizers import L1, L2, L2Start
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set

# The papers' rates are for hundreds of sentences and thousands of steps.
# Those that learn from forests only are tested with them.
LEARNERS: dict[str, Learner] = {
    name: learners[name]() for name in learners if ListSet in learners[name]().learns_from
} | {
    "mert": Mert(restarts=2, random_directions=2),
    "mert l2": Mert(restarts=1, penalty="l2", strength=1e-3),
    "pro": Pro(samples=200, kept=10, interpolation=0.5, epochs=3),
    "rampion": Rampion(rate=0.01),
    "sgd": Sgd(rate=0.01),
    "oro subgradient hinge": Oro(update="subgradient", epochs=10),
    "oro subgradient softmax": Oro(update="subgradient", loss="softmax", epochs=10),
    "oro optimized softmax": Oro(loss="softmax", epochs=10),
    "oro mira": Oro(update="mira", l2=100.0, epochs=10),
    "pro with oracles": Pro(pairs="oracle", interpolation=1.0, epochs=1),
    "lbfgs l1": Lbfgs(regularizer=L1(strength=0.1)),
    "sgd l1": Sgd(rate=0.01, regularizer=L1(strength=0.01)),
    "sgd l2": Sgd(rate=0.01, regularizer=L2(strength=0.01)),
    "sgd l2 start": Sgd(rate=0.01, regularizer=L2Start(strength=0.01)),
}
for name in losses:
    LEARNERS[f"sgd {name}"] = Sgd(loss=losses[name](), rate=0.01)


@pytest.fixture(scope="module")
def small() -> ListSet:
    return synthetic_set()


@pytest.fixture
def start(small: ListSet) -> FloatArray:
    return start_vector(small)


def run(learner: Learner, data: ListSet, start: FloatArray, *, seed: int = 1) -> list[FloatArray]:
    state, weights = learner.start(data, start, start), []
    for epoch in range(min(learner.epochs, 10)):
        following = next_state(learner, data, state, (seed, epoch))
        if following is state:
            break
        state = following
        weights.append(np.array(learner.weights(state)))
    return weights


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_raises_the_metric_on_what_it_learns_from(
    name: str, small: ListSet, start: FloatArray
) -> None:
    found = run(LEARNERS[name], small, start)
    assert max(small.score(w) for w in found) > small.score(start) + 1.0


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(
    name: str, start: FloatArray
) -> None:
    one, two = (run(LEARNERS[name], synthetic_set(threads=threads), start) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_state_can_be_continued_twice_with_the_same_result(
    name: str, small: ListSet, start: FloatArray
) -> None:
    learner = LEARNERS[name]
    state = learner.start(small, start, start)
    first, second = (learner.weights(next_state(learner, small, state, (1, 0))) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_start_weights_are_left_alone(name: str, small: ListSet, start: FloatArray) -> None:
    before = start.copy()
    run(LEARNERS[name], small, start)
    np.testing.assert_array_equal(start, before)


@pytest.mark.parametrize("name", learners)
def test_a_learner_is_a_frozen_set_of_keyword_options_with_defaults(name: str) -> None:
    learner = learners[name](epochs=3)
    assert learner.epochs == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        learner.__setattr__("epochs", 4)


def test_without_perfection_the_cost_is_what_is_lost_to_the_best_of_the_list() -> None:
    builder = NBestBuilder()
    values = [[0.2, 0.9, 0.5], [], [0.4], [0.1, -0.3]]
    for sentence, scores in enumerate(values):
        for i in range(len(scores)):
            builder.add(sentence, str(i), {"f": float(i)})
    nbest, metric = builder.finish(len(values)), Column()
    nbest.set_statistics(metric.statistics([value for scores in values for value in scores]))
    found = ListSet(nbest=nbest, metric=metric).costs
    np.testing.assert_allclose(found, [0.7, 0.0, 0.4, 0.0, 0.0, 0.4], atol=1e-12)
