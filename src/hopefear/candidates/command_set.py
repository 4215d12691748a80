"""Sentences that a decoder of the user's translates anew whenever the weights have changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from hopefear.candidates.command import CommandDecoder
from hopefear.candidates.data import TuningSet
from hopefear.candidates.sources import ListData
from hopefear.candidates.values import describe_large_value
from hopefear.errors import ConfigError, DataError, DecoderError
from hopefear.metrics import References, TextMetric
from hopefear.nbest import ErrorSurface, NBestBuilder
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["CommandSet"]


class CommandSet(ListData):
    """A corpus that a command translates.

    Translations are listed once for each vector of weights, whatever is asked of them.

    Parameters
    ----------
    decoder : CommandDecoder
        The command.
    references : References
        One or more for each sentence.
    metric : TextMetric
        Judges the translations.
    start : Weights
        The first weights: what features there are is seen from the lists under them.
    size : int
        Translations of a list.
    folder : Path
        For the files of the decoder.
    source : Path, optional
        The sentences, if the command does not name them itself.
    feature_names : Vocabulary, optional
        Names to share with other data.
    threads : int
        How many to use, also by the decoder; 0 means one per core.
    """

    description: ClassVar[str] = "the lists of a decoder's command"

    def __init__(
        self,
        decoder: CommandDecoder,
        references: References,
        metric: TextMetric,
        *,
        start: Weights,
        size: int,
        folder: Path,
        source: Path | None = None,
        feature_names: Vocabulary | None = None,
        threads: int = 0,
    ) -> None:
        self.metric, self.threads = metric, threads
        self._decoder, self._references = decoder, references
        self._prepared = metric.prepare(references)
        self._size, self._folder, self._source = size, folder, source
        self._words = Vocabulary()
        self._names = Vocabulary() if feature_names is None else feature_names
        for name in start:
            self._names.add(name)
        self._weights, self._lists = start, self._translate(start)

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; there may be more with every translation."""
        return self._names

    @property
    def sentence_count(self) -> int:
        """The number of sentences."""
        return len(self._references)

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses listed last."""
        return len(self._lists.nbest)

    @property
    def oracle_score(self) -> None:
        """The best translations are not known."""

    @property
    def feature_spread(self) -> FloatArray:
        """How much each feature varies within the lists."""
        return self._lists.feature_spread

    @property
    def scaled(self) -> Self:
        """Refuse: the lists are scaled, not what the decoder sees."""
        raise ConfigError("features of an external decoder cannot be scaled")

    def on_one_thread(self) -> Self:
        """Return the data itself: a decoder is run by one thread."""
        return self

    def scores(self, weights: FloatArray) -> FloatArray:
        """Refuse: there is no fixed set of candidates."""
        raise ConfigError("candidates that change with the weights have to be listed first")

    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Refuse: there is no fixed set of candidates."""
        raise ConfigError("candidates that change with the weights have to be listed first")

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the first translation of each list."""
        lists = self._listed(weights).nbest
        first = np.where(np.diff(lists.offsets) > 0, lists.offsets[:-1], -1)
        return lists.sum_statistics(first)

    def kbest_lists(
        self,
        weights: FloatArray,
        k: int,
        *,
        seen: TuningSet | None = None,
        sentences: Sequence[int] | None = None,
    ) -> TuningSet:
        """Return the lists of the decoder with those seen before; see `ListData`."""
        if sentences is not None:
            raise ConfigError("an external decoder translates all sentences at once, not a batch")
        lists = self._listed(weights)
        if seen is None:
            return lists
        builder = NBestBuilder(self._words, self._names)
        builder.merge(seen.nbest)
        builder.merge(lists.nbest)
        return self._judged(builder)

    def _listed(self, weights: FloatArray) -> TuningSet:
        names = [self._names[i] for i in range(len(weights))]
        asked = Weights.from_arrays(names, weights)
        if asked != self._weights:
            self._weights, self._lists = asked, self._translate(asked)
        return self._lists

    def _translate(self, weights: Weights) -> TuningSet:
        builder = NBestBuilder(self._words, self._names)
        self._decoder.run(
            weights,
            self._size,
            builder,
            self._folder,
            source=self._source,
            threads=self.threads,
        )
        lists = self._judged(builder)
        if not len(lists.nbest):
            raise DecoderError(f"the decoder listed no translations: {self._decoder.command}")
        if message := describe_large_value(lists.nbest):
            raise DataError(f"the decoder's lists: {message}")
        return lists

    def _judged(self, builder: NBestBuilder) -> TuningSet:
        lists = builder.finish(self.sentence_count)
        if lists.sentence_count > self.sentence_count:
            raise DataError(
                f"the decoder listed translations of sentence {lists.sentence_count - 1}, but "
                f"there are references for {self.sentence_count} sentences"
            )
        self._prepared.set_statistics(lists, threads=self.threads)
        return TuningSet(nbest=lists, metric=self.metric, threads=self.threads)
