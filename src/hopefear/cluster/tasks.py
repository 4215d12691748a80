"""Whole tasks on a cluster: each is done by one processor, in a folder that all machines share."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Protocol, TypeVar

from hopefear.cluster.connection import connected
from hopefear.cluster.crew import Crew, Member
from hopefear.cluster.ordered import map_in_order
from hopefear.errors import ClusterError

__all__ = ["Runner", "Share", "ShareOut", "carry_out", "meanwhile", "sharing"]

Result = TypeVar("Result")
Task = Callable[[], Result]


class Runner(Member):
    """Carries out tasks, one after the other."""

    def carry_out(self, tasks: "Sequence[Task[Result]]", folder: Path) -> list[Result]:
        """Do some tasks in a folder."""
        try:
            os.chdir(folder)
        except OSError as error:
            raise ClusterError(
                f"{folder}: not on the machine {socket.gethostname()} of the cluster; start in a "
                "folder that all machines share"
            ) from error
        return [task() for task in tasks]


def carry_out(tasks: "Sequence[Task[Result]]", cluster: str) -> Iterator[Result]:
    """Carry out tasks, which have to be of importable modules; yield the results in order."""
    with connected(cluster):
        crew = Crew(Runner)
        try:
            crew.arrange(most=len(tasks))
            yield from map_in_order(crew, "carry_out", tasks, Path.cwd(), together=1)
        finally:
            crew.close()


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one of several machines does of something that has many parts.

    Attributes
    ----------
    begin, end : int
        The parts from `begin` on, up to `end`.
    threads : int
        The processors of the machine.
    """

    begin: int
    end: int
    threads: int


class ShareOut(Protocol):
    """Lets every machine do a share of something."""

    def __call__(self, count: int, work: Callable[[Share], Result]) -> Iterator[Result]:
        """Call work, a function of an importable module, with shares of `count` parts.

        The results are in the order of the shares.
        """


@contextmanager
def sharing(cluster: str) -> Iterator[ShareOut]:
    """Give a function that shares work out to one process on each node of a cluster.

    These processes stay until the end, so that they may keep what they have read.
    """
    with connected(cluster):
        crew = Crew(Runner)
        try:
            yield partial(_share_out, crew)
        finally:
            crew.close()


def _share_out(crew: Crew, count: int, work: Callable[[Share], Result]) -> Iterator[Result]:
    crew.arrange(each_node=True, most=max(1, count))
    threads = [crew.processors(number) for number in crew.numbers]
    ends = [count * sum(threads[: k + 1]) // sum(threads) for k in range(len(threads))]
    tasks = [
        partial(work, Share(begin=begin, end=end, threads=some))
        for begin, end, some in zip([0, *ends], ends, threads, strict=False)
    ]
    yield from map_in_order(crew, "carry_out", tasks, Path.cwd(), together=1)


@contextmanager
def meanwhile(work: Callable[[ShareOut], object], cluster: str) -> "Iterator[Callable[[], None]]":
    """Let the machines of a cluster do work while this process does something else.

    Gives a function that waits until it is done, and raises what it raised.
    """
    with sharing(cluster) as share_out:
        failed: list[BaseException] = []

        def act() -> None:
            try:
                work(share_out)
            except BaseException as error:
                failed.append(error)

        def wait() -> None:
            thread.join()
            if failed:
                raise failed[0]

        thread = Thread(target=act, daemon=True)
        thread.start()
        yield wait
