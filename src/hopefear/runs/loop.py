"""The loop of a run: a generator of events.

It goes through the course epoch by epoch, measures each result on the tuning data and on held-out
data, keeps the best weights, and refuses degenerate results.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NoReturn, cast

import numpy as np

from hopefear import __version__
from hopefear.candidates import Aside, Candidates
from hopefear.events import (
    CheckpointWritten,
    CrossValidated,
    EpochFinished,
    Event,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
)
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Pass
from hopefear.rhythm import ProgressCallback
from hopefear.runs.checkpoint import CheckpointFile, Position
from hopefear.runs.course import Course
from hopefear.runs.environment import peak_memory
from hopefear.runs.result_guards import check_better, check_moved, check_start_size, check_weights
from hopefear.runs.stopping import Stopping, Track
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["About", "learn"]

STUCK = 3  # epochs without a change that are worth a warning


@dataclass(frozen=True, kw_only=True)
class About:
    """What a run says of itself when it starts; see `RunStarted`."""

    name: str
    seed: int = 1
    signature: str = ""
    replica: int | None = None
    reading_seconds: float | None = None
    reading_memory: int | None = None
    regressed: bool = False  # whether the start was learned, so that it may be the best result


def learn(
    course: Course,
    start: Weights,
    about: About,
    *,
    dev: Candidates | None = None,
    stopping: Stopping | None = None,
    progress: ProgressCallback = lambda done, total: None,
    checkpoint: CheckpointFile | None = None,
    validated: CrossValidated | None = None,
) -> Iterator[Event]:
    """Learn weights; the last event is RunFinished with the weights to use.

    Parameters
    ----------
    course : Course
        What to learn, from what, and how.
    start : Weights
        Where to start; features that are not listed start at 0.
    about : About
        What the run says of itself.
    dev : Candidates, optional
        Data that the learner does not see: the epoch that is best on it is taken.
    stopping : Stopping, optional
        When to end before all epochs are done.
    progress : callable
        Called within an epoch with how much is done and how much there is.
    checkpoint : CheckpointFile, optional
        Where to keep the state after every epoch. A run resumes from one that is there, and ends
        where the run that was stopped would have ended.
    validated : CrossValidated, optional
        Cross-validation, by which the last epoch is chosen.
    """
    began = time.perf_counter()
    data, first = course.data, start.vector(course.data.feature_names)
    check_start_size(first, data)
    if checkpoint is None:
        position = Position(state=course.start(first), previous=first)
    else:
        position = checkpoint.load(first, course)
        began -= position.seconds
    if position.epoch:
        yield RunResumed(epoch=position.epoch + 1, started=_now())
    else:
        started = _started(course, dev, first, about)
        position = replace(position, start_score=_deciding(started))
        yield started
        yield from () if validated is None else (validated,)
        if about.regressed:
            position = replace(position, best=_zeroth(started))
    last = None if validated is None else validated.epoch
    track = Track(stopping or Stopping(), data.metric.higher_is_better, last=last)
    track.restore(position.best, position.held_out, position.reason)
    ahead: _Learned | None = None
    saved = -math.inf  # the first epoch is kept at once
    with _ending(dev):
        while not track.reason and position.epoch < course.epochs:
            epoch = position.epoch
            found, seconds = (ahead or _learned(course, position.state, epoch, progress))()
            if found is None:
                break
            (state, told), figures = found, found[1].figures
            for note in told.notes:
                yield Warned(message=f"epoch {epoch + 1}: {note}")
            w = course.weights(state)
            check_weights(w, data.feature_names, data.feature_spread, epoch + 1, first)
            # A line search may find nothing once, but then it has other directions to try.
            repeated = position.repeated + 1 if np.array_equal(w, position.previous) else 0
            if repeated == STUCK:
                yield Warned(message=f"the last {STUCK} epochs, up to {epoch + 1}, changed nothing")
            # Where there is held-out data, what an online learner translated on its way is measure
            # enough of the tuning data, and nothing is translated twice.
            tuning = course.chosen(w) if dev is None or figures is None else figures.statistics
            ahead = None
            if isinstance(dev, Aside) and epoch + 1 < course.epochs:
                # Its decoder translates while we learn; of two decoders never more than one runs.
                dev.begin(_aligned(w, data.feature_names, dev))
                ahead = _learned(course, state, epoch + 1, progress)
            held_out = None if dev is None else dev.chosen(_aligned(w, data.feature_names, dev))
            event = _finished(course, w, tuning, held_out, told, epoch=epoch + 1, seconds=seconds)
            yield event
            track.add(event)
            position = replace(
                position,
                state=state,
                previous=w,
                epoch=epoch + 1,
                repeated=repeated,
                best=track.best,
                held_out=track.held_out,
                reason=track.reason,
                seconds=time.perf_counter() - began,
            )
            ends = bool(track.reason) or position.epoch == course.epochs
            if checkpoint is not None and (ends or position.seconds >= saved + checkpoint.seconds):
                checkpoint.save(position, course)
                saved = position.seconds
                yield CheckpointWritten(epoch=position.epoch, path=str(checkpoint.path))
    best = _checked(track.best, about, start, data)
    role = "tuning" if dev is None else "dev"
    checked = check_better(data.metric, position.start_score, _deciding(best), role)
    yield from () if about.regressed else (Warned(message=message) for message in checked)
    done = position.epoch == course.epochs
    yield RunFinished(
        metric=data.metric.name,
        weights=best.weights,
        epochs=position.epoch,
        best_epoch=best.epoch,
        seconds=time.perf_counter() - began,
        reason=track.reason or ("all epochs done" if done else "converged"),
        tuning_score=best.tuning_score,
        dev_score=best.dev_score,
        memory=peak_memory(),
    )


def _zeroth(started: RunStarted) -> EpochFinished:
    """Return the start as an epoch that may be the best."""
    return EpochFinished(
        epoch=0,
        metric=started.metric,
        weights=started.weights,
        seconds=0.0,
        tuning_score=started.tuning_score,
        dev_score=started.dev_score,
    )


def _checked(
    best: EpochFinished | None, about: About, start: Weights, data: Candidates
) -> EpochFinished:
    """Return the best epoch; refuse weights that are the start, unless that was learned."""
    return best if about.regressed and best else check_moved(about.name, best, start, data)


@contextmanager
def _ending(dev: Candidates | None) -> Iterator[None]:
    """End a decoder that still translates, however learning ends."""
    try:
        yield
    finally:
        if isinstance(dev, Aside):
            dev.cancel()


_Learned = Callable[[], tuple[tuple[Any, Pass] | None, float]]
"""Gives what an epoch of a course gave, and the seconds that it took; or raises what it raised."""


def _learned(course: Course, state: Any, epoch: int, progress: ProgressCallback) -> _Learned:
    """Carry out an epoch, of which nobody may have to know yet."""
    since = time.perf_counter()
    try:
        found = course.epoch(state, epoch, progress)
    except Exception as error:
        raised = error

        def fail() -> NoReturn:
            raise raised

        return fail
    seconds = time.perf_counter() - since
    return lambda: (found, seconds)


def _finished(
    course: Course,
    w: FloatArray,
    tuning: FloatArray,
    held_out: FloatArray | None,
    told: Pass,
    *,
    epoch: int,
    seconds: float,
) -> EpochFinished:
    """Return what the weights of an epoch are like."""
    names, metric = course.data.feature_names, course.data.metric
    event = EpochFinished(
        epoch=epoch,
        metric=metric.name,
        weights=_named(w, names),
        seconds=seconds,
        tuning_score=float(metric.score(tuning)),
        dev_score=None if held_out is None else float(metric.score(held_out)),
        length_ratio=_length_ratio(metric, tuning if held_out is None else held_out),
    )
    if told.traffic.messages:
        traffic = told.traffic
        event = replace(
            event, messages=traffic.messages, bytes_sent=traffic.sent, waiting=traffic.waiting
        )
    if (figures := told.figures) is None:
        return event
    sentences = max(figures.sentences, 1)
    return replace(
        event,
        updates=figures.updates,
        violation=figures.violation / sentences,
        working_set=figures.constraints / sentences,
        sentences_per_second=figures.sentences / max(seconds, 1e-9),
        step_seconds=(step := figures.seconds / sentences),
        step_deviation=math.sqrt(max(figures.squares / sentences - step**2, 0.0)),
    )


def _deciding(event: RunStarted | EpochFinished) -> float:
    """Return the score on the dev data, or on the tuning data if there is none."""
    score = event.tuning_score if event.dev_score is None else event.dev_score
    return cast(float, score)


def _length_ratio(metric: Metric, statistics: FloatArray) -> float | None:
    return metric.length_ratio(statistics) if isinstance(metric, Bleu) else None


def _started(course: Course, dev: Candidates | None, first: FloatArray, about: About) -> RunStarted:
    data, names = course.data, course.data.feature_names
    return RunStarted(
        name=about.name,
        version=__version__,
        metric=data.metric.name,
        epochs=course.epochs,
        sentences=data.sentence_count,
        features=len(names),
        weights=_named(first, names),
        started=_now(),
        signature=about.signature,
        seed=about.seed,
        replica=about.replica,
        hypotheses=data.hypothesis_count,
        tuning_score=float(data.metric.score(course.chosen(first))),
        tuning_oracle=data.oracle_score,
        dev_score=None if dev is None else dev.score(_aligned(first, names, dev)),
        dev_oracle=None if dev is None else dev.oracle_score,
        reading_seconds=about.reading_seconds,
        reading_memory=about.reading_memory,
        spread=_named(data.feature_spread, names),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _aligned(w: FloatArray, names: Vocabulary, other: Candidates) -> FloatArray:
    """Return the weights in the order of another set's features."""
    if other.feature_names is names:
        return w
    return _named(w, names).vector(other.feature_names)


def _named(w: FloatArray, names: Vocabulary) -> Weights:
    """Return the weights by their names; features that were met after them have none."""
    return Weights.from_arrays(list(names)[: len(w)], w)
