"""Forests: reading and writing in all registered formats."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hopefear.forest import Forest
from hopefear.formats.base import ForestFormat, choose_format, forest_formats, named_format
from hopefear.formats.files import PathLike, Tell, open_source, tell_nobody
from hopefear.types import Vocabulary

__all__ = ["detect_forests", "read_forests", "write_forests"]


def detect_forests(path: PathLike) -> str:
    """Return the name of the format of forests."""
    with open_source(path) as source:
        return forest_formats.name_of(type(choose_format(source, forest_formats, None)))


def read_forests(
    path: PathLike,
    format: str | ForestFormat | None = None,
    *,
    words: Vocabulary | None = None,
    feature_names: Vocabulary | None = None,
    tell: Tell = tell_nobody,
) -> Iterator[tuple[int, Forest]]:
    """Read sentences and their forests one by one.

    Parameters
    ----------
    path
        A file or a directory.
    format
        A name in `forest_formats`, perhaps with options (``moses-hypergraph:suffix=txt``), or a
        format; detected from the content by default.
    words, feature_names
        Vocabularies of all forests that are read; new ones by default.
    tell
        Progress callback, called with the file, the bytes read and the size.
    """
    words = Vocabulary() if words is None else words
    feature_names = Vocabulary() if feature_names is None else feature_names
    with open_source(path) as source:
        chosen = choose_format(source, forest_formats, format)
        yield from source.watched(chosen.read(source, words, feature_names), tell)


def write_forests(
    path: PathLike,
    forests: Iterable[tuple[int, Forest]],
    format: str | ForestFormat = "hopefear",
) -> None:
    """Write sentences and their forests; the file or directory appears only when complete."""
    chosen = named_format(format, forest_formats) if isinstance(format, str) else format
    chosen.write(forests, Path(path))
