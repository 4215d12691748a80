"""One learner, one sentence after the other: what every paper starts from."""

from typing import Any

import numpy as np

from hopefear.learners.base import AnyLearner
from hopefear.parallel.base import Pass, Strategy, Task, strategies
from hopefear.rhythm import Step
from hopefear.settings import settings

__all__ = ["Serial"]


@strategies.register("serial")
@settings
class Serial(Strategy):
    """One learner sees all blocks; kernels still use all cores."""

    def refuse(self, learner: AnyLearner) -> None:
        """Refuse no learner."""

    def epoch(self, task: Task, state: Any, step: Step) -> Pass:
        """Visit every sentence once."""
        return task.visit(state, np.arange(task.data.sentence_count), step)
