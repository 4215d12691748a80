"""Scores of one or several systems, with intervals and p-values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np

from hopefear.errors import ConfigError, DataError
from hopefear.evaluation.bootstrap import Comparison, Interval, compare, interval, resampled_sums
from hopefear.metrics import References, Statistics, TextMetric, metrics
from hopefear.settings import config

__all__ = ["Evaluation", "MetricResult", "SystemResult", "choose_metrics", "evaluate"]


def choose_metrics(
    names: Sequence[str], *, tokenize: str | None = None, lowercase: bool = False
) -> dict[str, TextMetric]:
    """Return the metrics with these names.

    Parameters
    ----------
    names : sequence of str
        Out of the registry `hopefear.metrics.metrics`.
    tokenize : str, optional
        For those that split texts into words themselves; an error if none does.
    lowercase : bool
        Ignore case, where that is not so in any case.

    Examples
    --------
    >>> choose_metrics(["bleu"], tokenize="none")["bleu"].tokenize
    'none'
    """
    shared = {"tokenize": tokenize, "lowercase": lowercase or None}
    chosen: dict[str, TextMetric] = {}
    unused = {option for option, value in shared.items() if value is not None}
    for name in names:
        kind = cast(Any, metrics[name])
        if not hasattr(kind, "prepare"):
            raise ConfigError(f"metric '{name}' does not compare texts with references")
        known = {field.name for field in fields(kind)}
        options = {
            key: value for key, value in shared.items() if value is not None and key in known
        }
        unused -= options.keys()
        if "case_sensitive" in known:
            unused -= {"lowercase"}  # it ignores case unless told otherwise
        chosen[name] = config.decode(kind, options, source=f"metric '{name}'")
    if unused:
        option, asked = sorted(unused)[0], ", ".join(names)
        raise ConfigError(f"the option '{option}' is for none of the chosen metrics: {asked}")
    return chosen


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """One system's score under one metric; `title` is what the metric is called in print.

    `interval` and, for all systems but the first, `against_first` come from the bootstrap.
    """

    score: float
    title: str
    signature: str
    interval: Interval | None = None
    against_first: Comparison | None = None

    def table(self) -> dict[str, object]:
        """Return the numbers as plain values, for JSON."""
        table: dict[str, object] = {"score": self.score, "signature": self.signature}
        if self.interval is not None:
            table["mean"] = self.interval.mean
            table["interval"] = [self.interval.low, self.interval.high]
        if self.against_first is not None:
            table["p_value"] = self.against_first.p_value
            table["wins"] = self.against_first.wins
        return table


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """One system's scores, by the names of the metrics."""

    name: str
    metrics: Mapping[str, MetricResult]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The scores of all systems; the first one is what the others are compared with."""

    systems: Sequence[SystemResult]
    sentences: int
    resamples: int
    seed: int

    def table(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
        return {
            "systems": [
                {
                    "name": system.name,
                    "metrics": {name: result.table() for name, result in system.metrics.items()},
                }
                for system in self.systems
            ],
            "sentences": self.sentences,
            "resamples": self.resamples,
            "seed": self.seed,
        }


def evaluate(
    systems: Sequence[tuple[str, Sequence[str]]],
    references: References,
    metrics: Mapping[str, TextMetric],
    *,
    resamples: int = 1000,
    seed: int = 12345,
    threads: int = 0,
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Evaluation:
    """Score systems and compare each with the first.

    Parameters
    ----------
    systems : sequence of (name, texts)
        One text for each sentence.
    references : References
        What they are compared with.
    metrics : mapping
        The metrics under the names by which results are found.
    resamples : int
        Test sets of the bootstrap; 0 for scores alone.
    seed : int
        Decides which test sets are drawn.
    threads : int
        0 for one per core. The result does not depend on it.
    tell : callable
        Called with a system and a metric, how many of them are done and how many there are.

    Examples
    --------
    >>> from hopefear.metrics import Bleu
    >>> references = References([["the cat sat on the mat"], ["a dog barks at the moon"]])
    >>> good, bad = ["the cat sat on a mat", "a dog barks at the moon"], ["a cat", "dogs bark"]
    >>> found = evaluate([("good", good), ("bad", bad)], references, {"bleu": Bleu()})
    >>> [round(system.metrics["bleu"].score, 2) for system in found.systems]
    [77.82, 0.0]
    """
    if not systems or not metrics:
        raise ConfigError("nothing to evaluate: give one system and one metric at least")
    if resamples < 0:
        raise ConfigError(f"resamples must be >= 0, got {resamples}")
    for name, texts in systems:
        if len(texts) != len(references):
            raise DataError(
                f"{name} has {len(texts)} sentences, but the references "
                f"({references.source or 'given'}) have {len(references)}"
            )
    if not len(references):
        raise DataError(f"{references.prefix}there are no sentences to evaluate")
    names = list(metrics)
    total, done = len(systems) * len(metrics), 0
    statistics: dict[str, list[Statistics]] = {}
    for name, metric in metrics.items():
        prepared = metric.prepare(references)
        statistics[name] = []
        for title, texts in systems:
            tell(f"{title}: {name}", done, total)
            statistics[name].append(prepared.statistics(texts, threads=threads))
            done += 1
    sums = _resampled(statistics, len(systems), resamples, seed)
    results = {
        name: _results(metrics[name], statistics[name], sums[name], references) for name in names
    }
    return Evaluation(
        systems=[
            SystemResult(name=title, metrics={name: results[name][i] for name in names})
            for i, (title, _) in enumerate(systems)
        ],
        sentences=len(references),
        resamples=resamples,
        seed=seed,
    )


def _resampled(
    statistics: Mapping[str, list[Statistics]], systems: int, resamples: int, seed: int
) -> dict[str, list[Statistics]]:
    """Return the resampled sums of each metric and system; all share the test sets."""
    if resamples == 0:
        return {name: [] for name in statistics}
    matrices = [matrix for name in statistics for matrix in statistics[name]]
    sums = resampled_sums(matrices, resamples=resamples, seed=seed)
    return {name: sums[i * systems : (i + 1) * systems] for i, name in enumerate(statistics)}


def _results(
    metric: TextMetric,
    statistics: list[Statistics],
    sums: list[Statistics],
    references: References,
) -> list[MetricResult]:
    title, signature = metric.name, metric.signature(references)
    scores = [float(metric.score(matrix.sum(axis=0))) for matrix in statistics]
    if not sums:
        return [MetricResult(score=score, title=title, signature=signature) for score in scores]
    resampled = [np.asarray(metric.score(matrix)) for matrix in sums]
    return [
        MetricResult(
            score=score,
            title=title,
            signature=signature,
            interval=interval(resampled[i]),
            against_first=compare(
                resampled[i],
                resampled[0],
                difference=score - scores[0],
                higher_is_better=metric.higher_is_better,
            )
            if i
            else None,
        )
        for i, score in enumerate(scores)
    ]
