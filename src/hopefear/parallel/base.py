"""What a strategy is, and the pass over blocks that all strategies are made of."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from hopefear.candidates import Candidates, HasBlockLists, ListSet
from hopefear.learners.base import AnyLearner, Figures
from hopefear.registry import Registry
from hopefear.rhythm import Rhythm, Step, split_blocks
from hopefear.types import FloatArray, IntArray

__all__ = ["Pass", "Strategy", "Task", "strategies"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What is learned: by whom, from what, in which rhythm.

    Attributes
    ----------
    learner : Learner
    data : Candidates
        What the learner needs; or what lists of every block are made of, if `rhythm.lists` is
        "block".
    rhythm : Rhythm
    origin : array
        What a pull to the start pulls to.
    """

    learner: AnyLearner
    data: Candidates
    rhythm: Rhythm
    origin: FloatArray
    _shards: dict[tuple[int, int], Candidates] = field(default_factory=dict)

    def start(self, weights: FloatArray) -> Any:
        """Return the learner's state at `weights`."""
        return self.learner.start(self.data, weights, self.origin)

    def shard(self, number: int, count: int) -> tuple["Task", IntArray]:
        """Return the task of one of several workers, and its sentences: every count-th."""
        sentences = np.arange(number, self.data.sentence_count, count)
        if count == 1:
            return self, sentences
        if (number, count) not in self._shards:
            self._shards[number, count] = self.data.subset(sentences.tolist())
        return replace(self, data=self._shards[number, count]), sentences

    def visit(self, state: Any, sentences: IntArray, step: Step) -> "Pass":
        """Let the learner learn from every block of these sentences once."""
        blocks = split_blocks(step.visits(sentences), self.rhythm.block)
        figures: Figures | None = None
        listed: list[ListSet] = []
        for number, block in enumerate(blocks):
            data: Candidates = self.data
            if self.rhythm.lists == "block" and isinstance(data, HasBlockLists):
                some = data.subset(np.sort(block).tolist())
                data = some.kbest_lists(self.learner.weights(state), self.rhythm.list_size)
                listed.append(data)
            within = replace(step, block=number, blocks=len(blocks))
            if len(blocks) > 1:
                within = replace(within, progress=lambda done, total: None)
            state, lesson = self.learner.learn(state, data, block, within)
            found: Figures | None = getattr(lesson, "figures", None)
            figures = found if figures is None or found is None else figures + found
            if len(blocks) > 1:
                step.progress(number + 1, len(blocks))
        return Pass(state=state, figures=figures, listed=tuple(listed))


@dataclass(frozen=True, kw_only=True, eq=False)
class Pass:
    """The state after an epoch, what the epoch was like, and lists that were made during it."""

    state: Any
    figures: Figures | None = None
    listed: tuple[ListSet, ...] = ()


class Strategy(Protocol):
    """How one epoch of a task is carried out."""

    def refuse(self, learner: AnyLearner) -> str | None:
        """Return why a learner cannot be used so; None if it can."""

    def epoch(self, task: Task, state: Any, step: Step) -> Pass:
        """Return the state after one more pass over all sentences.

        The same state object means that there is nothing left to learn.
        """


strategies: Registry[Strategy] = Registry("strategy", group="hopefear.strategies")
