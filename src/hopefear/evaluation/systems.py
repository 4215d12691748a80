"""Scores of one or more systems, with confidence intervals and p-values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import ConfigError, DataError
from hopefear.evaluation.bootstrap import compare, interval, resampled_sums
from hopefear.evaluation.randomization import deviation, shuffled_sums, two_sided_p
from hopefear.evaluation.results import AgainstFirst, Evaluation, MetricResult, SystemResult
from hopefear.metrics import Bleu, References, Statistics, TextMetric, Wer, metrics
from hopefear.settings import config

__all__ = ["choose_metrics", "evaluate"]

Outputs = Sequence[tuple[str, Sequence[Sequence[str]]]]
"""The name of each system and its replicas, each with a text for every sentence."""


def choose_metrics(
    names: Sequence[str], *, tokenize: str | None = None, lowercase: bool = False
) -> dict[str, TextMetric]:
    """Return the metrics with these names.

    Parameters
    ----------
    names : sequence of str
        Names in the registry `hopefear.metrics.metrics`, also several separated by commas.
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
    for name in (part.strip() for given in names for part in given.split(",")):
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


def evaluate(
    systems: Outputs,
    references: References,
    metrics: Mapping[str, TextMetric],
    *,
    resamples: int = 1000,
    shuffles: int = 10_000,
    seed: int = 12345,
    threads: int = 0,
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Evaluation:
    """Score systems and compare each with the first.

    Parameters
    ----------
    systems : sequence of (name, replicas)
        The name of each system and the outputs of its optimizer replicas, which are one or more
        lists with a text for every sentence.
    references : References
        The references of the sentences.
    metrics : mapping
        The metrics by name; results have the same names.
    resamples : int
        The number of test sets of the bootstrap; 0 for none.
    shuffles : int
        The number of shuffles of approximate randomization; 0 for none.
    seed : int
        Seed of both.
    threads : int
        The number of threads; 0 for one per core. It does not change the result.
    tell : callable
        Progress callback, called with the system and metric, the number done and the total.

    Examples
    --------
    >>> from hopefear.metrics import Bleu
    >>> references = References([["the cat sat on the mat"], ["a dog barks at the moon"]])
    >>> good, bad = ["the cat sat on a mat", "a dog barks at the moon"], ["a cat", "dogs bark"]
    >>> found = evaluate([("good", [good]), ("bad", [bad])], references, {"bleu": Bleu()})
    >>> [round(system.metrics["bleu"].score, 2) for system in found.systems]
    [77.82, 0.0]
    """
    _check(systems, references, metrics, {"resamples": resamples, "shuffles": shuffles})
    found = Measured(systems, references, metrics, threads, tell)
    resampled = found.resampled(resamples, seed)
    shuffled = [found.shuffled_p(i, shuffles, seed) for i in range(len(systems))]
    return Evaluation(
        systems=[
            SystemResult(
                name=title,
                metrics={
                    name: found.result(name, i, resampled.get(name), shuffled[i].get(name))
                    for name in metrics
                },
                length_ratio=found.length_ratio(i),
            )
            for i, (title, _) in enumerate(systems)
        ],
        sentences=len(references),
        resamples=resamples,
        shuffles=shuffles,
        seed=seed,
    )


def _check(
    systems: Outputs,
    references: References,
    metrics: Mapping[str, TextMetric],
    counts: Mapping[str, int],
) -> None:
    if not systems or not metrics:
        raise ConfigError("nothing to evaluate: give at least one system and one metric")
    for what, count in counts.items():
        if count < 0:
            raise ConfigError(f"{what} must be >= 0, got {count}")
    for name, replicas in systems:
        if not replicas:
            raise DataError(f"{name} has no output")
        for number, texts in enumerate(replicas, 1):
            if len(texts) != len(references):
                which = f"replica {number} of {name}" if len(replicas) > 1 else name
                raise DataError(
                    f"{which} has {len(texts)} sentences, but the references "
                    f"({references.source or 'given'}) have {len(references)}"
                )
    if not len(references):
        raise DataError(f"{references.prefix}no sentences to evaluate")


class Measured:
    """The statistics of all sentences, by metric, system and replica.

    Parameters
    ----------
    systems, references, metrics, threads, tell
        As in `evaluate`.
    """

    def __init__(
        self,
        systems: Outputs,
        references: References,
        metrics: Mapping[str, TextMetric],
        threads: int,
        tell: Callable[[str, int, int], None],
    ) -> None:
        self._systems, self._references, self.metrics = systems, references, metrics
        self._threads = threads
        self.statistics: dict[str, list[list[Statistics]]] = {}
        done, total = 0, len(metrics) * sum(len(replicas) for _, replicas in systems)
        for name, metric in metrics.items():
            prepared = metric.prepare(references)
            self.statistics[name] = []
            for title, replicas in systems:
                own = []
                for texts in replicas:
                    tell(f"{title}: {name}", done, total)
                    own.append(prepared.statistics(texts, threads=threads))
                    done += 1
                self.statistics[name].append(own)

    def scores(self, name: str, system: int) -> list[float]:
        """Return the score of each replica of a system."""
        metric = self.metrics[name]
        return [float(metric.score(m.sum(axis=0))) for m in self.statistics[name][system]]

    def length_ratio(self, system: int) -> float:
        """Return the words of a system, divided by those of the references: BLEU's ratio."""
        for name, metric in self.metrics.items():
            if isinstance(metric, Bleu):
                own = self.statistics[name][system]
                break
        else:
            chosen = [m.tokenize for m in self.metrics.values() if hasattr(m, "tokenize")]
            metric = Bleu(order=1, **({"tokenize": chosen[0]} if chosen else {}))
            prepared = metric.prepare(self._references)
            texts = self._systems[system][1]
            own = [prepared.statistics(each, threads=self._threads) for each in texts]
        return float(np.mean([metric.length_ratio(each) for each in own]))

    def resampled(self, resamples: int, seed: int) -> dict[str, list[list[NDArray[np.float64]]]]:
        """Return the scores of each system's replicas on the same resampled test sets."""
        if not resamples:
            return {}
        matrices = [m for name in self.metrics for own in self.statistics[name] for m in own]
        sums = iter(resampled_sums(matrices, resamples=resamples, seed=seed))
        return {
            name: [[metric.score(next(sums)) for _ in own] for own in self.statistics[name]]
            for name, metric in self.metrics.items()
        }

    def shuffled_p(self, system: int, shuffles: int, seed: int) -> dict[str, float]:
        """Return the p-value of the difference from the first system, for each metric."""
        if not system or not shuffles:
            return {}
        # All metrics see the same shuffles: their statistics stand side by side.
        sides = [
            [
                np.hstack(each)
                for each in zip(*(m[i] for m in self.statistics.values()), strict=True)
            ]
            for i in (system, 0)
        ]
        widths = [own[0][0].shape[1] for own in self.statistics.values()]
        ends = np.cumsum(widths)[:-1]
        sums = shuffled_sums(sides[0], sides[1], shuffles=shuffles, seed=seed)
        first, second = (np.split(side, ends, axis=1) for side in sums)
        observed = [np.split(np.sum([m.sum(axis=0) for m in side], axis=0), ends) for side in sides]
        return {
            name: two_sided_p(metric, (first[i], second[i]), (observed[0][i], observed[1][i]))
            for i, (name, metric) in enumerate(self.metrics.items())
        }

    def result(
        self,
        name: str,
        system: int,
        resampled: Sequence[Sequence[NDArray[np.float64]]] | None,
        shuffled: float | None,
    ) -> MetricResult:
        """Return what one metric says of one system, given p-value and scores of resampling."""
        metric = self.metrics[name]
        scores = self.scores(name, system)
        score = float(np.mean(scores))
        # What one could have had with another test set, whichever replica is chosen: the mean.
        means = None if resampled is None else [np.mean(own, axis=0) for own in resampled]
        against = None
        if system:
            difference = score - float(np.mean(self.scores(name, 0)))
            drawn = None
            if means is not None:
                drawn = compare(
                    means[system],
                    means[0],
                    difference=difference,
                    higher_is_better=metric.higher_is_better,
                )
            against = AgainstFirst(
                difference=difference,
                p_randomization=shuffled,
                p_bootstrap=None if drawn is None else drawn.p_value,
                wins=None if drawn is None else drawn.wins,
            )
        return MetricResult(
            score=score,
            title=metric.name,
            signature=metric.signature(self._references),
            replicas=scores,
            optimizer_deviation=deviation(scores),
            deviation=_mean_deviation(resampled[system]) if resampled else None,
            interval=interval(means[system]) if means else None,
            against_first=against,
            parts=self._parts(metric, system),
        )

    def _parts(self, metric: TextMetric, system: int) -> Mapping[str, float] | None:
        if not isinstance(metric, Wer):
            return None
        texts = self._systems[system][1]
        parts = [metric.parts(self._references, each, threads=self._threads) for each in texts]
        return {name: float(np.mean([part[name] for part in parts])) for name in parts[0]}


def _mean_deviation(resampled: Sequence[NDArray[np.float64]]) -> float:
    """Return the deviation of scores on resampled test sets: its mean over the replicas."""
    return float(np.mean([np.std(scores, ddof=len(scores) > 1) for scores in resampled]))
