"""Sentences that our decoder translates again whenever the weights have changed.

A sentence is parsed once, without language models; the parses are kept in a file and rescored under
new weights.
"""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from hopefear._core import KBestList
from hopefear.candidates.base import HasBlockLists, HasForests, HasForestSets, Translations
from hopefear.candidates.forests import ForestSet
from hopefear.candidates.lists import ListSet
from hopefear.errors import FormatError
from hopefear.forest import Forest
from hopefear.formats.files import Tell, tell_nobody
from hopefear.formats.forests.store import ForestStore, ForestWriter
from hopefear.formats.lock import FolderLock
from hopefear.metrics import References, TextMetric
from hopefear.metrics.base import Prepared
from hopefear.nbest import NBestBuilder
from hopefear.threads import map_in_order
from hopefear.translation import Decoder, ForestRescorer, PreparedForest
from hopefear.types import FloatArray, Vocabulary

__all__ = ["DecodedSet", "Parses", "write_parses"]

# The spread of features is measured on this many sentences.
MEASURED = 50
# At most this many derivations are searched for those with different words.
LOOKED_AT = 100_000


def write_parses(
    path: Path,
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    *,
    threads: int = 0,
    tell: Tell = tell_nobody,
) -> None:
    """Parse sentences and write their forests, without language models, to a file.

    The file appears when all are there. If parsing is interrupted or fails, what is parsed is kept
    beside it (``.unfinished``), and the next call goes on from there. A sentence without words has
    no forest. Of several processes that need the same parses, one makes them, and the others wait.

    Parameters
    ----------
    path : Path
        A shard of a forest store.
    decoder : Decoder
        Its grammars and options count, its weights only for which rules are considered.
    sentences : sequence of lists of words
    threads : int
        How many to use; 0 means one per core. The result does not depend on it.
    tell : callable
        Called with what is being done, how many sentences are done and how many there are.
    """
    with FolderLock(path.parent, f".{path.stem}.lock", wait=True):
        if not path.exists():
            _write_parses(path, decoder, sentences, threads, tell)


def _write_parses(
    path: Path, decoder: Decoder, sentences: Sequence[Sequence[str]], threads: int, tell: Tell
) -> None:
    numbers = [number for number, words in enumerate(sentences) if words]
    unfinished = path.with_suffix(".unfinished")
    known = _unfinished(unfinished)
    missing = (sentences[number] for number in numbers if number not in known)
    parsed = iter(decoder.parse_all(missing, threads=threads))
    stopped: BaseException | None = None
    with ForestWriter.open(unfinished, level=1) as writer:
        try:
            for number in numbers:
                writer.add(number, known[number] if number in known else next(parsed))
                tell("parsing", number + 1, len(sentences))
        except BaseException as error:
            # Also what an earlier call left behind and this one has not come to.
            for number in known.keys() - writer.sentences:
                writer.add(number, known[number])
            if not writer.sentences:
                raise
            stopped = error
    if stopped is not None:
        raise stopped
    unfinished.replace(path)


def _unfinished(path: Path) -> Mapping[int, Forest]:
    """Return the parses that an interrupted call left; none if there are none, or damaged ones."""
    try:
        return ForestStore.open([path]) if path.exists() else {}
    except FormatError:
        return {}


class Parses:
    """The forests of a store, ready to be rescored.

    Parameters
    ----------
    store : ForestStore
        Forests without language models.
    rescorer : ForestRescorer
        What will rescore them.
    memory_limit : int
        Bytes of forests that are kept in memory; the others are read whenever they are asked for.
        0 for no limit.
    """

    def __init__(
        self, store: ForestStore, rescorer: ForestRescorer, *, memory_limit: int = 0
    ) -> None:
        self.store = store
        self._rescorer, self._limit = rescorer, memory_limit
        self._kept: dict[int, PreparedForest] = {}
        self._bytes = 0

    def __getitem__(self, sentence: int) -> PreparedForest | None:
        """Return the forest of a sentence; None if it has none."""
        if sentence in self._kept:
            return self._kept[sentence]
        if sentence not in self.store:
            return None
        prepared = self._rescorer.prepare(self.store[sentence])
        size = prepared.nbytes
        # Several threads may come here at once: then a forest is made twice, and kept once.
        if not self._limit or self._bytes + size <= self._limit:
            self._kept[sentence] = prepared
            self._bytes += size
        return prepared


class DecodedSet(HasForests, HasForestSets, HasBlockLists):
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
        self._sentences: Sequence[int] = range(len(references))
        self._factors: FloatArray | None = None
        self._kept: dict[bytes, Translations] = {}  # of the first and of the best weights
        self._best = -math.inf

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""
        return self._parses.store.feature_names

    @property
    def sentence_count(self) -> int:
        """The number of sentences."""
        return len(self._references)

    @property
    def sentences(self) -> Sequence[int]:
        """The sentences that are translated: all, or those of a subset."""
        return self._sentences

    @property
    def is_scaled(self) -> bool:
        """Whether each feature is in its own unit."""
        return self._factors is not None

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
        scaled._kept = {}
        scaled._factors = 1.0 / self.feature_unit
        scaled.feature_spread = self.feature_spread / self.feature_unit
        scaled.feature_unit = np.ones(len(self.feature_names))
        return scaled

    @cached_property
    def work(self) -> FloatArray:
        """The sizes of the parses, which rescoring takes in proportion to."""
        sizes = [self._parses.store.size(sentence) for sentence in range(self.sentence_count)]
        return np.array(sizes, dtype=np.float64)

    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return what cube pruning leaves of a sentence's parses under weights."""
        parse = self._parses[sentence]
        if parse is None:
            return None
        forest = self._rescorer.rescore(parse, self._unscaled(weights))
        return forest if self._factors is None else Forest(forest.core.scaled(self._factors))

    def texts(self, weights: FloatArray) -> list[str]:
        """Return the best translation of each sentence that is translated."""
        original = self._unscaled(weights)

        def translate(sentence: int) -> str:
            parse = self._parses[sentence]
            return "" if parse is None else self._rescorer.translate(parse, original).text

        return list(map_in_order(translate, self._sentences, threads=self.threads))

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the best translations."""
        total: FloatArray = self.translations(weights).statistics.sum(axis=0)
        return total

    def translations(self, weights: FloatArray) -> Translations:
        """Return the best translations; those of the first and of the best weights are kept."""
        if (key := weights.tobytes()) in self._kept:
            return self._kept[key]
        numbers = np.asarray(self._sentences, dtype=np.int64)
        texts, translated = [""] * self.sentence_count, self.texts(weights)
        for number, text in zip(self._sentences, translated, strict=True):
            texts[number] = text
        statistics = np.zeros((len(texts), self.corpus_score.dimension))
        statistics[numbers] = self.prepared.statistics(translated, numbers, threads=self.threads)
        made = Translations(texts=texts, statistics=statistics)
        score = self.corpus_score(statistics.sum(axis=0))
        if score > self._best or not self._kept:
            self._kept = dict([*self._kept.items()][:1]) | {key: made}
            self._best = score
        return made

    def subset(self, sentences: Sequence[int]) -> Self:
        """Return the corpus with translations of these sentences alone; parses are shared."""
        part = copy(self)
        part._sentences, part._kept = tuple(sentences), {}
        return part

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        """Return the k best translations of each sentence as n-best lists."""
        builder = NBestBuilder(self._parses.store.words, self.feature_names)
        original = self._unscaled(weights)

        def best(sentence: int) -> KBestList | None:
            parse = self._parses[sentence]
            if parse is None:
                return None
            return self._rescorer.kbest(parse, original, k, limit=LOOKED_AT)

        listed = map_in_order(best, self._sentences, threads=self.threads)
        for number, translations in zip(self._sentences, listed, strict=True):
            if translations is None:  # nothing to translate
                builder.add(number, "", {})
            else:
                translations.add_to(builder, number)
        lists = builder.finish(self.sentence_count)
        self.prepared.set_statistics(lists, threads=self.threads)
        if self._factors is not None:
            lists = lists.scaled(self._factors)
        return ListSet(nbest=lists, metric=self.metric, threads=self.threads)

    def forest_set(self, weights: FloatArray) -> ForestSet:
        """Return the forests of all sentences as they are under weights."""
        forests: list[Forest | None] = [None] * self.sentence_count

        def rescore(sentence: int) -> Forest | None:
            return self.forest(sentence, weights)

        made = map_in_order(rescore, self._sentences, threads=self.threads)
        for sentence, forest in zip(self._sentences, made, strict=True):
            forests[sentence] = forest
        return ForestSet(forests, self._references, self.metric, threads=self.threads)

    def _unscaled(self, weights: FloatArray) -> FloatArray:
        """Return the weights of features as they are, with a number for each."""
        if len(weights) < len(self.feature_names):
            weights = np.append(weights, np.zeros(len(self.feature_names) - len(weights)))
        return weights if self._factors is None else weights * self._factors
