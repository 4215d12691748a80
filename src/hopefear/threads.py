"""Parallel work on several threads, with the results in order."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import TypeVar

from hopefear._core import thread_count
from hopefear.errors import ConfigError

__all__ = ["map_in_order", "thread_count"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int = 0
) -> Iterator[Result]:
    """Yield function(item) for each item, in order, computed on several threads.

    The iterator takes items as needed, at most two per thread ahead of the results. The threads
    only help if the function releases the interpreter's lock. An exception from the function is
    raised in place of its result.

    Parameters
    ----------
    function, items
        The function and its arguments.
    threads
        The number of threads; 0 for one per core, 1 for the calling thread.
    """
    if threads < 0:
        raise ConfigError(f"the number of threads must not be negative, got {threads}")
    count = thread_count(threads)
    return map(function, items) if count == 1 else _pooled(function, items, count)


def _pooled(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    pool = ThreadPoolExecutor(threads)
    started: SimpleQueue[Future[Result] | BaseException | None] = SimpleQueue()
    room = Semaphore(2 * threads)
    # A separate thread waits for items, so that results do not wait for a slow source.
    Thread(target=_feed, args=(iter(items), function, pool, started, room), daemon=True).start()
    try:
        while (next_one := started.get()) is not None:
            if isinstance(next_one, BaseException):
                raise next_one
            yield next_one.result()
            room.release()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        room.release()  # lets the feeder find the pool closed, and end


def _feed(
    items: Iterator[Item],
    function: Callable[[Item], Result],
    pool: ThreadPoolExecutor,
    started: "SimpleQueue[Future[Result] | BaseException | None]",
    room: Semaphore,
) -> None:
    """Submit each item as long as there is room, then put None to mark the end."""
    try:
        room.acquire()
        for item in items:
            started.put(pool.submit(function, item))
            room.acquire()
        started.put(None)
    except BaseException as error:  # from the items; the consumer raises it
        started.put(error)
