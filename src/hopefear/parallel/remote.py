"""Workers on the machines of a Ray cluster.

The driver, which is the process of the run, sends each worker its data once and its state in every
epoch. What a worker was taught goes to the others directly. A worker that is lost is replaced by
one that starts from the same state: it hears again what the others said, and they ignore what they
have heard from its predecessor.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hopefear.candidates import Candidates
from hopefear.cluster import Crew, Member
from hopefear.cluster.connection import load_ray
from hopefear.cluster.crew import PATIENCE, Call
from hopefear.learners.base import AnyLearner, Figures
from hopefear.parallel.base import Inboxes, Messages, Pass, Task, Traffic, Walk
from hopefear.parallel.codec import decode, encode, pack, unpack
from hopefear.parallel.local import Threads
from hopefear.parallel.parcels import Parcel, pack_candidates, pack_lists, unpack_lists
from hopefear.rhythm import ProgressCallback, Rhythm, Step
from hopefear.types import FloatArray

__all__ = ["RemoteWorkers", "Worker"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment:
    """A task on its way to a worker."""

    learner: AnyLearner
    rhythm: Rhythm
    origin: FloatArray
    work: FloatArray
    parcel: Parcel

    def task(self) -> Task:
        """Return the task, with its data unpacked."""
        return Task(
            learner=self.learner,
            data=self.parcel.open(),
            rhythm=self.rhythm,
            origin=self.origin,
            executor=Threads(),
            work=self.work,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """What a worker does in one epoch.

    Attributes
    ----------
    epoch : int
        Numbers the passes of a run, so that late messages of earlier ones are told apart.
    number, count : int
        The worker, from 0, and how many there are.
    task : int
        Numbers the tasks of a run: a worker unpacks each once.
    assignment : tuple
        Ray's reference to the `Assignment`, in a tuple so that Ray does not fetch it every time.
    state : bytes
    step : Step
    inboxes : sequence, optional
        As for `Executor.visit`; those of others are empty.
    peers : tuple
        All workers as Ray knows them, if they hear each other.
    """

    epoch: int
    number: int
    count: int
    task: int
    assignment: tuple[Any]
    state: bytes
    step: Step
    inboxes: Inboxes | None
    peers: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """What a worker's pass came to; `state` is None if there was nothing to learn."""

    state: bytes | None
    figures: Figures | None
    listed: tuple[bytes, ...]
    unheard: Messages
    traffic: Traffic


class Worker(Member):
    """One of several learners, in a process of its own."""

    def __init__(self) -> None:
        self._task: Task | None = None
        self._task_number = -1
        self._lock = threading.Lock()
        self._done = 0, 0
        self._epoch = self._number = -1
        self._walk: Walk | None = None
        self._began: Any = None  # the state before the pass
        self._met: dict[tuple[int, int], Any] = {}  # successors, by epoch and number
        self._peers: dict[int, Any] = {}
        self._said: list[bytes] = []  # in this epoch
        self._mail: dict[int, dict[tuple[int, int], bytes]] = {}  # by epoch; by sender and number

    def beat(self) -> tuple[int, int]:
        """Say how much of the pass is done."""
        return self._done

    def walk(self, order: Order) -> Answer | None:
        """Carry out a pass; workers that hear each other are asked for its result later."""
        task = self._open(order)
        pattern = task.start(task.origin)
        state = decode(pattern, unpack(order.state), task.data)
        step = replace(order.step, progress=self._tell)
        walk = task.walk(order.number, state, order.count, step, order.inboxes)
        self._begin(order, walk, state)
        said: list[Any] = []
        while not walk.done:
            if (message := walk.advance()) is not None:
                said += self._say(order, message)
        _wait(said)
        return None if order.peers else self.result()

    def result(self) -> Answer | None:
        """Return what the last pass came to, with all that was heard since.

        None if there was no pass: it was a predecessor's.
        """
        if self._walk is None:
            return None
        found = self._walk.result
        return Answer(
            state=None if found.state is self._began else pack(encode(found.state)),
            figures=found.figures,
            listed=tuple(pack_lists(lists) for lists in found.listed),
            unheard=found.unheard,
            traffic=found.traffic,
        )

    def hear(self, epoch: int, sender: int, number: int, message: bytes) -> None:
        """Take in the lesson of another worker, unless its predecessor has sent it before."""
        with self._lock:
            mail = self._mail.setdefault(epoch, {})
            if (sender, number) in mail:
                return
            mail[sender, number] = message
            if epoch == self._epoch and self._walk is not None:
                self._walk.hear(message)

    def meet(self, epoch: int, number: int, peer: Any) -> None:
        """Tell the successor of a lost worker what its predecessor has been told."""
        with self._lock:
            self._met[epoch, number] = peer
            if epoch != self._epoch:
                return
            self._peers[number] = peer
            said = [
                peer.hear.remote(epoch, self._number, i, message)
                for i, message in enumerate(self._said)
            ]
        _wait(said)

    def _open(self, order: Order) -> Task:
        if self._task is None or self._task_number != order.task:
            assignment: Assignment = load_ray().get(order.assignment[0])
            self._task, self._task_number = assignment.task(), order.task
        return self._task

    def _begin(self, order: Order, walk: Walk, state: Any) -> None:
        with self._lock:
            self._epoch, self._walk, self._number = order.epoch, walk, order.number
            self._began, self._said = state, []
            self._peers = {
                k: self._met.get((order.epoch, k), peer)
                for k, peer in enumerate(order.peers)
                if k != order.number
            }
            for message in self._mail.get(order.epoch, {}).values():
                walk.hear(message)
            for old in [epoch for epoch in self._mail if epoch < order.epoch]:
                del self._mail[old]
            self._met = {key: peer for key, peer in self._met.items() if key[0] >= order.epoch}

    def _say(self, order: Order, message: bytes) -> list[Any]:
        with self._lock:
            number = len(self._said)
            self._said.append(message)
            return [
                peer.hear.remote(order.epoch, order.number, number, message)
                for peer in self._peers.values()
            ]

    def _tell(self, done: int, total: int) -> None:
        self._done = done, total


def _wait(references: Sequence[Any]) -> None:
    """Wait until messages have arrived; those to lost workers never do."""
    if references:
        load_ray().wait(list(references), num_returns=len(references), timeout=PATIENCE)


class RemoteWorkers:
    """Carries out passes on a cluster; see `Executor`.

    Parameters
    ----------
    parcel : callable
        Packs the candidates of a task.
    patience : float
        Seconds without an answer, after which a worker counts as lost.
    """

    def __init__(
        self,
        parcel: Callable[[Candidates], Parcel] = pack_candidates,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._ray = load_ray()
        self._parcel = parcel
        self.crew = Crew(Worker, lost=self._introduce, patience=patience)
        self._epoch = self._task_number = 0
        self._task: Task | None = None
        self._pattern: Any = None
        self._assignments: dict[tuple[int, int], tuple[Any]] = {}
        self._sharing = False
        self._introductions: list[Any] = []

    def visit(
        self, task: Task, states: Sequence[Any], step: Step, inboxes: Inboxes | None = None
    ) -> Iterator[Pass]:
        """Carry out all passes; an error of one worker ends the others, and is raised."""
        count = len(states)
        if self._task is None or not _is_same(task, self._task):
            self._task, self._task_number = task, self._task_number + 1
            self._pattern = None
            self._assignments.clear()
        self._epoch += 1
        self._sharing = inboxes is not None and count > 1
        self.crew.arrange(count)
        sent = [pack(encode(state)) for state in states]
        walking = replace(step, progress=_ignore)

        def order(number: int) -> tuple[Order]:
            return (
                Order(
                    epoch=self._epoch,
                    number=number,
                    count=count,
                    task=self._task_number,
                    assignment=self._assigned(number, count, shared=inboxes is not None),
                    state=sent[number],
                    step=walking,
                    inboxes=inboxes and [m if k == number else () for k, m in enumerate(inboxes)],
                    peers=tuple(map(self.crew.handle, range(count))) if self._sharing else (),
                ),
            )

        answers: dict[int, Answer] = {}
        left = set(range(count))
        while left:
            walked = self._run(left, "walk", order, step.progress)
            if not self._sharing:
                answers = walked
                break
            _wait(self._introductions)
            self._introductions.clear()
            found = self._run(range(count) - answers.keys(), "result", lambda number: ())
            answers |= {number: answer for number, answer in found.items() if answer is not None}
            left = range(count) - answers.keys()  # lost between their pass and its result
        notes = self.crew.take_notes()
        for number, answer in sorted(answers.items()):
            yield Pass(
                state=states[number] if answer.state is None else self._state(task, answer.state),
                figures=answer.figures,
                listed=tuple(unpack_lists(one, task.data) for one in answer.listed),
                unheard=answer.unheard,
                traffic=answer.traffic,
                notes=notes if number == 0 else (),
            )

    def close(self) -> None:
        """End all workers."""
        self.crew.close()

    def _run(
        self,
        numbers: Iterable[int],
        method: str,
        arguments: Callable[[int], tuple[Any, ...]],
        tell: ProgressCallback = lambda done, total: None,
    ) -> dict[int, Any]:
        waiting = set(numbers)

        def take(number: int) -> Call | None:
            if number not in waiting:
                return None
            waiting.remove(number)
            return Call(method=method, arguments=partial(arguments, number))

        return {number: found for number, _, found in self.crew.run(take, tell=tell)}

    def _state(self, task: Task, state: bytes) -> Any:
        if self._pattern is None:
            self._pattern = task.start(task.origin)
        return decode(self._pattern, unpack(state), task.data)

    def _assigned(self, number: int, count: int, *, shared: bool) -> tuple[Any]:
        """Return what a worker needs for the task: all data, or those of its shard alone."""
        assert self._task is not None
        key = (0, 1) if shared else (number, count)
        if key not in self._assignments:
            part, _ = self._task.shard(*key)
            assignment = Assignment(
                learner=part.learner,
                rhythm=part.rhythm,
                origin=part.origin,
                work=part.work,
                parcel=self._parcel(part.data),
            )
            self._assignments[key] = (self._ray.put(assignment),)
        return self._assignments[key]

    def _introduce(self, number: int) -> None:
        """Let the others know who has replaced a lost worker."""
        if self._sharing:
            new = self.crew.handle(number)
            self._introductions += [
                self.crew.handle(other).meet.remote(self._epoch, number, new)
                for other in self.crew.numbers
                if other != number
            ]


def _is_same(one: Task, other: Task) -> bool:
    return (
        one.data is other.data
        and one.origin is other.origin
        and (one.learner, one.rhythm) == (other.learner, other.rhythm)
    )


def _ignore(done: int, total: int) -> None:
    """Tell nobody; a function that can be sent to workers."""
