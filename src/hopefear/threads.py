"""Work on several threads, results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            # The first lines of a slow source come out as soon as they are done.
            while waiting and (waiting[0].done() or len(waiting) >= 2 * threads):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
