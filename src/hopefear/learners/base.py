"""What a learner is: one step of a paper.

A learner is a frozen dataclass of settings with three methods. It sees candidates and the sentences
of one block, and returns a new state and what the block taught. It knows of no threads, shards,
epochs or files: the rhythm (`hopefear.rhythm`) says which blocks there are, a strategy
(`hopefear.parallel`) lets states and lessons flow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, get_type_hints, runtime_checkable

from hopefear.errors import import_extra
from hopefear.metrics import Metric
from hopefear.registry import Registry
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.types import FloatArray

__all__ = [
    "AnyLearner",
    "Figures",
    "Learner",
    "Mergeable",
    "Teaching",
    "check_metric",
    "check_packages",
    "held_features",
    "is_scale_free",
    "is_unit_free",
    "learners",
    "learns_from_whole",
    "needed_data",
]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What online learning of some sentences was like.

    Attributes
    ----------
    statistics : array
        Of the 1-best translations, each under the weights of its time, summed up.
    sentences : int
        How many there were.
    updates : int
        How many of them had a violated constraint.
    violation : float
        By how much, summed up.
    constraints : int
        In all working sets.
    seconds, squares : float
        The CPU time of each sentence, and its square, summed up.
    """

    statistics: FloatArray
    sentences: int = 0
    updates: int = 0
    violation: float = 0.0
    constraints: int = 0
    seconds: float = 0.0
    squares: float = 0.0

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(
            statistics=self.statistics + other.statistics,
            sentences=self.sentences + other.sentences,
            updates=self.updates + other.updates,
            violation=self.violation + other.violation,
            constraints=self.constraints + other.constraints,
            seconds=self.seconds + other.seconds,
            squares=self.squares + other.squares,
        )


Data = TypeVar("Data", contravariant=True)
State = TypeVar("State")
Lesson = TypeVar("Lesson")


class Learner(Protocol[Data, State, Lesson]):
    """One step of a paper, typed by the data it needs, the state it keeps and what it teaches.

    A state is a value: arrays, numbers, saved kernels, dataclasses and tuples of these; it is
    never changed in place, unless `step.owned` allows it. The same state, data, block and step give
    the same next state.
    """

    @property
    def rhythm(self) -> Rhythm:
        """The rhythm of its paper."""

    def start(self, data: Data, weights: FloatArray, origin: FloatArray) -> State:
        """Return the state before the first step; `origin` is what a pull to the start pulls to."""

    def learn(
        self, state: State, data: Data, block: Block, step: Step, heard: Sequence[Lesson] = ()
    ) -> tuple[State, Lesson]:
        """Return the state after a block, and what the block taught.

        `heard` is what other learners were taught meanwhile. The same state object means that
        there is nothing left to learn.
        """

    def weights(self, state: State) -> FloatArray:
        """Return the weights that the state stands for."""


@runtime_checkable
class Mergeable(Protocol):
    """A learner whose states can be mixed."""

    def merge(self, states: Sequence[Any]) -> Any:
        """Return the mean of states that learned from different sentences."""


@runtime_checkable
class Teaching(Protocol):
    """A learner whose lessons others can learn from; one that is false has nothing in it."""

    def silence(self) -> Any:
        """Return a lesson without anything in it: the pattern by which lessons are read."""

    def throttled(self, factor: float) -> Any:
        """Return the learner for steps that add up with those of others: with lower rates."""


AnyLearner = Learner[Any, Any, Any]
"""A learner, whatever it needs, keeps and teaches."""

learners: Registry[AnyLearner] = Registry("learner", group="hopefear.learners")


def learns_from_whole(learner: AnyLearner) -> bool:
    """Whether a learner sees all sentences at once, so that blocks mean nothing to it."""
    return bool(getattr(learner, "whole", False))


def is_scale_free(learner: AnyLearner) -> bool:
    """Whether any positive multiple of a learner's result is as good to it.

    Such weights are handed over with a fixed norm. The state of such a learner is its weights.
    """
    return bool(getattr(learner, "scale_free", False))


def is_unit_free(learner: AnyLearner) -> bool:
    """Whether the units of features hardly matter to a learner."""
    return bool(getattr(learner, "unit_free", False))


def check_packages(learner: AnyLearner) -> None:
    """Refuse a learner that needs SciPy where it is not installed."""
    if getattr(learner, "needs_scipy", False):
        name = learners.name_of(type(learner))
        others = "choose another learner, such as kbest-mira"
        import_extra("scipy", "scipy", name, instead=others, settings=("learner",))


def held_features(learner: AnyLearner) -> tuple[str, ...]:
    """Return the features whose weights a learner leaves as they are."""
    return tuple(getattr(learner, "fixed", ()))


def check_metric(learner: AnyLearner, metric: Metric) -> None:
    """Refuse a metric that a learner cannot learn by."""
    if (check := getattr(learner, "check_metric", None)) is not None:
        check(metric)


def needed_data(learner: AnyLearner) -> type:
    """Return the class of candidates that a learner needs, as its `start` is annotated."""
    needed: type = get_type_hints(type(learner).start)["data"]
    return needed
