"""A folder that one process at a time may write to."""

import fcntl
import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from hopefear.errors import ConfigError

__all__ = ["LOCK_FILE", "FolderLock", "is_in_use"]

LOCK_FILE = ".lock"


class FolderLock:
    """The lock of a folder, which is made if it is not there.

    It is a lock of the system on a file, so that it ends with the process, however that ends; a
    file without such a lock means nothing.

    Parameters
    ----------
    folder : Path
    name : str
        The name of the file, where the lock is that of a part of the folder.
    wait : bool
        Wait until another process no longer has it.

    Raises
    ------
    ConfigError
        If another process has it, and `wait` is false.
    """

    def __init__(self, folder: Path, name: str = LOCK_FILE, *, wait: bool = False) -> None:
        self._path = folder / name
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            # A link could lead to a file of somebody else, which would be emptied.
            self._file = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644
            )
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except OSError as error:
                owner = self._owner()
                os.close(self._file)
                raise ConfigError(
                    f"{folder}: is in use by {owner}; wait until it ends, or name another"
                ) from error
            # The one who had it before may have removed the file meanwhile.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file), self._path.stat()):
                    break
            os.close(self._file)
        os.truncate(self._file, 0)
        os.pwrite(self._file, self._self().encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    @staticmethod
    def _self() -> str:
        return json.dumps({"process": os.getpid(), "host": socket.gethostname()})

    def _owner(self) -> str:
        try:
            process, host = _read_owner(self._file)
        except _UNKNOWN:
            return "another process"
        return f"process {process} on {host}"


# What reading an owner raises if there is no file, or something else in it.
_UNKNOWN = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError)


def _read_owner(file: int) -> tuple[int, str]:
    """Return the process that has a lock, and its machine."""
    found = json.loads(os.pread(file, 1000, 0))
    return int(found["process"]), str(found["host"])[:100]


def is_in_use(folder: Path) -> bool:
    """Whether a process writes to a folder; one on another machine is believed.

    The lock itself is not tried, which would be in the way of others.
    """
    try:
        file = os.open(folder / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            process, host = _read_owner(file)
        finally:
            os.close(file)
    except _UNKNOWN:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
