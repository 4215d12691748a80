"""Paired bootstrap: what the scores would have been on other test sets of the same kind.

Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP. The numbers
equal sacreBLEU's (``--paired-bs``) for the same seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import ConfigError, DataError
from hopefear.metrics import Statistics

__all__ = ["Comparison", "Interval", "compare", "interval", "resampled_sums"]

# Counts of this many numbers are held at a time: 32 MB.
BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Interval:
    """The mean of the resampled scores, and the interval that holds 95 % of them."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One system against another on the same resampled test sets.

    `p_value` is the chance to see a difference as large as this if there were none; `wins` is how
    often the system is the better one.
    """

    p_value: float
    wins: float


def resampled_sums(
    statistics: Sequence[Statistics], *, resamples: int, seed: int
) -> list[Statistics]:
    """Draw test sets with replacement and sum the statistics of each.

    Parameters
    ----------
    statistics : sequence of matrices
        The statistics of several systems, one row for each sentence; all see the same test sets.
    resamples : int
        How many test sets.
    seed : int
        Decides which.

    Returns
    -------
    list of matrices
        For each system, one row for each test set.
    """
    if resamples < 1:
        raise ConfigError(f"resamples must be >= 1, got {resamples}")
    sentences = {len(matrix) for matrix in statistics}
    if len(sentences) != 1 or not (size := sentences.pop()):
        raise DataError("a test set must have a sentence at least, and the same for all systems")
    random = np.random.default_rng(seed)
    sums = [np.empty((resamples, matrix.shape[1])) for matrix in statistics]
    step = max(1, BLOCK // size)
    for first in range(0, resamples, step):
        drawn = random.choice(size, size=(min(step, resamples - first), size))
        # How often each sentence was drawn; the sums are then one product of matrices.
        counts = np.stack([np.bincount(row, minlength=size) for row in drawn]).astype(np.float64)
        for out, matrix in zip(sums, statistics, strict=True):
            out[first : first + len(drawn)] = counts @ matrix
    return sums


def interval(scores: NDArray[np.float64]) -> Interval:
    """Return the mean and what lies between the lowest and the highest fortieth."""
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    return Interval(
        mean=float(ordered.mean()),
        low=float(ordered[cut]),
        high=float(ordered[len(ordered) - 1 - cut]),
    )


def compare(
    system: NDArray[np.float64],
    baseline: NDArray[np.float64],
    *,
    difference: float,
    higher_is_better: bool = True,
) -> Comparison:
    """Compare resampled scores of two systems.

    Parameters
    ----------
    system, baseline : arrays
        The scores on the same resampled test sets.
    difference : float
        By how much the scores differ on the test set itself.
    higher_is_better : bool
        Which score wins.
    """
    distances = np.abs(system - baseline)
    larger = np.count_nonzero(distances - distances.mean() > abs(difference))
    wins = system > baseline if higher_is_better else system < baseline
    return Comparison(
        # Unlike sacreBLEU, which gives 1/(n + 1) here: equal scores are no evidence at all.
        p_value=(larger + 1) / (len(system) + 1) if difference else 1.0,
        wins=float(np.mean(wins)),
    )
