"""States of learners in the core: saved and loaded, and what cannot be loaded."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hopefear import _core
from hopefear.errors import DataError
from hopefear.types import FloatArray
from strategies import arrays


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
