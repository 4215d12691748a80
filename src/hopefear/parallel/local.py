"""Workers on the threads of this machine: they share all data, and their steps run at once."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NoReturn

from hopefear.parallel.base import Inboxes, Pass, Task, Walk
from hopefear.rhythm import Step
from hopefear.threads import thread_count

__all__ = ["Threads"]

BETWEEN = 0.1  # seconds between two messages of a worker about its progress

News = Callable[[], None]
"""What the thread that waits does when another has got further: tell the progress, or raise."""


class StoppedError(Exception):
    """Another worker failed, or the user wants to end."""


class Threads:
    """Workers take turns, a block each, on as many threads as the data may use.

    On one thread all lessons are heard in the same order in every run.
    """

    def visit(
        self, task: Task, states: Sequence[Any], step: Step, inboxes: Inboxes | None = None
    ) -> Iterator[Pass]:
        """Carry out all passes; an error of one worker ends the others, and is raised."""
        count = len(states)
        threads = min(thread_count(task.data.threads), count)
        news: SimpleQueue[News | None] = SimpleQueue()
        stopped = Event()
        parts: dict[int, tuple[int, int]] = {}

        def show(worker: int, done: int, total: int) -> None:
            parts[worker] = done, total
            known, whole = (sum(numbers) for numbers in zip(*parts.values(), strict=True))
            step.progress(known, whole + (count - len(parts)) * total)

        last = [0.0] * count

        def tell(worker: int, done: int, total: int) -> None:
            if stopped.is_set():
                raise StoppedError
            now = time.monotonic()
            # The thread that waits would take the interpreter's lock from the workers each time.
            if done == total or now - last[worker] >= BETWEEN:
                last[worker] = now
                news.put(partial(show, worker, done, total))

        progress = show if threads == 1 else tell
        walks = [
            task.walk(k, state, count, replace(step, progress=partial(progress, k)), inboxes)
            for k, state in enumerate(states)
        ]
        turns = deque(range(count))

        def work() -> None:
            try:
                _take_turns(walks, turns, stopped)
                news.put(None)
            except BaseException as error:
                news.put(partial(_fail, error))

        if threads == 1:
            _take_turns(walks, turns, stopped)
        else:
            _wait([Thread(target=work, daemon=True) for _ in range(threads)], news, stopped)
        return iter([walk.result for walk in walks])


def _wait(threads: Sequence[Thread], news: "SimpleQueue[News | None]", stopped: Event) -> None:
    """Run threads to their end; None is the last news of each. Whatever is raised ends them all."""
    try:
        for thread in threads:
            thread.start()
        for _ in threads:
            while (act := news.get()) is not None:
                act()
    finally:
        stopped.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _fail(error: BaseException) -> NoReturn:
    raise error


def _take_turns(walks: Sequence[Walk], turns: deque[int], stopped: Event) -> None:
    """Let workers take turns until none is left, and deliver their lessons to all others."""
    while turns and not stopped.is_set():
        try:
            worker = turns.popleft()
        except IndexError:  # another thread has just taken the last one
            break
        message = walks[worker].advance()
        if message is not None:
            for other, walk in enumerate(walks):
                if other != worker:
                    walk.hear(message, walks[worker].lesson)
        if not walks[worker].done:
            turns.append(worker)
