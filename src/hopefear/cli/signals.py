"""Signals that end a command: what was begun is ended in order, as after an interrupt."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["StoppedError", "heeding_signals"]

STOPPING = (signal.SIGTERM, signal.SIGHUP)


class StoppedError(KeyboardInterrupt):
    """The process was told to end. Whoever cleans up after an interrupt does so here, too."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.code = 128 + number


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise StoppedError, and SIGINT KeyboardInterrupt, within the block."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise StoppedError(number)

    before = {number: signal.signal(number, stop) for number in STOPPING}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
