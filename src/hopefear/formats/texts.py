"""Plain texts, one sentence a line: hypotheses and references, from files or at hand."""

from collections.abc import Sequence
from pathlib import Path

from hopefear.errors import DataError
from hopefear.formats import read_lines, read_reference_lines
from hopefear.formats.files import PathLike
from hopefear.metrics import References

__all__ = ["Texts", "name_of_texts", "read_references", "read_texts"]

Texts = PathLike | Sequence[str]
"""A file with one sentence a line, or a list of sentences."""


def read_texts(texts: Texts) -> Sequence[str]:
    """Return the sentences: the lines of a file (plain, gzip, or ``-``), or those given."""
    if isinstance(texts, str | Path):
        return read_lines(texts)
    if not isinstance(texts, Sequence):
        raise DataError(f"expected a file or a list of texts, got {texts!r:.60}")
    return texts


def name_of_texts(texts: Texts, number: int) -> str:
    """Return what a message calls them: the file, or their number from 1."""
    return str(texts) if isinstance(texts, str | Path) else f"list {number}"


def read_references(references: Sequence[Texts]) -> References:
    """Return the references of each sentence, one or more files (or lists) of them.

    Files are as `hopefear.formats.read_reference_lines` reads them.

    Examples
    --------
    >>> read_references([["a cat", "a dog"], ["the cat", "the dog"]])
    References(2 sentences, references: 2)
    """
    if isinstance(references, str | Path):
        raise DataError(f"references are given as a list of files, got the single '{references}'")
    names = [name_of_texts(texts, number) for number, texts in enumerate(references, 1)]
    streams = [
        read_reference_lines(texts) if isinstance(texts, str | Path) else read_texts(texts)
        for texts in references
    ]
    return References.from_streams(streams, names)
