"""What can go wrong, as one tree.

::

    HopefearError
    ├── ConfigError          an option or a configuration says something that cannot be done
    │   └── OptionError      one option has a value that it cannot have
    ├── DecoderError         an external decoder cannot be run, or fails
    ├── LearningError        a learner's result is none: weights not finite, all zero, unchanged
    └── DataError            what was read, or handed over, is not what it should be
        ├── FormatError      a file breaks its format; the message begins with file and line
        └── ForestError      a hypergraph is not a forest, or has no derivation to give

A message says what is wrong, where (file and line, or sentence), which value was found, and what
would do. The compiled core raises the same classes.
"""

__all__ = [
    "ConfigError",
    "DataError",
    "DecoderError",
    "ForestError",
    "FormatError",
    "HopefearError",
    "HopefearWarning",
    "LearningError",
    "OptionError",
]


class HopefearError(Exception):
    """The root of the tree: everything that is the user's to mend.

    `settings` are those that the message is about, or that would mend it, by the names that they
    have in a file of settings; a command line adds what it calls them.
    """

    def __init__(self, message: str = "", *, settings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.settings = settings


class ConfigError(HopefearError, ValueError):
    """An option or a configuration says something that cannot be done."""


class OptionError(ConfigError):
    """One option of an object has a value that it cannot have.

    In Python it is called after the class, ``Mira.max_step must be > 0``; what reads a file of
    settings puts its own name in front of what is wrong, ``learner.max_step must be > 0``.

    Parameters
    ----------
    owner : object
        Whose option it is.
    field : str
        The option.
    problem : str
        What is wrong, as it follows the name: " must be > 0, got -0.5".
    """

    def __init__(self, owner: object, field: str, problem: str) -> None:
        super().__init__(f"{type(owner).__name__}.{field}{problem}", settings=(field,))
        self.field, self.problem = field, problem


class DecoderError(HopefearError):
    """An external decoder cannot be run, or fails; the message has the end of what it wrote."""


class LearningError(HopefearError):
    """What a learner found is no result, and is not reported as one."""


class DataError(HopefearError, ValueError):
    """What was read, or handed over, is not what it should be."""


class FormatError(DataError):
    """A file breaks its format; the message begins with the file and the line."""


class ForestError(DataError):
    """A hypergraph is not a forest, or has no derivation to give."""


class HopefearWarning(UserWarning):
    """Something that the user should know and decide about."""
