"""Online rank optimization with new lists for every batch."""

from itertools import pairwise
from typing import Any

import pytest
from numpy.testing import assert_array_equal

from hopefear.candidates import ForestSet, ListSet
from hopefear.learners import Oro
from tuning_sets import FOREST_START, next_state, synthetic_forests


@pytest.mark.parametrize("loss", ["hinge", "softmax"])
@pytest.mark.parametrize("line_search", [False, True])
def test_a_single_batch_is_that_of_the_lists_under_the_weights(
    loss: Any, line_search: bool
) -> None:
    data = synthetic_forests(sentences=8, longest=6)
    w = FOREST_START.vector(data.feature_names)
    learner = Oro(loss=loss, line_search=line_search, batch_size=100, list_size=10)
    batch, whole = (
        next_state(learner, source, w, (1, 0)) for source in (data, data.kbest_lists(w, 10))
    )
    assert_array_equal(batch, whole)


def test_batches_have_lists_of_their_own_weights() -> None:
    data = synthetic_forests(sentences=8, longest=6)
    w = FOREST_START.vector(data.feature_names)
    seen: list[tuple[list[int], Any]] = []

    class Watched(ForestSet):
        def kbest_lists(self, weights: Any, k: int, **options: Any) -> ListSet:
            seen.append((list(options["sentences"]), weights))
            return super().kbest_lists(weights, k, **options)

    watched = synthetic_forests(sentences=8, longest=6)
    watched.__class__ = Watched
    found = next_state(Oro(batch_size=2, list_size=10), watched, w, (1, 0))
    assert sorted(sentence for batch, _ in seen for sentence in batch) == list(range(8))
    assert len(seen) == 4
    assert all((a[1] != b[1]).any() for a, b in pairwise(seen))
    assert data.score(found) >= data.score(w)
