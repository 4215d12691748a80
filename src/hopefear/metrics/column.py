"""Any number for each hypothesis as a metric: COMET, a human judgement, the recall of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics.base import Statistics, metrics, score_rows

__all__ = ["Column"]


@metrics.register("column")
@dataclass(frozen=True, kw_only=True)
class Column:
    """The mean over sentences of one number for each hypothesis; statistics are [value, 1].

    Parameters
    ----------
    label : str
        The name that is printed with a score.
    higher_is_better : bool
        Whether the numbers are to be maximized or minimized.

    Examples
    --------
    >>> metric = Column(label="COMET")
    >>> float(metric.score(metric.statistics([0.5, 0.75]).sum(axis=0)))
    0.625
    """

    label: str = "column"
    perfect_gain: ClassVar[float | None] = None
    higher_is_better: bool = True

    @property
    def name(self) -> str:
        """The name that is printed with a score."""
        return self.label

    def statistics(self, values: ArrayLike) -> Statistics:
        """Return a row of statistics for each hypothesis, given its number."""
        column = np.asarray(values, dtype=np.float64)
        if column.ndim != 1:
            raise DataError(
                f"{self.label}: expected one number for each hypothesis, "
                f"got an array of shape {column.shape}"
            )
        broken = np.flatnonzero(~np.isfinite(column))
        if broken.size:
            raise DataError(
                f"{self.label}: hypothesis {broken[0]} has {column[broken[0]]}, "
                "expected a finite number"
            )
        return np.column_stack([column, np.ones_like(column)])

    def corpus_score(self) -> _core.MeanScore:
        """Return the mean as the core computes it; minus the mean if lower is better."""
        return _core.MeanScore(higher_is_better=self.higher_is_better)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the mean, from summed statistics."""
        return score_rows(_core.MeanScore(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the number of each hypothesis; minus the number if lower is better."""
        return score_rows(self.corpus_score(), statistics)
