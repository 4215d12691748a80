"""The course of a run, as `hopefear tune` has it, on candidates in memory."""

from dataclasses import replace
from typing import Any

from hopefear.candidates import Candidates
from hopefear.learners import AnyLearner
from hopefear.parallel import Serial
from hopefear.runs.course import Course, plan
from hopefear.types import FloatArray


def course_of(
    learner: AnyLearner,
    data: Candidates,
    start: FloatArray,
    *,
    epochs: int | None = None,
    seed: int = 1,
) -> Course:
    """Return the course of a learner, in its own rhythm but for the number of epochs."""
    own = learner.rhythm
    rhythm = own if epochs is None else replace(own, epochs=epochs)
    return plan(data, learner, rhythm, Serial(), origin=start, seed=seed)


def epochs_of(course: Course, state: Any) -> Any:
    """Return the state after all epochs, or after those that change anything."""
    for epoch in range(course.epochs):
        found = course.epoch(state, epoch, lambda done, total: None)
        if found is None:
            break
        state = found[0]
    return state
