"""What callers from Python give, checked before it becomes a setting: files, and lists of texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hopefear.errors import ConfigError
from hopefear.formats.weights import read_run_weights
from hopefear.types import Weights

__all__ = ["file_name", "file_names", "several_texts", "weights_or_file"]


def file_name(argument: str, path: object) -> str | None:
    """Return the name of a file, or None if there is none.

    Examples
    --------
    >>> file_name("source", ["a text", "and another"])
    Traceback (most recent call last):
    ...
    hopefear.errors.ConfigError: source: expected the name of a file, got ['a text', 'and another']
    """
    if path is None:
        return None
    if not isinstance(path, str | Path):
        raise ConfigError(f"{argument}: expected the name of a file, got {path!r:.60}")
    return str(path)


def file_names(argument: str, paths: object) -> list[str] | None:
    """Return the names of one or several files, or None if there are none."""
    if paths is None or isinstance(paths, str | Path):
        paths = [] if paths is None else [paths]
    elif not isinstance(paths, Sequence):
        raise ConfigError(f"{argument}: expected the names of files, got {paths!r:.60}")
    names = [name for path in paths if (name := file_name(argument, path)) is not None]
    return names or None


def several_texts(argument: str, texts: object) -> list[str]:
    """Return a list of texts; a single one has been meant to be in a list."""
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise ConfigError(f"{argument}: expected a list of texts, got {texts!r:.60}")
    for text in texts:
        if not isinstance(text, str):
            raise ConfigError(f"{argument}: expected texts in the list, got {text!r:.60}")
    return list(texts)


def weights_or_file(argument: str, weights: object) -> Weights:
    """Return weights: those of a mapping, of a file, or of the directory of a run."""
    if isinstance(weights, Mapping):
        return Weights(weights)
    if not isinstance(weights, str | Path):
        expected = "a run's directory, a file of weights or the weights"
        raise ConfigError(f"{argument}: expected {expected}, got {weights!r:.60}")
    return read_run_weights(weights)
