"""N-best lists: the hypotheses that a system weighed for each sentence, with their features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear._core import (
    BarHypothesis,
    BarLayout,
    ErrorSurface,
    LineSearchResult,
    Vocabulary,
    error_surface,
    format_number,
    parse_hypothesis,
)
from hopefear.errors import DataError
from hopefear.types import FloatArray, IntArray, check_features, check_text

__all__ = [
    "BarHypothesis",
    "BarLayout",
    "ErrorSurface",
    "FeatureCounts",
    "LineSearchResult",
    "NBest",
    "NBestBuilder",
    "Vocabulary",
    "error_surface",
    "format_number",
    "parse_hypothesis",
]


class FeatureCounts(NamedTuple):
    """Of each feature: hypotheses that have it, lists that have it, hypotheses of these lists."""

    hypotheses: NDArray[np.int64]
    lists: NDArray[np.int64]
    hypotheses_of_lists: NDArray[np.int64]


class NBest:
    """The n-best lists of a data set.

    A hypothesis is a row. Rows are sorted by sentence; those of one sentence are in the order in
    which they arrived. Sentences are counted from 0, and some may have no hypotheses.

    Parameters
    ----------
    core
        The compiled lists, as :class:`NBestBuilder` or a reader makes them.

    Examples
    --------
    >>> builder = NBestBuilder()
    >>> builder.add(0, "a house", {"lm": -2.5, "words": 2})
    True
    >>> builder.add(1, "the dog", {"lm": -1.5, "words": 2})
    True
    >>> builder.add(0, "the house", {"lm": -2.0, "words": 2})
    True
    >>> lists = builder.finish()
    >>> lists.rows(0)
    range(0, 2)
    >>> lists.text(1), lists.features_of(1)
    ('the house', {'lm': -2.0, 'words': 2.0})
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.NBest) -> None:
        self.core = core

    def __len__(self) -> int:
        """Return the number of hypotheses."""
        return self.core.hypothesis_count

    def __repr__(self) -> str:
        return f"NBest({self.sentence_count} sentences, {len(self)} hypotheses)"

    @property
    def sentence_count(self) -> int:
        """The number of sentences, those without hypotheses included."""
        return self.core.sentence_count

    @property
    def words(self) -> Vocabulary:
        """The words that texts number."""
        return self.core.words

    @property
    def feature_names(self) -> Vocabulary:
        """The names that feature ids number; weights are aligned to them."""
        return self.core.feature_names

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The first row of each sentence, and the end: one number more than sentences."""
        return self.core.offsets

    @property
    def empty_sentences(self) -> NDArray[np.int64]:
        """The sentences that have no hypotheses."""
        return self.core.empty_sentences

    @property
    def nbytes(self) -> int:
        """Bytes for features, texts and names, in memory or in files; no statistics."""
        return self.core.nbytes

    @property
    def spilled(self) -> bool:
        """Whether the lists lie in temporary files, because of the memory limit."""
        return self.core.spilled

    def rows(self, sentence: int) -> range:
        """Return the rows of a sentence."""
        if not 0 <= sentence < self.sentence_count:
            raise DataError(f"sentence {sentence} does not exist: there are {self.sentence_count}")
        return range(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def text(self, row: int) -> str:
        """Return the text of a hypothesis."""
        return self.core.text(row)

    def word_ids(self, row: int) -> NDArray[np.int32]:
        """Return the ids of a hypothesis' words."""
        return self.core.word_ids(row)

    def features_of(self, row: int) -> dict[str, float]:
        """Return the features of a hypothesis by their names."""
        names = self.feature_names
        ids, values = self.core.feature_ids(row), self.core.feature_values(row)
        return {names[int(i)]: float(value) for i, value in zip(ids, values, strict=True)}

    @property
    def statistics(self) -> FloatArray | None:
        """What a metric counted for each row, a matrix; None until it is set.

        It is made anew each time: the lists keep small counts in a byte each. For some of the rows
        there is :meth:`statistics_of`.
        """
        return self.statistics_of(range(len(self)))

    def statistics_of(self, rows: range) -> FloatArray | None:
        """Return what a metric counted for some rows in sequence; None until it is set."""
        return self.core.statistics(rows.start, rows.stop)

    def set_statistics(self, values: FloatArray) -> None:
        """Set the statistics, a matrix with one row for each hypothesis; bits are kept."""
        self.core.set_statistics(np.ascontiguousarray(values, dtype=np.float64))

    def scores(self, weights: FloatArray, threads: int = 0) -> FloatArray:
        """Return w · h of each row; `weights` are aligned to `feature_names`.

        `threads` is the number of threads here and below, 0 for one a core; results do not depend
        on it.
        """
        return _core.nbest_scores(self.core, weights, threads)

    def sentence_scores(self, sentence: int, weights: FloatArray) -> FloatArray:
        """Return w · h of the rows of one sentence."""
        return _core.sentence_scores(self.core, sentence, weights)

    def best(
        self,
        weights: FloatArray,
        gains: FloatArray | None = None,
        gain_scale: float = 1.0,
        threads: int = 0,
    ) -> NDArray[np.int64]:
        """Return the row of each sentence with the greatest w · h + gain_scale · gain.

        Without `gains` that is the 1-best; with a scale of 1 it is the hope, with -1 the fear. Of
        equal rows the first is taken; a sentence without hypotheses has -1.
        """
        return _core.best_rows(self.core, weights, gains, gain_scale, threads)

    def best_of(
        self, scores: FloatArray, gains: FloatArray | None = None, gain_scale: float = 1.0
    ) -> NDArray[np.int64]:
        """Return the same rows from scores that are at hand."""
        return _core.best_rows_of(self.core, scores, gains, gain_scale)

    def column(self, feature: int, threads: int = 0) -> FloatArray:
        """Return the value of one feature in each row."""
        return _core.feature_column(self.core, feature, threads)

    def count_features(self) -> FeatureCounts:
        """Return how often each feature is written; a value of zero counts."""
        return FeatureCounts(*_core.count_features(self.core, len(self.feature_names)))

    def rows_without_words(self) -> NDArray[np.int64]:
        """Return the hypotheses whose text is empty."""
        return _core.rows_without_words(self.core)

    def find_value_above(self, bound: float) -> tuple[int, int, float] | None:
        """Return row, feature and value of the first value that is larger than this in size."""
        return _core.find_value_above(self.core, bound)

    def checksum(self) -> int:
        """Return a number that is another one, nearly always, if a feature or a statistic is."""
        return _core.nbest_checksum(self.core)

    def scaled(self, factors: FloatArray) -> NBest:
        """Return the same lists with the values of each feature times its factor.

        Texts and statistics are shared with these lists, not copied.
        """
        return NBest(self.core.scaled(factors))

    def sum_statistics(self, rows: NDArray[np.int64]) -> FloatArray:
        """Return the sum of the statistics of some rows; -1 counts nothing."""
        return _core.sum_statistics(self.core, rows)

    def error_surface(
        self, origins: FloatArray, slopes: FloatArray, threads: int = 0
    ) -> ErrorSurface:
        """Return the summed statistics of the best rows along a line of weights.

        Parameters
        ----------
        origins, slopes
            w · h and d · h of each row, for the line w + γ d.
        threads
            The number of threads, 0 for one a core; the result does not depend on it.

        Notes
        -----
        Och (2003), Minimum error rate training in statistical machine translation, section 5.
        """
        return _core.nbest_surface(self.core, origins, slopes, threads)

    def feature_sum(self, rows: IntArray, x: FloatArray) -> FloatArray:
        """Return the sum of the feature vectors of some rows, each times its entry of `x`."""
        return _core.feature_sum(self.core, rows, x, len(self.feature_names))

    def feature_spread(self) -> FloatArray:
        """Return how much each feature varies within a list: the root of its mean variance.

        It is 0 for a feature that is constant in every list, which cannot change any choice.
        """
        return _core.feature_spread(self.core, len(self.feature_names))

    def subset(self, sentences: Sequence[int]) -> NBest:
        """Return the lists of these sentences with their statistics; the others are empty."""
        numbers = np.unique(np.asarray(sentences, dtype=np.int64))
        builder = _core.NBestBuilder(self.words, self.feature_names)
        builder.add_some(self.core, numbers)
        part = NBest(builder.finish(self.sentence_count))
        rows = [self.statistics_of(self.rows(number)) for number in numbers.tolist()]
        known = [found for found in rows if found is not None]
        if known:
            part.set_statistics(np.concatenate(known))
        return part


class NBestBuilder:
    """Collects hypotheses in any order and makes n-best lists of them.

    Of hypotheses with the same sentence, text and features (names and values) the first is kept.

    Parameters
    ----------
    words, feature_names
        Vocabularies to share with other lists; new ones by default.
    memory_limit
        Bytes beyond which the data move to a temporary file; 0 for no limit. Words and names stay
        in memory, and so do about 20 bytes a hypothesis while the lists are built.
    directory
        Where that file is made (it never shows there); the system's directory for temporary files
        by default.
    """

    __slots__ = ("core",)

    def __init__(
        self,
        words: Vocabulary | None = None,
        feature_names: Vocabulary | None = None,
        *,
        memory_limit: int = 0,
        directory: str = "",
    ) -> None:
        self.core = _core.NBestBuilder(
            Vocabulary() if words is None else words,
            Vocabulary() if feature_names is None else feature_names,
            memory_limit=memory_limit,
            directory=directory,
        )

    def __len__(self) -> int:
        """Return the number of different hypotheses so far."""
        return self.core.hypothesis_count

    def add(self, sentence: int, text: str, features: Mapping[str, float]) -> bool:
        """Add a hypothesis; return False if there is an equal one already."""
        names = self.core.feature_names
        try:
            return self.core.add(
                sentence, text, [names.add(name) for name in features], list(features.values())
            )
        except (TypeError, AttributeError):  # only now, since there may be millions
            _check_hypothesis(sentence, text, features)
            raise

    def merge(self, lists: NBest) -> int:
        """Add all hypotheses of other lists; return how many were new."""
        return self.core.add_all(lists.core)

    def parse(self, pieces: Iterable[bytes], layout: BarLayout, file: str) -> list[tuple[str, int]]:
        """Add the hypotheses of a file in bar format.

        Parameters
        ----------
        pieces
            The bytes of the file, in pieces of any size.
        layout
            Which field of a line is what.
        file
            The name of the file, for messages.

        Returns
        -------
        list of (label, count)
            The labels that had several values, NAME_0, NAME_1, ... here.

        Raises
        ------
        FormatError
            Names the line and what is wrong with it. The lines before it have been added.
        """
        parser = _core.NBestParser(self.core, layout, file)
        for piece in pieces:
            parser.feed(piece)
        parser.finish()
        return parser.labels

    def finish(self, sentences: int = 0) -> NBest:
        """Make the lists, at least `sentences` of them; the builder is empty afterwards."""
        return NBest(self.core.finish(sentences))


def _check_hypothesis(sentence: object, text: object, features: object) -> None:
    """Say what the core does not take of a hypothesis."""
    if not isinstance(sentence, int) or not 0 <= sentence < 2**32:
        raise DataError(f"a sentence is a whole number from 0, got {sentence!r:.60}")
    try:
        check_text(text, "the text")
        check_features(features)
    except DataError as error:
        raise DataError(f"sentence {sentence}: {error}") from None
