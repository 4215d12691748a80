"""Workers on the nodes of a cluster, each a process; a lost one is replaced, and its work redone.

A worker is lost if its process or its node ends, or if it stops answering. Nodes that join get
their share of the workers when these are next arranged.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hopefear.cluster.connection import load_ray
from hopefear.cluster.versions import differences, versions
from hopefear.errors import ClusterError

__all__ = ["Call", "Crew", "Member", "spread"]

PATIENCE = 120.0  # seconds without an answer, after which a worker counts as lost
STARTING = 300.0  # seconds until a new process answers
PULSE = 2.0  # seconds between two questions whether a worker is still there
LOSSES = 5  # of one worker in a row, after which it is not replaced again
CALLS_AT_ONCE = 8  # one works, the others answer questions and hear messages


class Member:
    """What every worker is: it answers while it works."""

    def beat(self) -> tuple[int, int]:
        """Say how much of the work at hand is done, and how much there is."""
        return 0, 0


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a worker is asked to do.

    Attributes
    ----------
    method : str
        A method of its class.
    arguments : callable
        What it is given; a lost worker's successor is given what this returns then.
    """

    method: str
    arguments: Callable[[], tuple[Any, ...]] = tuple


@dataclass(kw_only=True)
class _Place:
    """A worker's process, and what is known of it."""

    handle: Any
    node: str
    beat: Any = None
    heard: float = field(default_factory=time.monotonic)
    started: bool = False
    done: tuple[int, int] = (0, 0)
    losses: int = 0


class Crew:
    """Numbered workers of one class.

    Parameters
    ----------
    kind : type
        A `Member` at the top level of a module of this package.
    lost : callable
        Called with a worker's number when it was replaced.
    patience : float
        Seconds without an answer, after which a worker counts as lost.
    """

    def __init__(
        self,
        kind: type[Member],
        *,
        lost: Callable[[int], None] = lambda number: None,
        patience: float = PATIENCE,
    ) -> None:
        self._ray = load_ray()
        self._kind, self._lost = kind, lost
        self._patience = patience
        self._places: dict[int, _Place] = {}
        self._fit: dict[str, bool] = {}  # nodes that run the same programs as this machine
        self.notes: list[str] = []

    def arrange(
        self, count: int | None = None, *, most: int | None = None, each_node: bool = False
    ) -> int:
        """Have this many workers, on all nodes alike; by default one for each processor, or node.

        Workers that are well placed stay. Returns how many there are, `most` of them at most.
        """
        nodes = self._nodes()
        if each_node:
            nodes = dict.fromkeys(nodes, 1.0)
        number = count or int(sum(nodes.values()))
        number = number if most is None else min(number, most)
        for gone in [k for k in self._places if k >= number]:
            self._dismiss(gone)
        current = {k: place.node for k, place in self._places.items()}
        for k, node in spread(number, nodes, current).items():
            if current.get(k) != node:
                if k in self._places:
                    self._dismiss(k)
                self._start(k, node)
        return number

    def run(
        self,
        take: Callable[[int], Call | None],
        *,
        idle: float = PULSE,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> Iterator[tuple[int, Call, Any]]:
        """Let workers work until nobody has anything to do; yield each result as it comes.

        Parameters
        ----------
        take : callable
            Given a worker's number, its next call; None if it has none at the moment. It is asked
            again after each result, and after `idle` seconds if somebody works.
        idle : float
        tell : callable
            Called now and then with how much all workers have done, and how much there is.
        """
        working: dict[Any, tuple[int, Call]] = {}
        while True:
            busy = {number for number, _ in working.values()}
            for number in self._places.keys() - busy:
                if (call := take(number)) is not None:
                    working[self._submit(number, call)] = number, call
            if not working:
                return
            ready, _ = self._ray.wait(list(working), timeout=min(idle, PULSE))
            lost = self._silent({number for number, _ in working.values()})
            for reference in list(working):
                number, call = working[reference]
                found: tuple[Any, ...] = ()
                if reference in ready:
                    found, why = self._outcome(number, reference)
                elif (why := lost.get(number, "")) == "":
                    continue
                del working[reference]
                if found:
                    yield number, call, found[0]
                else:
                    self._replace(number, why)
                    working[self._submit(number, call)] = number, call
            tell(*map(sum, zip(*(place.done for place in self._places.values()), strict=True)))

    @property
    def numbers(self) -> list[int]:
        """The workers there are."""
        return list(self._places)

    @property
    def nodes(self) -> set[str]:
        """Ray's names of the nodes on which workers are."""
        return {place.node for place in self._places.values()}

    def handle(self, number: int) -> Any:
        """Return a worker as Ray knows it."""
        return self._places[number].handle

    def processors(self, number: int) -> int:
        """Return how many processors a worker's node has."""
        return max(1, int(self._nodes().get(self._places[number].node, 1)))

    def take_notes(self) -> tuple[str, ...]:
        """Return what happened to workers since the last time."""
        notes, self.notes = tuple(self.notes), []
        return notes

    def close(self) -> None:
        """Send all workers home."""
        for number in list(self._places):
            self._dismiss(number)

    def _submit(self, number: int, call: Call) -> Any:
        place = self._places[number]
        place.heard = time.monotonic()
        return getattr(place.handle, call.method).remote(*call.arguments())

    def _start(self, number: int, node: str, losses: int = 0) -> None:
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        remote = self._ray.remote(self._kind).options(
            num_cpus=0,  # a crew may be larger than the cluster: workers then share processors
            max_concurrency=CALLS_AT_ONCE,
            scheduling_strategy=strategy(node, soft=True),
        )
        self._places[number] = _Place(handle=remote.remote(), node=node, losses=losses)

    def _dismiss(self, number: int) -> None:
        self._ray.kill(self._places.pop(number).handle)

    def _replace(self, number: int, reason: str) -> None:
        losses, where = self._places[number].losses + 1, self._address(self._places[number].node)
        self._dismiss(number)
        if losses >= LOSSES:
            raise ClusterError(
                f"worker {number + 1} was lost {losses} times in a row, at last on {where} "
                f"({reason}): the node may have too little memory; Ray's logs are in its /tmp/ray"
            )
        nodes = self._nodes()
        others = Counter(place.node for place in self._places.values())
        node = min(nodes, key=lambda name: (others[name] / nodes[name], name))
        self._start(number, node, losses)
        self.notes.append(f"worker {number + 1} on {where} was lost ({reason}) and replaced")
        self._lost(number)

    def _outcome(self, number: int, reference: Any) -> tuple[tuple[Any, ...], str]:
        """Return a worker's result; or nothing, and how it was lost."""
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise _cause(error) from None
        except self._ray.exceptions.RayError as error:
            return (), type(error).__name__
        self._places[number].losses, self._places[number].started = 0, True
        return (result,), ""

    def _silent(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the workers that have not answered for too long, and ask all of them again."""
        return {
            number: "no answer in time"
            for number in numbers
            if self._is_silent(self._places[number])
        }

    def _is_silent(self, place: _Place) -> bool:
        now = time.monotonic()
        if place.beat is None:
            if now - place.heard >= PULSE:
                place.beat = place.handle.beat.remote()
            return False
        if self._ray.wait([place.beat], timeout=0)[0]:
            with suppress(self._ray.exceptions.RayError):  # which `run` will see as well
                place.done = self._ray.get(place.beat)
            place.beat, place.heard, place.started = None, now, True
        return now - place.heard > (self._patience if place.started else STARTING)

    def _address(self, node: str) -> str:
        """Return how people know a node."""
        known = {one["NodeID"]: one["NodeManagerAddress"] for one in self._ray.nodes()}
        return str(known.get(node, node))

    def _compare_versions(self, nodes: Iterable[str]) -> None:
        """Find out whether new nodes run what this machine runs.

        One that does not is an error at first; if it joins later, it is not used.
        """
        first, affinity = not self._fit, self._ray.util.scheduling_strategies
        asked = {
            node: self._ray.remote(versions)
            .options(
                num_cpus=0,
                max_retries=0,
                scheduling_strategy=affinity.NodeAffinitySchedulingStrategy(node, soft=False),
            )
            .remote()
            for node in nodes
            if node not in self._fit
        }
        for node, answer in asked.items():
            try:
                problem = differences(self._ray.get(answer, timeout=STARTING), versions())
            except self._ray.exceptions.RayTaskError as error:
                problem = f"a hopefear that cannot be loaded: {_cause(error)}"
            except self._ray.exceptions.GetTimeoutError:
                problem = f"no worker that answers within {STARTING:g} seconds"
            except self._ray.exceptions.RayError:
                continue  # the node is lost
            self._fit[node] = not problem
            if not problem:
                continue
            note = f"node {self._address(node)} has {problem}"
            if first:
                raise ClusterError(
                    f"{note}; all machines need the same versions", settings=("cluster",)
                )
            self.notes.append(f"{note}: it is not used")

    def _nodes(self) -> dict[str, float]:
        """Return the processors of each node, when there is at least one."""
        until = time.monotonic() + self._patience
        while time.monotonic() < until:
            found = {
                node["NodeID"]: node["Resources"]["CPU"]
                for node in self._ray.nodes()
                if node["Alive"] and node["Resources"].get("CPU")
            }
            self._compare_versions(found)
            if fit := {node: cpus for node, cpus in found.items() if self._fit.get(node)}:
                return fit
            time.sleep(0.5)
        raise ClusterError(f"the cluster has had no node for {self._patience:g} seconds")


def _cause(error: Any) -> BaseException:
    """Return what a worker raised, as if it had been raised here."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def spread(count: int, nodes: Mapping[str, float], current: Mapping[int, str]) -> dict[int, str]:
    """Place workers on nodes in proportion to their processors; those well placed stay.

    Examples
    --------
    >>> spread(3, {"a": 2, "b": 1}, {0: "b", 1: "lost"})
    {0: 'b', 1: 'a', 2: 'a'}
    """
    room: Counter[str] = Counter()
    for _ in range(count):
        room[min(nodes, key=lambda name: ((room[name] + 1) / nodes[name], name))] += 1
    placed: dict[int, str] = {}
    for number in range(count):
        if room[current.get(number, "")] > 0:
            placed[number] = current[number]
            room[current[number]] -= 1
    free = list(room.elements())
    for number in range(count):
        if number not in placed:
            placed[number] = free.pop(0)
    return dict(sorted(placed.items()))
