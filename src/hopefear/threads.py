"""Work on several threads, results in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import TypeVar

from hopefear.errors import ConfigError

__all__ = ["map_in_order"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int = 0
) -> Iterator[Result]:
    """Yield function(item) for each item, in order, computed on several threads.

    Items are taken as they are needed, at most twice as many as there are threads ahead of what
    was yielded. The function has to release the interpreter's lock for this to be of use. What it
    raises is raised in its place among the results.

    Parameters
    ----------
    function, items
        What to compute of what.
    threads
        How many to compute at once; 0: as many as there are cores; 1: in the calling thread.
    """
    if threads < 0:
        raise ConfigError(f"the number of threads must not be negative, got {threads}")
    count = threads or len(os.sched_getaffinity(0))
    return map(function, items) if count == 1 else _pooled(function, items, count)


def _pooled(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    pool = ThreadPoolExecutor(threads)
    started: SimpleQueue[Future[Result] | BaseException | None] = SimpleQueue()
    room = Semaphore(2 * threads)
    # A thread of its own waits for items: results of a slow source come out when they are done.
    Thread(target=_feed, args=(iter(items), function, pool, started, room), daemon=True).start()
    try:
        while (next_one := started.get()) is not None:
            if isinstance(next_one, BaseException):
                raise next_one
            yield next_one.result()
            room.release()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        room.release()  # the feeder finds the pool closed, and ends


def _feed(
    items: Iterator[Item],
    function: Callable[[Item], Result],
    pool: ThreadPoolExecutor,
    started: "SimpleQueue[Future[Result] | BaseException | None]",
    room: Semaphore,
) -> None:
    """Start the work on each item, as long as there is room; None is the end."""
    try:
        room.acquire()
        for item in items:
            started.put(pool.submit(function, item))
            room.acquire()
        started.put(None)
    except BaseException as error:  # of the items: raised where results are taken
        started.put(error)
