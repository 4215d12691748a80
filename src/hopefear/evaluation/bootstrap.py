"""Paired bootstrap: scores on resampled test sets.

Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP. With the
same seed the numbers equal those of sacreBLEU (``--paired-bs``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import ConfigError, DataError
from hopefear.metrics import Statistics

__all__ = ["Comparison", "Interval", "compare", "interval", "resampled_sums"]

# Counts in memory at a time: 32 MB.
BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Interval:
    """The mean of the resampled scores, and the interval that contains 95 % of them."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One system against another on the same resampled test sets.

    `p_value` is the probability of a difference at least this large if the systems were equally
    good; `wins` is the share of test sets on which the system is better.
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
        The statistics of each system, one row per sentence. All systems share the test sets.
    resamples : int
        The number of test sets.
    seed : int
        Seed of the random test sets.

    Returns
    -------
    list of matrices
        For each system, one row per test set.
    """
    if resamples < 1:
        raise ConfigError(f"resamples must be >= 1, got {resamples}")
    sentences = {len(matrix) for matrix in statistics}
    if len(sentences) != 1 or not (size := sentences.pop()):
        raise DataError("all systems must have the same number of sentences, at least one")
    random = np.random.default_rng(seed)
    sums = [np.empty((resamples, matrix.shape[1])) for matrix in statistics]
    step = max(1, BLOCK // size)
    for first in range(0, resamples, step):
        drawn = random.choice(size, size=(min(step, resamples - first), size))
        # How often each sentence is drawn; the sums are then one product of matrices.
        counts = np.stack([np.bincount(row, minlength=size) for row in drawn]).astype(np.float64)
        for out, matrix in zip(sums, statistics, strict=True):
            out[first : first + len(drawn)] = counts @ matrix
    return sums


def interval(scores: NDArray[np.float64]) -> Interval:
    """Return the mean, and the interval without the lowest and the highest fortieth."""
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
        The difference of the scores on the test set itself.
    higher_is_better : bool
        Whether the higher score wins.
    """
    distances = np.abs(system - baseline)
    larger = np.count_nonzero(distances - distances.mean() > abs(difference))
    wins = system > baseline if higher_is_better else system < baseline
    return Comparison(
        # Unlike sacreBLEU, which gives 1/(n + 1) here: equal scores are no evidence.
        p_value=float(larger + 1) / (len(system) + 1) if difference else 1.0,
        wins=float(np.mean(wins)),
    )
