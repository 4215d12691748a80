"""Given forests, with references and a metric of texts."""

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import Self

import numpy as np

from hopefear import _core
from hopefear.candidates.base import HasBlockLists, HasForests, HasSurface, Translations
from hopefear.candidates.lists import ListSet
from hopefear.errors import DataError
from hopefear.forest import Forest, without_boundaries
from hopefear.metrics import References, TextMetric
from hopefear.metrics.base import Prepared
from hopefear.metrics.bleu_references import BleuReferences
from hopefear.nbest import ErrorSurface, NBestBuilder, error_surface
from hopefear.translation.features.bins import shared_units
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["ForestSet"]

# At most this many derivations of a forest are searched for k with different words.
LOOKED_AT = 1_000_000
# What is computed once for all forests, and anew for some of them.
_PER_FORESTS = (
    "feature_counts",
    "feature_spread",
    "feature_unit",
    "_spreads",
    "scaled",
    "oracle_score",
    "bleu_forests",
)


class ForestSet(HasForests, HasSurface, HasBlockLists):
    """Forests, with references and the metric that compares derivations' strings with them.

    Parameters
    ----------
    forests : iterable of Forest
        The forest of each sentence, None for a sentence that has none. All share their
        vocabularies. ``<s>`` and ``</s>`` are dropped: they are not words.
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
            raise DataError("no sentence has a forest: there is nothing to learn from")
        self.metric, self.threads = metric, threads
        self.references = references
        self.prepared: Prepared = metric.prepare(references)
        self.core = _set_of(self.forests)
        self._before: _core.FoundBefore | None = None
        self._words, self._names = some.words, some.feature_names
        self._texts = _TextStatistics(self.prepared, some.words, self.corpus_score.dimension)

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""
        return self._names

    @property
    def sentence_count(self) -> int:
        """The number of sentences, including those without a forest."""
        return len(self.forests)

    @cached_property
    def work(self) -> FloatArray:
        """The numbers of edges."""
        return np.array([0.0 if one is None else one.edge_count for one in self.forests])

    @cached_property
    def oracle_score(self) -> float | None:
        """The metric of the best derivations found; None for metrics other than BLEU on words."""
        if (split := self.bleu_forests) is None:
            return None
        found = _core.oracle_statistics(self.core, split, self.corpus_score)
        return float(self.metric.score(found))

    @cached_property
    def feature_counts(self) -> IntArray:
        """How many forests have each feature."""
        return _core.forest_feature_counts(self.core, len(self._names))

    @cached_property
    def feature_spread(self) -> FloatArray:
        """The deviation of each feature if all derivations of a forest are equally probable."""
        return self._spreads[0]

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The spread of each feature, but no less than among the edges of a node.

        A feature that few derivations have would have a tiny spread, and learners would take huge
        steps in it. The bins of a feature have one unit.
        """
        derivations, edges = self._spreads
        unit = np.where(derivations > 0, np.maximum(derivations, edges), 0.0)
        return shared_units(self.feature_names, unit)

    @cached_property
    def _spreads(self) -> tuple[FloatArray, FloatArray]:
        return _core.forest_feature_spread(self.core, len(self._names), self.threads)

    @cached_property
    def scaled(self) -> Self:
        """The same forests with each feature divided by its unit."""
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
        """Return the same forests for use by one of several threads.

        What one search has found is where the next one begins, so that many searches are fast.
        """
        serial = copy(self)
        serial.threads, serial._before = 1, _core.FoundBefore()
        return serial

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every edge, forest after forest."""
        return _core.score_forests(self.core, weights, self.threads)

    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Return the summed statistics of the best derivations along a line."""
        table = self._texts.table
        offsets, line_slopes, intercepts, strings = _core.forest_lines(
            self.core, scores, slopes, table, self._before or _core.FoundBefore(), self.threads
        )
        statistics = self._texts.statistics(strings)
        return error_surface(offsets, line_slopes, intercepts, statistics, self.threads)

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the best derivations."""
        return np.asarray(self.best_statistics(weights).sum(axis=0))

    def best_statistics(self, weights: FloatArray) -> FloatArray:
        """Return the statistics of the best derivation of each forest, a row each."""
        table = self._texts.table
        strings = _core.best_strings(self.core, self.scores(weights), table, self.threads)
        return self._texts.statistics(strings[strings >= 0])

    def translations(self, weights: FloatArray) -> Translations:
        """Return the best derivations."""
        return self.kbest_lists(weights, 1).first_translations

    @cached_property
    def bleu_forests(self) -> _core.BleuForests | None:
        """The forests with statistics on their edges; None if the metric's do not add up there."""
        if not isinstance(self.prepared, BleuReferences) or not self.prepared.takes_words:
            return None
        return self.prepared.split_forests(self.core, self._words, threads=self.threads)

    def subset(self, sentences: Sequence[int]) -> Self:
        """Return the forests of these sentences; texts and their statistics are shared."""
        wanted, part = set(sentences), copy(self)
        for name in _PER_FORESTS:
            part.__dict__.pop(name, None)
        part.forests = tuple(
            forest if i in wanted else None for i, forest in enumerate(self.forests)
        )
        part.core = _set_of(part.forests)
        return part

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        """Return the k best derivations of each forest as n-best lists."""
        builder = NBestBuilder(self._words, self._names)
        _core.add_kbest(
            self.core,
            self.scores(weights),
            builder,
            np.flatnonzero([forest is not None for forest in self.forests]),
            size=k,
            distinct=True,
            limit=LOOKED_AT,
            threads=self.threads,
        )
        lists = builder.finish(self.sentence_count)
        self.prepared.set_statistics(lists, threads=self.threads)
        return ListSet(nbest=lists, metric=self.metric, threads=self.threads)


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
