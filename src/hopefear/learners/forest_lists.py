"""Learners of n-best lists on forests: list the best derivations, learn, list again.

The outer loop that Och (2003), section 6, has around the decoder; here a forest stands for it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear import require
from hopefear.learners.base import DataTypes, Learner, ProgressCallback, TuningSet
from hopefear.learners.forest_set import ForestSet
from hopefear.types import FloatArray

__all__ = ["ForestLists", "ListsProgress", "on_forests"]


def on_forests(learner: Learner, *, k: int = 100, iterations: int = 10) -> Learner:
    """Return a learner of forests: `learner` itself if it is one, otherwise `ForestLists` of it.

    Parameters
    ----------
    learner : Learner
        Any learner.
    k : int
        Derivations in a list, if it learns from lists.
    iterations : int
        How often to list, at most, if it learns from lists.
    """
    if ForestSet in learner.learns_from:
        return learner
    return ForestLists(learner=learner, k=k, epochs=iterations)


@dataclass(frozen=True, kw_only=True)
class ListsProgress:
    """The state: the weights, and the lists that have been seen."""

    weights: FloatArray
    lists: TuningSet | None = None


@dataclass(frozen=True, kw_only=True)
class ForestLists:
    """A learner of lists that learns from forests.

    Each epoch lists the best derivations of every forest under the weights, adds them to what was
    listed before, and lets the learner learn from all of it, from the weights on; of the learner's
    own epochs the best on the lists is taken. It is over when nothing new comes.

    Parameters
    ----------
    learner : Learner
        Any learner of n-best lists.
    k : int
        Derivations with different words that are listed for each forest.
    epochs : int
        How often to list, at most.
    """

    learns_from: ClassVar[DataTypes] = (ForestSet,)

    learner: Learner
    k: int = 100
    epochs: int = 10

    def __post_init__(self) -> None:
        require.at_least(self, "k", 1)
        require.at_least(self, "epochs", 1)

    def init(self, data: ForestSet, weights: FloatArray) -> ListsProgress:
        """Start at `weights`, with nothing listed."""
        return ListsProgress(weights=weights)

    def epoch(
        self,
        data: ForestSet,
        state: ListsProgress,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> ListsProgress:
        """List and learn; the same state if every derivation listed was there before."""
        lists = data.kbest_lists(state.weights, self.k, seen=state.lists)
        if state.lists is not None and len(lists.nbest) == len(state.lists.nbest):
            return state
        return ListsProgress(weights=self._learn(lists, state.weights, seed, progress), lists=lists)

    def weights(self, state: ListsProgress) -> FloatArray:
        """Return the weights."""
        return state.weights

    def _learn(
        self,
        lists: TuningSet,
        start: FloatArray,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> FloatArray:
        """Return the best weights of a complete run of the learner."""
        learner, sign = self.learner, 1.0 if lists.metric.higher_is_better else -1.0
        state, best, high = learner.init(lists, start), start, -np.inf
        for epoch in range(learner.epochs):
            following = learner.epoch(
                lists, state, (seed[0], seed[1] * learner.epochs + epoch), progress
            )
            if following is state:
                break
            state = following
            w = learner.weights(state)
            if not np.isfinite(w).all():
                return w  # for the caller to explain
            score = sign * lists.score(w)
            if score > high:
                best, high = w, score
        return best
