"""What a batch learner is, and what it learns from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics import Metric
from hopefear.nbest import NBest
from hopefear.registry import Registry
from hopefear.types import FloatArray

__all__ = ["Learner", "ProgressCallback", "TuningSet", "learners", "random_stream"]

ProgressCallback = Callable[[int, int], None]
"""Called with how much of an epoch is done, and how much there is."""


@dataclass(frozen=True, kw_only=True)
class TuningSet:
    """N-best lists with a metric's statistics of every hypothesis: what a batch learner sees.

    Parameters
    ----------
    nbest : NBest
        The lists; their statistics are those of the metric.
    metric : Metric
        Judges the hypotheses.
    threads : int
        How many to use; 0 means one per core. No result depends on it.
    """

    nbest: NBest
    metric: Metric
    threads: int = 0

    @cached_property
    def corpus_score(self) -> _core.CorpusScore:
        """The metric as the core's kernels use it: higher is better."""
        return self.metric.corpus_score()

    @cached_property
    def gains(self) -> FloatArray:
        """What each hypothesis is worth on its own; higher is better."""
        statistics = self.nbest.statistics
        if statistics is None:
            raise DataError("the n-best lists have no statistics of a metric yet")
        return self.metric.gains(statistics)

    @cached_property
    def costs(self) -> FloatArray:
        """What choosing a hypothesis loses against a perfect one; at least zero.

        For metrics that know no perfection, against the best hypothesis of the list.
        """
        if self.metric.perfect_gain is not None:
            return np.maximum(self.metric.perfect_gain - self.gains, 0.0)
        filled = self.nbest.offsets[:-1][np.diff(self.nbest.offsets) > 0]
        sizes = np.diff(filled, append=len(self.gains))
        return np.repeat(np.maximum.reduceat(self.gains, filled), sizes) - self.gains

    @cached_property
    def feature_spread(self) -> FloatArray:
        """How much each feature varies within a list: the root of its mean variance."""
        return self.nbest.feature_spread()

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The spread of each feature; 1 for a feature that has none."""
        return np.where(self.feature_spread > 0, self.feature_spread, 1.0)

    @cached_property
    def scaled(self) -> "TuningSet":
        """The same data with each feature in its own unit: all vary alike within the lists."""
        return replace(self, nbest=self.nbest.scaled(1.0 / self.feature_unit))

    @cached_property
    def oracle_score(self) -> float:
        """The metric of the best hypotheses, found greedily; no weights can do better by much."""
        sentences = np.arange(self.nbest.sentence_count)
        oracles = _core.corpus_oracles(self.nbest.core, self.corpus_score, sentences)
        rows = np.array([oracle[0] for oracle in oracles if oracle], dtype=np.int64)
        return float(self.metric.score(self.nbest.sum_statistics(rows)))

    def on_one_thread(self) -> "TuningSet":
        """Return the same data for use by one of several threads."""
        return replace(self, threads=1)

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the 1-best hypotheses."""
        return self.nbest.sum_statistics(self.nbest.best(weights, threads=self.threads))

    def score(self, weights: FloatArray) -> float:
        """Return the metric of the 1-best hypotheses, as it is printed."""
        return float(self.metric.score(self.chosen(weights)))

    def line_search(self, weights: FloatArray, direction: FloatArray) -> FloatArray:
        """Return the weights along w + γ d with the best metric; w itself if none is better."""
        surface = self.nbest.error_surface(
            self.nbest.scores(weights, threads=self.threads),
            self.nbest.scores(direction, threads=self.threads),
            threads=self.threads,
        )
        return weights + surface.search(self.corpus_score).step * direction


class Learner(Protocol):
    """Finds weights for a tuning set, epoch by epoch.

    A learner is a frozen dataclass of its options. What it remembers from epoch to epoch is its
    state, a value: the same state, data and seed give the same next state, whatever happened in
    between.
    """

    @property
    def epochs(self) -> int:
        """How many epochs it takes; what it is asked for after that is up to the caller."""

    def init(self, data: TuningSet, weights: FloatArray) -> Any:
        """Return the state before the first epoch."""

    def epoch(
        self, data: TuningSet, state: Any, seed: tuple[int, int], progress: ProgressCallback
    ) -> Any:
        """Return the state after one more epoch; `state` itself if there is nothing left to do.

        `seed` is the run's seed and the epoch's number, from 0.
        """

    def weights(self, state: Any) -> FloatArray:
        """Return the weights that the state stands for."""


learners: Registry[Learner] = Registry("learner")


def random_stream(seed: tuple[int, int], *keys: int) -> np.random.Generator:
    """Return the random generator of one epoch, or of one part of it."""
    return np.random.default_rng([*seed, *keys])
