"""Rows of statistics: which sentence each belongs to, and scores along their last axis."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import DataError
from hopefear.metrics.references import References

__all__ = ["check_sentences", "score_rows"]


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


def score_rows(
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    statistics: NDArray[np.float64],
    dimension: int,
) -> NDArray[np.float64]:
    """Apply `score`, a function of the rows of a matrix, along the last axis of `statistics`.

    Examples
    --------
    >>> score_rows(lambda rows: rows.sum(axis=1), np.ones((2, 5, 3)), 3).shape
    (2, 5)
    """
    if statistics.ndim == 0 or statistics.shape[-1] != dimension:
        raise DataError(f"expected rows of {dimension} statistics, got shape {statistics.shape}")
    rows = np.ascontiguousarray(statistics, dtype=np.float64).reshape(-1, dimension)
    return score(rows).reshape(statistics.shape[:-1])
