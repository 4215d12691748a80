"""N-gram language models, queried through KenLM (Heafield, 2011, WMT)."""

import gzip
import os
import re
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from hopefear._core import LanguageModel, TextScore
from hopefear.errors import DataError, FormatError

__all__ = [
    "MAX_GROWTH",
    "LanguageModel",
    "Perplexity",
    "check_header",
    "load_language_model",
    "perplexity",
    "uncompressed_model",
]

GZIP_MAGIC = b"\x1f\x8b"
KENLM_MAGIC = b"mmap lm http://kheafield.com/code format version"
KENLM_REFERENCE_SIZE = 88  # the signature, and values that show the machine's representation
KENLM_PARAMETERS = struct.Struct("<B3xfi?3xI")  # order, buckets per entry, kind, words, version
KENLM_HEADER_SIZE = KENLM_REFERENCE_SIZE + KENLM_PARAMETERS.size  # and a count for each order
KENLM_KINDS = 6
MOST_ORDERS = 6  # that KenLM is compiled for
MOST_BUCKETS = 100
LONGEST_LINE = 1 << 16  # of a header
# Language models become three to five times as large; what grows more than this is no such file.
MAX_GROWTH = 100
PIECE = 1 << 20
COPIED = 256 << 20  # bytes of a binary that each process copies


def load_language_model(
    path: str | Path,
    checksum: int | None = None,
    *,
    max_growth: int = MAX_GROWTH,
    copied: int = COPIED,
) -> LanguageModel:
    """Load an ARPA file or a KenLM binary, gzipped or not, detected from its content.

    A gzipped file is decompressed to an unnamed temporary file, because KenLM maps and rewinds its
    input. A binary of more than `copied` bytes is mapped, so that processes share it and it is
    ready at once; a smaller one is copied to memory, where nobody overwrites it while KenLM
    searches it. Its header and its size are checked, but KenLM trusts the rest, so load only files
    from a trusted source. With a `checksum`, a damaged file is an error; so is a gzipped one that
    becomes more than `max_growth` times as large.
    """
    with (
        uncompressed_model(path, max_growth=max_growth) as name,
        _copied_model(name, copied) as own,
    ):
        check_header(own, str(path))
        return LanguageModel(own, checksum)


@contextmanager
def _copied_model(path: str, most: int) -> Iterator[str]:
    """Yield the path of a copy in memory if the file is a small binary, otherwise its own."""
    with Path(path).open("rb") as file, ExitStack() as stack:
        small = os.fstat(file.fileno()).st_size <= most
        if not small or file.read(len(KENLM_MAGIC)) != KENLM_MAGIC:
            yield path
            return
        file.seek(0)
        copy = stack.enter_context(os.fdopen(os.memfd_create("hopefear-lm"), "wb"))
        shutil.copyfileobj(file, copy, PIECE)
        copy.flush()
        with _naming(copy, path) as name:
            yield name


@contextmanager
def _naming(file: IO[bytes], path: str | Path) -> Iterator[str]:
    """Yield a name of an open file without one; errors name `path` instead."""
    name = f"/proc/self/fd/{file.fileno()}"
    try:
        yield name
    except FormatError as error:
        raise FormatError(str(error).replace(name, str(path))) from error


def check_binary_header(start: bytes, size: int, name: str) -> None:
    """Refuse a KenLM binary whose header cannot be right, before KenLM computes sizes from it.

    KenLM compares the sizes that follow from a sound header with the size of the file. What it
    reads after that, hash tables and offsets between n-grams, it trusts.
    """

    def refuse(problem: str) -> FormatError:
        return FormatError(f"{name}: not a language model that KenLM can read: {problem}")

    if len(start) < KENLM_HEADER_SIZE:
        raise refuse(f"it has {size} bytes, fewer than a header")
    order, multiplier, kind, _, _ = KENLM_PARAMETERS.unpack_from(start, KENLM_REFERENCE_SIZE)
    if not 2 <= order <= MOST_ORDERS:
        raise refuse(f"it says that its order is {order}; expected 2 to {MOST_ORDERS}")
    if not 0 <= kind < KENLM_KINDS:
        raise refuse(f"there is no data structure {kind}")
    if not 1 <= multiplier <= MOST_BUCKETS:
        raise refuse(f"its hash tables cannot have {multiplier} buckets per entry")
    if len(start) < KENLM_HEADER_SIZE + 8 * order:
        raise refuse(f"it has {size} bytes, fewer than a header")
    # An n-gram takes more than a bit.
    for n, count in enumerate(struct.unpack_from(f"<{order}Q", start, KENLM_HEADER_SIZE), 1):
        if count > 8 * size:
            raise refuse(f"{size} bytes cannot hold {count} {n}-grams")


def check_header(file: str, name: str) -> None:
    """Refuse a model whose counts cannot be right: KenLM would reserve memory by them."""
    size = Path(file).stat().st_size
    with Path(file).open("rb") as lines:
        start = lines.read(KENLM_HEADER_SIZE + 8 * MOST_ORDERS)
        if start.startswith(KENLM_MAGIC):
            check_binary_header(start, size, name)
            return
        lines.seek(0)
        for order, (number, line) in enumerate(_count_lines(lines, name), 1):
            found = re.fullmatch(rb"ngram\s+(\d{1,2})\s*=\s*(\d{1,18})\s*", line)
            # An n-gram takes at least a digit, n words of a letter, n blanks and a newline.
            if not found or int(found[1]) != order or int(found[2]) * (2 * order + 2) > size:
                expected = (
                    f"expected 'ngram {order}=COUNT', with no more n-grams than the file holds"
                )
                raise FormatError(f"{name}:{number}: {expected}, found {line[:60]!r}")


def _count_lines(file: IO[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that KenLM reads counts from, after blank lines and comments."""
    begun = False
    for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), 1):
        if len(line) == LONGEST_LINE:
            raise FormatError(f"{name}:{number}: has {LONGEST_LINE} bytes and more, expected ARPA")
        if begun and line.startswith(b"ngram "):
            yield number, line
        elif not begun and line.startswith(b"\\data\\"):
            begun = True
        elif begun or (line.strip() and not line.startswith(b"#")):
            return


@contextmanager
def uncompressed_model(
    path: str | Path, directory: str | None = None, *, max_growth: int = MAX_GROWTH
) -> Iterator[str]:
    """Yield a path from which KenLM can read the file inside the ``with`` block.

    It is the path itself, or that of a decompressed copy in `directory` if the file is gzipped.
    """
    try:
        with Path(path).open("rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError as error:
        raise FormatError(f"{path}: cannot read the language model: {error.strerror}") from error
    if not packed:
        yield str(path)
        return
    # The copy never has a name in the directory, so that nothing is left behind.
    with tempfile.TemporaryFile(dir=directory) as plain:
        _unpack(path, plain, max_growth)
        with _naming(plain, path) as name:
            yield name


def _unpack(path: str | Path, plain: IO[bytes], max_growth: int) -> None:
    left = max_growth * Path(path).stat().st_size + PIECE
    try:
        with gzip.open(path) as file:
            while piece := file.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise FormatError(
                        f"{path}: becomes more than {max_growth} times as large when it is "
                        "decompressed, which no language model does; decompress it yourself if it "
                        "is one, or raise the limit",
                        settings=("language_model.max_growth",),
                    )
                plain.write(piece)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: the gzip data is corrupt: {error}") from error
    plain.flush()


@dataclass(frozen=True, kw_only=True)
class Perplexity:
    """How well a model predicts a text: 10 to the power of -(mean log10 p of the tokens).

    Attributes
    ----------
    with_unknown, without_unknown : float
        Over all tokens, and over those in the model's vocabulary.
    tokens, unknown : int
        Number of tokens, ends of sentences included, and number of those out of vocabulary.
    """

    with_unknown: float
    without_unknown: float
    tokens: int
    unknown: int


def perplexity(model: LanguageModel, lines: Iterable[str]) -> Perplexity:
    """Return the perplexity of a text: one sentence per line, words separated by blanks.

    The figures are those of KenLM's ``query``: each sentence is scored from <s> to </s>, and words
    out of vocabulary are scored as <unk>.
    """
    score = TextScore()
    for line in lines:
        model.score_line(line.removesuffix("\n"), score)
    if score.tokens == 0:
        raise DataError("cannot compute the perplexity of an empty text")
    known = score.tokens - score.unknown
    return Perplexity(
        with_unknown=_perplexity(score.log10_probability, score.tokens),
        without_unknown=_perplexity(score.log10_probability - score.log10_unknown, known),
        tokens=score.tokens,
        unknown=score.unknown,
    )


def _perplexity(log10_probability: float, tokens: int) -> float:
    return float(10 ** (-log10_probability / tokens))
