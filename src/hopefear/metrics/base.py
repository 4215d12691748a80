"""Metrics: statistics that add up over sentences, and a score computed from their sum.

Scores for people (:meth:`Metric.score`, :class:`Score`) are printed as by sacreBLEU: BLEU, chrF and
TER from 0 to 100; for TER and WER, lower is better. Learners use fractions for which higher is
always better (:meth:`Metric.gains`, and everything in the core).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import DataError
from hopefear.metrics.references import References
from hopefear.nbest import NBest
from hopefear.registry import Registry

__all__ = [
    "Metric",
    "Prepared",
    "Score",
    "Statistics",
    "TextMetric",
    "evaluate",
    "format_scores",
    "format_signature",
    "metrics",
    "sacrebleu_version",
    "score_rows",
]

Statistics = NDArray[np.float64]  # a row of numbers for each hypothesis


@dataclass(frozen=True)
class Score:
    """A corpus score, with the signature that makes it reproducible.

    Examples
    --------
    >>> print(Score("BLEU", 36.714, "nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0"))
    BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 36.71
    """

    name: str
    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name}|{self.signature} = {self.value:.2f}"


class Metric(Protocol):
    """Statistics that add up over sentences, and the scores computed from them.

    A metric is a frozen dataclass of its options.
    """

    @property
    def name(self) -> str:
        """The name to print with a score."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher `score` is better; higher `gains` always are."""

    @property
    def perfect_gain(self) -> float | None:
        """The gain of a perfect hypothesis; None if there is no maximum."""

    def corpus_score(self) -> _core.CorpusScore:
        """Return the core's scorer: a fraction, higher is better.

        Its ``dimension`` is the number of statistics of a hypothesis.
        """

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the corpus score of summed statistics, as printed.

        The last axis of `statistics` is the metric's dimension; the result has the other axes.
        """

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the value of each hypothesis on its own: a fraction, higher is better."""


class Prepared(Protocol):
    """References prepared for one metric, to compute the statistics of hypotheses."""

    def statistics(
        self,
        hypotheses: Sequence[str] | NBest,
        sentences: NDArray[np.int64] | None = None,
        *,
        threads: int = 0,
    ) -> Statistics:
        """Return a row of statistics for each hypothesis.

        Parameters
        ----------
        hypotheses : sequence of str, or NBest
            Texts in any order, any number per sentence; or n-best lists.
        sentences : array of int64, optional
            The sentence that each text translates. By default there is one text per sentence, in
            order.
        threads : int
            The number of threads; 0 for one per core. It does not change the result.
        """

    def set_statistics(self, lists: NBest, *, threads: int = 0) -> None:
        """Compute the statistics of n-best lists and store them in the lists."""


class TextMetric(Metric, Protocol):
    """A metric that compares texts with references, which are prepared once."""

    def prepare(self, references: References) -> Prepared:
        """Return references that compute the statistics of hypotheses."""

    def signature(self, references: References) -> str:
        """Return the options that matter to the score, in sacreBLEU's form."""


def evaluate(metric: TextMetric, hypotheses: Sequence[str], references: References) -> Score:
    """Return the corpus score of hypotheses, one per sentence.

    Examples
    --------
    >>> from hopefear.metrics import Bleu
    >>> references = References([["the cat sat on the mat"]])
    >>> round(evaluate(Bleu(), ["the cat sat on a mat"], references).value, 2)
    53.73
    """
    total = metric.prepare(references).statistics(hypotheses).sum(axis=0)
    return Score(metric.name, float(metric.score(total)), metric.signature(references))


metrics: Registry[Metric] = Registry("metric", group="hopefear.metrics")


def score_rows(score: _core.CorpusScore, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the score along the last axis of `statistics`, for each of the other axes.

    Examples
    --------
    >>> score_rows(_core.MeanScore(), np.ones((3, 5, 2))).shape
    (3, 5)
    """
    dimension = score.dimension
    if statistics.ndim == 0 or statistics.shape[-1] != dimension:
        raise DataError(
            f"expected rows of {dimension} statistics, got an array of shape {statistics.shape}"
        )
    rows = np.ascontiguousarray(statistics, dtype=np.float64).reshape(-1, dimension)
    return score.rows(rows).reshape(statistics.shape[:-1])


@cache
def sacrebleu_version() -> str:
    """Return the version of the installed sacreBLEU, without importing it."""
    from importlib.metadata import version  # 2 MB that most uses of a metric do not need

    return version("sacrebleu")


def format_signature(references: References, version: str, **options: object) -> str:
    """Return ``key:value`` pairs joined by ``|``, version last, in sacreBLEU's form.

    True and False become yes and no; None is left out.

    Examples
    --------
    >>> format_signature(References([["a"]]), "2.6.0", case="mixed", eff=False, order=None)
    'nrefs:1|case:mixed|eff:no|version:2.6.0'
    """
    counts = references.counts
    items = {"nrefs": counts.pop() if len(counts) == 1 else "var", **options, "version": version}
    words = {True: "yes", False: "no"}
    return "|".join(
        f"{key}:{words[value] if isinstance(value, bool) else value}"
        for key, value in items.items()
        if value is not None
    )


def format_scores(scores: Sequence[float | None]) -> list[str]:
    """Format scores that are shown side by side; None becomes an empty string.

    Scores have two decimals as is usual for BLEU, or four if all are small, such as COMET's.

    Examples
    --------
    >>> format_scores([36.714, None, 0.251]), format_scores([0.80619, 0.8125])
    (['36.71', '', '0.25'], ['0.8062', '0.8125'])
    """
    given = [score for score in scores if score is not None]
    digits = 4 if all(abs(score) < 2 for score in given) else 2
    return ["" if score is None else f"{score:.{digits}f}" for score in scores]
