"""What a run tells while it goes: values that sinks print, draw or append to a log.

A log is a file of JSON lines, one event each: ``{"event": "epoch_finished", "epoch": 3, ...}``.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from hopefear.errors import ConfigError, FormatError, naming
from hopefear.registry import Registry, suggest
from hopefear.settings import config
from hopefear.types import Weights

__all__ = [
    "CheckpointWritten",
    "CrossValidated",
    "EpochFinished",
    "Event",
    "EventLog",
    "Note",
    "Noted",
    "Progress",
    "ReplicasFinished",
    "RunFailed",
    "RunFinished",
    "RunResumed",
    "RunStarted",
    "Warned",
    "events",
    "from_json",
    "read_log",
    "to_json",
    "told",
]


class Event:
    """The base of all events."""


class Note(str):
    """A message about what was done, where a plain message is about what may be wrong."""

    __slots__ = ()


events: Registry[Event] = Registry("event")


@events.register("run_started")
@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """A run begins: what will be learned, from how much, and how good the start is.

    Scores are those of the start weights; the oracles are the best that the lists allow. `spread`
    is how much each feature varies among the candidates of a sentence. Of several
    replicas, each begins with this event and has a number from 1. `reading_seconds` is what it took
    to get the data ready, before the first of them, and `reading_memory` the most bytes that the
    process had until then.
    """

    name: str
    version: str
    metric: str
    epochs: int
    sentences: int
    features: int
    weights: Weights
    started: str = ""  # wall clock, ISO 8601
    signature: str = ""
    seed: int | None = None
    replica: int | None = None
    hypotheses: int | None = None
    tuning_score: float | None = None
    dev_score: float | None = None
    tuning_oracle: float | None = None
    dev_oracle: float | None = None
    reading_seconds: float | None = None
    reading_memory: int | None = None
    spread: Weights | None = None


@events.register("run_resumed")
@dataclass(frozen=True, kw_only=True)
class RunResumed(Event):
    """A run that was stopped goes on with this epoch."""

    epoch: int
    started: str = ""  # wall clock, ISO 8601


@events.register("progress")
@dataclass(frozen=True, kw_only=True)
class Progress(Event):
    """Part of an epoch is done: `done` of `total` units (sentences, unless `unit` says else)."""

    epoch: int
    done: int
    total: int
    seconds: float
    task: str = ""
    unit: str = "sentences"


@events.register("epoch_finished")
@dataclass(frozen=True, kw_only=True)
class EpochFinished(Event):
    """An epoch (an iteration, for batch learners) is over.

    `tuning_score` is the metric on the data that the learner saw, `dev_score` on data that it did
    not see, where there is any; `objective` is what the learner minimizes. `seconds` counts this
    epoch only. `length_ratio` is of hypotheses to references, on the dev data if there is any.

    Online learners tell more: at how many sentences the weights were wrong (`updates`), and by how
    much on average over all of them (`violation`); how many constraints a sentence had
    (`working_set`); how many sentences a second were learned from; the CPU time of a sentence
    (`step_seconds`), and its standard deviation (`step_deviation`). If there is dev data, their
    `tuning_score` is that of the translations of the epoch, each under the weights of its time.

    Workers that hear each other count the `messages` that they sent, a copy for each listener, and
    their bytes (`bytes_sent`); `waiting` is the most messages that ever waited for one of them.
    """

    epoch: int
    metric: str
    weights: Weights
    seconds: float
    tuning_score: float | None = None
    dev_score: float | None = None
    objective: float | None = None
    hypotheses: int | None = None
    length_ratio: float | None = None
    updates: int | None = None
    violation: float | None = None
    working_set: float | None = None
    sentences_per_second: float | None = None
    step_seconds: float | None = None
    step_deviation: float | None = None
    messages: int | None = None
    bytes_sent: int | None = None
    waiting: int | None = None


@events.register("run_failed")
@dataclass(frozen=True, kw_only=True)
class RunFailed(Event):
    """The run ended without a result."""

    message: str


@events.register("replicas_finished")
@dataclass(frozen=True, kw_only=True)
class ReplicasFinished(Event):
    """All replicas are over: these are the weights to use, and how much was luck.

    `chosen` is the replica whose weights they are, from 1; None if they are the mean of all. Scores
    with "mean" and "deviation" are over the replicas, the others are those of the weights.
    """

    metric: str
    weights: Weights
    replicas: int
    chosen: int | None = None
    tuning_score: float | None = None
    dev_score: float | None = None
    tuning_mean: float | None = None
    tuning_deviation: float | None = None
    dev_mean: float | None = None
    dev_deviation: float | None = None


@events.register("checkpoint_written")
@dataclass(frozen=True, kw_only=True)
class CheckpointWritten(Event):
    """The state after an epoch is safe on disk: a run can go on from here."""

    epoch: int
    path: str


@events.register("warned")
@dataclass(frozen=True, kw_only=True)
class Warned(Event):
    """Something that the user should know and decide about."""

    message: str


@events.register("noted")
@dataclass(frozen=True, kw_only=True)
class Noted(Event):
    """Something that was decided for the user, with the reason; nobody has to act on it."""

    message: str


def told(message: str) -> Warned | Noted:
    """Return the event of a message: a `Note`, or else a warning."""
    return Noted(message=message) if isinstance(message, Note) else Warned(message=message)


@events.register("cross_validated")
@dataclass(frozen=True, kw_only=True)
class CrossValidated(Event):
    """What epochs are worth on sentences that were not learned from, and which is the best.

    `score` is that of all sentences after this epoch, each under the weights of the fold that did
    not see it; `start_score` that of the start weights, which epoch 0 stands for.
    """

    metric: str
    folds: int
    epoch: int
    score: float
    start_score: float
    seconds: float


@events.register("run_finished")
@dataclass(frozen=True, kw_only=True)
class RunFinished(Event):
    """The run is over: these are the weights to use, and where they come from.

    `memory` is the most bytes that the process had until the end.
    """

    metric: str
    weights: Weights
    epochs: int
    best_epoch: int
    seconds: float
    reason: str = ""  # why it ended: all epochs done, converged, ...
    tuning_score: float | None = None
    dev_score: float | None = None
    memory: int | None = None


def to_json(event: Event) -> str:
    """Write an event as one line of JSON, without the newline."""
    table = {"event": events.name_of(type(event)), **config.encode(event)}
    return json.dumps(table, ensure_ascii=False, allow_nan=False)


# Halves of surrogate pairs, and numbers that are not finite, which Python's reader lets pass.
_SUSPECT = re.compile(r"\\u[dD]|[eE]\+?\d{3}|\d{300}|NaN|Infinity")


def from_json(line: str, *, source: str = "event") -> Event:
    """Read an event from a line of JSON; `source` is named in errors."""
    try:
        table = json.loads(line)
        if _SUSPECT.search(line):
            json.dumps(table, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:  # too many digits, or too deep, as well
        raise FormatError(f"{source}: not JSON: {error}") from error
    if not isinstance(table, dict) or not isinstance(table.get("event"), str):
        raise FormatError(f"{source}: expected an object with an 'event', got {line[:80]!r}")
    name = table.pop("event")
    if name not in events:
        raise FormatError(f"{source}: unknown event '{name}'{suggest(name, events)}")
    try:
        return config.decode(events[name], table, source=source)
    except ConfigError as error:
        raise FormatError(str(error)) from error


class EventLog:
    """Appends events to a file of JSON lines and flushes after each, so that a kill loses none.

    If the file ends in half a line, which is what a kill while writing leaves, that is removed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.touch()
        with self.path.open("rb+") as file:
            file.truncate(_end_of_last_line(file))
        self._file = self.path.open("a", encoding="utf-8")

    def write(self, event: Event) -> None:
        """Append one event."""
        with naming(self.path):
            try:
                self._file.write(to_json(event) + "\n")
                self._file.flush()
            except OSError:
                with suppress(OSError):  # what is left to write would fail once more
                    self._file.close()
                raise

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _end_of_last_line(file: BinaryIO) -> int:
    """Find the end of the last complete line, looking backwards block by block."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - (1 << 16))
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def read_log(path: str | Path) -> Iterator[Event]:
    """Read the events of a log; a last line without its newline is no event."""
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise FormatError(f"{path}:{number}: is not UTF-8: {error.reason}") from None
            yield from_json(text, source=f"{path}:{number}")
