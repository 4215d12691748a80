"""Sentences that the built-in decoder translates anew whenever the weights have changed."""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from hopefear.candidates.data import TuningSet
from hopefear.candidates.forest_set import ForestSet
from hopefear.candidates.parses import Parses
from hopefear.candidates.sources import BatchListData, ForestData
from hopefear.errors import ConfigError
from hopefear.forest import Forest
from hopefear.metrics import References, TextMetric
from hopefear.metrics.base import Prepared
from hopefear.nbest import ErrorSurface, NBestBuilder
from hopefear.threads import map_in_order
from hopefear.translation import ForestRescorer
from hopefear.types import FloatArray, Vocabulary

__all__ = ["DecodedSet"]

# Of how many sentences the spread of features is measured.
MEASURED = 50
# Derivations looked at for those with different words, at most.
LOOKED_AT = 100_000

Listed = list[tuple[str, dict[str, float]]]


class DecodedSet(ForestData, BatchListData):
    """A corpus with its parses, which are rescored with language models under any weights.

    Parameters
    ----------
    parses : Parses
        The forests without language models.
    rescorer : ForestRescorer
        What puts language models into them.
    references : References
        One or more for each sentence.
    metric : TextMetric
        Judges the translations.
    threads : int
        How many to use; 0 means one per core. No result depends on it.
    """

    description: ClassVar[str] = "a model's translations"

    def __init__(
        self,
        parses: Parses,
        rescorer: ForestRescorer,
        references: References,
        metric: TextMetric,
        *,
        threads: int = 0,
    ) -> None:
        self.metric: TextMetric = metric
        self.threads = threads
        self.prepared: Prepared = metric.prepare(references)
        self._parses, self._rescorer, self._references = parses, rescorer, references
        self._factors: FloatArray | None = None

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""
        return self._parses.store.feature_names

    @property
    def sentence_count(self) -> int:
        """The number of sentences."""
        return len(self._references)

    @property
    def hypothesis_count(self) -> None:
        """Derivations are too many to count them."""

    @property
    def oracle_score(self) -> None:
        """The best derivations are not known."""

    @cached_property
    def feature_spread(self) -> FloatArray:
        """How much features vary among the derivations of some sentences, whatever the weights."""
        return self._measured[0]

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The unit of each feature in these sentences: see `ForestSet`."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[FloatArray, FloatArray]:
        step = max(1, self.sentence_count // MEASURED)
        numbers = range(0, self.sentence_count, step)
        uniform = np.zeros(len(self.feature_names))
        forests = [self.forest(number, uniform) for number in numbers]
        references = References([self._references.sentences[number] for number in numbers])
        some = ForestSet(forests, references, self.metric, threads=self.threads)
        return some.feature_spread, some.feature_unit

    @cached_property
    def scaled(self) -> Self:
        """The same data with each feature in its own unit."""
        scaled = copy(self)
        scaled._factors = 1.0 / self.feature_unit
        scaled.feature_spread = self.feature_spread / self.feature_unit
        scaled.feature_unit = np.ones(len(self.feature_names))
        return scaled

    def on_one_thread(self) -> Self:
        """Return the same data for use by one of several threads."""
        serial = copy(self)
        serial.threads = 1
        return serial

    def scores(self, weights: FloatArray) -> FloatArray:
        """Refuse: there is no fixed set of candidates."""
        raise ConfigError("candidates that change with the weights have to be listed first")

    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Refuse: there is no fixed set of candidates."""
        raise ConfigError("candidates that change with the weights have to be listed first")

    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return what cube pruning leaves of a sentence's parses under weights."""
        parse = self._parses[sentence]
        if parse is None:
            return None
        forest = self._rescorer.rescore(parse, self._unscaled(weights))
        return forest if self._factors is None else Forest(forest.core.scaled(self._factors))

    def texts(self, weights: FloatArray) -> list[str]:
        """Return the best translation of each sentence."""
        original = self._unscaled(weights)

        def translate(sentence: int) -> str:
            parse = self._parses[sentence]
            return "" if parse is None else self._rescorer.translate(parse, original).text

        return list(map_in_order(translate, range(self.sentence_count), threads=self.threads))

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the best translations."""
        rows = self.prepared.statistics(self.texts(weights), threads=self.threads)
        total: FloatArray = rows.sum(axis=0)
        return total

    def kbest_lists(
        self,
        weights: FloatArray,
        k: int,
        *,
        seen: TuningSet | None = None,
        sentences: Sequence[int] | None = None,
    ) -> TuningSet:
        """Return the k best translations of each sentence as n-best lists; see `ListData`."""
        builder = NBestBuilder(self._parses.store.words, self.feature_names)
        if seen is not None:
            builder.merge(seen.nbest)

        def best(sentence: int) -> Listed:
            forest = self.forest(sentence, weights)
            if forest is None:
                return []
            found = forest.kbest(weights, k, distinct=True, limit=LOOKED_AT)
            return [(derivation.text, derivation.features) for derivation in found]

        numbers = range(self.sentence_count) if sentences is None else sentences
        listed = map_in_order(best, numbers, threads=self.threads)
        for number, translations in zip(numbers, listed, strict=True):
            for text, features in translations:
                builder.add(number, text, features)
        lists = builder.finish(self.sentence_count)
        self.prepared.set_statistics(lists, threads=self.threads)
        return TuningSet(nbest=lists, metric=self.metric, threads=self.threads)

    def _unscaled(self, weights: FloatArray) -> FloatArray:
        """Return the weights of features as they are, with a number for each."""
        if len(weights) < len(self.feature_names):
            weights = np.append(weights, np.zeros(len(self.feature_names) - len(weights)))
        return weights if self._factors is None else weights * self._factors
