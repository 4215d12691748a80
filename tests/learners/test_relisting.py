"""Relisting with a learner that says what it was asked, and offers weights that are given."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from hopefear.learners.relisting import RelistingState
from numpy.testing import assert_array_equal

from hopefear.candidates import ForestSet, ListSet
from hopefear.learners import ProgressCallback, Relisting
from hopefear.metrics import Bleu, TextMetric, Wer
from hopefear.types import FloatArray
from tuning_sets import FOREST_START, next_state, synthetic_forests


@dataclass(frozen=True)
class Scripted:
    """Offers one weight vector after the other."""

    learns_from: ClassVar[tuple[type[ListSet], ...]] = (ListSet,)

    offers: Sequence[FloatArray]
    seeds: list[tuple[int, int]] = field(default_factory=list)

    @property
    def epochs(self) -> int:
        return len(self.offers)

    def init(self, data: Any, weights: FloatArray) -> int:
        return 0

    def epoch(
        self, data: Any, state: int, seed: tuple[int, int], progress: ProgressCallback
    ) -> int:
        self.seeds.append(seed)
        return state + 1

    def weights(self, state: int) -> FloatArray:
        return self.offers[state - 1]


class Counted(ForestSet):
    """Forests that count how often they were listed."""

    listed = 0

    def kbest_lists(self, weights: FloatArray, k: int, **options: Any) -> ListSet:
        self.listed += 1
        return super().kbest_lists(weights, k, **options)


def forests(metric: TextMetric) -> Counted:
    data = synthetic_forests(sentences=6, longest=6)
    return Counted(data.forests, data.references, metric, threads=1)


def relist(learner: Scripted, data: ForestSet, epochs: int = 1) -> RelistingState:
    relisting = Relisting(learner=learner, k=10)
    state = relisting.start(
        data, FOREST_START.vector(data.feature_names), FOREST_START.vector(data.feature_names)
    )
    for epoch in range(epochs):
        state = next_state(relisting, data, state, (5, epoch))
    return state


@pytest.mark.parametrize("metric", [Bleu(tokenize="none"), Wer()])
def test_of_the_learners_epochs_the_best_on_the_lists_is_taken(metric: TextMetric) -> None:
    offers = list(np.random.default_rng(1).normal(size=(6, len(FOREST_START))))
    found = relist(Scripted(offers), forests(metric))
    assert found.lists is not None
    scores = [found.lists.score(w) for w in offers]
    assert len(set(scores)) > 3
    best = int(np.argmax(scores) if metric.higher_is_better else np.argmin(scores))
    assert_array_equal(found.weights, offers[best])


def test_every_epoch_of_the_learner_has_a_seed_of_its_own() -> None:
    learner = Scripted(list(np.random.default_rng(1).normal(size=(3, len(FOREST_START)))))
    relist(learner, forests(Wer()), epochs=2)
    assert learner.seeds == [(5, number) for number in range(6)]


def test_weights_that_stay_are_not_listed_again() -> None:
    data = forests(Wer())
    w = FOREST_START.vector(data.feature_names)
    state = relist(Scripted([w * (1 + 1e-9)]), data, epochs=3)
    assert (data.listed, state.converged) == (1, True)
    relist(Scripted([w * -1.0]), data, epochs=2)
    assert data.listed == 3
