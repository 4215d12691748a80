"""Rows of statistics: which sentence each belongs to, and scores along their last axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics.references import References
from hopefear.nbest import NBest

__all__ = ["check_lists", "check_sentences", "nbest_texts", "score_rows"]


def check_sentences(
    hypotheses: int, sentences: NDArray[np.int64] | None, references: References
) -> NDArray[np.int64]:
    """Return the sentence of each of `hypotheses` rows; by default row i is of sentence i."""
    if sentences is None:
        if hypotheses != len(references):
            message = f"{hypotheses} hypotheses, but references for {len(references)} sentences"
            raise DataError(f"{references.prefix}{message}")
        return np.arange(hypotheses, dtype=np.int64)
    if sentences.shape != (hypotheses,):
        raise DataError(f"{hypotheses} hypotheses, but sentence numbers for {sentences.size}")
    largest, smallest = sentences.max(initial=-1), sentences.min(initial=0)
    if largest >= len(references) or smallest < 0:
        number = largest if largest >= len(references) else smallest
        message = f"hypotheses of sentence {number}, but references for {len(references)} sentences"
        raise DataError(f"{references.prefix}{message}")
    return np.ascontiguousarray(sentences, dtype=np.int64)


def check_lists(lists: NBest, references: References) -> None:
    """Require references for the sentences of n-best lists, and for no others."""
    if lists.sentence_count != len(references):
        message = f"n-best lists of {lists.sentence_count} sentences, but references for"
        raise DataError(f"{references.prefix}{message} {len(references)}")


def nbest_texts(lists: NBest) -> tuple[list[str], NDArray[np.int64]]:
    """Return the text of each row of n-best lists, and its sentence."""
    counts = np.diff(lists.offsets)
    texts = [lists.text(row) for row in range(len(lists))]
    return texts, np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def score_rows(score: _core.CorpusScore, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the score along the last axis of `statistics`; the other axes are kept.

    Examples
    --------
    >>> score_rows(_core.MeanScore(), np.ones((3, 5, 2))).shape
    (3, 5)
    """
    dimension = score.dimension
    if statistics.ndim == 0 or statistics.shape[-1] != dimension:
        raise DataError(f"expected rows of {dimension} statistics, got shape {statistics.shape}")
    rows = np.ascontiguousarray(statistics, dtype=np.float64).reshape(-1, dimension)
    return score.rows(rows).reshape(statistics.shape[:-1])
