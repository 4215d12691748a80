"""Learning at unit spread."""

from dataclasses import replace

import numpy as np
import pytest

from hopefear.candidates import ListSet
from hopefear.errors import ConfigError
from hopefear.learners import KBestMira, Mert, Oro, Scaled, StructuredSvm
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set


def silent(done: int, total: int) -> None:
    pass


def run(learner: Scaled, data: ListSet, start: FloatArray) -> FloatArray:
    state = learner.start(data, start, start)
    for epoch in range(3):
        state = next_state(learner, data, state, (1, epoch))
    return learner.weights(state)


@pytest.mark.parametrize("learner", [KBestMira(), Oro(line_search=False), Mert(restarts=1)])
def test_the_units_of_features_do_not_matter(learner: KBestMira | Oro | Mert) -> None:
    """Powers of two, so that nothing is rounded."""
    data = synthetic_set()
    start = start_vector(data)
    factors = np.array([1024.0, 1.0, 0.125, 2.0, 4.0])
    other = replace(data, nbest=data.nbest.scaled(factors))
    expected = run(Scaled(learner=learner), data, start)
    found = run(Scaled(learner=learner), other, start / factors)
    np.testing.assert_array_equal(found * factors, expected)


def test_all_features_have_unit_spread() -> None:
    data = synthetic_set()
    np.testing.assert_allclose(data.scaled.feature_spread, 1.0, rtol=1e-12)


def test_a_feature_without_spread_stays_as_it_is() -> None:
    data = synthetic_set()
    flat = replace(data, nbest=data.nbest.scaled(np.array([1.0, 0.0, 1.0, 1.0, 1.0])))
    assert flat.feature_unit[1] == 1.0


def test_weights_score_as_they_do_within() -> None:
    data = synthetic_set()
    w = np.array([0.5, 1.0, -1.0, 2.0, 0.25])
    inside = data.scaled.nbest.scores(w * data.feature_unit)
    np.testing.assert_allclose(inside, data.nbest.scores(w), rtol=1e-12)


def test_an_end_within_is_an_end() -> None:
    data = synthetic_set(sentences=3, size=2)
    learner = Scaled(learner=StructuredSvm(tolerance=1e9))
    state = learner.start(data, start_vector(data), start_vector(data))
    assert next_state(learner, data, state, (1, 0)) is state


def test_bounds_cannot_be_scaled() -> None:
    with pytest.raises(ConfigError, match="bounds of weights are in the units of the features"):
        Scaled(learner=Mert(bounds={"lm": (0.0, 1.0)}))
