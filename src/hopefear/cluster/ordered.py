"""Many small pieces of work on a cluster, with the results in order."""

import warnings
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Any, Generic, TypeVar

from hopefear.cluster.crew import Call, Crew
from hopefear.errors import HopefearWarning

__all__ = ["map_in_order"]

TOGETHER = 4  # items that a worker gets at once, if so many are there
AHEAD = 4 * TOGETHER  # items per worker that are read, at work, or wait for an earlier one
SOON = 0.05  # seconds after which workers without work are asked again

Item = TypeVar("Item")


def map_in_order(
    crew: Crew, method: str, items: Iterable[Item], *more: Any, together: int = TOGETHER
) -> Iterator[Any]:
    """Yield what a method of any worker gives for each item, in the order of the items.

    The method is given a list of items and returns a list of results. Items are read as they are
    needed, in a thread of its own: results do not wait for a slow source. A lost worker's successor
    does its work again, which is worth a warning.

    Parameters
    ----------
    crew : Crew
        Workers that are alike.
    method : str
        What they are asked for.
    items : iterable
    *more
        What the method is given beside the items.
    together : int
        How many items a worker gets at once, if so many are there.
    """
    source = _Source(items, AHEAD * max(1, len(crew.numbers)))
    places: dict[int, range] = {}  # of the items that each worker has
    finished: dict[int, Any] = {}
    given = ready = 0

    def take(worker: int) -> Call | None:
        nonlocal given
        if not (some := source.take(together)):
            return None
        places[worker], given = range(given, given + len(some)), given + len(some)
        return Call(method=method, arguments=lambda: (some, *more))

    while source.wait():
        for worker, _, results in crew.run(take, idle=SOON):
            finished |= zip(places[worker], results, strict=True)
            for note in crew.take_notes():
                warnings.warn(note, HopefearWarning, stacklevel=2)
            while ready in finished:
                yield finished.pop(ready)
                ready += 1
                source.room.release()


class _End:
    """Nothing more will come: because of an error, or because there is nothing more."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _Source(Generic[Item]):
    """Items that a thread reads, as long as there is room for them."""

    def __init__(self, items: Iterable[Item], room: int) -> None:
        self.room = Semaphore(room)
        self._queue: SimpleQueue[tuple[Item] | _End] = SimpleQueue()
        self._next: tuple[Item] | _End | None = None
        Thread(target=self._read, args=(iter(items),), daemon=True).start()

    def wait(self) -> bool:
        """Wait for an item; return whether one has come."""
        if self._next is None:
            self._next = self._queue.get()
        if isinstance(self._next, _End) and self._next.error is not None:
            raise self._next.error
        return not isinstance(self._next, _End)

    def take(self, most: int) -> list[Item]:
        """Return the items that are there."""
        found: list[Item] = []
        while len(found) < most:
            if self._next is None:
                try:
                    self._next = self._queue.get_nowait()
                except Empty:
                    break
            if isinstance(self._next, _End):
                break
            found += self._next
            self._next = None
        return found

    def _read(self, items: Iterator[Item]) -> None:
        try:
            self.room.acquire()
            for item in items:
                self._queue.put((item,))
                self.room.acquire()
            self._queue.put(_End())
        except BaseException as error:  # whoever waits raises it
            self._queue.put(_End(error))
