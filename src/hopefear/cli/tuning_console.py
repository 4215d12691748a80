"""A tuning run on the terminal: a bar while it goes, warnings, and a table at the end."""

import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from hopefear import events
from hopefear.cli.tables import output

__all__ = ["TuningConsole"]

BAR = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    TextColumn("{task.fields[score]}", markup=False),
    TimeElapsedColumn(),
    TextColumn("left:"),
    TimeRemainingColumn(),
)


class TuningConsole:
    """Shows the events of a run; the bar is on standard error, the table on standard output.

    Parameters
    ----------
    out : Path
        The run's directory.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._bar = Progress(
            *BAR,
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task("reading", total=None, score="")
        self._started: events.RunStarted | None = None
        self._epochs = 0
        self._finished: events.RunFinished | None = None
        self._replicas: events.ReplicasFinished | None = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if kind is None:
            self._print_result()

    def report(self, progress: events.Progress) -> None:
        """Show how much of an epoch is done."""
        if not progress.epoch:
            self._bar.update(self._task, description=progress.task)
        elif progress.total:
            done = progress.epoch - 1 + progress.done / progress.total
            self._bar.update(self._task, completed=done, description=progress.task)

    def show(self, event: events.Event) -> None:
        """Take up an event of the run."""
        match event:
            case events.RunStarted():
                title = event.name if event.replica is None else f"{event.name} {event.replica}"
                self._started = self._started or event
                self._bar.reset(self._task, total=event.epochs, description=title)
            case events.EpochFinished():
                score = event.tuning_score if event.dev_score is None else event.dev_score
                text = "" if score is None else f"{event.metric} {score:.2f}"
                self._bar.update(self._task, completed=event.epoch, score=text)
            case events.Warned():
                self._bar.console.print(Text(f"hopefear: warning: {event.message}"), soft_wrap=True)
            case events.RunFinished():
                self._finished = event
            case events.ReplicasFinished():
                self._replicas = event

    def _print_result(self) -> None:
        started, finished, replicas = self._started, self._finished, self._replicas
        if started is None or finished is None:
            return
        console = output()
        held_out = started.dev_score is not None
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("")
        for column in ["tuning", "dev"] if held_out else ["tuning"]:
            table.add_column(f"{started.metric}, {column}", justify="right")
        rows = [("start", started.tuning_score, started.dev_score)]
        if replicas is None:
            title = f"tuned, epoch {finished.best_epoch} of {finished.epochs}"
            rows.append((title, finished.tuning_score, finished.dev_score))
        else:
            mean = (replicas.tuning_mean, replicas.dev_mean)
            rows.append((f"mean of {replicas.replicas} replicas", *mean))
            rows.append(("deviation", replicas.tuning_deviation, replicas.dev_deviation))
            chosen = "mean of the weights" if replicas.chosen is None else "best replica"
            rows.append((chosen, replicas.tuning_score, replicas.dev_score))
        rows.append(("best in the lists", started.tuning_oracle, started.dev_oracle))
        for title, *scores in rows:
            table.add_row(title, *[_number(score) for score in scores[: 1 + held_out]])
        console.print(table)
        console.print(Text(f"{started.metric}|{started.signature}"))
        if replicas is None:
            console.print(f"ended after {finished.seconds:.1f} s: {finished.reason}")
        console.print(Text(f"weights: {self._out / 'weights.tsv'}{self._others()}"))

    def _others(self) -> str:
        files = [*sorted(self._out.glob("weights.*")), self._out / "moses.ini"]
        others = [str(file) for file in files if file.is_file() and file.suffix != ".tsv"]
        return "".join(f", {file}" for file in others)


def _number(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"
