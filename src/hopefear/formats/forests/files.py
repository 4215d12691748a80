"""What files of forests share: a line or a numbered file for each sentence, and target sides."""

import bz2
import gzip
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from hopefear.errors import FormatError, OptionError
from hopefear.file_errors import file_error_reason, naming
from hopefear.forest import Forest
from hopefear.formats.fields import BLANK, split_blanks
from hopefear.formats.files import Source, open_output

__all__ = [
    "check_suffix",
    "first_bytes",
    "format_side",
    "numbered_files",
    "parse_side",
    "read_whole",
    "write_lines",
    "write_numbered",
]

MOST_EMPTY = 1_000_000  # lines between two forests: a wrong number must not fill the disk


def write_lines(
    path: Path, forests: Iterable[tuple[int, Forest]], text_of: Callable[[Forest], str]
) -> None:
    """Write a line for each sentence, which must come in order; empty ones for those left out."""
    with open_output(path) as out:
        lines = 0
        for sentence, forest in forests:
            if sentence < lines:
                raise FormatError(f"{path}: sentence {sentence} comes after {lines - 1}")
            if sentence - lines > MOST_EMPTY:
                raise FormatError(
                    f"{path}: sentence {sentence} comes after {lines - 1}: too far on"
                )
            try:
                text = text_of(forest)
            except FormatError as error:
                raise FormatError(f"{path}: sentence {sentence}: {error}") from error
            out.write("\n" * (sentence - lines) + text + "\n")
            lines = sentence + 1


SUFFIXES = ("txt", "json", "gz", "json.gz", "bz2")


# The text of one sentence; a longer one is a broken or hostile file.
MOST_BYTES = 1 << 32


SNIFFED_BYTES = 1 << 12


def check_suffix(format: object, suffix: str) -> None:
    """Require a known suffix for the files to be written."""
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise OptionError(format, "suffix", f" must be one of {known}, got {suffix!r}")


def numbered_files(source: Source) -> list[Path]:
    """Return the files of sentences 0, 1, ... in a directory; there must be no gap.

    A file ``weights``, which Moses writes too, and hidden ones are skipped.
    """
    found: dict[int, Path] = {}
    for path in sorted(source.path.iterdir()):
        stem = path.name.partition(".")[0]
        if path.name == "weights" or path.name.startswith("."):
            continue
        if not (stem.isascii() and stem.isdigit()):
            raise FormatError(f"{path}: expected a file named by the number of its sentence")
        if int(stem) in found:
            raise FormatError(f"{path}: {found[int(stem)].name} is of the same sentence")
        found[int(stem)] = path
    if not found:
        raise FormatError(f"{source.name}: there is no file of a sentence in this directory")
    for sentence in range(len(found)):
        if sentence not in found:
            later = min(number for number in found if number > sentence)
            raise FormatError(
                f"{source.name}: there is no file of sentence {sentence}, but {found[later].name};"
                " sentences are numbered 0, 1, ... without gaps"
            )
    return [found[sentence] for sentence in range(len(found))]


def first_bytes(source: Source) -> bytes:
    """Return the beginning of a directory's file of sentence 0; nothing if there is none."""
    if not source.is_directory:
        return b""
    for path in source.path.iterdir():
        if path.name.partition(".")[0] == "0" and path.is_file():
            with _opened(path) as stream:
                return stream.read(SNIFFED_BYTES)
    return b""


def read_whole(path: Path) -> bytes:
    """Return the content of a file, decompressed."""
    pieces: list[bytes] = []
    size = 0
    with _opened(path) as stream:
        while piece := stream.read(1 << 20):
            pieces.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                raise FormatError(f"{path}: more than {MOST_BYTES} bytes for one sentence")
    return b"".join(pieces)


def write_numbered(
    path: Path,
    forests: Iterable[tuple[int, Forest]],
    text_of: Callable[[Forest], bytes],
    suffix: str,
) -> None:
    """Write a directory, which must not exist; it appears whole or not at all."""
    if path.exists():
        raise FormatError(f"{path}: exists already; a directory of forests is written anew")
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
    try:
        temporary.mkdir()
    except OSError as error:
        raise FormatError(f"{path}: cannot be written: {file_error_reason(error)}") from error
    try:
        for expected, (sentence, forest) in enumerate(forests):
            if sentence != expected:
                raise FormatError(
                    f"{path}: sentence {sentence} comes where {expected} should; this format"
                    " has sentences 0, 1, ... without gaps"
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


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, plain or compressed."""
    try:
        with path.open("rb") as file:
            start = file.read(3)
            file.seek(0)
            if start[:2] == b"\x1f\x8b":
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
            elif start == b"BZh":
                yield cast(BinaryIO, bz2.BZ2File(file))
            else:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: the compressed data is broken: {error}") from error
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {file_error_reason(error)}") from error


_LABEL = re.compile(r"\[(?:[^\[\]]*,)?([1-9][0-9]{0,8})\]|\[[^\[\]]+\]")


def parse_side(text: str) -> list[str | int]:
    """Return words, and the positions of tails from 0."""
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
    """Write words and ``[X,1]``, ...; FormatError for words that would be read otherwise."""
    return " ".join(
        _word(symbol, format) if isinstance(symbol, str) else f"[X,{symbol + 1}]"
        for symbol in target
    )


def _word(word: str, format: str) -> str:
    if not word or any(blank in word for blank in BLANK) or word == "|||" or _LABEL.fullmatch(word):
        raise FormatError(f"the {format} format cannot carry the word {word!r}")
    return word
