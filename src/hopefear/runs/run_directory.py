"""The directory of a run: its settings, what happened, and the weights, each file written whole.

::

    config.toml         the settings, with every default
    run.json            where the run was started, relative paths of the settings begin there, and
                        fingerprints of its data; the machine and the programs
    events.jsonl        what happened, one event a line
    weights/NN.tsv      the weights after each epoch
    weights.tsv         the weights to use; there is none if the run failed
    bins.tsv            the bins of discretized features
    sentences.jsonl.gz  translations of the start and of the result, with the metric's statistics
    fit.toml            what the columns of candidates in memory were called (`hopefear.fit`)
    weights.FORMAT      the same for the tool that the lists came from, or moses.ini
    grid/               the runs of a grid, of which this is the best (`hopefear.tune_grid`)
    replica-N/          events and weights of each of several replicas
    clouds/             hope and fear of sentences that were looked at (`hopefear.inspect`)
    report.html         what happened, to look at; written by `hopefear.report`
    .lock               which process writes here
"""

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hopefear.errors import (
    ConfigError,
    DecoderError,
    FormatError,
    HopefearError,
    describe_file_error,
)
from hopefear.events import (
    CheckpointWritten,
    EpochFinished,
    Event,
    EventLog,
    Noted,
    ReplicasFinished,
    RunFailed,
    RunFinished,
    Warned,
    read_log,
    to_json,
)
from hopefear.formats import open_output, write_weights
from hopefear.formats.files import is_litter, remove_litter
from hopefear.formats.lock import LOCK_FILE, FolderLock
from hopefear.runs.checkpoint import CheckpointFile
from hopefear.runs.environment import describe_environment
from hopefear.runs.fingerprints import Fingerprints, check_same_data
from hopefear.runs.settings import TuneSettings
from hopefear.runs.weights_output import WeightsOutput
from hopefear.settings import config
from hopefear.translation.features.bins import BINS_FILE, FeatureBins, write_bins
from hopefear.types import Weights

__all__ = [
    "RunDirectory",
    "check_stopped",
    "check_target",
    "from_folder",
    "is_over",
    "load_run_settings",
    "read_environment",
]

ENDS = (RunFinished, ReplicasFinished)
FOLDER_FILE = "run.json"
CHECKPOINT_SECONDS = 1.0

_OURS = re.compile(
    r"\.lock|bins\.tsv|clouds|config\.toml|events\.jsonl|fit\.toml|grid|moses\.ini(\.sparse)?|joshua\.config|report\.html|run\.json|sentences\.jsonl\.gz|weights(\..+)?|replica-\d+|parses|decoder|checkpoint"
)
# What a new run in the same place may use again, or writes before there is anything else.
_KEPT = {"parses", "decoder", LOCK_FILE}


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a directory that is in use, before any work is done.

    With `force` the directory of another run will do, but never one with other files in it.
    """
    _check_writable(path)
    if not path.exists():
        return
    if not path.is_dir():
        raise ConfigError(f"{path}: exists and is not a directory")
    content = _names(path) - _KEPT
    if not content:
        return
    others = sorted(name for name in content if not _OURS.fullmatch(name))
    if others or "config.toml" not in content:
        found = (others or sorted(content))[0]
        raise ConfigError(
            f"{path}: is not the directory of a run (it holds '{found}'); name another"
        )
    if not force:
        problem = "holds a run already; name another directory, or force it to be replaced"
        raise ConfigError(f"{path}: {problem}", settings=("force",))


def _names(path: Path) -> set[str]:
    """Return what a directory holds, without what the next run in it removes."""
    return {item.name for item in path.iterdir() if not is_litter(item.name)}


def _check_writable(path: Path) -> None:
    """Require that the directory can be made, or written to; nothing is tried out."""
    # What cannot be looked at does not exist, for all we can say; the root always does.
    there = next(place for place in [path, *path.absolute().parents] if os.path.lexists(place))
    if there != path and not there.is_dir():
        raise ConfigError(f"{path}: cannot be made, because {there} is not a directory")
    if there.is_dir() and not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(f"{path}: cannot be written, because {there} is not for us to write to")


def check_stopped(path: Path) -> None:
    """Refuse to go on with a run that is not there, or is over."""
    if not (path / "config.toml").is_file():
        raise ConfigError(f"{path}: no run to resume; the command that was stopped starts it")
    if is_over(path):
        raise ConfigError(f"{path}: the run is over; there is nothing to go on with")


def is_over(path: Path) -> bool:
    """Whether the run in a directory has come to its end."""
    log = path / "events.jsonl"
    return log.is_file() and any(isinstance(event, ENDS) for event in read_log(log))


class RunDirectory:
    """Writes what a run tells into its directory.

    The settings are there from the beginning, so that a run that is killed while it reads its data
    can go on; the rest when it has started, with warnings from before. If the run fails before it
    has started, the directory is left as it was found, with the run that was to be replaced.

    Parameters
    ----------
    path : Path
        The directory; an old run in it is removed when the new one starts.
    settings : TuneSettings
        Written to ``config.toml``.
    force : bool
        Replace a run that is there.
    resume : bool
        Go on with the run that is there.

    Attributes
    ----------
    settings : TuneSettings
        What ``config.toml`` will have when the run starts.
    output : WeightsOutput
        How the final weights are written beside ``weights.tsv``.
    bins : mapping
        The bins of discretized features, for ``bins.tsv``.
    """

    def __init__(
        self, path: Path, settings: TuneSettings, *, force: bool = False, resume: bool = False
    ) -> None:
        check = check_stopped if resume else partial(check_target, force=force)
        check(path)
        self.path, self.output = path, WeightsOutput()
        self.bins: FeatureBins = {}
        self.settings, self._resume = settings, resume
        self._folder = path
        self._log: EventLog | None = None
        self._started = False
        self._early: list[Event] = []
        self._fingerprints: Fingerprints = {}
        self._new = [place for place in (path, *path.parents) if not place.exists()]
        self._lock = FolderLock(path)
        self._found = _names(path)  # also what another process wrote until now
        try:
            check(path)  # another process may have had it until now
            remove_litter(path)
            if not resume and not self._found - _KEPT:
                self._write_settings()
        except BaseException as error:
            self.fail(error)
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def take_data(self, fingerprints: Fingerprints) -> None:
        """Remember what the run is started with; a run that goes on must have the same."""
        self._fingerprints = fingerprints
        if self._resume:
            check_same_data(self.path, self.settings, read_fingerprints(self.path), fingerprints)

    def begin_replica(self, number: int) -> None:
        """Write what follows to the directory of a replica."""
        self.close()
        self._folder = self.path / f"replica-{number}"

    def finished_replica(self, number: int) -> RunFinished | None:
        """Return how a replica ended, if it did so before the run was stopped."""
        log = self.path / f"replica-{number}" / "events.jsonl"
        if not self._resume or not log.is_file():
            return None
        return next((event for event in read_log(log) if isinstance(event, RunFinished)), None)

    @property
    def checkpoint(self) -> CheckpointFile:
        """Where the state of the run, or of the replica, is kept."""
        return self._checkpoint(self._folder)

    def end_replicas(self) -> None:
        """Write what follows to the directory itself."""
        self.close()
        self._folder = self.path

    def write(self, event: Event) -> None:
        """Take up an event: the log gets it, and the weights that it carries become files."""
        if not self._started:
            if isinstance(event, Warned | Noted):
                self._early.append(event)
                return
            self._start()
        if self._log is None:
            self._log = self._opened()
        if isinstance(event, EpochFinished):
            _write_epoch(self._folder, event)
        if not isinstance(event, ENDS):
            self._log.write(event)
            return
        try:
            self._write_final(event.weights)
            self._log.write(event)
        except BaseException:  # a run that does not end well has no weights to use
            self._remove_final()
            raise

    def fail(self, error: BaseException) -> None:
        """Take up that the run ends without a result; one that has not started leaves nothing.

        Two things are kept, which take time or tell why: parses, which the next run in this place
        uses, and what a decoder wrote that failed.
        """
        if self._started:
            if isinstance(error, HopefearError):
                self._log_failure(str(error))
            elif isinstance(error, OSError):
                self._log_failure(describe_file_error(error))
            return
        decoder = self.path / "decoder"
        told = any(log.stat().st_size for log in decoder.rglob("decoder.log"))
        if "decoder" not in self._found and not (told and isinstance(error, DecoderError)):
            shutil.rmtree(decoder, ignore_errors=True)
        for name in (FOLDER_FILE, "config.toml"):  # which shows as long as it can whose this is
            if name not in self._found:
                (self.path / name).unlink(missing_ok=True)
        # Only what is empty can be removed so.
        parses = [] if "parses" in self._found else [self.path / "parses"]
        self._lock.release()
        for place in (*parses, *self._new):
            with suppress(OSError):
                place.rmdir()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is not None:
                self.fail(error)
        finally:
            self.close()
            self._lock.release()

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def _start(self) -> None:
        """Write the settings and what was told before; an old run makes room."""
        self._started = True
        if self._resume:
            # A run that was killed while it read its data does not know them yet.
            write_folder(self.path, read_folder(self.path), self._fingerprints)
            self._shorten_log(self.path)
        else:
            for item in sorted(self.path.iterdir()):
                # The settings are replaced, so that this is always the directory of a run.
                if _OURS.fullmatch(item.name) and item.name not in {*_KEPT, "config.toml"}:
                    shutil.rmtree(item) if item.is_dir() else item.unlink()
            self._write_settings()
        if self.bins:
            write_bins(self.path / BINS_FILE, self.bins)
        with EventLog(self.path / "events.jsonl") as log:
            for event in self._early:
                log.write(event)

    def _write_settings(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        with open_output(self.path / "config.toml") as out:
            out.write(config.dumps(self.settings))
        write_folder(self.path, Path.cwd(), self._fingerprints)

    def _opened(self) -> EventLog:
        """Open the log of the run, or of a replica."""
        if self._folder != self.path:
            self._folder.mkdir(exist_ok=self._resume)
            self._shorten_log(self._folder)
        return EventLog(self._folder / "events.jsonl")

    def _checkpoint(self, folder: Path) -> CheckpointFile:
        return CheckpointFile(
            folder / "checkpoint" / "state.npz",
            used=self._resume,
            seconds=CHECKPOINT_SECONDS,
            log=folder / "events.jsonl",
        )

    def _shorten_log(self, folder: Path) -> None:
        """Remove what a stopped run told after its checkpoint: it is told again.

        Nobody waited until the weights of epochs were on the disk, so after a power cut they may be
        in pieces. They are written again from the log.
        """
        path = folder / "events.jsonl"
        if path.is_file():
            kept = list(_until_epoch(read_log(path), self._checkpoint(folder).epoch()))
            with open_output(path) as out:
                out.writelines(to_json(event) + "\n" for event in kept)
            for file in (folder / "weights").glob("*.tsv"):
                file.unlink()
            for event in kept:
                if isinstance(event, EpochFinished):
                    _write_epoch(folder, event)

    def _write_final(self, weights: Weights) -> None:
        self.output.write(self._folder, weights)
        write_weights(self._folder / "weights.tsv", weights)

    def _remove_final(self) -> None:
        for file in (self._folder / "weights.tsv", self.output.file(self._folder)):
            if file is not None:
                file.unlink(missing_ok=True)

    def _log_failure(self, message: str) -> None:
        """Let the log tell why the run ended, if there is room for that."""
        self.close()
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            with EventLog(self._folder / "events.jsonl") as log:
                log.write(RunFailed(message=message))


def _write_epoch(folder: Path, event: EpochFinished) -> None:
    epochs = folder / "weights"
    epochs.mkdir(exist_ok=True)
    # The checkpoint has what a run needs to go on; waiting for the disk would take longer than a
    # short epoch.
    write_weights(epochs / f"{event.epoch:02}.tsv", event.weights, durable=False)


def _until_epoch(events: Iterable[Event], epoch: int) -> Iterator[Event]:
    """Give the events until an epoch, with its checkpoint; none if no epoch was done."""
    done = False
    for event in events if epoch else ():
        if done and not isinstance(event, CheckpointWritten):
            return
        yield event
        done = done or (isinstance(event, EpochFinished) and event.epoch == epoch)


def write_folder(run: Path, folder: Path, fingerprints: Fingerprints) -> None:
    """Let the directory of a run remember where it was started, and with what data."""
    with open_output(run / FOLDER_FILE) as out:
        table = {"folder": str(folder), "data": dict(fingerprints)}
        json.dump(table | {"environment": dict(describe_environment())}, out)
        out.write("\n")


def read_folder(run: Path) -> Path:
    """Return where a run was started; here, if that is not known."""
    file = run / FOLDER_FILE
    if not file.is_file():
        return Path.cwd()
    try:
        return Path(str(json.loads(file.read_text(encoding="utf-8"))["folder"]))
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"{file}: does not say where the run was started: {error!r}") from error


def read_fingerprints(run: Path) -> Fingerprints:
    """Return what a run was started with; nothing, if that is not known."""
    return _read_texts(run, "data")


def read_environment(run: Path) -> Mapping[str, str]:
    """Return the machine and the programs of a run; nothing, if they are not known."""
    return _read_texts(run, "environment")


def _read_texts(run: Path, name: str) -> dict[str, str]:
    file = run / FOLDER_FILE
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8")).get(name, {})
        return {str(key): str(value) for key, value in found.items()}
    except (OSError, AttributeError, ValueError, RecursionError) as error:
        raise FormatError(f"{file}: does not say what {name} the run has: {error!r}") from error


def load_run_settings(run: Path) -> TuneSettings:
    """Return the settings of a run, as they are meant here.

    Relative paths are those of the place where the run was started. What is not there any more, the
    whole may have been moved, is looked for from here.
    """
    if run.is_dir() and not (run / "config.toml").exists():
        raise ConfigError(f"{run}: is not the directory of a run: it has no config.toml")
    settings = config.load(TuneSettings, run / "config.toml")
    folder = read_folder(run)
    if folder == Path.cwd():
        return settings
    found: TuneSettings = from_folder(settings, folder)
    return found


def from_folder(value: Any, folder: Path) -> Any:
    """Return settings whose relative paths begin at a folder, where they exist."""
    if isinstance(value, Path):
        place = folder / value
        return place if str(value) != "-" and place.exists() else value
    if isinstance(value, tuple):
        return tuple(from_folder(item, folder) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        options = [option.name for option in fields(value) if option.init]
        return replace(
            value, **{name: from_folder(getattr(value, name), folder) for name in options}
        )
    return value
