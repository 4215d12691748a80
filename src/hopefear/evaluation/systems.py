"""Scores of one or more systems, with confidence intervals and p-values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from hopefear.errors import ConfigError, DataError
from hopefear.evaluation.bootstrap import Comparison, Interval, compare, interval, resampled_sums
from hopefear.metrics import References, Statistics, TextMetric, Wer, metrics
from hopefear.settings import config

__all__ = ["Evaluation", "MetricResult", "SystemResult", "choose_metrics", "evaluate"]


def choose_metrics(
    names: Sequence[str], *, tokenize: str | None = None, lowercase: bool = False
) -> dict[str, TextMetric]:
    """Return the metrics with these names.

    Parameters
    ----------
    names : sequence of str
        Names in the registry `hopefear.metrics.metrics`.
    tokenize : str, optional
        The tokenizer of metrics that have one; an error if none has.
    lowercase : bool
        Ignore case.

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
            usable = ", ".join(n for n in metrics if hasattr(metrics[n], "prepare"))
            raise ConfigError(
                f"metric '{name}' does not compare texts with references; use one of: {usable}"
            )
        known = {field.name for field in fields(kind)}
        options = {
            key: value for key, value in shared.items() if value is not None and key in known
        }
        unused -= options.keys()
        if "case_sensitive" in known:
            unused -= {"lowercase"}  # it ignores case by default
        chosen[name] = config.decode(kind, options, source=f"metric '{name}'")
    if unused:
        option, asked = sorted(unused)[0], ", ".join(names)
        raise ConfigError(f"none of the chosen metrics ({asked}) has the option '{option}'")
    return chosen


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """One system's score under one metric; `title` is the printed name of the metric.

    The bootstrap gives `interval` and, for all systems but the first, `against_first`. `parts` is
    what an error rate is made of: insertions, deletions and substitutions.
    """

    score: float
    title: str
    signature: str
    parts: Mapping[str, float] | None = None
    interval: Interval | None = None
    against_first: Comparison | None = None

    def table(self) -> dict[str, object]:
        """Return the numbers as plain values, for JSON."""
        table: dict[str, object] = {"score": self.score, "signature": self.signature}
        if self.parts is not None:
            table["parts"] = dict(self.parts)
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
    """The scores of all systems; the first one is the baseline of the others."""

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
        The name of each system and its texts, one per sentence.
    references : References
        The references of the sentences.
    metrics : mapping
        The metrics by name; results have the same names.
    resamples : int
        The number of test sets of the bootstrap; 0 for scores only.
    seed : int
        Seed of the bootstrap.
    threads : int
        The number of threads; 0 for one per core. It does not change the result.
    tell : callable
        Progress callback, called with the system and metric, the number done and the total.

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
        raise ConfigError("nothing to evaluate: give at least one system and one metric")
    if resamples < 0:
        raise ConfigError(f"resamples must be >= 0, got {resamples}")
    for name, texts in systems:
        if len(texts) != len(references):
            raise DataError(
                f"{name} has {len(texts)} sentences, but the references "
                f"({references.source or 'given'}) have {len(references)}"
            )
    if not len(references):
        raise DataError(f"{references.prefix}no sentences to evaluate")
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
    for name, metric in metrics.items():
        if isinstance(metric, Wer):
            results[name] = [
                replace(result, parts=metric.parts(references, texts, threads=threads))
                for result, (_, texts) in zip(results[name], systems, strict=True)
            ]
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
    """Return the resampled sums of each metric and system, from the same test sets."""
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
