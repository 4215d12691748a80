"""Word alignment: files of alignments, symmetrization, the built-in aligner and eflomal.

Och & Ney (2003), A systematic comparison of various statistical alignment models; Koehn, Och &
Marcu (2003), Statistical phrase-based translation. Symmetrization is exactly that of Moses' symal.
Dyer, Chahuneau & Smith (2013), A simple, fast, and effective reparameterization of IBM model 2: the
model of fast_align, which the built-in aligner estimates in both directions at once.
Östling & Tiedemann (2016), Efficient word alignment with Markov chain Monte Carlo (eflomal).
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear._core import (
    AlignmentParser,
    Alignments,
    SymmetrizationBase,
    SymmetrizationFinal,
    symmetrize_alignments,
)
from hopefear.cluster.tasks import Share, sharing
from hopefear.errors import ConfigError, DataError, import_extra
from hopefear.formats.files import PathLike, Tell, open_output, open_source, tell_nobody
from hopefear.registry import suggest
from hopefear.settings import parse_size, setting, settings

__all__ = [
    "SYMMETRIZATIONS",
    "Alignments",
    "DiagonalAligner",
    "Symmetrization",
    "align",
    "read_alignments",
    "read_text",
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
"""Symmetrization methods, by the names that Moses gives them."""


def read_text(path: PathLike) -> _core.TextParser:
    """Read a text: one sentence per line, plain or gzipped."""
    with open_source(path) as source:
        parser = _core.TextParser(source.name)
        for piece in source.pieces():
            parser.feed(piece)
        parser.finish()
        return parser


def read_alignments(path: PathLike) -> Alignments:
    """Read a Pharaoh file: a line such as ``0-0 1-2`` for each sentence, source word first.

    Parameters
    ----------
    path
        The file, plain or gzipped; ``-`` for standard input.

    Raises
    ------
    FormatError
        If something is not a link, with file and line.
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
    """Combine two directed alignments into one.

    Parameters
    ----------
    forward
        Links of target words to at most one source word each: the result of the forward model
        p(e|f) of fast_align and eflomal.
    reverse
        Links of source words to at most one target word each, source word first as well.
    method
        One of `SYMMETRIZATIONS`.
    """
    _check_method(method)
    return symmetrize_alignments(forward, reverse, *SYMMETRIZATIONS[method])


def _check_method(method: str) -> None:
    if method not in SYMMETRIZATIONS:
        raise ConfigError(f"unknown symmetrization '{method}'{suggest(method, SYMMETRIZATIONS)}")


@settings
class DiagonalAligner:
    """Maximizes p₀ t(e | NULL) + (1 - p₀) Σᵢ δ(i | j, m, n) t(e | fᵢ) by EM.

    The same bitext gives the same links for any number of threads.
    """

    iterations: int = setting(
        5, "Iterations of expectation maximization.", least=1, group="Alignment"
    )
    null_probability: float = setting(
        0.08, "p₀, the probability of a word without a link.", least=0, most=1, group="Alignment"
    )
    tension: float = setting(
        4.0,
        "Initial value of λ in δ ∝ exp(-λ |i/n - j/m|); the aligner learns it.",
        above=0,
        group="Alignment",
    )
    concentration: float = setting(
        0.01,
        "α of the Dirichlet prior over translation probabilities; smaller is sparser.",
        above=0,
        group="Alignment",
    )
    max_length: int = setting(
        200, "Longer sentences get no links.", least=1, most=65535, group="Alignment"
    )
    memory: int = setting(
        1 << 31,
        "Memory for pairs of words; if they do not fit, the model is estimated from as many evenly "
        "spaced sentences as do.",
        least=1 << 20,
        group="Run",
        parse=parse_size,
        metavar="BYTES",
    )
    threads: int = setting(
        0,
        "Number of threads; the result does not depend on it.",
        shown="one per core",
        least=0,
        group="Run",
    )

    def align(
        self, source: PathLike, target: PathLike, tell: Tell = tell_nobody
    ) -> tuple[Alignments, Alignments]:
        """Return the links chosen by target words, and those chosen by source words."""
        tell("aligning", 0, self.iterations + 1)
        aligner = self._open(source, target)
        for iteration in range(1, self.iterations + 1):
            aligner.expect(0, len(aligner))
            aligner.maximize()
            tell("aligning", iteration, self.iterations + 1)
        found = aligner.align(0, len(aligner))
        tell("aligning", self.iterations + 1, self.iterations + 1)
        return found.forward, found.reverse

    def align_on(
        self, cluster: str, source: PathLike, target: PathLike, method: str, tell: Tell
    ) -> Alignments:
        """Return the combined links, which the machines of a cluster find by shards."""
        tell("aligning", 0, self.iterations + 1)
        aligner = self._open(source, target)
        with sharing(cluster) as share_out:
            for iteration in range(1, self.iterations + 1):
                expect = partial(_expect, self, source, target, aligner.parameters())
                for counts in share_out(len(aligner), expect):
                    aligner.add_counts(counts)
                aligner.maximize()
                tell("aligning", iteration, self.iterations + 1)
            choose = partial(_choose, self, source, target, aligner.parameters(), method)
            parser = AlignmentParser("alignments of the cluster")
            for text in share_out(len(aligner), choose):
                parser.feed(text)
        tell("aligning", self.iterations + 1, self.iterations + 1)
        return parser.finish()

    def _open(self, source: PathLike, target: PathLike) -> _core.WordAligner:
        try:
            return _core.WordAligner(
                read_text(source),
                read_text(target),
                null_probability=self.null_probability,
                tension=self.tension,
                concentration=self.concentration,
                max_length=self.max_length,
                memory=self.memory,
                threads=self.threads,
            )
        except DataError as error:
            raise DataError(f"{source}, {target}: {error}") from error


# What the machines of a cluster do. They keep the texts and their pairs of words.

Parameters = tuple[float, float, NDArray[np.float32]]


@lru_cache(maxsize=1)
def _opened(settings: DiagonalAligner, source: PathLike, target: PathLike) -> _core.WordAligner:
    return settings._open(source, target)


def _expect(
    settings: DiagonalAligner,
    source: PathLike,
    target: PathLike,
    parameters: Parameters,
    share: Share,
) -> NDArray[np.uint64]:
    aligner = _opened(replace(settings, threads=share.threads), source, target)
    aligner.take_counts()  # of a share that nobody waited for
    aligner.set_parameters(*parameters)
    aligner.expect(share.begin, share.end)
    return aligner.take_counts()


def _choose(
    settings: DiagonalAligner,
    source: PathLike,
    target: PathLike,
    parameters: Parameters,
    method: str,
    share: Share,
) -> bytes:
    aligner = _opened(replace(settings, threads=share.threads), source, target)
    aligner.set_parameters(*parameters)
    found = aligner.align(share.begin, share.end)
    links = symmetrize(found.forward, found.reverse, method)
    return "".join(f"{links.text(i)}\n" for i in range(len(links))).encode()


def align(
    source: PathLike,
    target: PathLike,
    *,
    method: str = "grow-diag-final-and",
    model: int = 3,
    iterations: float = 1.0,
) -> Alignments:
    """Align a bitext with eflomal in both directions and symmetrize.

    eflomal samples with a random seed of its own: two runs differ a little.

    Parameters
    ----------
    source, target
        The bitext: one sentence per line, plain or gzipped.
    method
        One of `SYMMETRIZATIONS`.
    model
        1: IBM model 1; 2: with HMM word order; 3: with fertility as well.
    iterations
        Number of sampling iterations relative to eflomal's default.

    Raises
    ------
    ConfigError
        If eflomal is not installed.
    """
    _check_method(method)
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
            raise DataError(f"{source}, {target}: eflomal failed: {error}") from error
        return symmetrize(read_alignments(forward), read_alignments(reverse), method)


def _eflomal() -> ModuleType:
    alternatives = "use the aligner 'diagonal' or a Pharaoh file of any aligner"
    return import_extra("eflomal", "align", "the aligner 'eflomal'", instead=alternatives)


@contextmanager
def _lines(path: PathLike) -> Iterator[Iterator[str]]:
    """Yield lines without other white space than blanks: eflomal splits at all of Python's."""
    with open_source(path) as source:
        yield (" ".join("_".join(w.split()) or "_" for w in _words(line)) for _, line in source)


def _words(line: str) -> list[str]:
    return [word for word in re.split(r"[ \t\r\0]+", line) if word]
