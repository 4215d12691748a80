"""Stratified approximate randomization: how much systems differ when their outputs are mixed up.

Noreen (1989), Computer-intensive methods for testing hypotheses. Riezler and Maxwell (2005), On
some pitfalls in automatic evaluation and significance testing for MT, ACL workshop. With several
optimizer replicas: Clark et al. (2011), Better hypothesis testing for statistical machine
translation: controlling for optimizer instability, ACL.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import ConfigError, DataError
from hopefear.metrics import Metric, Statistics

__all__ = [
    "Exchange",
    "ReplicaComparison",
    "compare_replicas",
    "deviation",
    "shuffled_p",
    "shuffled_sums",
]

Exchange = Literal["outputs", "sentences"]

# Numbers in memory at a time: 32 MB.
BLOCK = 1 << 22

# Outputs of a sentence for which all ways to deal them out are listed.
LISTED = 20

# Scores whose statistics are not whole numbers differ in their last digits with the order of sums.
TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class ReplicaComparison:
    """A system against a baseline, each with the scores of its replicas.

    `difference` is that of the mean scores; deviations are None for a single replica.
    """

    scores: Sequence[float]
    baseline_scores: Sequence[float]
    difference: float
    deviation: float | None
    baseline_deviation: float | None
    p_value: float


def compare_replicas(
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    metric: Metric,
    *,
    shuffles: int = 10_000,
    seed: int = 12345,
    exchange: Exchange = "sentences",
) -> ReplicaComparison:
    """Compare optimizer replicas of two systems by stratified approximate randomization.

    Parameters
    ----------
    system, baseline : sequences of matrices
        The statistics of each replica, one row per sentence, as ``prepare(references).statistics``
        of the metric returns them. The numbers of replicas may differ.
    metric : Metric
        Scores sums of statistics.
    shuffles : int
        How often outputs are dealt out at random.
    seed : int
        Seed of the shuffles.
    exchange : str
        What changes sides; see `shuffled_p`.

    Examples
    --------
    >>> from hopefear.metrics import Bleu, References
    >>> references = Bleu().prepare(References([["the cat sat on the mat"], ["a dog barks at it"]]))
    >>> good = references.statistics(["the cat sat on the mat", "the dog barks at it"])
    >>> bad = references.statistics(["the cat lay on the mat", "the dog barks at us"])
    >>> found = compare_replicas([good, good], [bad], Bleu())
    >>> f"{found.difference:.2f} {found.deviation:.2f} p = {found.p_value:.2f}"
    '53.50 0.00 p = 0.50'
    """
    scores, others = (
        [float(metric.score(matrix.sum(axis=0))) for matrix in replicas]
        for replicas in (system, baseline)
    )
    return ReplicaComparison(
        scores=scores,
        baseline_scores=others,
        difference=float(np.mean(scores) - np.mean(others)),
        deviation=deviation(scores),
        baseline_deviation=deviation(others),
        p_value=shuffled_p(
            [metric], [system], [baseline], shuffles=shuffles, seed=seed, exchange=exchange
        )[0],
    )


def shuffled_p(
    metrics: Sequence[Metric],
    system: Sequence[Sequence[Statistics]],
    baseline: Sequence[Sequence[Statistics]],
    *,
    shuffles: int,
    seed: int,
    exchange: Exchange,
) -> list[float]:
    """Return for each metric the share of shuffles whose sides differ as much as the systems do.

    p = (1 + #{shuffles: |score(X) - score(Y)| >= |score(A) - score(B)|}) / (1 + #shuffles)

    With "sentences" the outputs of all replicas for a sentence change sides together, and the score
    of a side is the mean of its replicas' scores. Replicas are paired; if one system has fewer,
    each of its replicas is in several pairs.

    With "outputs", as in MultEval, each output changes sides on its own, and a side is scored as
    one long output. This takes outputs for the same sentence for independent, which they are not:
    copies of a replica would make a difference more significant.

    Unlike sacreBLEU and MultEval, which ask for a larger difference, equal differences count, as in
    the papers: systems that differ in three sentences have p = 0.25 at best, and equal systems have
    p = 1.

    Parameters
    ----------
    metrics : sequence of Metric
        They see the same shuffles.
    system, baseline : sequences of sequences of matrices
        The statistics for each metric and replica.
    shuffles, seed, exchange
        As for `compare_replicas`.
    """
    # All metrics side by side
    first, second = (
        [np.hstack(each) for each in zip(*side, strict=True)] for side in (system, baseline)
    )
    _size(first, second)
    ends = np.cumsum([own[0].shape[1] for own in system])[:-1]
    pairs = [(first, second)]
    if exchange == "sentences":
        count = math.lcm(len(first), len(second))
        pairs = [([first[k % len(first)]], [second[k % len(second)]]) for k in range(count)]

    def differences(one: Statistics, other: Statistics) -> Statistics:
        sides = (np.split(rows, ends, axis=1) for rows in (one, other))
        scored = zip(metrics, *sides, strict=True)
        return np.array([metric.score(own) - metric.score(its) for metric, own, its in scored])

    shuffled = observed = np.zeros((len(metrics), 1))
    for pair in pairs:  # the same seed exchanges the same sentences in each
        shuffled = shuffled + differences(*shuffled_sums(*pair, shuffles=shuffles, seed=seed))
        observed = observed + differences(*(np.sum(side, axis=(0, 1))[None] for side in pair))
    as_large = np.abs(shuffled) >= np.abs(observed) - len(pairs) * TOLERANCE
    return [float(count + 1) / (shuffles + 1) for count in np.count_nonzero(as_large, axis=1)]


def deviation(scores: Sequence[float]) -> float | None:
    """Return the standard deviation of the scores of replicas; None if there is only one.

    Examples
    --------
    >>> deviation([30.0, 31.0, 32.0])
    1.0
    """
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None


def shuffled_sums(
    first: Sequence[Statistics], second: Sequence[Statistics], *, shuffles: int, seed: int
) -> tuple[Statistics, Statistics]:
    """Deal out the outputs of each sentence anew, and sum the statistics of each side.

    A sentence is a stratum: its outputs, one of each replica of both systems, stay with it. A
    random choice of them, as many as the first system has replicas, goes to the first side.

    Parameters
    ----------
    first, second : sequences of matrices
        The statistics of each replica, one row per sentence.
    shuffles : int
        How often outputs are dealt out.
    seed : int
        Seed of the shuffles. With one replica each they are those of sacreBLEU (``--paired-ar``).

    Returns
    -------
    two matrices
        The sums of each side over sentences and replicas, one row per shuffle.
    """
    if shuffles < 1:
        raise ConfigError(f"shuffles must be >= 1, got {shuffles}")
    outputs = [*first, *second]
    size = _size(first, second)
    *others, last = outputs
    # The last output goes where there is room: only how the others differ from it is chosen.
    differences = [matrix - last for matrix in others]
    sums = np.tile(len(first) * last.sum(axis=0), (shuffles, 1))
    random = np.random.default_rng(seed)
    # Random bits are drawn 32 at a time: whole words, so that blocks continue each other.
    step = max(32, BLOCK // (size * len(outputs)) // 32 * 32)
    ways = _ways(len(first), len(outputs)) if len(outputs) <= LISTED else None
    for start in range(0, shuffles, step):
        shape = (min(step, shuffles - start), size)
        dealt = _deal(random, shape, len(first), len(outputs), ways)
        for chosen, matrix in zip(dealt, differences, strict=False):
            sums[start : start + step] += chosen.astype(np.float64) @ matrix
    return sums, np.sum([matrix.sum(axis=0) for matrix in outputs], axis=0) - sums


def _size(first: Sequence[Statistics], second: Sequence[Statistics]) -> int:
    """Return the number of sentences that all outputs have."""
    if not first or not second:
        raise DataError("both systems need at least one replica")
    sentences = {len(matrix) for matrix in (*first, *second)}
    if len(sentences) != 1 or not (size := sentences.pop()):
        raise DataError("all replicas must have the same number of sentences, at least one")
    return size


def _ways(wanted: int, outputs: int) -> NDArray[np.uint32]:
    """Return all ways to choose `wanted` of the outputs, each as the bits of a number."""
    numbers = np.arange(1 << outputs, dtype=np.uint32)
    counts = np.zeros_like(numbers)
    for output in range(outputs):
        counts += numbers >> output & 1
    return np.flatnonzero(counts == wanted).astype(np.uint32)


def _deal(
    random: np.random.Generator,
    shape: tuple[int, int],
    wanted: int,
    outputs: int,
    ways: NDArray[np.uint32] | None,
) -> Iterator[NDArray[np.generic]]:
    """Yield for each output whether it is among the `wanted` ones of the sentence."""
    if outputs == 2:
        yield random.integers(2, size=shape, dtype=bool)
    elif ways is not None:
        drawn = ways[random.integers(len(ways), size=shape, dtype=np.uint32)]
        for output in range(outputs):
            yield drawn >> output & 1
    else:
        # One after the other, with probability (still wanted) / (still there).
        draws = random.random((*shape, outputs))
        left = np.full(shape, wanted)
        for output in range(outputs):
            chosen = draws[..., output] * (outputs - output) < left
            left -= chosen
            yield chosen
