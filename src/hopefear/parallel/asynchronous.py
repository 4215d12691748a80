"""Asynchronous learning: every learner hears what the others were taught, and nobody waits.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 6.2, algorithm 4:
MIRA and AROW exchange working sets. Learners that take gradient steps take those of the others too;
Langford, Smola and Zinkevich (2009), Slow learners are fast, NIPS, for their rate.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from hopefear.learners.base import AnyLearner, Mergeable, Teaching
from hopefear.parallel.base import Messages, Pass, Strategy, Task, strategies, together
from hopefear.parallel.codec import join_messages, split_messages
from hopefear.rhythm import Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Asynchronous", "AsynchronousState"]

LAG = 20  # steps by which a worker may be behind before it is worth a note


@dataclass(frozen=True, kw_only=True, eq=False)
class AsynchronousState:
    """Every learner's state, and the messages that it has not heard yet."""

    states: tuple[Any, ...]
    unheard: Annotated[tuple[NDArray[np.uint8], ...], "free"]

    def inboxes(self) -> list[Messages]:
        """Return the messages of each learner."""
        return [split_messages(joined) for joined in self.unheard]


@strategies.register("async")
@settings
class Asynchronous(Strategy):
    """Each of K learners has its own weights, which no epoch makes equal; w = Σₖ sₖ / Σₖ tₖ.

    sₖ is the sum of learner k's weights over its tₖ steps. All sentences are dealt out to the
    learners anew in each epoch. The result depends on when lessons arrive, unless all learners take
    turns on one thread.
    """

    repeatable: ClassVar[bool] = False

    workers: int = setting(4, "K, the number of learners.", least=1)
    throttle: float = setting(
        0.5,
        "Learners that take gradient steps multiply their rates by K to the power of minus this, "
        "since the steps of K learners add up: 0 for full rates, 1 for the mean of the steps. MIRA "
        "and AROW solve one problem over all working sets and need none.",
        least=0,
        most=1,
    )

    def refuse(self, learner: AnyLearner) -> str | None:
        """Refuse learners that others cannot learn from."""
        if isinstance(learner, Teaching) and isinstance(learner, Mergeable):
            return None
        return "its steps teach nothing that other learners could use"

    def start(self, task: Task, weights: FloatArray) -> AsynchronousState:
        """Let all learners start at the same weights."""
        state = self._throttled(task).start(weights)
        return _state_of([state] * self.workers, [()] * self.workers)

    def weights(self, task: Task, state: AsynchronousState) -> FloatArray:
        """Return the mean over all steps of all learners (line 13)."""
        return task.learner.weights(cast(Mergeable, task.learner).merge(state.states))

    def epoch(self, task: Task, state: AsynchronousState, step: Step) -> Pass:
        """Let all learners learn and hear each other (lines 4 to 12)."""
        task = self._throttled(task)
        passes = list(task.executor.visit(task, state.states, step, state.inboxes()))
        if all(a.state is b for a, b in zip(passes, state.states, strict=True)):
            return Pass(state=state)
        after = _state_of([one.state for one in passes], [one.unheard for one in passes])
        found = together(after, passes)
        if found.traffic.waiting <= LAG * self.workers:
            return found
        late = int(np.argmax([one.traffic.waiting for one in passes])) + 1
        note = (
            f"up to {found.traffic.waiting} messages waited for worker {late} of {self.workers}, "
            "which is slower than others: nothing is lost, but it learns late what they were taught"
        )
        return replace(found, notes=(*found.notes, note))

    def _throttled(self, task: Task) -> Task:
        factor = self.workers**-self.throttle
        return replace(task, learner=cast(Teaching, task.learner).throttled(factor))


def _state_of(states: list[Any], unheard: list[Messages]) -> AsynchronousState:
    return AsynchronousState(
        states=tuple(states), unheard=tuple(join_messages(messages) for messages in unheard)
    )
