"""N-best lists: the hypotheses that a system weighed for each sentence, with their features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear._core import BarHypothesis, BarLayout, Vocabulary, format_number, parse_hypothesis

__all__ = [
    "BarHypothesis",
    "BarLayout",
    "NBest",
    "NBestBuilder",
    "Vocabulary",
    "format_number",
    "parse_hypothesis",
]


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
            raise IndexError(f"sentence {sentence} does not exist: there are {self.sentence_count}")
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
    def statistics(self) -> NDArray[np.float64] | None:
        """What a metric counted for each row, a matrix; None until it is set."""
        return self.core.statistics

    def set_statistics(self, values: NDArray[np.float64]) -> None:
        """Set the statistics, a matrix with one row for each hypothesis."""
        self.core.set_statistics(np.ascontiguousarray(values, dtype=np.float64))


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
        return self.core.add(
            sentence, text, [names.add(name) for name in features], list(features.values())
        )

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
