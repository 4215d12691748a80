"""Stages of training: a second run skips those that are finished.

A stage is identified by its fingerprint, a hash of its options and inputs. A record lists the files
that it wrote: if the fingerprint is the same and the files are still there, the stage is finished.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.files import PathLike, Tell, open_output
from hopefear.settings import config
from hopefear.translation.training.settings import TrainSettings

__all__ = ["Figures", "Fingerprint", "Stage", "Stages", "Work", "existing_file", "options_of"]

RESOURCES = {"memory", "threads", "temporary_directory"}

Figures = Mapping[str, int | float | str]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A finished stage.

    Attributes
    ----------
    name : str
        Name of the stage.
    fingerprint : str
        Hash of its options and inputs.
    seconds : float
        Duration.
    figures : mapping
        Figures to report, such as the number of rules.
    reused : bool
        Whether an earlier run finished it.
    """

    name: str
    fingerprint: str
    seconds: float
    figures: Figures
    reused: bool


class Fingerprint:
    """Hashes options, files and other fingerprints, in order."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._files: dict[Path, str] = {}

    def __call__(self, *parts: object) -> str:
        """Return the hash: of the content of files (each a Path), of all else as JSON."""
        plain = [self._file(part) if isinstance(part, Path) else part for part in parts]
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def _file(self, path: Path) -> str:
        if path not in self._files:
            self._files[path] = self._digest(path)
        return self._files[path]

    def _digest(self, path: Path) -> str:
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                total = path.stat().st_size
                while piece := file.read(1 << 22):
                    digest.update(piece)
                    self._tell("comparing inputs", file.tell(), total)
        except OSError as error:
            raise FormatError(f"{path}: cannot read the file: {error.strerror}") from error
        return digest.hexdigest()


class Stages:
    """Runs the stages of a training in a directory, each once.

    Parameters
    ----------
    directory
        The directory of the model; records are in its ``stages``.
    finished
        Called with each finished stage.
    """

    def __init__(self, directory: Path, finished: Callable[[Stage], None]) -> None:
        self._directory, self._finished = directory, finished
        self._records = directory / "stages"
        self._records.mkdir(parents=True, exist_ok=True)

    @property
    def any_finished(self) -> bool:
        """Whether any stage is finished."""
        return any(self._records.glob("*.json"))

    def is_finished(self, name: str, fingerprint: str, outputs: Sequence[str]) -> bool:
        """Whether a stage, as `do` knows it, is finished."""
        return self._earlier(name, fingerprint, outputs) is not None

    def do(
        self, name: str, fingerprint: str, outputs: Sequence[str], work: Callable[[], Figures]
    ) -> Stage:
        """Run a stage, unless it is finished.

        Parameters
        ----------
        name
            Name of the stage.
        fingerprint
            Hash of its options and inputs.
        outputs
            The files that it writes, relative to the directory.
        work
            Runs the stage and returns figures to report.
        """
        stage = self._earlier(name, fingerprint, outputs)
        if stage is None:
            record = self._records / f"{name}.json"
            record.unlink(missing_ok=True)
            started = time.monotonic()
            figures = work()
            seconds = time.monotonic() - started
            sizes = {file: (self._directory / file).stat().st_size for file in outputs}
            table = {"fingerprint": fingerprint, "seconds": round(seconds, 3)}
            with open_output(record) as out:
                json.dump({**table, "figures": dict(figures), "files": sizes}, out, indent=1)
            stage = Stage(
                name=name, fingerprint=fingerprint, seconds=seconds, figures=figures, reused=False
            )
        self._finished(stage)
        return stage

    def _earlier(self, name: str, fingerprint: str, outputs: Sequence[str]) -> Stage | None:
        """Return the stage if an earlier run finished it with this fingerprint."""
        try:
            record = json.loads((self._records / f"{name}.json").read_text(encoding="utf-8"))
            sizes = {file: (self._directory / file).stat().st_size for file in outputs}
            if record["fingerprint"] != fingerprint or record["files"] != sizes:
                return None
            return Stage(
                name=name,
                fingerprint=fingerprint,
                seconds=float(record["seconds"]),
                figures=dict(record["figures"]),
                reused=True,
            )
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None  # there is no record, or none that can be trusted


def existing_file(path: PathLike) -> Path:
    """Return the path of a regular file, which can be read repeatedly; else FormatError."""
    file = Path(path)
    if not file.exists():
        raise FormatError(f"{path}: file not found")
    if not file.is_file():
        raise FormatError(f"{path}: not a regular file; training reads it more than once")
    return file


@dataclass(frozen=True, kw_only=True)
class Work:
    """What all stages of building a model share.

    Attributes
    ----------
    settings : TrainSettings
        The settings.
    out : Path
        The directory of the model.
    stages : Stages
        Runs each stage once.
    fingerprint : Fingerprint
        Hashes the options and inputs of a stage.
    tell : callable
        Progress callback.
    """

    settings: TrainSettings
    out: Path
    stages: Stages
    fingerprint: Fingerprint
    tell: Tell


def options_of(part: object) -> dict[str, object]:
    """Return the options that the result depends on: all but resources."""
    return {name: value for name, value in config.encode(part).items() if name not in RESOURCES}
