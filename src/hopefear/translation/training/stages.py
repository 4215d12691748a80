"""Stages of a long piece of work: what is done is not done again.

A stage is known by its fingerprint, a hash of its options and of all that it reads. Its record says
what it wrote; where the fingerprint is the same and the files are still there, it is finished.
"""

import fcntl
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import ConfigError, FormatError
from hopefear.formats.files import PathLike, open_output
from hopefear.translation.training.progress import Progress

__all__ = ["Fingerprint", "Stage", "Stages"]

Figures = Mapping[str, int | float | str]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What is known of a stage that is finished.

    Attributes
    ----------
    name : str
        What was done.
    fingerprint : str
        The hash of what it was done with.
    seconds : float
        How long it took.
    figures : mapping
        What is worth telling.
    reused : bool
        Whether an earlier run did it.
    """

    name: str
    fingerprint: str
    seconds: float
    figures: Figures
    reused: bool


class Fingerprint:
    """Hashes options, files and other fingerprints, in order."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell
        self._files: dict[Path, str] = {}

    def __call__(self, *parts: object) -> str:
        """Return the hash: files (a Path) count by their content, all else as JSON."""
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
            raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
        return digest.hexdigest()


class Stages:
    """Does the stages of a piece of work in a directory, each once.

    Parameters
    ----------
    directory
        Where files are written; records are in its ``stages``.
    finished
        Called with each stage when it is finished.
    """

    def __init__(self, directory: Path, finished: Callable[[Stage], None]) -> None:
        self._directory, self._finished = directory, finished
        self._records = directory / "stages"
        self._records.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from working in the directory at the same time."""
        with (self._records / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                message = f"{self._directory}: another process works there; wait, or name another"
                raise ConfigError(message) from error
            yield

    @property
    def any_finished(self) -> bool:
        """Whether there is a stage that need not be done again."""
        return any(self._records.glob("*.json"))

    def do(
        self, name: str, fingerprint: str, outputs: Sequence[str], work: Callable[[], Figures]
    ) -> Stage:
        """Do a stage, unless it is finished.

        Parameters
        ----------
        name
            The stage.
        fingerprint
            The hash of its options and inputs.
        outputs
            The files that it writes, from the directory.
        work
            Does it, and returns what is worth telling.
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
        """Return the finished stage; None if there is none with this fingerprint."""
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
        except (OSError, ValueError, TypeError, KeyError):
            return None  # nothing is finished, or nobody can tell


def existing_file(path: PathLike) -> Path:
    """Return a path that can be read more than once; FormatError for anything else."""
    file = Path(path)
    if not file.exists():
        raise FormatError(f"{path}: is not there")
    if not file.is_file():
        raise FormatError(f"{path}: is no file; it is read more than once, so it must be one")
    return file
