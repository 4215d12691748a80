"""Candidates that are in memory as a table: one row each, a column for each feature."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import FloatArray, IntArray, Vocabulary, check_text

__all__ = ["Columns", "Lists", "SparseColumns", "Table"]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What columns are called, and which of them are features.

    Attributes
    ----------
    text, sentence, references : str, optional
        The columns of texts, of sentences and of references; those with usual names by default.
    score : str, optional
        The column that is the score of a candidate, and no feature.
    features : sequence of str, optional
        The columns that are features; all that have numbers by default.
    ignore : sequence of str
        Columns that are not features although they have numbers.
    """

    text: str | None = None
    sentence: str | None = None
    references: str | None = None
    score: str | None = None
    features: Sequence[str] | None = None
    ignore: Sequence[str] = ()

    def is_feature(self, name: str) -> bool:
        """Whether a column of numbers is a feature."""
        if name == self.score or name in self.ignore:
            return False
        return self.features is None or name in self.features


@dataclass(frozen=True, kw_only=True)
class Table:
    """Candidates, one row each.

    Attributes
    ----------
    texts : list of str
    sentences : array
        The number of each candidate's sentence, from 0.
    count : int
        The number of sentences.
    keys : tuple of str
        What the sentences are called, in the order of their numbers; empty if they have numbers.
    columns : mapping
        A column for each feature that most candidates have; NaN where one does not have it.
    sparse : SparseColumns
        All other features.
    scores : array, optional
        The score of each candidate, if a column has one.
    references : list, optional
        The references of each sentence, if a column has them.
    """

    texts: list[str]
    sentences: IntArray
    count: int
    keys: tuple[str, ...] = ()
    columns: Mapping[str, FloatArray] = field(default_factory=dict)
    sparse: "SparseColumns" = field(default_factory=lambda: SparseColumns())
    scores: FloatArray | None = None
    references: list[list[str]] | None = None

    def lists(self, feature_names: Vocabulary | None = None) -> "Lists":
        """Return the n-best lists; of equal candidates of a sentence the first counts."""
        builder = NBestBuilder(feature_names=feature_names)
        names = builder.feature_names
        own = np.array([names.add(name) for name in self.sparse.names], dtype=np.int32)
        try:
            places = builder.add_table(
                self.sentences,
                self.texts,
                [names.add(name) for name in self.columns],
                list(self.columns.values()),
                self.sparse.offsets,
                own[self.sparse.ids],
                self.sparse.values,
            )
        except (TypeError, UnicodeEncodeError):  # checked only now, because there may be millions
            for number, text in enumerate(self.texts):
                check_text(text, f"candidate {number}: the text")
            raise
        first = np.zeros(len(builder), dtype=np.int64)
        first[places[::-1]] = np.arange(len(places))[::-1]
        order = np.argsort(self.sentences[first], kind="stable")
        rows = np.empty_like(order)
        rows[order] = np.arange(len(order))
        return Lists(nbest=builder.finish(self.count), rows=rows[places], first=first[order])


@dataclass(frozen=True, kw_only=True)
class SparseColumns:
    """Features that few candidates have: row i has the entries offsets[i] to offsets[i + 1]."""

    names: Sequence[str] = ()
    offsets: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    ids: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    values: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Lists:
    """N-best lists of a table.

    Attributes
    ----------
    nbest : NBest
    rows : array
        The row of the lists that each candidate became; equal candidates became the same.
    first : array
        The first candidate that became each row of the lists.
    """

    nbest: NBest
    rows: IntArray = field(repr=False)
    first: IntArray = field(repr=False)
