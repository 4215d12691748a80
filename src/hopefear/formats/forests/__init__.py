"""Reading and writing forests in any of the registered formats."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hopefear.forest import Forest
from hopefear.formats.base import ForestFormat, choose_format, forest_formats, named_format
from hopefear.formats.files import PathLike, Tell, open_source, tell_nobody
from hopefear.types import Vocabulary

__all__ = ["detect_forests", "read_forests", "write_forests"]


def detect_forests(path: PathLike) -> str:
    """Return the name of the format in which forests are written."""
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
    """Read sentences and their forests one after the other.

    Parameters
    ----------
    path
        A file or a directory.
    format
        A name out of `forest_formats`, perhaps with options (``moses-hypergraph:suffix=txt``), or a
        format; told by content if not given.
    words, feature_names
        Vocabularies to share with other forests. All forests read share theirs.
    tell
        Called with the file, how much of it is read and how much there is (0: unknown).
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
    """Write sentences and their forests; the file or directory appears whole or not at all."""
    chosen = named_format(format, forest_formats) if isinstance(format, str) else format
    chosen.write(forests, Path(path))
