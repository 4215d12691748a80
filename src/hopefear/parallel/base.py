"""What a strategy is, and what all strategies are made of: workers, walks, an executor.

A strategy only coordinates. It gives each of several workers a state and gets back their passes;
an executor carries the passes out, on threads of this machine or elsewhere. A worker walks through
its sentences block by block: it learns from a block together with the lessons that have come in,
and its own lesson goes to the others.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from hopefear.candidates import Candidates, HasBlockLists, ListSet
from hopefear.learners.base import AnyLearner, Figures, Teaching
from hopefear.parallel.codec import decode, encode, pack, unpack
from hopefear.registry import Registry
from hopefear.rhythm import Rhythm, Step, split_blocks
from hopefear.types import FloatArray, IntArray

__all__ = [
    "Executor",
    "Inboxes",
    "Messages",
    "Pass",
    "Strategy",
    "Task",
    "Traffic",
    "Walk",
    "strategies",
    "together",
]

LESSON = "lesson"  # what the arrays of a message are called

Messages = tuple[bytes, ...]
"""Encoded lessons, in the order in which they came."""

Inboxes = Sequence[Messages]
"""What each worker has not heard yet."""


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """What was sent between workers.

    Attributes
    ----------
    messages, sent : int
        How many messages were delivered, and their bytes; one that goes to three workers counts
        three times.
    waiting : int
        The most messages that ever waited for a worker.
    """

    messages: int = 0
    sent: int = 0
    waiting: int = 0

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            messages=self.messages + other.messages,
            sent=self.sent + other.sent,
            waiting=max(self.waiting, other.waiting),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Pass:
    """The state after an epoch, and what the epoch was like.

    Attributes
    ----------
    state : Any
        The learner's; the strategy's, of what a strategy returns.
    figures : Figures, optional
        What online learners tell.
    listed : tuple of ListSet
        Lists that were made for blocks.
    unheard : tuple of bytes
        Messages that came after the worker's last block.
    traffic : Traffic
        What was sent.
    notes : tuple of str
        What the user should know: a queue that grows, a worker that was replaced.
    """

    state: Any
    figures: Figures | None = None
    listed: tuple[ListSet, ...] = ()
    unheard: Messages = ()
    traffic: Traffic = Traffic()
    notes: tuple[str, ...] = ()


class Executor(Protocol):
    """Carries out the passes of several workers: on threads here, or on other machines."""

    def visit(
        self, task: "Task", states: Sequence[Any], step: Step, inboxes: Inboxes | None = None
    ) -> Iterator[Pass]:
        """Give each worker's pass over its sentences, from its state, in the workers' order.

        Parameters
        ----------
        task : Task
        states : sequence
            A state for each worker. The passes depend on nothing else but the task and the step, so
            that a worker that is lost can start again from its state.
        step : Step
        inboxes : sequence, optional
            What each worker has not heard yet, if workers hear each other: every lesson goes to all
            others, none is lost, and nobody waits. Without it the passes do not depend on where and
            in which order they are carried out.
        """


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What is learned: by whom, from what, in which rhythm, and where.

    Attributes
    ----------
    learner : Learner
    data : Candidates
        What the learner needs; or what lists of every block are made of, if `rhythm.lists` is
        "block".
    rhythm : Rhythm
    origin : array
        What a pull to the start pulls to.
    executor : Executor
        Where workers work.
    work : array
        Roughly how much work each sentence is: workers get equal shares.
    """

    learner: AnyLearner
    data: Candidates
    rhythm: Rhythm
    origin: FloatArray
    executor: Executor
    work: FloatArray
    _shards: dict[tuple[int, int], Candidates] = field(default_factory=dict)

    def start(self, weights: FloatArray) -> Any:
        """Return the learner's state at `weights`."""
        return self.learner.start(self.data, weights, self.origin)

    def shard(self, number: int, count: int) -> tuple["Task", IntArray]:
        """Return the task of one of several workers, and its sentences."""
        sentences = deal(np.arange(self.data.sentence_count), self.work, count)[number]
        if count == 1:
            return self, sentences
        if (number, count) not in self._shards:
            self._shards[number, count] = self.data.subset(sentences.tolist())
        return replace(self, data=self._shards[number, count]), sentences

    def visit(self, state: Any, sentences: IntArray, step: Step) -> Pass:
        """Let the learner learn from every block of these sentences once."""
        walk = Walk(self, state, split_blocks(step.visits(sentences), self.rhythm.block), step)
        while not walk.done:
            walk.advance()
        return walk.result

    def walk(
        self, number: int, state: Any, count: int, step: Step, inboxes: Inboxes | None = None
    ) -> "Walk":
        """Return the way of one of several workers through its sentences.

        Workers that do not hear each other have a shard each, with random numbers of their own. To
        the others all sentences are dealt out anew in every epoch, in the order in which a single
        worker would visit them.
        """
        if inboxes is None:
            part, sentences = self.shard(number, count)
            alone = replace(step, shard=number)
            order = alone.visits(sentences)
            return Walk(part, state, split_blocks(order, self.rhythm.block), alone)
        visits = step.visits(np.arange(self.data.sentence_count))
        order = deal(visits, self.work, count)[number]
        blocks = split_blocks(order, self.rhythm.block or 1)
        return Walk(
            self,
            state,
            blocks,
            replace(step, shared=count > 1, learners=count),
            listeners=count - 1,
            unheard=inboxes[number],
        )


def deal(sentences: IntArray, work: FloatArray, count: int) -> list[IntArray]:
    """Deal sentences out to so many workers, in rounds of one for each, with as equal work.

    In a round, whoever had the least work so far gets the largest sentence. Sentences of equal work
    go round in order.
    """
    hands: list[list[int]] = [[] for _ in range(count)]
    loads = np.zeros(count)
    for first in range(0, len(sentences), count):
        some = sentences[first : first + count]
        largest = some[np.argsort(-work[some], kind="stable")]
        for worker, sentence in zip(np.argsort(loads, kind="stable"), largest, strict=False):
            hands[worker].append(int(sentence))
            loads[worker] += work[sentence]
    return [np.array(hand, dtype=np.int64) for hand in hands]


class Walk:
    """A worker's way through its sentences, a block at a time.

    Attributes
    ----------
    done : bool
        Whether all sentences are visited.
    lesson : Any
        What the last message says.
    """

    def __init__(
        self,
        task: Task,
        state: Any,
        blocks: Sequence[IntArray],
        step: Step,
        *,
        listeners: int = 0,
        unheard: Messages = (),
    ) -> None:
        self._task, self._blocks, self._step, self._number = task, blocks, step, 0
        self._state, self._listeners = state, listeners
        self._unheard: deque[tuple[bytes, Any]] = deque((message, None) for message in unheard)
        self._figures: Figures | None = None
        self._listed: list[ListSet] = []
        self._sizes: list[int] = []  # of the messages that others should hear
        self._waiting = 0
        self._pattern = cast(Teaching, task.learner).silence() if listeners else None
        self.done, self.lesson = False, None

    @property
    def result(self) -> Pass:
        """The state so far, which a walk that goes on may change, and what it came from."""
        return Pass(
            state=self._state,
            figures=self._figures,
            listed=tuple(self._listed),
            unheard=tuple(message for message, _ in self._unheard),
            traffic=Traffic(
                messages=self._listeners * len(self._sizes),
                sent=self._listeners * sum(self._sizes),
                waiting=max(self._waiting, len(self._unheard)),
            ),
        )

    def hear(self, message: bytes, lesson: Any = None) -> None:
        """Take in the lesson of another worker; it is learned with the next block.

        Any thread may call this at any time. Who has the lesson itself, and not only the message,
        spares others to read it.
        """
        self._unheard.append((message, lesson))

    def advance(self) -> bytes | None:
        """Learn from the next block and from what was heard; return what others should hear."""
        task, step = self._task, self._step
        learner, data, number, total = task.learner, task.data, self._number, len(self._blocks)
        block = self._blocks[number]
        if task.rhythm.lists == "block" and isinstance(data, HasBlockLists):
            some = data.subset(np.sort(block).tolist())
            data = some.kbest_lists(learner.weights(self._state), task.rhythm.list_size)
            self._listed.append(data)
        # After the first block, the state is one that this walk has made.
        progress = step.progress if total == 1 else _tell_nobody
        within = replace(step, block=number, blocks=total, owned=number > 0, progress=progress)
        messages = [self._unheard.popleft() for _ in range(len(self._unheard))]
        self._waiting = max(self._waiting, len(messages))
        heard = [self._read(*one) for one in messages]
        self._state, lesson = learner.learn(self._state, data, block, within, heard)
        found: Figures | None = getattr(lesson, "figures", None)
        if found is not None and not found.sentences:  # none could be learned from, with or without
            self._unheard.extendleft(reversed(messages))
        before = self._figures
        self._figures = found if before is None or found is None else before + found
        self._number += 1
        self.done = self._number == total
        if total > 1:
            step.progress(self._number, total)
        if not self._listeners or not lesson:
            return None
        message, self.lesson = pack(encode(lesson, LESSON)), lesson
        self._sizes.append(len(message))
        return message

    def _read(self, message: bytes, lesson: Any) -> Any:
        known = lesson is not None
        return lesson if known else decode(self._pattern, unpack(message), self._task.data, LESSON)


def _tell_nobody(done: int, total: int) -> None:
    """Of several blocks only whole ones are progress."""


class Strategy(ABC):
    """How one epoch of a task is carried out, and which state is kept between epochs.

    Attributes
    ----------
    repeatable : bool
        Whether the result is the same in every run, with any number of threads.
    """

    repeatable: ClassVar[bool] = True

    @abstractmethod
    def refuse(self, learner: AnyLearner) -> str | None:
        """Return why a learner cannot be used so; None if it can."""

    @abstractmethod
    def epoch(self, task: Task, state: Any, step: Step) -> Pass:
        """Return the state after one more pass over all sentences.

        The same state object means that there is nothing left to learn.
        """

    def start(self, task: Task, weights: FloatArray) -> Any:
        """Return the state before the first epoch: the learner's own."""
        return task.start(weights)

    def weights(self, task: Task, state: Any) -> FloatArray:
        """Return the weights that a state stands for."""
        return task.learner.weights(state)


strategies: Registry[Strategy] = Registry("strategy", group="hopefear.strategies")


def together(state: Any, passes: Sequence[Pass]) -> Pass:
    """Return what several workers did as one pass that ends in `state`."""
    figures = [found.figures for found in passes if found.figures is not None]
    return Pass(
        state=state,
        figures=reduce(add, figures) if figures else None,
        listed=tuple(lists for found in passes for lists in found.listed),
        traffic=reduce(add, (found.traffic for found in passes), Traffic()),
        notes=tuple(note for found in passes for note in found.notes),
    )
