"""Plain texts with one sentence per line, references, and tables separated by tabs."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hopefear.errors import DataError
from hopefear.formats.files import PathLike, open_output, open_source, read_lines
from hopefear.formats.keyed import ReferenceLines, aligned_texts
from hopefear.formats.nbest.fairseq import FairseqNBest, fairseq_targets
from hopefear.formats.nbest.fixed_size import is_manifest, manifest_texts
from hopefear.formats.record_references import has_references, record_references
from hopefear.metrics import References

__all__ = [
    "Texts",
    "name_of_texts",
    "named_references",
    "read_feature_table",
    "read_reference_lines",
    "read_references",
    "read_texts",
    "references_of",
    "stream_texts",
    "write_feature_table",
]

Texts = PathLike | Sequence[str]
"""A file with one sentence per line, or a list of sentences."""


def read_texts(texts: Texts) -> Sequence[str]:
    """Return the lines of a file (``-`` for standard input), or the given sentences."""
    if isinstance(texts, str | Path):
        return read_lines(texts)
    if not isinstance(texts, Sequence):
        raise DataError(f"expected a file or a list of strings, got {texts!r:.60}")
    return texts


def stream_texts(texts: Texts) -> Iterator[str]:
    """Yield the lines of a file, which need not fit into memory, or the given sentences."""
    if not isinstance(texts, str | Path):
        yield from read_texts(texts)
        return
    with open_source(texts) as source:
        for _, line in source:
            yield line


def name_of_texts(texts: Texts, number: int) -> str:
    """Return a name for messages: the file, or the number of the list from 1."""
    return str(texts) if isinstance(texts, str | Path) else f"list {number}"


def read_references(references: Sequence[Texts]) -> References:
    """Return the references of each sentence from one or more files or lists.

    `read_reference_lines` reads the files.

    Examples
    --------
    >>> read_references([["a cat", "a dog"], ["the cat", "the dog"]])
    References(2 sentences, references: 2)
    """
    if isinstance(references, str | Path):
        raise DataError(f"expected a list of reference files, got the string '{references}'")
    named = named_references(references)
    return references_of(named, aligned_texts(named))


def references_of(
    named: Sequence[tuple[str, Sequence[str]]], aligned: Sequence[Sequence[str]]
) -> References:
    """Return references whose lines were put in order; `named` has them as they were read."""
    streams = [
        [text or None for text in lines]
        if isinstance(own, ReferenceLines) and own.further
        else lines
        for (_, own), lines in zip(named, aligned, strict=True)
    ]
    return References.from_streams(streams, [name for name, _ in named])


def named_references(references: Sequence[Texts]) -> list[tuple[str, Sequence[str]]]:
    """Return the name and the lines of each file or list of references, which may have several."""
    return [
        (name_of_texts(texts, number), lines)
        for number, texts in enumerate(references, 1)
        for lines in (
            _reference_streams(texts) if isinstance(texts, str | Path) else [read_texts(texts)]
        )
    ]


def read_reference_lines(path: PathLike) -> list[str]:
    """Read one reference per sentence, the first one if there are several.

    The output of fairseq-generate has them in T- lines, a NeMo manifest in the field `text`, and
    other JSON under the key `reference`. In any other file, each line is a reference.
    """
    return _reference_streams(path)[0]


def _reference_streams(path: PathLike) -> Sequence[list[str]]:
    with open_source(path) as source:
        if FairseqNBest().sniff(source):
            return [fairseq_targets(source)]
        if is_manifest(source):
            return [manifest_texts(source)]
        if has_references(source):
            return record_references(source)
        return [[line for _, line in source]]


def write_feature_table(rows: Iterable[tuple[str, ...]], path: PathLike) -> int:
    """Write rows of fields, which must not contain tabs; return the number of rows."""
    count = 0
    with open_output(path) as file:
        for row in rows:
            file.write("\t".join(row) + "\n")
            count += 1
    return count


def read_feature_table(path: PathLike) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a file as fields."""
    with open_source(path) as source:
        for _, line in source:
            yield tuple(line.split("\t"))
