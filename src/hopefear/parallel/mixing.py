"""Iterative parameter mixing: shards learn on their own for an epoch, then take the mean.

McDonald, Hall and Mann (2010), Distributed training strategies for the structured perceptron,
NAACL; Chiang (2012), JMLR 13, section 6.1; Watanabe (2012), NAACL, section 4.2, whose line search
after mixing is that of the rhythm (`rhythm.line_search`).
"""

from typing import Any, cast

from hopefear.learners.base import AnyLearner, Mergeable
from hopefear.parallel.base import Pass, Strategy, Task, strategies, together
from hopefear.rhythm import Step
from hopefear.settings import setting, settings

__all__ = ["Mixing"]


@strategies.register("mixing")
@settings
class Mixing(Strategy):
    """w ← 1/S Σ wₛ after every epoch, where each of S learners sees its own shard.

    The result depends on the number of workers, not on the number of threads.
    """

    workers: int = setting(4, "S, learners with a shard each.", least=1)

    def refuse(self, learner: AnyLearner) -> str | None:
        """Refuse learners whose states have no mean."""
        if isinstance(learner, Mergeable):
            return None
        return "it learns from all sentences at once, so that shards cannot learn on their own"

    def epoch(self, task: Task, state: Any, step: Step) -> Pass:
        """Let all shards learn, then merge their states."""
        passes = list(task.executor.visit(task, [state] * self.workers, step))
        if all(found.state is state for found in passes):
            return passes[0]
        mean = cast(Mergeable, task.learner).merge([found.state for found in passes])
        return together(mean, passes)
