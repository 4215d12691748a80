"""What the directory of a run tells about it, also if the run was killed or failed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopefear.errors import DataError, FormatError
from hopefear.events import (
    EpochFinished,
    Event,
    ReplicasFinished,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
    read_log,
)
from hopefear.file_errors import file_error_reason
from hopefear.formats.files import PathLike
from hopefear.inspection import Cloud, read_cloud
from hopefear.reporting.weight_history import WeightHistory
from hopefear.types import Weights

__all__ = ["Replica", "RunRecord", "cloud_files", "read_run", "read_runs"]


@dataclass(kw_only=True)
class Replica:
    """What a log tells: one run of a learner.

    The weights of `epochs` are in `history` only, the start first.
    """

    number: int | None = None
    started: RunStarted | None = None
    epochs: list[EpochFinished] = field(default_factory=list)
    history: WeightHistory = field(default_factory=WeightHistory)
    finished: RunFinished | None = None
    failed: RunFailed | None = None
    warnings: list[str] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Take up an event."""
        match event:
            case RunStarted():
                self.started = event
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
            case Warned():
                self.warnings.append(event.message)

    def _add_epoch(self, event: EpochFinished) -> None:
        if self.started is None:
            raise FormatError(f"epoch {event.epoch} ended before the run started")
        # A run that was killed and resumed may tell of an epoch twice: the later one counts.
        while self.epochs and self.epochs[-1].epoch >= event.epoch:
            self.epochs.pop()
        self.history.drop(len(self.epochs) + 1)
        self.history.add(event.weights)
        self.epochs.append(replace(event, weights=Weights()))

    @property
    def best(self) -> int | None:
        """The place in `history` of the weights that were taken; None if none were."""
        if self.finished is None:
            return None
        numbers = [event.epoch for event in self.epochs]
        chosen = self.finished.best_epoch
        return numbers.index(chosen) + 1 if chosen in numbers else None


@dataclass(kw_only=True)
class RunRecord:
    """A run: its settings, and the log of each of its replicas, or the one that it has.

    `log` is that of the run itself: with replicas, what was told before and after them.
    `clouds` are those of sentences that were looked at.
    """

    name: str
    settings: str | None
    log: Replica
    replicas: list[Replica]
    summary: ReplicasFinished | None
    clouds: list[Cloud]

    @property
    def learned(self) -> list[Replica]:
        """Every run of the learner."""
        return self.replicas or [self.log]

    @property
    def started(self) -> RunStarted | None:
        """How it began."""
        return self.learned[0].started

    @property
    def warnings(self) -> list[str]:
        """What the user was told, each message once."""
        logs = [self.log, *self.replicas]
        return list(dict.fromkeys(message for log in logs for message in log.warnings))

    @property
    def failure(self) -> str | None:
        """Why there is no result, if there is none."""
        for log in (self.log, *self.replicas):
            if log.failed is not None:
                return f"failed: {log.failed.message}"
        if self.summary is not None or (not self.replicas and self.log.finished is not None):
            return None
        if self.started is None:
            return "did not begin to learn, or has not yet"
        last = self.learned[-1]
        replica = f" of replica {last.number}" if self.replicas else ""
        done = last.epochs[-1].epoch if last.epochs else 0
        return f"has not ended, or was killed: {done} of {self.started.epochs} epochs{replica} done"


def read_runs(directories: Sequence[PathLike]) -> list[RunRecord]:
    """Read the directories of runs, which are called by their paths from where all of them are."""
    paths = [Path(directory).resolve() for directory in directories]
    shared = os.path.commonpath([path.parent for path in paths])
    names = [str(path.relative_to(shared)) for path in paths]
    return [read_run(path, name) for path, name in zip(directories, names, strict=True)]


def read_run(directory: PathLike, name: str | None = None) -> RunRecord:
    """Read the directory of a run, which is called `name`, or else as the directory is.

    Raises
    ------
    DataError
        If it is no run's directory.
    FormatError
        If a log is broken: the message names the file and the line.
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
    folders = sorted(path.glob("replica-*/events.jsonl"), key=_replica_number)
    replicas = [_read_log(file, _replica_number(file))[0] for file in folders]
    return RunRecord(
        name=name or path.resolve().name,
        settings=_read_settings(config) if config.is_file() else None,
        log=main,
        replicas=replicas,
        summary=summary,
        clouds=[read_cloud(file) for file in cloud_files(path)],
    )


def cloud_files(run: Path) -> list[Path]:
    """Return the clouds that were saved with a run, those with short names first: 2 before 10."""
    files = (run / "clouds").glob("*.json")
    return sorted(files, key=lambda file: (len(file.name), file.name))


def _replica_number(log: Path) -> int:
    number = log.parent.name.removeprefix("replica-")
    if not (number.isascii() and number.isdigit()):
        raise DataError(f"{log.parent}: is not the directory of a replica, which has a number")
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
