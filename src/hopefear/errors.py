"""The exceptions of the package as one tree, and messages for errors of the file system.

::

    HopefearError
    ├── ClusterError         a cluster cannot be reached, or loses workers again and again
    ├── ConfigError          an option or a configuration asks for something impossible
    │   └── OptionError      one option has an invalid value
    ├── DecoderError         an external decoder cannot be started, or fails
    ├── LearningError        learning ends in a degenerate result: not finite, all zero, unchanged
    └── DataError            data from a file or from the caller is invalid
        ├── FormatError      a file breaks its format; the message begins with file and line
        └── ForestError      a hypergraph is not a forest, or has no derivation

A message says what is wrong, where (file and line, or sentence), which value was found, and how to
correct it. The compiled core raises the same classes.
"""

import errno
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = [
    "ClusterError",
    "ConfigError",
    "DataError",
    "DecoderError",
    "ForestError",
    "FormatError",
    "HopefearError",
    "HopefearWarning",
    "LearningError",
    "OptionError",
    "describe_file_error",
    "file_error_reason",
    "import_extra",
    "naming",
]


class HopefearError(Exception):
    """The root of the tree: errors that the user can correct.

    Parameters
    ----------
    message : str
        What is wrong.
    settings : tuple of str
        The settings that the message is about, or that would help, by their names in a settings
        file. The command line adds the names of its options.
    """

    def __init__(self, message: str = "", *, settings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.settings = settings


class ClusterError(HopefearError):
    """A cluster cannot be reached, or loses workers again and again."""


class ConfigError(HopefearError, ValueError):
    """An option or a configuration asks for something impossible."""


class OptionError(ConfigError):
    """One option of an object has an invalid value.

    In Python the message names the class, ``Mira.max_step must be > 0``. A reader of settings files
    replaces the class by its own key, ``learner.max_step must be > 0``.

    Parameters
    ----------
    owner : object
        The object that has the option.
    field : str
        The option.
    problem : str
        What is wrong, as it follows the name: " must be > 0, got -0.5".
    """

    def __init__(self, owner: object, field: str, problem: str) -> None:
        super().__init__(f"{type(owner).__name__}.{field}{problem}", settings=(field,))
        self.field, self.problem = field, problem


class DecoderError(HopefearError):
    """An external decoder cannot be started, or fails; the message shows the end of its output."""


class LearningError(HopefearError):
    """Learning ends in a degenerate result, which is not reported as a result."""


class DataError(HopefearError, ValueError):
    """Data from a file or from the caller is invalid."""


class FormatError(DataError):
    """A file breaks its format; the message begins with the file and the line."""


class ForestError(DataError):
    """A hypergraph is not a forest, or has no derivation."""


class HopefearWarning(UserWarning):
    """Something that the user should know and decide about."""


def import_extra(
    module: str,
    extra: str,
    purpose: str,
    *,
    instead: str = "",
    settings: tuple[str, ...] = (),
) -> ModuleType:
    """Import a module of a package that is installed only with an extra of ours.

    Parameters
    ----------
    module : str
        The module.
    extra : str
        What brings it: ``pip install 'hopefear[extra]'``.
    purpose : str
        Who needs it, as the message begins.
    instead : str
        What else the user can do.
    settings : tuple of str
        The settings that ask for it.

    Raises
    ------
    ConfigError
        If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(
            f"{purpose} needs the package {package}, which is not installed: run pip install "
            f"'hopefear[{extra}]'" + (f", or {instead}" if instead else ""),
            settings=settings,
        ) from error


# The system reports these errors during writing, without the name of the file.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = "choose another location"
_HELP = {
    errno.ENOSPC: f"free some space, or {_ELSEWHERE}",
    errno.EDQUOT: f"free some space, or {_ELSEWHERE}",
    errno.EFBIG: f"raise the limit ('ulimit -f'), or {_ELSEWHERE}",
    errno.EROFS: _ELSEWHERE,
    errno.EACCES: f"change its permissions, or {_ELSEWHERE}",
    errno.EPERM: f"change its permissions, or {_ELSEWHERE}",
    errno.EISDIR: "give the name of a file",
    errno.ENOTDIR: _ELSEWHERE,
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EMFILE: "raise the limit ('ulimit -n')",
}


def file_error_reason(error: OSError) -> str:
    """Return the system's reason for a file error, and how to correct it.

    Examples
    --------
    >>> file_error_reason(IsADirectoryError(errno.EISDIR, "Is a directory", "data"))
    'Is a directory; give the name of a file'
    """
    reason = error.strerror or str(error)
    known = _HELP.get(error.errno or 0)
    return f"{reason}; {known}" if known else reason


def describe_file_error(error: OSError, nameless: str = "a file") -> str:
    """Return a message with the file, what happened, and how to correct it.

    `nameless` stands for a file that the error does not name.

    Examples
    --------
    >>> describe_file_error(OSError(errno.EROFS, "Read-only file system", "run/weights.tsv"))
    'run/weights.tsv: cannot be read or written: Read-only file system; choose another location'
    """
    if error.strerror is None:  # raised by a library, not by the system
        return str(error)
    name = error.filename2 or error.filename
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    what = "cannot be written" if error.errno in _FULL else "cannot be read or written"
    return f"{nameless if name is None else name}: {what}: {file_error_reason(error)}"


@contextmanager
def naming(path: str | Path, temporary: Path | None = None) -> Iterator[None]:
    """Add the name of the file being written to errors about a full disk.

    Errors that name `temporary`, the file that is written in its place, name `path` instead.
    """
    try:
        yield
    except OSError as error:
        nameless = error.filename is None and error.errno in _FULL
        if nameless or (temporary is not None and error.filename == str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
