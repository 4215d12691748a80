"""Given n-best lists, with a metric's statistics of every hypothesis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self, cast

import numpy as np

from hopefear import _core
from hopefear.candidates.base import HasSurface, Translations
from hopefear.errors import DataError
from hopefear.metrics import Metric
from hopefear.nbest import ErrorSurface, NBest
from hopefear.translation.features.bins import shared_units
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["ListSet"]

_ROWS = 4096


@dataclass(frozen=True, kw_only=True)
class ListSet(HasSurface):
    """N-best lists and the metric that judges their hypotheses.

    Parameters
    ----------
    nbest : NBest
        The lists, with the metric's statistics of every hypothesis.
    metric : Metric
        Judges the hypotheses.
    threads : int
        0 means one per core. No result depends on it.
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
        """The number of sentences, including those without hypotheses."""
        return self.nbest.sentence_count

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses."""
        return len(self.nbest)

    @cached_property
    def gains(self) -> FloatArray:
        """The metric of each hypothesis on its own; higher is better."""
        gains = np.empty(len(self.nbest))
        # Not all at once: as floats the statistics would take more memory than the lists.
        for begin in range(0, len(gains), _ROWS):
            rows = range(begin, min(begin + _ROWS, len(gains)))
            statistics = self.nbest.statistics_of(rows.start, rows.stop)
            if statistics is None:
                raise DataError(
                    "the n-best lists have no metric statistics yet: prepare a metric first"
                )
            gains[begin : rows.stop] = self.metric.gains(statistics)
        return gains

    @cached_property
    def costs(self) -> FloatArray:
        """What choosing a hypothesis loses against a perfect one; at least zero.

        Where a metric has no perfect score, against the best hypothesis of the list.
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
        """How much each feature varies in the lists that have it; 1 for one that does not.

        Over all lists a rare feature varies so little that its scaled values would be the largest.
        The bins of a feature have one unit.
        """
        lists = self.nbest.count_features().lists
        filled = np.count_nonzero(np.diff(self.nbest.offsets))
        unit = self.feature_spread * np.sqrt(filled / np.maximum(lists, 1))
        return shared_units(self.feature_names, unit)

    @cached_property
    def scaled(self) -> Self:
        """The same lists with each feature divided by its spread within a list."""
        return replace(self, nbest=self.nbest.scaled(1.0 / self.feature_unit))

    @cached_property
    def oracle_score(self) -> float:
        """The metric of the best hypotheses, found greedily: hardly any weights do better."""
        return self.find_oracle()

    def find_oracle(
        self, order: IntArray | None = None, *, size: int = 0, worst: bool = False
    ) -> float:
        """Return the metric of the best or worst hypotheses, found greedily.

        Parameters
        ----------
        order : array of int64, optional
            The rows of all lists, those of each list in another order.
        size : int
            How many hypotheses of each list to choose from, the first ones; 0 for all.
        worst : bool
            Look for the worst.
        """
        oracles = _core.corpus_oracles(
            self.nbest,
            self.corpus_score,
            np.arange(self.nbest.sentence_count),
            order=order,
            size=size,
            worst=worst,
        )
        rows = np.array([oracle[0] for oracle in oracles if oracle], dtype=np.int64)
        return float(self.metric.score(self.nbest.sum_statistics(rows)))

    def on_one_thread(self) -> Self:
        """Return the same lists for use by one of several threads."""
        return replace(self, threads=1)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every hypothesis; along a coordinate that is a column."""
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

    def translations(self, weights: FloatArray) -> Translations:
        """Return the 1-best hypotheses."""
        return self._of(self.nbest.best(weights, threads=self.threads))

    @property
    def first(self) -> FloatArray:
        """The summed statistics of the first hypothesis of each list."""
        return self.nbest.sum_statistics(self._first_rows)

    @property
    def first_translations(self) -> Translations:
        """The first hypothesis of each list."""
        return self._of(self._first_rows)

    @property
    def _first_rows(self) -> IntArray:
        offsets = self.nbest.offsets
        return np.where(np.diff(offsets) > 0, offsets[:-1], -1)

    def _of(self, rows: IntArray) -> Translations:
        """Return some hypotheses, one of each list; -1 stands for none."""
        statistics = np.zeros((len(rows), self.corpus_score.dimension))
        for sentence, row in enumerate(rows.tolist()):
            if row >= 0:
                statistics[sentence] = cast(FloatArray, self.nbest.statistics_of(row, row + 1))[0]
        texts = ["" if row < 0 else self.nbest.text(row) for row in rows.tolist()]
        return Translations(texts=texts, statistics=statistics)

    def merged(self, other: Self) -> Self:
        """Return these lists, followed by what only the other ones have."""
        return replace(self, nbest=self.nbest.merged(other.nbest))

    def subset(self, sentences: Sequence[int]) -> Self:
        """Return the lists of these sentences; the others are empty."""
        return replace(self, nbest=self.nbest.subset(sentences))
