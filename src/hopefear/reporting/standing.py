"""Where runs stand: before and after, how much of it is luck, and which run is best."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from hopefear.evaluation.randomization import compare_replicas
from hopefear.metrics import metrics
from hopefear.reporting.run_record import RunRecord
from hopefear.runs.sentences import Sentences
from hopefear.types import FloatArray

__all__ = ["ROLES", "SHUFFLES", "Standing", "best_of", "format_p", "same_sentences", "standings"]

SHUFFLES = 1000  # of approximate randomization
ROLES = {"dev": "held-out", "tuning": "tuning"}  # what readers call the data that judge a run


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The scores of a run on the data that judge it: the dev data, or else the tuning data.

    `mean` and `deviation` are over replicas; the mean of a single run is its score. `against_start`
    and `against_best` are p-values, None where the translations are not known.
    """

    run: RunRecord
    metric: str
    signature: str
    role: str
    sentences: int
    higher_is_better: bool
    start: float | None
    result: float | None
    mean: float | None
    deviation: float | None
    oracle: float | None
    against_start: float | None = None
    against_best: float | None = None
    best: bool = False

    @property
    def name(self) -> str:
        """The run's name."""
        return self.run.name

    @property
    def data(self) -> tuple[str, str, str, int]:
        """What has to be the same for runs to be compared."""
        return self.metric, self.signature, self.role, self.sentences

    @property
    def change(self) -> float | None:
        """How much higher the result is than the start."""
        if self.start is None or self.result is None:
            return None
        return self.result - self.start

    @property
    def way(self) -> float | None:
        """The share of the way from the start to the oracle that the result has come."""
        if self.change is None or self.oracle is None or self.start is None:
            return None
        room = self.oracle - self.start
        return self.change / room if room else None


def standings(runs: Sequence[RunRecord]) -> list[Standing]:
    """Return where each run that started stands; of several on the same data, one is the best."""
    found = [_standing(run) for run in runs if run.started is not None]
    groups: dict[object, list[int]] = {}
    for i, one in enumerate(found):
        groups.setdefault(one.data, []).append(i)
    for group in groups.values():
        ended = [i for i in group if found[i].mean is not None]
        if len(ended) < min(2, len(found)):
            continue
        first = max(ended, key=lambda i: _worth(found[i]))
        found[first] = replace(found[first], best=True)
        for i in ended:
            if i != first:
                p = _p_value(found[first].run.sentences, found[i].run.sentences)
                found[i] = replace(found[i], against_best=p)
    return found


def best_of(found: Sequence[Standing]) -> Standing | None:
    """Return the best run; of runs on different data, that of the first data with several."""
    return next((one for one in found if one.best), None)


def _worth(standing: Standing) -> float:
    mean = 0.0 if standing.mean is None else standing.mean
    return mean if standing.higher_is_better else -mean


def _standing(run: RunRecord) -> Standing:
    started, end, summary = run.started, run.summary or run.log.finished, run.summary
    assert started is not None
    role = "tuning" if started.dev_score is None else "dev"
    result = getattr(end, f"{role}_score", None)
    if result is None and not run.replicas and run.log.epochs:  # the best so far
        scores = [getattr(event, f"{role}_score") for event in run.log.epochs]
        known = [score for score in scores if score is not None]
        best = max if _higher_is_better(run) else min
        result = best(known, default=None)
    sentences = run.sentences
    return Standing(
        run=run,
        metric=started.metric,
        signature=started.signature,
        role=role,
        sentences=started.sentences,
        higher_is_better=_higher_is_better(run),
        start=getattr(started, f"{role}_score"),
        result=result,
        mean=getattr(summary, f"{role}_mean", None) if summary else result,
        deviation=getattr(summary, f"{role}_deviation", None),
        oracle=getattr(started, f"{role}_oracle"),
        against_start=None
        if sentences is None
        else _randomized(_outputs(sentences), [sentences.start], sentences),
    )


def _higher_is_better(run: RunRecord) -> bool:
    if run.sentences is not None:
        return run.sentences.metric.higher_is_better
    assert run.started is not None
    return _directions().get(run.started.metric, True)


@cache
def _directions() -> Mapping[str, bool]:
    """Return whether more is better, by the printed names of metrics."""
    found = {}
    for name in metrics:
        with suppress(TypeError):  # one that has no defaults
            metric = metrics[name]()
            found[metric.name] = metric.higher_is_better
    return found


def same_sentences(one: Sentences, other: Sentences) -> bool:
    """Return whether two runs are judged by the same sentences, as far as is known."""
    same = one.role == other.role and one.metric == other.metric
    return same and np.array_equal(one.lengths, other.lengths)


def _outputs(sentences: Sentences) -> Sequence[FloatArray]:
    """Return the statistics of each replica, or of the only run."""
    return sentences.replicas or [sentences.result]


def _p_value(best: Sentences | None, other: Sentences | None) -> float | None:
    """Return how likely so large a difference is by chance, if both judge the same sentences."""
    if best is None or other is None or not same_sentences(best, other):
        return None
    return _randomized(_outputs(best), _outputs(other), best)


def _randomized(
    system: Sequence[FloatArray], baseline: Sequence[FloatArray], sentences: Sentences
) -> float:
    return compare_replicas(system, baseline, sentences.metric, shuffles=SHUFFLES).p_value


def format_p(p: float | None) -> str:
    """Return a p-value as it is printed.

    Examples
    --------
    >>> format_p(1 / 1001), format_p(0.0123), format_p(0.5164), format_p(None)
    ('< 0.001', '0.012', '0.52', '')
    """
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
