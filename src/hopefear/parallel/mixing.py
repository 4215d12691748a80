"""Iterative parameter mixing: shards learn on their own for an epoch, then take the mean.

McDonald, Hall and Mann (2010), Distributed training strategies for the structured perceptron,
NAACL; Chiang (2012), JMLR 13, section 6; Watanabe (2012), NAACL, section 4.2.
"""

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, cast

from hopefear.learners.base import AnyLearner, Mergeable
from hopefear.parallel.base import Pass, Task, strategies
from hopefear.rhythm import Step
from hopefear.settings import setting, settings
from hopefear.threads import map_in_order

__all__ = ["Mixing"]


@strategies.register("mixing")
@settings
class Mixing:
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

        def learn(number: int) -> Pass:
            part, sentences = task.shard(number, self.workers)
            alone = replace(step, shard=number, progress=lambda done, total: None)
            return part.visit(state, sentences, alone)

        passes: list[Pass] = []
        for done in map_in_order(learn, range(self.workers), threads=task.data.threads):
            passes.append(done)
            step.progress(len(passes), self.workers)
        if all(found.state is state for found in passes):
            return passes[0]
        figures = [found.figures for found in passes if found.figures is not None]
        return Pass(
            state=cast(Mergeable, task.learner).merge([found.state for found in passes]),
            figures=reduce(add, figures) if figures else None,
            listed=tuple(lists for found in passes for lists in found.listed),
        )
