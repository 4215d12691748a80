"""Shared parts of forest formats: a line or a numbered file per sentence, and target sides.

Numbered files are called ``0.gz``, ``1.gz``, ...; they are plain text or compressed by gzip or
bzip2, which their content shows. In target sides ``[X,2]`` and ``[2]`` are the second tail, and
``[X]`` is the next tail.
"""

import bz2
import gzip
import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from hopefear.errors import FormatError, file_error_reason, naming
from hopefear.forest import Forest
from hopefear.formats.fields import BLANK, split_blanks
from hopefear.formats.files import Source, open_output, open_source

__all__ = [
    "Suffix",
    "first_bytes",
    "format_side",
    "numbered_files",
    "parse_side",
    "read_whole",
    "write_lines",
    "write_numbered",
]

MOST_EMPTY = 1_000_000  # empty lines between two forests: a wrong number must not fill the disk


def write_lines(
    path: Path, forests: Iterable[tuple[int, Forest]], text_of: Callable[[Forest], str]
) -> None:
    """Write one line per sentence, in order; missing sentences become empty lines."""
    with open_output(path) as out:
        lines = 0
        for sentence, forest in forests:
            if sentence < lines:
                raise FormatError(f"{path}: sentence {sentence} comes after sentence {lines - 1}")
            if sentence - lines > MOST_EMPTY:
                raise FormatError(
                    f"{path}: sentence {sentence} follows {lines - 1}: too many are missing"
                )
            try:
                text = text_of(forest)
            except FormatError as error:
                raise FormatError(f"{path}: sentence {sentence}: {error}") from error
            out.write("\n" * (sentence - lines) + text + "\n")
            lines = sentence + 1


Suffix = Literal["txt", "json", "gz", "json.gz", "bz2"]


# Limit for the text of one sentence; a longer one means a broken or hostile file.
MOST_BYTES = 1 << 32


SNIFFED_BYTES = 1 << 12


def numbered_files(source: Source) -> list[Path]:
    """Return the files of sentences 0, 1, ... in a directory, without gaps.

    Hidden files, and Moses' file ``weights``, are skipped.
    """
    found: dict[int, Path] = {}
    for path in sorted(source.path.iterdir()):
        stem = path.name.partition(".")[0]
        if path.name == "weights" or path.name.startswith("."):
            continue
        if not (stem.isascii() and stem.isdigit()):
            raise FormatError(f"{path}: expected a file whose name is a sentence number")
        if int(stem) in found:
            raise FormatError(f"{path}: {found[int(stem)].name} has the same sentence number")
        found[int(stem)] = path
    if not found:
        raise FormatError(f"{source.name}: the directory has no files named by sentence numbers")
    for sentence in range(len(found)):
        if sentence not in found:
            later = min(number for number in found if number > sentence)
            raise FormatError(
                f"{source.name}: the file of sentence {sentence} is missing, but "
                f"{found[later].name} exists; sentences must be numbered 0, 1, ... without gaps"
            )
    return [found[sentence] for sentence in range(len(found))]


def first_bytes(source: Source) -> bytes:
    """Return the first bytes of the file of sentence 0 in a directory, if it exists."""
    if not source.is_directory:
        return b""
    for path in source.path.iterdir():
        if path.name.partition(".")[0] == "0" and path.is_file():
            with open_source(path) as file:
                return next(file.pieces(), b"")[:SNIFFED_BYTES]
    return b""


def read_whole(path: Path) -> bytes:
    """Return the content of a file, decompressed."""
    pieces: list[bytes] = []
    size = 0
    with open_source(path) as file:
        for piece in file.pieces():
            pieces.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                raise FormatError(f"{path}: the sentence has more than {MOST_BYTES} bytes")
    return b"".join(pieces)


def write_numbered(
    path: Path,
    forests: Iterable[tuple[int, Forest]],
    text_of: Callable[[Forest], bytes],
    suffix: str,
) -> None:
    """Write a new directory, which appears only when complete."""
    if path.exists():
        raise FormatError(f"{path}: already exists; choose a new directory")
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
    try:
        temporary.mkdir()
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {file_error_reason(error)}") from error
    try:
        for expected, (sentence, forest) in enumerate(forests):
            if sentence != expected:
                raise FormatError(
                    f"{path}: expected sentence {expected}, got {sentence}; this format needs "
                    "sentences 0, 1, ... without gaps"
                )
            try:
                text = text_of(forest)
            except FormatError as error:
                raise FormatError(f"{path}: sentence {sentence}: {error}") from error
            with naming(path):
                (temporary / f"{sentence}.{suffix}").write_bytes(_packed(text, suffix))
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary)
        raise


def _packed(text: bytes, suffix: str) -> bytes:
    if suffix.endswith("gz"):
        return gzip.compress(text, mtime=0)
    return bz2.compress(text) if suffix == "bz2" else text


_LABEL = re.compile(r"\[(?:[^\[\]]*,)?([1-9][0-9]{0,8})\]|\[[^\[\]]+\]")


def parse_side(text: str) -> list[str | int]:
    """Return words, and the positions of tails, from 0."""
    side: list[str | int] = []
    slots = 0
    for word in split_blanks(text):
        label = _LABEL.fullmatch(word)
        if label is None:
            side.append(word)
            continue
        side.append(int(label[1]) - 1 if label[1] else slots)
        slots += 1
    return side


def format_side(target: Sequence[str | int], format: str) -> str:
    """Format words and tails ``[X,1]``, ...; raise FormatError for words like these."""
    return " ".join(
        _word(symbol, format) if isinstance(symbol, str) else f"[X,{symbol + 1}]"
        for symbol in target
    )


def _word(word: str, format: str) -> str:
    if not word or any(blank in word for blank in BLANK) or word == "|||" or _LABEL.fullmatch(word):
        raise FormatError(f"the {format} format cannot represent the word {word!r}")
    return word
