"""Several runs that differ in their seeds: which weights to take, and how much was luck."""

from collections.abc import Sequence

import numpy as np

from hopefear.events import ReplicasFinished, RunFinished
from hopefear.runs.load import Loaded
from hopefear.types import Weights

__all__ = ["average_weights", "summarize_replicas"]


def average_weights(replicas: Sequence[Weights]) -> Weights:
    """Return the mean direction of the weights, at their mean length.

    Cettolo, Bertoldi and Federico (2011), Methods for smoothing the optimizer instability in SMT,
    MT Summit. The scale of weights does not matter to what they choose, and runs may end at very
    different ones; so each is brought to the same l1 norm before the mean is taken.

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
    replicas: Sequence[RunFinished], tuning: Loaded, dev: Loaded | None, *, average: bool
) -> ReplicasFinished:
    """Choose the best replica, or take the mean of all, and say how far apart they are.

    Clark et al. (2011), Better hypothesis testing for SMT: controlling for optimizer instability,
    ACL: how much of a result is luck.
    """
    data = tuning.candidates
    seen = [run.tuning_score for run in replicas if run.tuning_score is not None]
    held_out = [run.dev_score for run in replicas if run.dev_score is not None]
    chosen: int | None = None
    if average:
        weights = average_weights([run.weights for run in replicas])
    else:
        scores = np.array(held_out or seen)
        chosen = int(scores.argmax() if data.metric.higher_is_better else scores.argmin()) + 1
        weights = replicas[chosen - 1].weights
    judge = None if dev is None else dev.candidates
    return ReplicasFinished(
        metric=data.metric.name,
        weights=weights,
        replicas=len(replicas),
        chosen=chosen,
        tuning_score=data.score(weights.vector(data.feature_names)),
        dev_score=None if judge is None else judge.score(weights.vector(judge.feature_names)),
        tuning_mean=_mean(seen),
        tuning_deviation=_deviation(seen),
        dev_mean=_mean(held_out),
        dev_deviation=_deviation(held_out),
    )


def _mean(scores: Sequence[float]) -> float | None:
    return float(np.mean(scores)) if scores else None


def _deviation(scores: Sequence[float]) -> float | None:
    """Return the standard deviation, estimated from the sample."""
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None
