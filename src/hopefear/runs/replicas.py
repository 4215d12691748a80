"""Several runs that differ in their seeds only: how much of a result is luck, and less of it.

Clark et al. (2011), Better hypothesis testing for SMT: controlling for optimizer instability, ACL.
Cettolo, Bertoldi and Federico (2011), Methods for smoothing the optimizer instability in SMT, MT
Summit: the mean of the weights.
"""

from collections.abc import Sequence

import numpy as np

from hopefear.events import ReplicasFinished, RunFinished
from hopefear.learners import TuningData
from hopefear.types import Weights

__all__ = ["average_weights", "summarize_replicas"]


def average_weights(replicas: Sequence[Weights]) -> Weights:
    """Return the mean direction of the weights, at their mean length.

    The scale of weights does not matter to what they choose, and runs may end at very different
    ones; so each is brought to the same l1 norm before the mean is taken.

    Examples
    --------
    >>> average_weights([Weights({"lm": 1.0, "tm": 1.0}), Weights({"lm": 60.0, "tm": 20.0})])
    Weights(lm=25.625, tm=15.375)
    """
    norms = [weights.norm(1) for weights in replicas]
    total = Weights()
    for weights, norm in zip(replicas, norms, strict=True):
        total = total + weights / norm
    return total * float(np.mean(norms)) / len(replicas)


def summarize_replicas(
    replicas: Sequence[RunFinished], data: TuningData, dev: TuningData | None, *, average: bool
) -> ReplicasFinished:
    """Choose the best replica, or take the mean of all, and say how far they are apart."""
    tuning = _numbers([run.tuning_score for run in replicas])
    held_out = _numbers([run.dev_score for run in replicas])
    chosen: int | None = None
    if average:
        weights = average_weights([run.weights for run in replicas])
    else:
        scores = np.array(held_out or tuning)
        chosen = int(scores.argmax() if data.metric.higher_is_better else scores.argmin()) + 1
        weights = replicas[chosen - 1].weights
    return ReplicasFinished(
        metric=data.metric.name,
        weights=weights,
        replicas=len(replicas),
        chosen=chosen,
        tuning_score=data.score(weights.vector(data.feature_names)),
        dev_score=None if dev is None else dev.score(weights.vector(dev.feature_names)),
        tuning_mean=_mean(tuning),
        tuning_deviation=_deviation(tuning),
        dev_mean=_mean(held_out),
        dev_deviation=_deviation(held_out),
    )


def _numbers(scores: Sequence[float | None]) -> list[float]:
    return [score for score in scores if score is not None]


def _mean(scores: Sequence[float]) -> float | None:
    return float(np.mean(scores)) if scores else None


def _deviation(scores: Sequence[float]) -> float | None:
    """Return the standard deviation, estimated from the sample."""
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None
