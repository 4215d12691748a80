"""A metric from one number per hypothesis, such as COMET or a human judgement."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics.base import Statistics, metrics, score_rows
from hopefear.settings import setting, settings

__all__ = ["Column"]


@metrics.register("column")
@settings
class Column:
    """The mean over sentences of one number per hypothesis, with statistics [value, 1].

    Examples
    --------
    >>> metric = Column(label="COMET")
    >>> float(metric.score(metric.statistics([0.5, 0.75]).sum(axis=0)))
    0.625
    """

    perfect_gain: ClassVar[float | None] = None

    label: str = setting("column", "The name to print with a score.")
    higher_is_better: bool = setting(True, "Whether higher numbers are better.")

    @property
    def name(self) -> str:
        """The name to print with a score."""
        return self.label

    def statistics(self, values: ArrayLike) -> Statistics:
        """Return a row of statistics for each number."""
        column = np.asarray(values, dtype=np.float64)
        if column.ndim != 1:
            raise DataError(
                f"{self.label}: expected one number per hypothesis, "
                f"got an array of shape {column.shape}"
            )
        broken = np.flatnonzero(~np.isfinite(column))
        if broken.size:
            raise DataError(
                f"{self.label}: hypothesis {broken[0]} (from 0) has the number "
                f"{column[broken[0]]}; expected a finite number"
            )
        return np.column_stack([column, np.ones_like(column)])

    def corpus_score(self) -> _core.MeanScore:
        """Return the core's mean, which is negated if lower is better."""
        return _core.MeanScore(higher_is_better=self.higher_is_better)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the mean of summed statistics."""
        return score_rows(_core.MeanScore(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the number of each hypothesis, negated if lower is better."""
        return score_rows(self.corpus_score(), statistics)
