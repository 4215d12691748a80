"""What the system says about files that cannot be used, in a sentence with the file's name."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["describe_file_error", "file_error_reason", "naming"]

# While a file is written: its name is then not in the error.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = "name another place"
_HELP = {
    errno.ENOSPC: f"make room, or {_ELSEWHERE}",
    errno.EDQUOT: f"make room, or {_ELSEWHERE}",
    errno.EFBIG: f"raise the limit ('ulimit -f'), or {_ELSEWHERE}",
    errno.EROFS: _ELSEWHERE,
    errno.EACCES: f"change its permissions, or {_ELSEWHERE}",
    errno.EPERM: f"change its permissions, or {_ELSEWHERE}",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: _ELSEWHERE,
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EMFILE: "raise the limit ('ulimit -n')",
}


def file_error_reason(error: OSError) -> str:
    """Return what the system says, and what would do.

    Examples
    --------
    >>> file_error_reason(IsADirectoryError(errno.EISDIR, "Is a directory", "data"))
    'Is a directory; name a file'
    """
    reason = error.strerror or str(error)
    known = _HELP.get(error.errno or 0)
    return f"{reason}; {known}" if known else reason


def describe_file_error(error: OSError, nameless: str = "a file") -> str:
    """Return the sentence: which file, what happened, and what would do.

    A file that the error does not name is called `nameless`.

    Examples
    --------
    >>> describe_file_error(OSError(errno.ENOSPC, "No space left on device", "run/weights.tsv"))
    'run/weights.tsv: cannot be written: No space left on device; make room, or name another place'
    """
    if error.strerror is None:  # not of the system, but of a library
        return str(error)
    name = error.filename2 or error.filename
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    what = "cannot be written" if error.errno in _FULL else "cannot be read or written"
    return f"{nameless if name is None else name}: {what}: {file_error_reason(error)}"


@contextmanager
def naming(path: str | Path, temporary: Path | None = None) -> Iterator[None]:
    """Let errors for want of room name the file that is being written.

    Errors that name the file `temporary`, which is written in its place, name it too.
    """
    try:
        yield
    except OSError as error:
        nameless = error.filename is None and error.errno in _FULL
        if nameless or (temporary is not None and error.filename == str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
