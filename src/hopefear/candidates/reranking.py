"""Choosing candidates by weights: the best of each list or forest, or lists of the best."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hopefear.candidates.added import CountedForests
from hopefear.candidates.discretized import discretize_forest, discretize_lists
from hopefear.candidates.values import describe_large_value
from hopefear.errors import DataError, HopefearWarning
from hopefear.forest import Forest, without_boundaries
from hopefear.formats import SentenceKeys, detect_nbest, read_forests, write_nbest
from hopefear.formats.fields import numbering_conflict
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.nbest import NBest
from hopefear.translation.features.bins import FeatureBins
from hopefear.types import Hypothesis, Segment, Vocabulary, Weights

__all__ = [
    "ForestReranking",
    "Reranking",
    "check_features",
    "write_reranked",
]

# Sentences in excess of the forests: a wrong number must not lead to a huge output.
MOST_WITHOUT = 1_000_000
# Fewer sentences than this are always counted.
SPARSE = 100


@dataclass(frozen=True, kw_only=True)
class Reranking:
    """N-best lists under given weights; iterating gives the best text of each sentence.

    Parameters
    ----------
    lists : NBest
        The hypotheses.
    weights : Weights
        Features that they do not list count nothing.
    bins : mapping
        The bins of discretized features, if the weights are of bins.
    keys : SentenceKeys
        What the files call the sentences, if not by numbers.
    threads : int
        0 for one per core. The result does not depend on it.

    Examples
    --------
    >>> from hopefear.nbest import NBestBuilder
    >>> builder = NBestBuilder()
    >>> _ = builder.add(0, "a house", {"lm": -2.5}), builder.add(0, "the house", {"lm": -2.0})
    >>> list(Reranking(lists=builder.finish(), weights=Weights({"lm": 1.0})))
    ['the house']
    """

    lists: NBest
    weights: Weights
    bins: FeatureBins = field(default_factory=dict)
    keys: SentenceKeys = field(default_factory=SentenceKeys)
    threads: int = 0

    @cached_property
    def scored(self) -> NBest:
        """The lists with the features that the weights are for."""
        return discretize_lists(self.lists, self.bins, Vocabulary()) if self.bins else self.lists

    def __iter__(self) -> Iterator[str]:
        """Give the best text of each sentence, in order; an empty one where there is none.

        Of equally good hypotheses the first is taken.
        """
        vector = self.weights.vector(self.scored.feature_names)
        for row in self.scored.best(vector, threads=self.threads):
            yield self.lists.text(int(row)) if row >= 0 else ""

    def lines(self) -> Iterator[tuple[str, str]]:
        """Give the key and the best text of each sentence; sentences that are counted have no key.

        Large numbers that leave out most of those below them, as those of a database do, are keys,
        too; then there is a line only for sentences that have candidates.
        """
        count, empty = self.lists.sentence_count, set(self.lists.empty_sentences.tolist())
        names = self.keys.names or [""] * count
        sparse = not self.keys.names and count > SPARSE and len(empty) > 0.9 * count
        for number, text in enumerate(self):
            if not sparse:
                yield names[number], text
            elif number not in empty:
                yield str(number), text

    def segments(self) -> Iterator[Segment]:
        """Give the lists with the best hypothesis first, each with its score; empty ones not."""
        lists, names = self.lists, self.keys.names
        vector = self.weights.vector(self.scored.feature_names)
        for sentence in range(lists.sentence_count):
            rows = lists.rows(sentence)
            if not rows:
                continue
            scores = self.scored.sentence_scores(sentence, vector)
            hypotheses = tuple(
                Hypothesis(
                    text=lists.text(rows[i]),
                    features=lists.features_of(rows[i]),
                    score=float(scores[i]),
                )
                for i in np.argsort(-scores, kind="stable").tolist()
            )
            yield Segment(sentence=names[sentence] if names else sentence, hypotheses=hypotheses)


@dataclass(frozen=True, kw_only=True)
class ForestReranking:
    """Forests under given weights; iterating gives the best text of each sentence.

    Forests are read one after the other, each time anew.

    Parameters
    ----------
    forests : path
        A file or directory of forests.
    weights : Weights
        Features that they do not list count nothing.
    bins : mapping
        The bins of discretized features, if the weights are of bins.
    counted : CountedForests, optional
        Adds counts of words, if the weights are of these too.
    format : str, optional
        Of the forests; told by content if not given.
    sentences : int
        How many sentences there are at least: some at the end may have no forest.
    size : int
        Derivations with different words in the lists that `segments` gives.
    tell : callable
        Called with the file, how much of it is read and how much there is (0: unknown).
    """

    forests: PathLike
    weights: Weights
    bins: FeatureBins = field(default_factory=dict)
    counted: CountedForests | None = None
    format: str | None = None
    sentences: int = 0
    size: int = 100
    tell: Tell = tell_nobody

    def __iter__(self) -> Iterator[str]:
        """Give the text of each sentence's best derivation; an empty one without a forest."""
        texts = {sentence: forest.viterbi(self.weights).text for sentence, forest in self._read()}
        last = max(texts, default=-1)
        if last >= max(self.sentences, len(texts) + MOST_WITHOUT):
            raise DataError(
                f"{self.forests}: there is a sentence {last}, but forests of {len(texts)} "
                f"sentences only; if that is no mistake, name the number of sentences, {last + 1}"
            )
        for sentence in range(max(self.sentences, 1 + last)):
            yield texts.get(sentence, "")

    def segments(self) -> Iterator[Segment]:
        """Give lists of the best derivations with different words, each with its score."""
        for sentence, forest in self._read():
            hypotheses = tuple(
                Hypothesis(text=found.text, features=found.features, score=found.score)
                for found in forest.kbest(self.weights, self.size, distinct=True)
            )
            yield Segment(sentence=sentence, hypotheses=hypotheses)

    def _read(self) -> Iterator[tuple[int, Forest]]:
        own = Vocabulary()
        names = Vocabulary() if self.bins else own
        for sentence, forest in read_forests(
            self.forests, self.format, feature_names=own, tell=self.tell
        ):
            self._check_values(sentence, forest)
            found = without_boundaries(forest)
            if self.counted is not None:
                found = self.counted.count(sentence, found)
            yield sentence, discretize_forest(found, self.bins, names) if self.bins else found
        check_features(self.weights, list(names), "forests")

    def _check_values(self, sentence: int, forest: Forest) -> None:
        if message := describe_large_value(forest, lambda _: str(sentence)):
            raise DataError(f"{self.forests}: {message}")


def check_features(weights: Weights, present: Sequence[str], what: str) -> None:
    """Compare the features of weights with those of `what`, lists or forests.

    Features on one side only are a warning, as is that all weights are zero; none in common is an
    error, and so are values of a feature that are numbered in different ways.
    """
    if not present:
        return
    if (conflict := numbering_conflict(present, weights)) is not None:
        raise DataError(f"the weights do not fit the {what}: {conflict}")
    if not any(name in weights for name in present):
        raise DataError(
            f"the {what} and the weights have no feature in common: the {what} have "
            f"{_shorten(present)}, the weights have {_shorten(weights.names)}"
        )
    known = set(present)
    if unknown := [name for name in weights if name not in known and weights[name] != 0.0]:
        _warn(f"weights of features that are in no {what[:-1]}: {_shorten(unknown)}")
    if missing := [name for name in present if name not in weights]:
        _warn(f"features of the {what} without a weight count nothing: {_shorten(missing)}")
    if not any(weights.get(name, 0.0) for name in present):
        _warn(
            f"all weights of features of the {what} are zero, so that no candidate is better than "
            "another and the first one is taken"
        )


def _warn(message: str) -> None:
    warnings.warn(message, HopefearWarning, stacklevel=4)


def _shorten(names: Sequence[str]) -> str:
    """Join names; the first ones if there are many."""
    shown = ", ".join(names[:5]) or "none"
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def write_reranked(
    path: PathLike,
    reranking: Reranking | ForestReranking,
    format: str | None,
    source: PathLike | None,
) -> None:
    """Write the lists in their new order, in `format` or else in that of the file `source`.

    Lists out of forests are in Moses' format if no other is given.
    """
    told = "moses" if source is None else detect_nbest(source)
    write_nbest(path, reranking.segments(), format or told)
