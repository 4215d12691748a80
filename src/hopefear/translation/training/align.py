"""Word alignments: read, written, made of two directions, or found by eflomal.

Och & Ney (2003), A systematic comparison of various statistical alignment models; Koehn, Och &
Marcu (2003), Statistical phrase-based translation. Symmetrization is exactly that of Moses' symal.
Östling & Tiedemann (2016), Efficient word alignment with Markov chain Monte Carlo (eflomal).
"""

import importlib
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Literal

from hopefear._core import (
    AlignmentParser,
    Alignments,
    SymmetrizationBase,
    SymmetrizationFinal,
    symmetrize_alignments,
)
from hopefear.errors import ConfigError, DataError
from hopefear.formats.files import PathLike, open_output, open_source
from hopefear.registry import suggest

__all__ = [
    "SYMMETRIZATIONS",
    "Alignments",
    "Symmetrization",
    "align",
    "read_alignments",
    "symmetrize",
    "write_alignments",
]

_Base, _Final = SymmetrizationBase, SymmetrizationFinal

Symmetrization = Literal[
    "grow-diag-final-and",
    "grow-diag-final",
    "grow-diag",
    "grow-final-and",
    "grow-final",
    "grow",
    "intersection",
    "union",
]

SYMMETRIZATIONS: dict[str, tuple[SymmetrizationBase, bool, SymmetrizationFinal]] = {
    "intersection": (_Base.intersection, False, _Final.none),
    "union": (_Base.union, False, _Final.none),
    "grow": (_Base.grow, False, _Final.none),
    "grow-final": (_Base.grow, False, _Final.either),
    "grow-final-and": (_Base.grow, False, _Final.both),
    "grow-diag": (_Base.grow, True, _Final.none),
    "grow-diag-final": (_Base.grow, True, _Final.either),
    "grow-diag-final-and": (_Base.grow, True, _Final.both),
}
"""The ways to symmetrize, by the names that Moses gives them."""


def read_alignments(path: PathLike) -> Alignments:
    """Read a Pharaoh file: for each sentence a line such as ``0-0 1-2``, source word first.

    Parameters
    ----------
    path
        The file, plain or gzip, or ``-``.

    Raises
    ------
    FormatError
        With file and line, if something is no link.
    """
    with open_source(path) as source:
        parser = AlignmentParser(source.name)
        for piece in source.pieces():
            parser.feed(piece)
        return parser.finish()


def write_alignments(alignments: Alignments, path: PathLike) -> None:
    """Write a Pharaoh file, compressed if the name ends in ``.gz``."""
    with open_output(path) as out:
        for sentence in range(len(alignments)):
            out.write(alignments.text(sentence) + "\n")


def symmetrize(
    forward: Alignments, reverse: Alignments, method: str = "grow-diag-final-and"
) -> Alignments:
    """Make one alignment of two directed ones.

    Parameters
    ----------
    forward
        In which each target word has chosen at most one source word: what the forward model,
        p(e|f), of fast_align and eflomal gives.
    reverse
        In which each source word has chosen, written source word first as well.
    method
        One of `SYMMETRIZATIONS`.
    """
    if method not in SYMMETRIZATIONS:
        raise ConfigError(f"unknown symmetrization '{method}'{suggest(method, SYMMETRIZATIONS)}")
    return symmetrize_alignments(forward, reverse, *SYMMETRIZATIONS[method])


def align(
    source: PathLike,
    target: PathLike,
    *,
    method: str = "grow-diag-final-and",
    model: int = 3,
    iterations: float = 1.0,
) -> Alignments:
    """Align a bitext with eflomal, in both directions, and symmetrize.

    eflomal samples, and seeds itself: two runs differ a little.

    Parameters
    ----------
    source, target
        The bitext: one sentence a line, plain or gzip.
    method
        One of `SYMMETRIZATIONS`.
    model
        1: IBM model 1; 2: with HMM word order; 3: with fertility as well.
    iterations
        How many sampling iterations to do, relative to eflomal's own choice.

    Raises
    ------
    ConfigError
        If eflomal is not installed.
    """
    if method not in SYMMETRIZATIONS:
        raise ConfigError(f"unknown symmetrization '{method}'{suggest(method, SYMMETRIZATIONS)}")
    if model not in (1, 2, 3):
        raise ConfigError(f"the alignment model must be 1, 2 or 3, got {model}")
    if not iterations > 0:
        raise ConfigError(f"the relative number of iterations must be > 0, got {iterations}")
    aligner = _eflomal().Aligner(model=model, rel_iterations=iterations)
    with (
        tempfile.TemporaryDirectory(prefix="hopefear-align-") as directory,
        _lines(source) as source_lines,
        _lines(target) as target_lines,
    ):
        forward, reverse = Path(directory, "forward"), Path(directory, "reverse")
        try:
            aligner.align(source_lines, target_lines, str(forward), str(reverse))
        except ValueError as error:
            raise DataError(f"{source}, {target}: eflomal says: {error}") from error
        return symmetrize(read_alignments(forward), read_alignments(reverse), method)


def _eflomal() -> ModuleType:
    try:
        return importlib.import_module("eflomal")
    except ImportError as error:
        raise ConfigError(
            "word alignment needs the package eflomal (pip install 'hopefear[align]'); or give "
            "alignments from any aligner as a Pharaoh file"
        ) from error


@contextmanager
def _lines(path: PathLike) -> Iterator[Iterator[str]]:
    """Give lines whose words are divided by blanks only: eflomal divides them as Python does."""
    with open_source(path) as source:
        yield (" ".join("_".join(w.split()) or "_" for w in _words(line)) for _, line in source)


def _words(line: str) -> list[str]:
    return [word for word in re.split(r"[ \t\r\0]+", line) if word]
