"""What a batch learner is, and what it learns from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from hopefear.candidates.data import DataTypes, TuningData, TuningSet
from hopefear.registry import Registry
from hopefear.types import FloatArray

__all__ = [
    "DataTypes",
    "EpochFigures",
    "Figured",
    "Learner",
    "ProgressCallback",
    "TuningData",
    "TuningSet",
    "learners",
    "random_stream",
]

ProgressCallback = Callable[[int, int], None]
"""Called with how much of an epoch is done, and how much there is."""


@dataclass(frozen=True, kw_only=True)
class EpochFigures:
    """What an epoch of an online learner was like.

    Attributes
    ----------
    statistics : array
        Of the 1-best translations, each under the weights of its time, summed up.
    updates : int
        Sentences at which the weights were wrong.
    violation : float
        By how much, on average over all sentences.
    working_set : float
        Constraints of a sentence, on average.
    sentences_per_second : float
    """

    statistics: FloatArray
    updates: int
    violation: float
    working_set: float
    sentences_per_second: float


@runtime_checkable
class Figured(Protocol):
    """A learner that can tell what its last epoch was like."""

    def figures(self, state: Any) -> EpochFigures | None:
        """Return the figures; None before the first epoch."""


class Learner(Protocol):
    """Finds weights for a tuning set, epoch by epoch.

    A learner is a frozen dataclass of its options. What it remembers from epoch to epoch is its
    state, a value: the same state, data and seed give the same next state, whatever happened in
    between.
    """

    @property
    def learns_from(self) -> DataTypes:
        """Which data it takes: n-best lists, forests, or both."""

    @property
    def epochs(self) -> int:
        """How many epochs it takes; what it is asked for after that is up to the caller."""

    def init(self, data: Any, weights: FloatArray) -> Any:
        """Return the state before the first epoch."""

    def epoch(
        self, data: Any, state: Any, seed: tuple[int, int], progress: ProgressCallback
    ) -> Any:
        """Return the state after one more epoch; `state` itself if there is nothing left to do.

        `seed` is the run's seed and the epoch's number, from 0.
        """

    def weights(self, state: Any) -> FloatArray:
        """Return the weights that the state stands for."""


learners: Registry[Learner] = Registry("learner", group="hopefear.learners")


def random_stream(seed: tuple[int, int], *keys: int) -> np.random.Generator:
    """Return the random generator of one epoch, or of one part of it."""
    return np.random.default_rng([*seed, *keys])
