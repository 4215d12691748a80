"""Learners of n-best lists on forests and decoders: list the best candidates, learn, list again.

The outer loop that Och (2003), section 6, has around the decoder.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.candidates.sources import ListData
from hopefear.errors import ConfigError
from hopefear.learners.base import DataTypes, Learner, ProgressCallback, TuningData, TuningSet
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Relisting", "RelistingState", "learns", "misfit", "suited"]

# Weights that change by less than this share of the largest one have stopped to change.
UNCHANGED = 1e-6


def learns(learner: Learner, kind: type[TuningData]) -> bool:
    """Whether a learner learns from such data, if need be from lists that are made of them."""
    listed = issubclass(kind, ListData) and TuningSet in learner.learns_from
    return listed or issubclass(kind, learner.learns_from)


def misfit(name: str, learner: Learner, kind: type[TuningData]) -> ConfigError:
    """Return the error that says what a learner learns from, which is not such data."""
    known = " or ".join(dict.fromkeys(known.description for known in learner.learns_from))
    return ConfigError(f"{name} learns from {known}, not from {kind.description}")


def suited(learner: Learner, data: TuningData, *, k: int = 100, iterations: int = 20) -> Learner:
    """Return a learner of the data: `learner` itself if it is one, otherwise `Relisting` of it.

    Parameters
    ----------
    learner : Learner
        Any learner.
    data : TuningData
        What is to be learned from.
    k : int
        Candidates in a list, if it learns from lists and the data has none yet.
    iterations : int
        How often to list then, at most.
    """
    if isinstance(data, learner.learns_from):
        return learner
    if learns(learner, type(data)):
        return Relisting(learner=learner, k=k, epochs=iterations)
    raise misfit("the learner", learner, type(data))


@dataclass(frozen=True, kw_only=True)
class RelistingState:
    """The weights, the lists that have been seen, and whether the weights have stopped to move."""

    weights: FloatArray
    lists: TuningSet | None = None
    converged: bool = False


@dataclass(frozen=True, kw_only=True)
class Relisting:
    """A learner of lists on data that can list its best candidates under any weights.

    Each epoch lists the best candidates of every sentence under the weights, adds them to what was
    listed before, and lets the learner learn from all of it, from the weights on; of the learner's
    own epochs the best on the lists is taken. It is over when nothing new comes, or when the
    weights do not change any more.

    Parameters
    ----------
    learner : Learner
        Any learner of n-best lists.
    k : int
        Candidates with different words that are listed for each sentence.
    epochs : int
        How often to list, at most.
    """

    learns_from: ClassVar[DataTypes] = (ListData,)

    learner: Learner
    k: int = 100
    epochs: int = 20

    def __post_init__(self) -> None:
        require.integer(self, "k", 1)
        require.integer(self, "epochs", 1)

    def init(self, data: ListData, weights: FloatArray) -> RelistingState:
        """Start at `weights`, with nothing listed."""
        return RelistingState(weights=weights)

    def epoch(
        self,
        data: ListData,
        state: RelistingState,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> RelistingState:
        """List and learn; the same state if there is nothing new to learn from."""
        if state.converged:
            return state
        lists = data.kbest_lists(state.weights, self.k, seen=state.lists)
        if state.lists is not None and len(lists.nbest) == len(state.lists.nbest):
            return state
        # A decoder may name a feature for the first time in any of its lists.
        start = np.zeros(len(lists.feature_names))
        start[: len(state.weights)] = state.weights
        w = self._learn(lists, start, seed, progress)
        moved = np.abs(w - start).max(initial=0.0)
        converged = bool(moved <= UNCHANGED * np.abs(w).max(initial=0.0))
        return RelistingState(weights=w, lists=lists, converged=converged)

    def weights(self, state: RelistingState) -> FloatArray:
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
            inner_seed = (seed[0], seed[1] * learner.epochs + epoch)
            following = learner.epoch(lists, state, inner_seed, lambda done, total: None)
            if following is state:
                break
            state = following
            w = learner.weights(state)
            if not np.isfinite(w).all():
                return w  # for the caller to explain
            score = sign * lists.score(w)
            if score > high:
                best, high = w, score
            progress(epoch + 1, learner.epochs)
        return best
