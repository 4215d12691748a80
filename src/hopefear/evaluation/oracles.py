"""Oracles: the best and the worst score that candidates allow, by the number of candidates."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from hopefear.candidates import ForestSet, ListSet
from hopefear.evaluation.results import MetricOracles, OracleScores
from hopefear.metrics import References, TextMetric
from hopefear.types import FloatArray, IntArray, Weights

__all__ = ["forest_oracles", "list_oracles"]


def list_oracles(
    lists: ListSet, metric: TextMetric, references: References, weights: Weights | None = None
) -> MetricOracles:
    """Return the oracle scores of n-best lists.

    A greedy search changes the choice of one sentence at a time (Venugopal, 2005), so that the best
    and the worst are those of the whole document, not of single sentences.

    Parameters
    ----------
    lists : ListSet
        The lists, which get the statistics of the metric.
    metric : TextMetric
        Scores a document.
    references : References
        The references of the sentences.
    weights : Weights, optional
        Order the hypotheses of a list by their scores; by default they are taken as listed.
    """
    metric.prepare(references).set_statistics(lists.nbest, threads=lists.threads)
    judged = ListSet(nbest=lists.nbest, metric=metric, threads=lists.threads)
    order = None if weights is None else _order(judged, weights.vector(lists.feature_names))
    longest = int(np.diff(lists.nbest.offsets).max(initial=0))
    rows = [
        OracleScores(
            size=size,
            best=judged.find_oracle(order, size=size),
            worst=judged.find_oracle(order, size=size, worst=True),
        )
        for size in _sizes(longest)
    ]
    return MetricOracles(
        title=metric.name,
        signature=metric.signature(references),
        first=rows[0].best if rows else None,
        rows=rows,
    )


def forest_oracles(
    forests: ForestSet, metric: TextMetric, weights: Weights | None = None, *, size: int = 100
) -> MetricOracles:
    """Return the oracle scores of forests, and of lists of their best derivations.

    Parameters
    ----------
    forests : ForestSet
        The forests, with references.
    metric : TextMetric
        Scores a document. Whole forests have an oracle for BLEU on words only.
    weights : Weights, optional
        What makes derivations the best ones; without weights there are no lists.
    size : int
        Derivations with different words in each list.
    """
    references = forests.references
    judged = ForestSet(forests.forests, references, metric, threads=forests.threads)
    found = MetricOracles(title=metric.name, signature=metric.signature(references), rows=())
    if weights is not None:
        lists = judged.kbest_lists(weights.vector(judged.feature_names), size)
        found = list_oracles(lists, metric, references)
    if judged.oracle_score is None:
        return found
    whole = OracleScores(size=None, best=judged.oracle_score)
    return replace(found, rows=[*found.rows, whole])


def _order(lists: ListSet, weights: FloatArray) -> IntArray:
    """Return the rows of all lists, the best ones of each list first."""
    sentences = np.repeat(np.arange(lists.sentence_count), np.diff(lists.nbest.offsets))
    return np.lexsort((-lists.scores(weights), sentences)).astype(np.int64)


def _sizes(longest: int) -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, ... and the size of the longest list."""
    for power in count():
        for digit in (1, 2, 5):
            if (size := digit * 10**power) >= longest:
                if longest:
                    yield longest
                return
            yield size
