"""Plain texts, one sentence a line, and references, from files or at hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hopefear.errors import DataError
from hopefear.formats.files import PathLike, open_output, open_source, read_lines
from hopefear.formats.nbest import SentenceKeys
from hopefear.formats.nbest.fairseq import FairseqNBest, fairseq_targets
from hopefear.formats.nbest.fixed_size import is_manifest, manifest_texts
from hopefear.metrics import References

__all__ = [
    "Texts",
    "keyed_references",
    "name_of_texts",
    "read_feature_table",
    "read_reference_lines",
    "read_references",
    "read_texts",
    "write_feature_table",
]

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


def read_reference_lines(path: PathLike) -> list[str]:
    """Read one reference for each sentence.

    What fairseq's generate printed has them in its T- lines, a manifest of NeMo as `text`; of any
    other file each line is one.
    """
    with open_source(path) as source:
        if FairseqNBest().sniff(source):
            return fairseq_targets(source)
        if is_manifest(source):
            return manifest_texts(source)
        return [line for _, line in source]


def keyed_references(keys: SentenceKeys, references: Mapping[str, str]) -> list[str]:
    """Return references in the order of the sentences.

    Every sentence must have a reference and every reference a sentence. To count sentences for
    which there are no hypotheses at all, make the keys from the references before reading the
    n-best lists: ``SentenceKeys(references)``.
    """
    names = dict.fromkeys(keys.names)
    for name in names:
        if name not in references:
            raise DataError(f"there is no reference for '{name}'")
    for name in references:
        if name not in names:
            raise DataError(f"there is a reference for '{name}', but no hypothesis")
    return [references[name] for name in names]


def write_feature_table(rows: Iterable[tuple[str, ...]], path: PathLike) -> int:
    """Write rows, whole or not at all, and return their number; fields have no tabs."""
    count = 0
    with open_output(path) as file:
        for row in rows:
            file.write("\t".join(row) + "\n")
            count += 1
    return count


def read_feature_table(path: PathLike) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a file, plain or gzip.

    Raises
    ------
    FormatError
        If it cannot be read.
    """
    with open_source(path) as source:
        for _, line in source:
            yield tuple(line.split("\t"))
