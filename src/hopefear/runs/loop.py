"""The loop around a learner: a generator of events.

It asks the learner for one epoch after the other, measures each result on the tuning data and on
held-out data, keeps the best weights, and refuses results that are none.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import numpy as np

from hopefear import __version__
from hopefear.events import (
    CheckpointWritten,
    EpochFinished,
    Event,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
)
from hopefear.learners import (
    EpochFigures,
    Figured,
    Learner,
    ProgressCallback,
    TuningData,
    misfit,
)
from hopefear.metrics import Bleu, Metric
from hopefear.runs.checkpoint import CheckpointFile, Position
from hopefear.runs.result_guards import check_better, check_moved, check_start_size, check_weights
from hopefear.runs.stopping import Stopping, Track
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["learn"]

STUCK = 3  # epochs without a change that are worth a warning


def learn(
    data: TuningData,
    learner: Learner,
    *,
    start: Weights,
    name: str,
    dev: TuningData | None = None,
    seed: int = 1,
    stopping: Stopping | None = None,
    progress: ProgressCallback = lambda done, total: None,
    checkpoint: CheckpointFile | None = None,
) -> Iterator[Event]:
    """Learn weights from `data`; the last event is RunFinished with the weights to use.

    Parameters
    ----------
    data : TuningData
        What the learner learns from.
    learner : Learner
        How it learns.
    start : Weights
        Where it starts; features that are not listed start at 0.
    name : str
        What the run calls its learner.
    dev : TuningData, optional
        Data that the learner does not see: the epoch that is best on it is taken.
    seed : int
        The same seed and data give the same weights, bit for bit, for any number of threads.
    stopping : Stopping, optional
        When to end before all epochs are done.
    progress : callable
        Called within an epoch with how much is done and how much there is.
    checkpoint : CheckpointFile, optional
        Where to keep the state after every epoch. If there is one from an earlier run, which was
        stopped, this run goes on from there, and ends where that one would have ended.
    """
    if not isinstance(data, learner.learns_from):
        raise misfit(name, learner, type(data))
    began = time.perf_counter()
    names = data.feature_names
    first = start.vector(names)
    check_start_size(first, data)
    position = Position(state=learner.init(data, first), previous=first)
    if checkpoint is not None:
        position = checkpoint.load(position, data)
        began -= position.seconds
    if position.epoch:
        yield RunResumed(epoch=position.epoch + 1, started=_now())
    else:
        started = _started(data, dev, learner, first, name=name, seed=seed)
        position = replace(position, start_score=_deciding(started))
        yield started
    track = Track(stopping or Stopping(), higher_is_better=data.metric.higher_is_better)
    track.restore(position.best, position.held_out, position.reason)
    while not track.reason and position.epoch < learner.epochs:
        epoch = _next_epoch(data, dev, learner, position, seed, progress)
        if epoch is None:
            break
        position, event = epoch
        if position.repeated == STUCK:
            message = f"the last {STUCK} epochs, up to {position.epoch}, changed nothing"
            yield Warned(message=message)
        yield event
        track.add(event)
        if checkpoint is not None:
            position = replace(
                position,
                best=track.best,
                held_out=track.held_out,
                reason=track.reason,
                seconds=time.perf_counter() - began,
            )
            checkpoint.save(position, data)
            yield CheckpointWritten(epoch=position.epoch, path=str(checkpoint.path))
    best = check_moved(name, track.best, start, data)
    role = "tuning" if dev is None else "dev"
    for message in check_better(data.metric, position.start_score, _deciding(best), role):
        yield Warned(message=message)
    done = position.epoch == learner.epochs
    yield RunFinished(
        metric=data.metric.name,
        weights=best.weights,
        epochs=position.epoch,
        best_epoch=best.epoch,
        seconds=time.perf_counter() - began,
        reason=track.reason or ("all epochs done" if done else "converged"),
        tuning_score=best.tuning_score,
        dev_score=best.dev_score,
    )


def _next_epoch(
    data: TuningData,
    dev: TuningData | None,
    learner: Learner,
    position: Position,
    seed: int,
    progress: ProgressCallback,
) -> tuple[Position, EpochFinished] | None:
    """Return where the run is after one more epoch, and how that was; None if there is none."""
    since, epoch = time.perf_counter(), position.epoch
    state = learner.epoch(data, position.state, (seed, epoch), progress)
    if state is position.state:
        return None
    weights = learner.weights(state)
    w = check_weights(weights, data.feature_names, data.feature_spread, epoch + 1)
    # A line search may find nothing once, but then it has other directions to try.
    repeated = position.repeated + 1 if np.array_equal(w, position.previous) else 0
    seconds = time.perf_counter() - since
    figures = learner.figures(state) if isinstance(learner, Figured) else None
    following = replace(position, state=state, previous=w, epoch=epoch + 1, repeated=repeated)
    return following, _finished(data, dev, w, figures, epoch=epoch + 1, seconds=seconds)


def _finished(
    data: TuningData,
    dev: TuningData | None,
    w: FloatArray,
    figures: EpochFigures | None,
    *,
    epoch: int,
    seconds: float,
) -> EpochFinished:
    """Measure the weights of an epoch.

    Where there is held-out data, what an online learner translated on its way is measure enough of
    the tuning data, and nothing is translated twice.
    """
    names, metric = data.feature_names, data.metric
    tuning = data.chosen(w) if dev is None or figures is None else figures.statistics
    held_out = None if dev is None else dev.chosen(_aligned(w, names, dev))
    event = EpochFinished(
        epoch=epoch,
        metric=metric.name,
        weights=_named(w, names),
        seconds=seconds,
        tuning_score=float(metric.score(tuning)),
        dev_score=None if held_out is None else float(metric.score(held_out)),
        length_ratio=_length_ratio(metric, tuning if held_out is None else held_out),
    )
    if figures is None:
        return event
    return replace(
        event,
        updates=figures.updates,
        violation=figures.violation,
        working_set=figures.working_set,
        sentences_per_second=figures.sentences_per_second,
    )


def _deciding(event: RunStarted | EpochFinished) -> float:
    """Return the score on the dev data, or on the tuning data if there is none."""
    score = event.tuning_score if event.dev_score is None else event.dev_score
    return cast(float, score)


def _length_ratio(metric: Metric, statistics: FloatArray) -> float | None:
    return metric.length_ratio(statistics) if isinstance(metric, Bleu) else None


def _started(
    data: TuningData,
    dev: TuningData | None,
    learner: Learner,
    first: FloatArray,
    *,
    name: str,
    seed: int,
) -> RunStarted:
    names = data.feature_names
    started = RunStarted(
        name=name,
        version=__version__,
        metric=data.metric.name,
        epochs=learner.epochs,
        sentences=data.sentence_count,
        features=len(names),
        weights=_named(first, names),
        started=_now(),
        seed=seed,
        hypotheses=data.hypothesis_count,
        tuning_score=data.score(first),
        tuning_oracle=data.oracle_score,
    )
    if dev is None:
        return started
    score = dev.score(_aligned(first, names, dev))
    return replace(started, dev_score=score, dev_oracle=dev.oracle_score)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _aligned(w: FloatArray, names: Vocabulary, other: TuningData) -> FloatArray:
    """Return the weights in the order of another set's features."""
    if other.feature_names is names:
        return w
    return _named(w, names).vector(other.feature_names)


def _named(w: FloatArray, names: Vocabulary) -> Weights:
    """Return the weights by their names; features that were met after them have none."""
    return Weights.from_arrays(names.texts()[: len(w)], w)
