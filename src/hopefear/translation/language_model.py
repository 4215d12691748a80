"""N-gram language models, queried through KenLM (Heafield, 2011, WMT)."""

import gzip
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hopefear._core import LanguageModel, TextScore
from hopefear.errors import DataError, FormatError

__all__ = [
    "LanguageModel",
    "Perplexity",
    "load_language_model",
    "perplexity",
    "uncompressed_model",
]

GZIP_MAGIC = b"\x1f\x8b"


def load_language_model(path: str | Path) -> LanguageModel:
    """Load an ARPA file or a KenLM binary, gzipped or not; what it is is told by its content.

    A gzipped file is unpacked to a temporary one that has no name, because KenLM wants to map and
    to rewind what it reads. A binary that is not gzipped is mapped, and ready at once; KenLM checks
    its header and its size, but trusts the rest, so load only what comes from a known source.
    """
    with uncompressed_model(path) as name:
        return LanguageModel(name)


@contextmanager
def uncompressed_model(path: str | Path, directory: str | None = None) -> Iterator[str]:
    """Give a name under which KenLM can read the file `path` while the block lasts.

    It is the file's own, or that of an unpacked copy in `directory` if the file is gzipped.
    """
    try:
        with Path(path).open("rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
    if not packed:
        yield str(path)
        return
    # The copy is removed from its directory before anything is written to it.
    with tempfile.TemporaryFile(dir=directory) as plain:
        _unpack(path, plain)
        name = f"/proc/self/fd/{plain.fileno()}"
        try:
            yield name
        except FormatError as error:
            raise FormatError(str(error).replace(name, str(path))) from error


def _unpack(path: str | Path, plain: IO[bytes]) -> None:
    try:
        with gzip.open(path) as file:
            shutil.copyfileobj(file, plain, 1 << 20)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: the compressed data is broken: {error}") from error
    plain.flush()


@dataclass(frozen=True, kw_only=True)
class Perplexity:
    """How well a model predicts a text: 10 to the power of -(mean log10 p of the tokens).

    Attributes
    ----------
    with_unknown, without_unknown : float
        Over all tokens, and over those that the model knows.
    tokens, unknown : int
        How many tokens there are, the ends of sentences included, and how many of them the model
        does not know.
    """

    with_unknown: float
    without_unknown: float
    tokens: int
    unknown: int


def perplexity(model: LanguageModel, lines: Iterable[str]) -> Perplexity:
    """Return the perplexity of a text of sentences, words separated by blanks.

    The figures are those of KenLM's ``query``: each sentence is scored from its beginning to its
    end, and words that the model does not know are scored as <unk>.
    """
    score = TextScore()
    for line in lines:
        model.score_line(line.removesuffix("\n"), score)
    if score.tokens == 0:
        raise DataError("there is no sentence to compute a perplexity of")
    known = score.tokens - score.unknown
    return Perplexity(
        with_unknown=_perplexity(score.log10_probability, score.tokens),
        without_unknown=_perplexity(score.log10_probability - score.log10_unknown, known),
        tokens=score.tokens,
        unknown=score.unknown,
    )


def _perplexity(log10_probability: float, tokens: int) -> float:
    return float(10 ** (-log10_probability / tokens))
