"""The loop around a learner: a generator of events.

It asks the learner for one epoch after the other, measures each result on the tuning data and on
held-out data, keeps the best weights, and refuses results that are none.
"""

import time
from collections.abc import Iterator

import numpy as np

from hopefear import __version__
from hopefear.errors import LearningError
from hopefear.events import EpochFinished, Event, RunFinished, RunStarted, Warned
from hopefear.learners import Learner, ProgressCallback, TuningSet, learners
from hopefear.stopping import Stopping, Track
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["tune"]


def tune(
    data: TuningSet,
    learner: Learner,
    *,
    start: Weights,
    dev: TuningSet | None = None,
    seed: int = 1,
    stopping: Stopping | None = None,
    progress: ProgressCallback = lambda done, total: None,
) -> Iterator[Event]:
    """Learn weights from `data`; the last event is RunFinished with the weights to use.

    Parameters
    ----------
    data : TuningSet
        What the learner learns from.
    learner : Learner
        How it learns.
    start : Weights
        Where it starts; features that are not listed start at 0.
    dev : TuningSet, optional
        Data that the learner does not see: the epoch that is best on it is taken.
    seed : int
        The same seed and data give the same weights, bit for bit, for any number of threads.
    stopping : Stopping, optional
        When to end before all epochs are done.
    progress : callable
        Called within an epoch with how much is done and how much there is.
    """
    began = time.perf_counter()
    names = data.nbest.feature_names
    first = start.vector(names)
    yield RunStarted(
        name=_name(learner),
        version=__version__,
        metric=data.metric.name,
        epochs=learner.epochs,
        sentences=data.nbest.sentence_count,
        features=len(names),
        weights=Weights.from_vector(names, first),
    )
    if dev is None:
        yield Warned(
            message="no held-out data: the scores below are on the tuning data and flatter the "
            "weights; give a dev set to see what they are worth"
        )
    track = Track(stopping or Stopping(), higher_is_better=data.metric.higher_is_better)
    state, reason, epoch = learner.init(data, first), "all epochs done", 0
    for epoch in range(learner.epochs):
        since = time.perf_counter()
        following = learner.epoch(data, state, (seed, epoch), progress)
        if following is state:
            reason = "converged"
            break
        state = following
        w = _sound(learner.weights(state), data, epoch)
        finished = EpochFinished(
            epoch=epoch + 1,
            metric=data.metric.name,
            weights=Weights.from_vector(names, w),
            seconds=time.perf_counter() - since,
            tuning_score=data.score(w),
            dev_score=None if dev is None else dev.score(_aligned(w, names, dev)),
        )
        yield finished
        if track.add(finished):
            reason = track.reason
            break
    best = track.best
    if best is None or np.array_equal(best.weights.vector(names), first):
        raise LearningError(
            f"{_name(learner)} did not move the weights: they are as they started. "
            "Check that the features differ within the lists and that the metric tells the "
            "hypotheses apart, or try a larger step"
        )
    yield RunFinished(
        metric=data.metric.name,
        weights=best.weights,
        epochs=epoch + 1,
        best_epoch=best.epoch,
        seconds=time.perf_counter() - began,
        reason=reason,
        tuning_score=best.tuning_score,
        dev_score=best.dev_score,
    )


def _name(learner: Learner) -> str:
    return learners.name_of(type(learner))


def _aligned(w: FloatArray, names: Vocabulary, other: TuningSet) -> FloatArray:
    """Return the weights in the order of another set's features."""
    if other.nbest.feature_names is names:
        return w
    return Weights.from_vector(names, w).vector(other.nbest.feature_names)


def _sound(w: FloatArray, data: TuningSet, epoch: int) -> FloatArray:
    """Return `w`, unless it is no result: not finite, all zero, or grown beyond all measure."""
    names = data.nbest.feature_names
    wrong = np.flatnonzero(~np.isfinite(w))
    if wrong.size:
        raise LearningError(
            f"epoch {epoch + 1}: the weight of '{names[int(wrong[0])]}' became {w[wrong[0]]}; "
            "a smaller step, a regularizer or scaled features would do"
        )
    if not w.any():
        raise LearningError(
            f"epoch {epoch + 1}: all weights became zero, so that no hypothesis is better than "
            "another; a weaker regularizer or other start weights would do"
        )
    largest = int(np.abs(w).argmax())
    if abs(w[largest]) > 1e15:
        raise LearningError(
            f"epoch {epoch + 1}: the weight of '{names[largest]}' grew to {w[largest]:.3g}; a "
            "smaller step or a stronger regularizer would do"
        )
    return w
