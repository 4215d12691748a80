"""Sentences in which systems differ most."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.evaluation.measured import Measured
from hopefear.evaluation.results import SentenceDifference, SystemDifferences
from hopefear.metrics import Bleu, Metric, Statistics

__all__ = ["sentence_scores", "system_differences"]


def sentence_scores(metric: Metric, statistics: Statistics) -> NDArray[np.float64]:
    """Return the score of each sentence as printed: BLEU+1 for BLEU, which is smoothed."""
    return (
        100.0 * metric.gains(statistics) if isinstance(metric, Bleu) else metric.score(statistics)
    )


def system_differences(found: Measured, system: int, count: int) -> SystemDifferences:
    """Return the sentences in which a system wins and loses most against the first one.

    The first metric judges. Of several replicas the one with the median score speaks for a system,
    as in MultEval.

    Parameters
    ----------
    found : Measured
        The outputs and their statistics.
    system : int
        The number of the system.
    count : int
        The largest number of wins, and of losses.
    """
    name, metric = next(iter(found.metrics.items()))
    chosen = [(i, _median(found.scores(name, i))) for i in (0, system)]
    first, second = (
        sentence_scores(metric, found.statistics[name][i][replica]) for i, replica in chosen
    )
    texts = [found.systems[i][1][replica] for i, replica in chosen]
    gains = second - first if metric.higher_is_better else first - second

    def most(sign: float) -> list[SentenceDifference]:
        order = np.argsort(-sign * gains, kind="stable")[:count].tolist()
        return [
            SentenceDifference(
                sentence=i,
                difference=float(gains[i]),
                score=float(second[i]),
                first_score=float(first[i]),
                text=texts[1][i],
                first_text=texts[0][i],
                references=tuple(found.references.sentences[i]),
            )
            for i in order
            if sign * gains[i] > 0
        ]

    return SystemDifferences(
        system=found.systems[system][0],
        first=found.systems[0][0],
        metric="BLEU+1" if isinstance(metric, Bleu) else metric.name,
        wins=most(1.0),
        losses=most(-1.0),
    )


def _median(scores: Sequence[float]) -> int:
    """Return the index of the median, or of the lower one of two."""
    return int(np.argsort(scores, kind="stable")[(len(scores) - 1) // 2])
