"""Candidates and the metric that judges them: n-best lists, or what lists can be made of."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics import Metric
from hopefear.nbest import ErrorSurface, NBest
from hopefear.types import FloatArray, Vocabulary

__all__ = ["DataTypes", "TuningData", "TuningSet"]

_ROWS = 4096


class TuningData(ABC):
    """The candidates of a data set and the metric that judges them.

    They are n-best lists (:class:`TuningSet`) or forests (:class:`ForestSet`). Candidates are made
    of parts, whose scores add up: a hypothesis of a list is one part, the parts of a derivation are
    its edges.
    """

    description: ClassVar[str]  # what messages call such data
    metric: Metric
    threads: int  # how many to use; 0 means one per core. No result depends on it.

    @property
    @abstractmethod
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""

    @property
    @abstractmethod
    def sentence_count(self) -> int:
        """The number of sentences, those without candidates included."""

    @property
    @abstractmethod
    def hypothesis_count(self) -> int | None:
        """The number of candidates, if they can be counted."""

    @property
    @abstractmethod
    def oracle_score(self) -> float | None:
        """The metric of the best candidates, if they can be found."""

    @property
    @abstractmethod
    def feature_spread(self) -> FloatArray:
        """How much each feature varies among the candidates of a sentence: a deviation."""

    @property
    @abstractmethod
    def scaled(self) -> Self:
        """The same data with each feature in its own unit: all vary alike."""

    @abstractmethod
    def on_one_thread(self) -> Self:
        """Return the same data for use by one of several threads."""

    @abstractmethod
    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every part of all candidates, as an array of the caller's own."""

    @abstractmethod
    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Return the summed statistics of the best candidates along a line.

        `scores` and `slopes` are w · h and d · h of every part, for the line w + γ d.
        """

    @abstractmethod
    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the 1-best candidates."""

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The spread of each feature; 1 for a feature that has none."""
        return np.where(self.feature_spread > 0, self.feature_spread, 1.0)

    @cached_property
    def corpus_score(self) -> _core.CorpusScore:
        """The metric as the core's kernels use it: higher is better."""
        return self.metric.corpus_score()

    def score(self, weights: FloatArray) -> float:
        """Return the metric of the 1-best candidates, as it is printed."""
        return float(self.metric.score(self.chosen(weights)))

    def line_search(self, weights: FloatArray, direction: FloatArray) -> FloatArray:
        """Return the weights along w + γ d with the best metric; w itself if none is better."""
        surface = self.error_surface(self.scores(weights), self.scores(direction))
        return weights + surface.search(self.corpus_score).step * direction


@dataclass(frozen=True, kw_only=True)
class TuningSet(TuningData):
    """N-best lists with a metric's statistics of every hypothesis.

    Parameters
    ----------
    nbest : NBest
        The lists; their statistics are those of the metric.
    metric : Metric
        Judges the hypotheses.
    threads : int
        How many to use; 0 means one per core. No result depends on it.
    """

    description: ClassVar[str] = "n-best lists"

    nbest: NBest
    metric: Metric
    threads: int = 0

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""
        return self.nbest.feature_names

    @property
    def sentence_count(self) -> int:
        """The number of sentences, those without hypotheses included."""
        return self.nbest.sentence_count

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses."""
        return len(self.nbest)

    @cached_property
    def gains(self) -> FloatArray:
        """What each hypothesis is worth on its own; higher is better."""
        gains = np.empty(len(self.nbest))
        # Not all at once: the statistics of many hypotheses would take more memory than the lists.
        for begin in range(0, len(gains), _ROWS):
            rows = range(begin, min(begin + _ROWS, len(gains)))
            statistics = self.nbest.statistics_of(rows)
            if statistics is None:
                raise DataError("the n-best lists have no statistics of a metric yet")
            gains[begin : rows.stop] = self.metric.gains(statistics)
        return gains

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
    def scaled(self) -> Self:
        """The same data with each feature in its own unit: all vary alike within the lists."""
        return replace(self, nbest=self.nbest.scaled(1.0 / self.feature_unit))

    @cached_property
    def oracle_score(self) -> float:
        """The metric of the best hypotheses, found greedily; no weights can do better by much."""
        sentences = np.arange(self.nbest.sentence_count)
        oracles = _core.corpus_oracles(self.nbest.core, self.corpus_score, sentences)
        rows = np.array([oracle[0] for oracle in oracles if oracle], dtype=np.int64)
        return float(self.metric.score(self.nbest.sum_statistics(rows)))

    def on_one_thread(self) -> Self:
        """Return the same data for use by one of several threads."""
        return replace(self, threads=1)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every hypothesis; for a coordinate that is a column."""
        moving = np.flatnonzero(weights)
        if len(moving) == 1 and weights[moving[0]] == 1.0:
            return self.nbest.column(int(moving[0]), self.threads)
        return self.nbest.scores(weights, self.threads)

    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Return the summed statistics of the best hypotheses along a line."""
        return self.nbest.error_surface(scores, slopes, threads=self.threads)

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the 1-best hypotheses."""
        return self.nbest.sum_statistics(self.nbest.best(weights, threads=self.threads))


DataTypes = tuple[type[TuningData], ...]
