from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from hopefear.candidates import HasSurface, ListSet
from hopefear.errors import ConfigError
from hopefear.learners import Mert
from hopefear.rhythm import Step
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set


def climb(learner: Mert, data: ListSet, start: FloatArray, seed: int = 1) -> FloatArray:
    """Return the weights as the learner finds them; a run gives them a fixed norm."""
    state, block = learner.start(data, start, start), np.arange(data.sentence_count)
    return learner.weights(learner.learn(state, data, block, Step(entropy=(seed, 0)))[0])


@pytest.mark.parametrize("seed", range(3))
def test_the_metric_is_never_lower_than_at_the_start(seed: int) -> None:
    data = synthetic_set(seed=seed)
    random = np.random.default_rng(seed)
    for _ in range(5):
        start = random.normal(size=len(data.nbest.feature_names))
        assert data.score(climb(Mert(restarts=0), data, start)) >= data.score(start)


def test_more_restarts_are_never_worse() -> None:
    data = synthetic_set()
    start = start_vector(data)
    scores = [data.score(climb(Mert(restarts=n), data, start)) for n in (0, 2, 6)]
    assert scores == sorted(scores)


def test_features_that_no_list_has_change_nothing() -> None:
    data, more = synthetic_set(), synthetic_set()
    more.nbest.feature_names.add("of held-out data")
    start = start_vector(data)
    for seed in range(10):
        plain = climb(Mert(restarts=3), data, start, seed)
        found = climb(Mert(restarts=3), more, np.append(start, 0.0), seed)
        np.testing.assert_array_equal(found, np.append(plain, 0.0))


def test_no_coordinate_can_be_improved_by_a_fine_grid_search() -> None:
    data = synthetic_set()
    w = climb(Mert(restarts=2, tolerance=1e-9), data, start_vector(data))
    for j in range(len(w)):
        for step in np.linspace(-2, 2, 401) * abs(w[j]):
            moved = w.copy()
            moved[j] += step
            assert data.score(moved) <= data.score(w) + 1e-9


def test_bounds_are_kept_and_fixed_features_stay() -> None:
    data = synthetic_set()
    start, names = start_vector(data), data.nbest.feature_names
    learner = Mert(restarts=4, bounds={"lm": (0.1, 0.3), "words": (-1.0, 0.25)}, fixed=("tm",))
    w = dict(zip(list(names), climb(learner, data, start), strict=True))
    assert 0.1 <= w["lm"] <= 0.3
    assert -1.0 <= w["words"] <= 0.25
    assert w["tm"] == 0.2
    assert w["noise"] != 0.2


def test_an_l2_penalty_keeps_the_weights_smaller() -> None:
    data = synthetic_set()
    start = start_vector(data)
    free = climb(Mert(restarts=0), data, start)
    held = climb(Mert(restarts=0, penalty="l2", strength=0.05), data, start)
    assert np.linalg.norm(held) < np.linalg.norm(free)
    assert data.score(held) > data.score(start)


def test_a_climb_is_the_same_whatever_others_there_are() -> None:
    data, learner = synthetic_set(), Mert(restarts=3)
    start = start_vector(data)
    several = climb(learner, replace(data, threads=3), start)
    np.testing.assert_array_equal(climb(learner, data, start), several)


def test_an_l0_penalty_leaves_fewer_weights() -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner = Mert(restarts=0, random_directions=0, penalty="l0", strength=0.02)
    assert np.count_nonzero(climb(learner, data, start)) < np.count_nonzero(start)


@pytest.mark.parametrize("penalty", ["l2", "l0"])
def test_within_bounds_no_coordinate_can_lower_a_penalty_for_its_worth(
    penalty: Literal["l2", "l0"],
) -> None:
    data = synthetic_set()
    names, strength = list(data.nbest.feature_names), 0.02
    bounds = {"lm": (0.1, 0.3), "tm": (-1.0, -0.05), "noise": (0.0, 0.5), "words": (-0.5, 0.5)}
    learner = Mert(restarts=2, bounds=bounds, penalty=penalty, strength=strength, tolerance=1e-9)

    def objective(w: FloatArray) -> float:
        size = float(w @ w) if penalty == "l2" else np.count_nonzero(w)
        return data.score(w) / 100 - strength * size

    w = climb(learner, data, start_vector(data))
    for name, pair in bounds.items():
        j = names.index(name)
        assert pair[0] <= w[j] <= pair[1]
        for value in np.linspace(*pair, 401):
            moved = w.copy()
            moved[j] = value
            assert objective(moved) <= objective(w) + 1e-4  # a step stays off breakpoints


def test_the_units_of_features_do_not_matter() -> None:
    data, learner = synthetic_set(), Mert(restarts=3, random_directions=2)
    # Powers of two, so that no digit changes.
    factors = np.ldexp(np.ones(len(data.feature_names)), range(-2, len(data.feature_names) - 2))
    other = replace(data, nbest=data.nbest.scaled(factors))
    restarted = 0
    for seed in range(5):
        start = np.random.default_rng(seed).normal(size=len(factors))
        expected = climb(learner, data, start)
        restarted += bool((climb(replace(learner, restarts=0), data, start) != expected).any())
        np.testing.assert_array_equal(climb(learner, other, start / factors) * factors, expected)
    assert restarted > 1


@pytest.mark.parametrize("strength", [0.01, 0.1, 0.3, 1.0, 3.0])
def test_with_one_free_feature_no_weight_has_a_better_objective(strength: float) -> None:
    data = synthetic_set(seed=2)
    start, names = start_vector(data), list(data.feature_names)
    free = names.index("lm")
    held = tuple(name for name in names if name != "lm")
    learner = Mert(restarts=0, fixed=held, penalty="l2", strength=strength, tolerance=1e-9)

    def objective(w: FloatArray) -> float:
        return data.score(w) / 100 - strength * float(w @ w)

    found, moved = climb(learner, data, start), start.copy()
    scores = []
    for value in np.linspace(-3, 3, 6001):
        moved[free] = value
        scores.append(objective(moved))
    assert objective(found) >= max(scores) - 1e-4 * strength


def test_an_unknown_feature_is_named_with_a_suggestion() -> None:
    data = synthetic_set()
    with pytest.raises(ConfigError, match="unknown feature 'word'; did you mean 'words'"):
        climb(Mert(fixed=("word",)), data, start_vector(data))


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"'lm' needs \[least, greatest\], got \[1.0, 0.0\]"):
        Mert(bounds={"lm": (1.0, 0.0)})


def test_a_penalty_needs_a_strength() -> None:
    with pytest.raises(ConfigError, match="give both or neither"):
        Mert(penalty="l2")


def test_a_search_that_is_interrupted_does_not_go_on_with_the_other_restarts() -> None:
    data, begun = synthetic_set(sentences=3, size=3, threads=2), []

    class Counted(Mert):
        def _climb(
            self, data: HasSurface, start: FloatArray, random: np.random.Generator
        ) -> tuple[float, FloatArray]:
            begun.append(start)
            return super()._climb(data, start, random)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next_state(Counted(restarts=200), data, start_vector(data), (1, 0), stop)
    assert len(begun) < 20
