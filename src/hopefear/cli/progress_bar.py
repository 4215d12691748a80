"""A bar on standard error, with the time left; none where standard error is no terminal."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

__all__ = ["ProgressBar"]

COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    TextColumn("{task.fields[note]}", markup=False),
    TimeElapsedColumn(),
    TextColumn("left:"),
    TimeRemainingColumn(),
)


class ProgressBar:
    """Shows how much of a task is done, once it takes longer than a moment.

    Parameters
    ----------
    delay : float
        Seconds before it shows up.
    """

    def __init__(self, *, delay: float = 0.5) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            *COLUMNS, console=console, transient=True, disable=not sys.stderr.isatty()
        )
        self._task = self._bar.add_task("", total=None, note="")
        self._due = time.monotonic() + delay

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def show(self, what: str, done: float, total: float, note: str | None = None) -> None:
        """Show that of something `done` of `total` is done; a total of 0 is not known."""
        task = self._bar.tasks[self._task]
        if task.total != (total or None) or done < task.completed:
            self._bar.reset(self._task, total=total or None)  # something new: time it anew
        note = task.fields["note"] if note is None else note
        self._bar.update(self._task, completed=done, description=what, note=note)
        if time.monotonic() >= self._due:
            self._bar.start()

    @property
    def visible(self) -> bool:
        """Whether there is a terminal to show it on."""
        return not self._bar.disable

    def print(self, line: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(Text(line), soft_wrap=True)
