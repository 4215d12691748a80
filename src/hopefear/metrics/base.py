"""What a metric is: statistics that add up over sentences, and a score computed from their sum.

Scores that people read (:meth:`Metric.score`, :class:`Score`) are as sacreBLEU prints them: BLEU,
chrF and TER from 0 to 100, TER and WER the better the lower. What learners use
(:meth:`Metric.gains`, and everything in the core) is a fraction, and higher is always better.
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
    """A corpus score together with what is needed to reproduce it.

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
    """Statistics that add up over sentences, and what is computed from them.

    A metric is a frozen dataclass of its options.
    """

    @property
    def name(self) -> str:
        """The name that is printed with a score."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher `score` is better; `gains` are always the better the higher."""

    @property
    def perfect_gain(self) -> float | None:
        """What a hypothesis without a mistake gains; None if there is no such thing."""

    def corpus_score(self) -> _core.CorpusScore:
        """Return the score as the core computes it: a fraction, higher is better.

        Its ``dimension`` is how many numbers the statistics of a hypothesis are.
        """

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the corpus score of summed statistics, as it is printed.

        The last axis of `statistics` is the metric's dimension; the others are kept.
        """

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return what each hypothesis is worth on its own: a fraction, higher is better."""


class Prepared(Protocol):
    """References, prepared for one metric: it computes the statistics of hypotheses."""

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
            Texts in any order, any number of them for each sentence, or n-best lists.
        sentences : array of int64, optional
            The sentence that each text translates. If not given, there is one text for each
            sentence, in order.
        threads : int
            0 for one per core. The result does not depend on it.
        """

    def set_statistics(self, lists: NBest, *, threads: int = 0) -> None:
        """Compute the statistics of n-best lists and store them there."""


class TextMetric(Metric, Protocol):
    """A metric that compares texts with references, which are prepared once for many of them."""

    def prepare(self, references: References) -> Prepared:
        """Return the references in the form in which statistics are computed."""

    def signature(self, references: References) -> str:
        """Return the options that matter to the score, in sacreBLEU's form."""


def evaluate(metric: TextMetric, hypotheses: Sequence[str], references: References) -> Score:
    """Return the corpus score of one hypothesis for each sentence.

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


@cache
def sacrebleu_version() -> str:
    """Return the version of the sacreBLEU that is installed, without loading it."""
    from importlib.metadata import version  # 2 MB that most uses of a metric do without

    return version("sacrebleu")


def format_signature(references: References, version: str, **options: object) -> str:
    """Put a signature together; True and False are written as yes and no, None is left out.

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
    """Return scores that are shown side by side; an empty text where there is none.

    Two digits behind the point are what people know of BLEU; of scores from 0 to 1, such as a mean
    of judgements, they would show nothing.

    Examples
    --------
    >>> format_scores([36.714, None, 0.251]), format_scores([0.80619, 0.8125])
    (['36.71', '', '0.25'], ['0.8062', '0.8125'])
    """
    given = [score for score in scores if score is not None]
    digits = 4 if all(abs(score) < 2 for score in given) else 2
    return ["" if score is None else f"{score:.{digits}f}" for score in scores]
