"""What the directory of a run says about it, even if the run failed or was killed."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from hopefear.errors import DataError, FormatError, file_error_reason
from hopefear.events import (
    EpochFinished,
    Event,
    Noted,
    ReplicasFinished,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
    read_log,
)
from hopefear.formats.files import PathLike
from hopefear.formats.lock import is_in_use
from hopefear.inspection import Cloud, read_cloud
from hopefear.runs.run_directory import read_environment
from hopefear.runs.sentences import SENTENCES_FILE, Sentences, read_sentences
from hopefear.translation.features.bins import FeatureBins, run_bins
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["Replica", "RunRecord", "WeightHistory", "flat_settings", "read_run", "read_runs"]


class WeightHistory:
    """The initial weights and those after each epoch, as arrays; new features may appear later."""

    def __init__(self) -> None:
        self.features = Vocabulary()
        self._known: tuple[str, ...] = ()
        self._rows: list[FloatArray] = []

    def __len__(self) -> int:
        """Return the number of epochs, including the start."""
        return len(self._rows)

    def add(self, weights: Weights) -> None:
        """Append the weights of the next epoch."""
        if weights.names != self._known:  # they are nearly always the same
            for name in weights.names:
                self.features.add(name)
            self._known = weights.names
        self._rows.append(weights.vector(self.features))

    def drop(self, epoch: int) -> None:
        """Drop this epoch and all later ones."""
        del self._rows[epoch:]

    def row(self, epoch: int) -> FloatArray:
        """Return the weights after an epoch, 0 being the start, aligned to `features`."""
        row = np.zeros(len(self.features))
        found = self._rows[epoch]
        row[: len(found)] = found
        return row

    def columns(self, features: list[int]) -> FloatArray:
        """Return the weights of some features: one row per epoch, the first being the start."""
        matrix = np.zeros((len(self._rows), len(features)))
        for row, found in zip(matrix, self._rows, strict=True):
            known = [i for i, feature in enumerate(features) if feature < len(found)]
            row[known] = found[[features[i] for i in known]]
        return matrix


@dataclass(kw_only=True)
class Replica:
    """The log of one learner.

    The weights of `epochs` are only in `history`, after the initial weights.
    """

    number: int | None = None
    started: RunStarted | None = None
    epochs: list[EpochFinished] = field(default_factory=list)
    history: WeightHistory = field(default_factory=WeightHistory)
    finished: RunFinished | None = None
    failed: RunFailed | None = None
    warnings: list[str] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Record an event."""
        match event:
            case RunStarted():
                self.started = event
                self.epochs.clear()
                self.history.drop(0)
                self.history.add(event.weights)
            case EpochFinished():
                self._add_epoch(event)
            case RunResumed():
                self.finished = self.failed = None
            case RunFinished():
                self.finished = event
            case RunFailed():
                self.failed = event
            case Warned() | Noted():
                self.warnings.append(event.message)

    def _add_epoch(self, event: EpochFinished) -> None:
        if self.started is None:
            raise FormatError(f"epoch {event.epoch} finishes before the run starts")
        # A run that was killed and resumed may report an epoch twice: the later report counts.
        while self.epochs and self.epochs[-1].epoch >= event.epoch:
            self.epochs.pop()
        self.history.drop(len(self.epochs) + 1)
        self.history.add(event.weights)
        self.epochs.append(replace(event, weights=Weights()))

    @property
    def best(self) -> int | None:
        """The index in `history` of the weights that are the result, if there is one."""
        if self.finished is None:
            return None
        numbers = [event.epoch for event in self.epochs]
        chosen = self.finished.best_epoch
        return numbers.index(chosen) + 1 if chosen in numbers else None


@dataclass(kw_only=True)
class RunRecord:
    """A run: its settings, its logs, what it changed, and clouds of sentences that were inspected.

    `log` is the log of the run itself. If the run has replicas, each has a log of its own, and
    `log` has only the events before and after them.
    """

    name: str
    settings: str | None
    log: Replica
    replicas: list[Replica]
    summary: ReplicasFinished | None
    clouds: list[Cloud]
    bins: FeatureBins = field(default_factory=dict)
    sentences: Sentences | None = None
    running: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def learned(self) -> list[Replica]:
        """The logs of all learners."""
        return self.replicas or [self.log]

    @property
    def started(self) -> RunStarted | None:
        """The first event of the first learner."""
        return self.learned[0].started

    @property
    def warnings(self) -> list[str]:
        """All warnings, each once."""
        logs = [self.log, *self.replicas]
        return list(dict.fromkeys(message for log in logs for message in log.warnings))

    @property
    def failure(self) -> str | None:
        """Why there is no result; None if there is one."""
        for log in (self.log, *self.replicas):
            if log.failed is not None:
                return f"failed: {log.failed.message}"
        if self.summary is not None or (not self.replicas and self.log.finished is not None):
            return None
        if self.started is None:
            return "is reading its data" if self.running else "has not started to learn"
        last = self.learned[-1]
        replica = f" of replica {last.number}" if self.replicas else ""
        done = last.epochs[-1].epoch if last.epochs else 0
        epochs = f"{done} of {self.started.epochs} epochs{replica}"
        return f"{'is running' if self.running else 'was stopped'}: {epochs} are done"


def read_runs(directories: Sequence[PathLike]) -> list[RunRecord]:
    """Read the directories of runs, named by their paths relative to a common directory."""
    paths = [Path(directory).resolve() for directory in directories]
    shared = os.path.commonpath([path.parent for path in paths])
    names = [str(path.relative_to(shared)) for path in paths]
    return [read_run(path, name) for path, name in zip(directories, names, strict=True)]


def read_run(directory: PathLike, name: str | None = None) -> RunRecord:
    """Read the directory of a run; `name` is the directory's own name unless given.

    Raises
    ------
    DataError
        If the directory is not that of a run.
    FormatError
        If a log is broken; the message names the file and the line.
    """
    path = Path(directory)
    config, log = path / "config.toml", path / "events.jsonl"
    if not path.is_dir():
        problem = "is not a directory" if path.exists() else "does not exist"
        raise DataError(f"{path}: {problem}; expected the directory of a run")
    if not config.is_file() and not log.is_file():
        raise DataError(
            f"{path}: is not the directory of a run: it has neither config.toml nor events.jsonl"
        )
    main, summary = _read_log(log, None)
    replicas = sorted(path.glob("replica-*/events.jsonl"), key=_replica_number)
    # Short names first, so that 2 comes before 10.
    clouds = sorted((path / "clouds").glob("*.json"), key=lambda p: (len(p.name), p.name))
    return RunRecord(
        name=name or path.resolve().name,
        settings=_read_settings(config) if config.is_file() else None,
        log=main,
        replicas=[_read_log(file, _replica_number(file))[0] for file in replicas],
        summary=summary,
        clouds=[read_cloud(file) for file in clouds],
        bins=run_bins(path),
        sentences=read_sentences(path / SENTENCES_FILE),
        running=is_in_use(path),
        environment=read_environment(path),
    )


def _replica_number(log: Path) -> int:
    number = log.parent.name.removeprefix("replica-")
    if not (number.isascii() and number.isdigit()):
        raise DataError(f"{log.parent}: expected a directory named 'replica-' and a number")
    return int(number)


def _read_log(path: Path, number: int | None) -> tuple[Replica, ReplicasFinished | None]:
    replica, summary = Replica(number=number), None
    if not path.is_file():
        return replica, None
    try:
        for event in read_log(path):
            if isinstance(event, ReplicasFinished):
                summary = event
            try:
                replica.add(event)
            except FormatError as error:
                raise FormatError(f"{path}: {error}") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {file_error_reason(error)}") from error
    return replica, summary


def _read_settings(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {file_error_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def flat_settings(text: str) -> dict[str, str]:
    r"""Return settings by dotted key; none if the text is not TOML.

    Examples
    --------
    >>> flat_settings("seed = 7\n[learner]\nname = 'sgd'\nlists = [1, 2]")
    {'seed': '7', 'learner.name': 'sgd', 'learner.lists': '1, 2'}
    """
    try:
        return dict(_flattened("", tomllib.loads(text)))
    except (ValueError, RecursionError):
        return {}


def _flattened(key: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        inner = [(f"{key}.{name}" if key else str(name), item) for name, item in value.items()]
        return [pair for name, item in inner for pair in _flattened(name, item)]
    if isinstance(value, list):
        return [(key, ", ".join(map(str, value)))]
    return [(key, str(value).lower() if isinstance(value, bool) else str(value))]
