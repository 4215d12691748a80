"""Progress on the terminal: a bar with the time left, and a tuning run with its result."""

import shlex
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from hopefear import events
from hopefear.cli.generate import is_wanted
from hopefear.cli.program import InterruptedRunError
from hopefear.cli.signals import StoppedError
from hopefear.cli.tables import output, print_influence, print_tuning_json
from hopefear.errors import HopefearError, describe_file_error
from hopefear.metrics.base import format_scores

__all__ = ["ProgressBar", "TuningConsole"]

COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    TextColumn("{task.fields[note]}", markup=False),
    TimeElapsedColumn(),
    TextColumn("left:"),
    TimeRemainingColumn(),
)


PLAIN_SECONDS = 30.0  # between lines about progress where there is no terminal
EPOCH_SECONDS = 1.0  # between lines about epochs


class ProgressBar:
    """Shows how much of a task is done, once it takes longer than a moment.

    Parameters
    ----------
    delay : float
        Seconds before it shows up.
    """

    def __init__(self, *, delay: float = 0.5) -> None:
        console = Console(stderr=True)
        self.quiet, self.verbose = is_wanted("quiet"), is_wanted("verbose")
        hidden = self.quiet or not sys.stderr.isatty()
        self._bar = Progress(*COLUMNS, console=console, transient=True, disable=hidden)
        self._task = self._bar.add_task("", total=None, note="")
        self._due = time.monotonic() + delay
        self._plain = time.monotonic() + PLAIN_SECONDS

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
        if not self.visible and not self.quiet and time.monotonic() >= self._plain:
            self._plain = time.monotonic() + PLAIN_SECONDS
            share = f"{done / total:.0%}" if total else f"{done:,.0f}"
            self.print(f"{what}: {share} {note}".rstrip())

    @property
    def visible(self) -> bool:
        """Whether there is a terminal to show it on."""
        return not self._bar.disable

    def note(self, line: str) -> None:
        """Print a line that nobody has to act on."""
        if not self.quiet:
            self.print(line)

    def print(self, line: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(Text(line), soft_wrap=True)


class TuningConsole:
    """Shows the events of a run; the bar is on standard error, the table on standard output.

    Parameters
    ----------
    out : Path
        The run's directory.
    json : bool
        Print the result as JSON, not as tables.
    """

    def __init__(self, out: Path, *, json: bool = False) -> None:
        self._out, self._json = out, json
        self._warnings: list[events.Warned | events.Noted] = []
        self._line_due = 0.0
        self._bar = ProgressBar(delay=0.0)
        self._title, self._epochs, self._done = "", 0, 0
        self._started: events.RunStarted | None = None
        self._finished: events.RunFinished | None = None
        self._replicas: events.ReplicasFinished | None = None
        self._resumable = False

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.__exit__(kind, error, traceback)
        if self._is_over():
            self._print_result()
        elif self._resumable:
            resume = f"resume with 'hopefear tune --resume -o {shlex.quote(str(self._out))}'"
            if isinstance(error, StoppedError):
                raise InterruptedRunError(f"{error}; {resume}", error.code) from error
            if isinstance(error, KeyboardInterrupt):
                raise InterruptedRunError(f"interrupted; {resume}") from error
            if isinstance(error, OSError):
                message = f"{describe_file_error(error)}. When that is done, {resume}"
                raise HopefearError(message) from error
        elif (self._out / "parses").is_dir() and isinstance(
            error, KeyboardInterrupt | StoppedError
        ):
            kept = "finished parses are kept: the same command goes on from them"
            reason, code = str(error) or "interrupted", getattr(error, "code", 130)
            raise InterruptedRunError(f"{reason}; {kept}", code) from error

    def tell(self, what: str, done: int, total: int) -> None:
        """Show how much of a file is read, or of an epoch done."""
        if not self._epochs:
            self._bar.show(what, done, total)
        elif total:
            self._bar.show(self._title, self._done + done / total, self._epochs)

    def show(self, event: events.Event) -> None:
        """Take up an event of the run."""
        match event:
            case events.RunStarted():
                replica = "" if event.replica is None else f", replica {event.replica}"
                self._title, self._epochs, self._done = f"{event.name}{replica}", event.epochs, 0
                self._started = self._started or event
                self._bar.show(self._title, 0, self._epochs)
            case events.RunResumed():
                self._resumable = True
                started = self._first_start()
                if started is not None:
                    self._title, self._epochs = started.name, started.epochs
                self._done = event.epoch - 1
                self._bar.note(f"resuming with epoch {event.epoch}")
            case events.CheckpointWritten():
                self._resumable = True
            case events.EpochFinished():
                self._done = event.epoch
                self._bar.show(self._title, self._done, self._epochs, _note(event))
                self._show_epoch(event)
            case events.Warned() | events.Noted() | events.CrossValidated():
                self._tell(event)
            case events.RunFinished():
                self._finished = event
            case events.ReplicasFinished():
                self._replicas = event

    def _tell(self, event: events.Warned | events.Noted | events.CrossValidated) -> None:
        if isinstance(event, events.CrossValidated):
            self._bar.note(f"hopefear: {_line(event)}")
            return
        self._warnings.append(event)
        if isinstance(event, events.Warned):
            self._bar.print(f"hopefear: warning: {event.message}")
        else:
            self._bar.note(f"hopefear: note: {event.message}")

    def _show_epoch(self, event: events.EpochFinished) -> None:
        """Print a line: every epoch of an online learner; without a terminal now and then."""
        now, last = time.monotonic(), event.epoch == self._epochs
        due = not self._bar.visible and (now >= self._line_due or last)
        online = event.sentences_per_second is not None and self._bar.visible
        if due or online or self._bar.verbose:
            self._line_due = now + EPOCH_SECONDS
            of = f" of {self._epochs}" if self._epochs else ""
            self._bar.note(f"epoch {event.epoch}{of}: {_details(event)}")

    def _print_result(self) -> None:
        started, finished, replicas = self._first_start(), self._finished, self._replicas
        if started is None:
            return
        if self._json:
            print_tuning_json(started, replicas or finished, self._warnings, self._out)
            return
        console = output()
        held_out = started.dev_score is not None
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("")
        for column in ["tuning", "dev"] if held_out else ["tuning"]:
            table.add_column(f"{started.metric}, {column}", justify="right")
        rows = [("start", started.tuning_score, started.dev_score)]
        if finished is not None and replicas is None:
            rows.append((_title(finished), finished.tuning_score, finished.dev_score))
        if replicas is not None:
            mean = (replicas.tuning_mean, replicas.dev_mean)
            rows.append((f"mean of {replicas.replicas} replicas", *mean))
            rows.append(("deviation", replicas.tuning_deviation, replicas.dev_deviation))
            chosen = "mean of the weights" if replicas.chosen is None else "best replica"
            rows.append((chosen, replicas.tuning_score, replicas.dev_score))
        if started.tuning_oracle is not None:
            where = "forests" if started.hypotheses is None else "lists"
            rows.append((f"best in the {where}", started.tuning_oracle, started.dev_oracle))
        shown = format_scores([score for _, *scores in rows for score in scores])
        for i, (title, *_) in enumerate(rows):
            table.add_row(title, *shown[2 * i : 2 * i + 1 + held_out])
        console.print(table)
        console.print(Text(f"{started.metric}|{started.signature}"))
        if (last := replicas or finished) is not None:
            print_influence(last.weights, started.spread)
        if finished is not None and replicas is None:
            console.print(f"ended after {finished.seconds:.1f} s: {finished.reason}")
        console.print(Text(f"weights: {self._out / 'weights.tsv'}{self._others()}"))

    def _is_over(self) -> bool:
        """Tell whether there is a result; the end of one of several replicas is none."""
        if self._finished is None or self._replicas is not None:
            return self._replicas is not None
        started = self._first_start()
        return started is None or started.replica is None

    def _first_start(self) -> events.RunStarted | None:
        """Return how the run began: its log knows, if it goes on after it was stopped."""
        logs = (self._out / "events.jsonl", self._out / "replica-1" / "events.jsonl")
        for log in logs if self._started is None else ():
            told = events.read_log(log) if log.is_file() else ()
            self._started = next((e for e in told if isinstance(e, events.RunStarted)), None)
            if self._started is not None:
                break
        return self._started

    def _others(self) -> str:
        files = [*sorted(self._out.glob("weights.*")), self._out / "moses.ini"]
        others = [str(file) for file in files if file.is_file() and file.suffix != ".tsv"]
        return "".join(f", {file}" for file in others)


def _note(event: events.EpochFinished) -> str:
    score = event.tuning_score if event.dev_score is None else event.dev_score
    return "" if score is None else f"{event.metric} {format_scores([score])[0]}"


def _line(event: events.CrossValidated) -> str:
    """Return what cross-validation found."""
    score, start = format_scores([event.score, event.start_score])
    return (
        f"{event.folds}-fold cross-validation: {event.metric} {score} after epoch {event.epoch} "
        f"(start {start}), on sentences that were not learned from"
    )


def _title(finished: events.RunFinished) -> str:
    """Return what the row of the result is called; a start that was learned may be the best."""
    if not finished.best_epoch:
        return "tuned: the start is best"
    return f"tuned, epoch {finished.best_epoch} of {finished.epochs}"


def _details(event: events.EpochFinished) -> str:
    """Return what is known of an epoch on one line; online learners tell more."""
    tuning, dev = format_scores([event.tuning_score, event.dev_score])
    parts = [
        f"{event.metric} {tuning}" if tuning else "",
        f"dev {dev}" if dev else "",
        "" if event.length_ratio is None else f"length ratio {event.length_ratio:.3f}",
    ]
    if event.sentences_per_second is None:
        parts.append(f"{event.seconds:.1f} s")
    else:
        parts += [
            f"{event.updates} updates",
            f"violation {event.violation:.2f}",
            f"working set {event.working_set:.1f}",
            f"{event.sentences_per_second:.1f} sentences/s",
        ]
    if event.messages is not None:
        parts.append(f"{event.messages:,} messages, {event.bytes_sent:,} bytes")
    return ", ".join(filter(None, parts))
