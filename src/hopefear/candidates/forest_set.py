"""Forests as data to learn from."""

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import Self

import numpy as np

from hopefear import _core
from hopefear.candidates.data import TuningSet
from hopefear.candidates.sources import BatchListData, ForestData
from hopefear.errors import DataError
from hopefear.forest import Forest, without_boundaries
from hopefear.metrics import References, TextMetric
from hopefear.metrics.base import Prepared
from hopefear.metrics.bleu_references import BleuReferences
from hopefear.nbest import ErrorSurface, NBestBuilder, error_surface
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["ForestSet"]

# Derivations looked at in a forest for k of them with different words, at most.
LOOKED_AT = 1_000_000


class ForestSet(ForestData, BatchListData):
    """Forests, with references and the metric that compares derivations' strings with them.

    Parameters
    ----------
    forests : iterable of Forest
        The forest of each sentence, None for a sentence that has none. All have the same
        vocabularies. ``<s>`` and ``</s>`` in them are no words: they are dropped.
    references : References
        One or more for each sentence.
    metric : TextMetric
        Any metric of texts. The statistics of a text are computed once, when it is first chosen.
    threads : int
        How many to use; 0 means one per core. No result depends on it.
    """

    def __init__(
        self,
        forests: Iterable[Forest | None],
        references: References,
        metric: TextMetric,
        *,
        threads: int = 0,
    ) -> None:
        self.forests = tuple(
            None if forest is None else without_boundaries(forest) for forest in forests
        )
        if (count := len(self.forests)) != len(references):
            message = f"forests of {count} sentences, but references for {len(references)}"
            raise DataError(f"{references.prefix}{message}")
        some = next((forest for forest in self.forests if forest is not None), None)
        if some is None:
            raise DataError("there is no forest to learn from")
        self.metric, self.threads = metric, threads
        self.references = references
        self.prepared: Prepared = metric.prepare(references)
        self.core = _set_of(self.forests)
        self._words, self._names = some.words, some.feature_names
        self._texts = _TextStatistics(self.prepared, some.words, self.corpus_score.dimension)

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""
        return self._names

    @property
    def sentence_count(self) -> int:
        """The number of sentences, those without a forest included."""
        return len(self.forests)

    @property
    def hypothesis_count(self) -> None:
        """Derivations are too many to count them."""

    @cached_property
    def oracle_score(self) -> float | None:
        """The metric of the best derivations that can be found; None if it is not BLEU of words."""
        if (split := self.bleu_forests) is None:
            return None
        found = _core.oracle_statistics(self.core, split, self.corpus_score)
        return float(self.metric.score(found))

    @cached_property
    def feature_counts(self) -> IntArray:
        """In how many forests each feature is."""
        return _core.forest_feature_counts(self.core, len(self._names))

    @cached_property
    def feature_spread(self) -> FloatArray:
        """The deviation of each feature if all derivations of a forest are equally probable."""
        return self._spreads[0]

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The spread of each feature, but no less than among the edges of a node.

        A feature that few derivations have would have a tiny spread, and learners would take huge
        steps in it.
        """
        derivations, edges = self._spreads
        return np.where(derivations > 0, np.maximum(derivations, edges), 1.0)

    @cached_property
    def _spreads(self) -> tuple[FloatArray, FloatArray]:
        return _core.forest_feature_spread(self.core, len(self._names), self.threads)

    @cached_property
    def scaled(self) -> Self:
        """The same data with each feature in its own unit: all vary alike among derivations."""
        factors = 1.0 / self.feature_unit
        scaled = copy(self)
        # What does not depend on the values of features is shared: the texts and their statistics.
        scaled.forests = tuple(
            None if forest is None else Forest(forest.core.scaled(factors))
            for forest in self.forests
        )
        scaled.core = _set_of(scaled.forests)
        scaled.feature_spread = self.feature_spread * factors
        scaled.feature_unit = np.ones_like(factors)
        return scaled

    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return the forest of a sentence, None if it has none; the same for all weights."""
        return self.forests[sentence]

    def on_one_thread(self) -> Self:
        """Return the same data for use by one of several threads."""
        serial = copy(self)
        serial.threads = 1
        return serial

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every edge, forest after forest."""
        return _core.score_forests(self.core, weights, self.threads)

    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Return the summed statistics of the best derivations along a line."""
        table = self._texts.table
        offsets, line_slopes, intercepts, strings = _core.forest_lines(
            self.core, scores, slopes, table, self.threads
        )
        statistics = self._texts.statistics(strings)
        return error_surface(offsets, line_slopes, intercepts, statistics, self.threads)

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the best derivations."""
        table = self._texts.table
        strings = _core.best_strings(self.core, self.scores(weights), table, self.threads)
        statistics: FloatArray = self._texts.statistics(strings[strings >= 0]).sum(axis=0)
        return statistics

    @cached_property
    def bleu_forests(self) -> _core.BleuForests | None:
        """The forests with statistics on their edges; None if the metric's do not add up there."""
        if not isinstance(self.prepared, BleuReferences) or not self.prepared.takes_words:
            return None
        return self.prepared.split_forests(self.core, self._words, threads=self.threads)

    def kbest_lists(
        self,
        weights: FloatArray,
        k: int,
        *,
        seen: TuningSet | None = None,
        sentences: Sequence[int] | None = None,
    ) -> TuningSet:
        """Return the k best derivations of each forest as n-best lists; see `ListData`."""
        builder = NBestBuilder(self._words, self._names)
        if seen is not None:
            builder.merge(seen.nbest)
        _core.add_kbest(
            self.core,
            self.scores(weights),
            builder.core,
            np.arange(self.sentence_count) if sentences is None else np.asarray(sentences),
            size=k,
            distinct=True,
            limit=LOOKED_AT,
            threads=self.threads,
        )
        lists = builder.finish(self.sentence_count)
        self.prepared.set_statistics(lists, threads=self.threads)
        return TuningSet(nbest=lists, metric=self.metric, threads=self.threads)


def _set_of(forests: Sequence[Forest | None]) -> _core.ForestSet:
    return _core.ForestSet([None if forest is None else forest.core for forest in forests])


class _TextStatistics:
    """A metric's statistics of the texts in a table, computed as the table grows."""

    def __init__(self, prepared: Prepared, words: Vocabulary, dimension: int) -> None:
        self.table = _core.StringTable()
        self._prepared, self._words = prepared, words
        self._rows = np.empty((1024, dimension))
        self._known = 0
        self._lock = Lock()

    def statistics(self, numbers: IntArray) -> FloatArray:
        """Return the rows of some texts of the table."""
        with self._lock:
            if len(self.table) > self._known:
                self._grow(*self.table.texts(self._known, self._words))
            return self._rows[numbers]

    def _grow(self, texts: list[str], sentences: IntArray) -> None:
        end = self._known + len(texts)
        if end > len(self._rows):
            larger = np.empty((2 * end, self._rows.shape[1]))
            larger[: self._known] = self._rows[: self._known]
            self._rows = larger
        # The lock is held: one thread at a time is enough.
        self._rows[self._known : end] = self._prepared.statistics(texts, sentences, threads=1)
        self._known = end
