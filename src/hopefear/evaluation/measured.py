"""Statistics of the outputs of systems, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopefear.evaluation.bootstrap import compare, interval, resampled_sums
from hopefear.evaluation.randomization import (
    Exchange,
    deviation,
    shuffled_p,
)
from hopefear.evaluation.results import AgainstFirst, MetricResult
from hopefear.metrics import Bleu, References, Statistics, TextMetric, Wer
from hopefear.text.tokenizers import tokenizer

__all__ = ["Measured", "Outputs"]

Outputs = Sequence[tuple[str, Sequence[Sequence[str]]]]
"""The name of each system and its replicas, each with a text for every sentence."""


class Measured:
    """The statistics of all sentences, by metric, system and replica.

    Parameters
    ----------
    systems, references, metrics, threads, tell
        As in `evaluate_systems`.
    """

    def __init__(
        self,
        systems: Outputs,
        references: References,
        metrics: Mapping[str, TextMetric],
        threads: int,
        tell: Callable[[str, int, int], None],
    ) -> None:
        self.systems, self.references, self.metrics = systems, references, metrics
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
        name = next((n for n, metric in self.metrics.items() if metric is self._bleu), None)
        if name is not None:
            own = self.statistics[name][system]
        else:
            prepared = self._bleu.prepare(self.references)
            texts = self.systems[system][1]
            own = [prepared.statistics(each, threads=self._threads) for each in texts]
        return float(np.mean([self._bleu.length_ratio(each) for each in own]))

    def words(self, text: str) -> list[str]:
        """Return the words of a text, as BLEU counts them."""
        text = text.lower() if self._bleu.lowercase else text
        return tokenizer(self._bleu.tokenize)(text.rstrip()).split()

    @cached_property
    def _bleu(self) -> Bleu:
        """The first BLEU among the metrics, or one with the tokenizer of another metric."""
        for metric in self.metrics.values():
            if isinstance(metric, Bleu):
                return metric
        tokenizers = [m.tokenize for m in self.metrics.values() if hasattr(m, "tokenize")]
        return Bleu(order=1, tokenize=tokenizers[0]) if tokenizers else Bleu(order=1)

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

    def shuffled_p(
        self, system: int, shuffles: int, seed: int, exchange: Exchange
    ) -> dict[str, float]:
        """Return the p-value of the difference from the first system, for each metric."""
        if not system or not shuffles:
            return {}
        sides = ([own[i] for own in self.statistics.values()] for i in (system, 0))
        found = shuffled_p(
            list(self.metrics.values()), *sides, shuffles=shuffles, seed=seed, exchange=exchange
        )
        return dict(zip(self.metrics, found, strict=True))

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
            signature=metric.signature(self.references),
            replicas=scores,
            optimizer_deviation=deviation(scores),
            deviation=_mean_deviation(resampled[system]) if resampled else None,
            interval=interval(means[system]) if means else None,
            against_first=against,
            parts=self._parts(metric, system),
            higher_is_better=metric.higher_is_better,
        )

    def _parts(self, metric: TextMetric, system: int) -> Mapping[str, float] | None:
        if not isinstance(metric, Wer):
            return None
        texts = self.systems[system][1]
        parts = [metric.parts(self.references, each, threads=self._threads) for each in texts]
        return {name: float(np.mean([part[name] for part in parts])) for name in parts[0]}


def _mean_deviation(resampled: Sequence[NDArray[np.float64]]) -> float:
    """Return the deviation of scores on resampled test sets: its mean over the replicas."""
    return float(np.mean([np.std(scores, ddof=len(scores) > 1) for scores in resampled]))
