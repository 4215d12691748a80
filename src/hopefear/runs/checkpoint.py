"""Where a run is, on disk, so that a stopped run resumes from there.

A checkpoint is one file, which is replaced as a whole after an epoch: whenever a run is killed, the
last checkpoint is there whole, and what was learned after it is learned again.
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from hopefear.errors import DataError, FormatError
from hopefear.events import EpochFinished, from_json, to_json
from hopefear.formats.files import keep, open_binary_output
from hopefear.parallel.codec import Arrays, decode, encode
from hopefear.runs.course import Course
from hopefear.types import FloatArray

__all__ = ["CheckpointFile", "Position"]

VERSION = 4

# What reading a damaged archive raises; what zipfile does not support, such as encryption, is a
# RuntimeError.
_BROKEN = (
    *(DataError, LookupError, TypeError, ValueError, ArithmeticError, EOFError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)


@dataclass(frozen=True, kw_only=True)
class Position:
    """Where a run is after an epoch.

    Attributes
    ----------
    state : Any
        The learner's.
    previous : array
        The weights of the epoch.
    epoch : int
        How many are done.
    repeated : int
        How many of the last ones changed nothing.
    best : EpochFinished, optional
        The best of them.
    held_out : tuple of float
        The scores by which to decide when to stop.
    reason : str
        Why the run is over, if it is.
    start_score : float
        How good the start was on the data that decides: the dev data, if there is any.
    seconds : float
        How long the run has taken so far.
    """

    state: Any
    previous: FloatArray
    epoch: int = 0
    repeated: int = 0
    best: EpochFinished | None = None
    held_out: tuple[float, ...] = ()
    reason: str = ""
    start_score: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class CheckpointFile:
    """The file of a run's position.

    Parameters
    ----------
    path : Path
        Its name ends in ``.npz``; the directory is made.
    used : bool
        Whether to resume from a file that is there; otherwise it is another run's, to be replaced.
    seconds : float
        The least time between two checkpoints: writing one may take longer than a short epoch.
    log : Path, optional
        What the run told until now, which is on the disk before a checkpoint is.
    """

    path: Path
    used: bool = True
    seconds: float = 0.0
    log: Path | None = None

    def epoch(self) -> int:
        """Return how many epochs are done; 0 if there is no file."""
        if not self.path.exists():
            return 0
        try:
            return _epoch(json.loads(self._arrays("table")["table"].tobytes()))
        except _BROKEN as error:
            raise self._broken(error) from error

    def save(self, position: Position, course: Course) -> None:
        """Write the position; the file appears whole or not at all."""
        table = {
            "version": VERSION,
            "epoch": position.epoch,
            "repeated": position.repeated,
            "best": None if position.best is None else to_json(position.best),
            "held_out": position.held_out,
            "reason": position.reason,
            "start_score": position.start_score,
            "seconds": position.seconds,
            "features": list(course.data.feature_names),
        }
        arrays = encode(position.state) | {
            "previous": position.previous,
            "table": np.frombuffer(json.dumps(table).encode(), dtype=np.uint8),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.log is not None:
            keep(self.log)
        with open_binary_output(self.path) as file:
            np.savez(file, **cast(Any, arrays))

    def load(self, first: FloatArray, course: Course) -> Position:
        """Return the position; that of the beginning if the file is not there.

        Parameters
        ----------
        first : array
            The weights of the beginning.
        course : Course
            Its state of the beginning is the pattern of the one in the file; its data is told the
            features that were met later.

        Raises
        ------
        FormatError
            If the file is broken, or of another run.
        """
        if not self.used or not self.path.exists():
            return Position(state=course.start(first), previous=first)
        names = course.data.feature_names
        try:
            arrays = self._arrays()
            table = json.loads(arrays.pop("table").tobytes())
            if table["version"] != VERSION:
                raise DataError(f"it has version {table['version']}, this program {VERSION}")
            for number, name in enumerate(table["features"]):
                if names.add(name) != number:
                    raise DataError(f"feature {number} of the run was '{name}'")
            best = None if table["best"] is None else from_json(table["best"])
            if not isinstance(best, EpochFinished | None):
                raise DataError("its best epoch is another event")
            previous = arrays["previous"]
            flat = previous.dtype == np.float64 and previous.ndim == 1
            if not flat or len(previous) > len(names):
                raise DataError(f"it has weights of the shape {previous.shape}")
            weights = np.append(first, np.zeros(max(0, len(previous) - len(first))))
            return Position(
                state=decode(course.start(weights), arrays, course.data),
                previous=previous,
                epoch=_epoch(table),
                repeated=int(table["repeated"]),
                best=best,
                held_out=tuple(map(float, table["held_out"])),
                reason=str(table["reason"]),
                start_score=float(table["start_score"]),
                seconds=float(table["seconds"]),
            )
        except _BROKEN as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> FormatError:
        message = f"damaged, or from another run: {error}; remove it to start over"
        return FormatError(f"{self.path}: {message}")

    def _arrays(self, *names: str) -> Arrays:
        """Return these arrays of the file, or all of them."""
        with self.path.open("rb") as opened:
            try:
                zipfile.ZipFile(opened).close()
                opened.seek(0)
                with np.load(opened, allow_pickle=False) as file:
                    return {name: file[name] for name in names or file.files}
            except OSError as error:  # a place before the beginning of the file
                raise DataError(str(error)) from error


def _epoch(table: Mapping[str, Any]) -> int:
    """Return how many epochs are done."""
    epoch = int(table["epoch"])
    if epoch < 0:
        raise DataError(f"it has {epoch} epochs")
    return epoch
