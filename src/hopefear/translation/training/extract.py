"""Extraction of a hierarchical phrase-based grammar from a word-aligned bitext.

Chiang (2007), Hierarchical phrase-based translation, section 3.2: phrase pairs consistent with the
word alignment, with nonterminals in place of smaller phrase pairs. Lexical weights are those of
Koehn, Och & Marcu (2003), Statistical phrase-based translation.
"""

import json
import math
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear._core import Alignments, ExtractionSummary, RuleSmoothing
from hopefear.cluster.tasks import Share, sharing
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.settings import parse_size, setting, settings
from hopefear.translation.training.align import read_alignments, read_text

__all__ = [
    "CHIANG",
    "MOSES",
    "ExtractionSummary",
    "ExtractionTexts",
    "RuleExtraction",
    "rarity",
    "read_bitext",
]


@settings
class RuleExtraction:
    """Extracts the rules of a bitext; the default limits are those of the paper.

    Every rule has seven features, where f is its source side and e its target side, with
    nonterminals but without their indices:

    ==================  ==========================================================================
    ``p_f_given_e``     c(f, e) / c(e)
    ``lex_f_given_e``   Π over the source words of the mean of w(word | e') over their links, or
                        w(word | NULL) without links; w(f' | e') is the share of the links of e'
                        in the bitext that lead to f', and unaligned words are linked to NULL
    ``p_e_given_f``     c(f, e) / c(f)
    ``lex_e_given_f``   the same with the sides exchanged
    ``count_f_e``       c(f, e), the count of the rule
    ``count_f``         c(f), the count of all rules with its source side
    ``count_e``         c(e), the count of all rules with its target side
    ==================  ==========================================================================

    If a rule occurs with several word alignments, it keeps the most frequent one and its lexical
    weights; ties are resolved as in Moses.
    """

    max_phrase_length: int = setting(
        10,
        "Maximum number of words on either side of an initial phrase pair.",
        least=1,
        most=255,
        group="Rules",
    )
    max_source_symbols: int = setting(
        5,
        "Maximum number of words and nonterminals on the source side of a rule.",
        least=1,
        most=64,
        group="Rules",
    )
    max_nonterminals: int = setting(
        2, "Maximum number of nonterminals in a rule.", least=0, most=2, group="Rules"
    )
    min_nonterminal_span: int = setting(
        2,
        "Minimum number of source words that a nonterminal replaces.",
        least=1,
        most=255,
        group="Rules",
    )
    adjacent_nonterminals: bool = setting(
        False, "Allow adjacent nonterminals on the source side.", group="Rules"
    )
    tight: bool = setting(
        True, "Drop phrase pairs that start or end with an unaligned word.", group="Rules"
    )
    fractional_counts: bool = setting(
        True,
        "Divide one count among the rules of an initial phrase pair, instead of one count each.",
        group="Rules",
    )
    smoothing: Literal["none", "good-turing"] = setting(
        "none",
        "Smoothing of rule probabilities: none, or good-turing, which discounts small joint counts "
        "as Moses' --GoodTuring does; the count features stay unsmoothed.",
        group="Rules",
    )
    memory: int = setting(
        1 << 31,
        "Working memory beside the bitext, which takes about 10 bytes a word; rules that do not "
        "fit are sorted in temporary files.",
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
    temporary_directory: str = setting(
        "", "Directory for temporary files.", shown="the system's", group="Run"
    )

    def extract(
        self,
        source: PathLike,
        target: PathLike,
        alignments: PathLike | Alignments,
        grammar: PathLike,
        *,
        inputs: Sequence[PathLike] = (),
        max_span: int | None = None,
        tell: Tell = tell_nobody,
    ) -> ExtractionSummary:
        """Extract the rules of a bitext, score them and write them as a grammar.

        Parameters
        ----------
        source, target
            The bitext: one sentence per line, plain or gzipped; blanks separate words.
        alignments
            A Pharaoh file, or the result of `read_alignments`, `symmetrize` or `align`.
        grammar
            The file to write, completely or not at all; `hopefear.grammar.Grammar` opens it.
        inputs
            Texts to translate later: only rules that can match one of their sentences are written.
            This does not change their scores.
        max_span
            Maximum number of source words that a rule covers when it matches an input.
        tell
            Progress callback, called with a stage ("reading", "extracting", "scoring", "counting",
            "writing"), the amount done, and the total (0 if unknown).

        Raises
        ------
        FormatError
            If the files do not belong together, with file and line.
        """
        bitext = read_bitext(source, target, alignments, tell)
        return _core.extract_rules(
            bitext=bitext,
            options=self._options(),
            smoothing=self._smoothing,
            filter=self._filter(bitext, inputs, max_span),
            memory=self.memory,
            directory=self.temporary_directory or tempfile.gettempdir(),
            threads=self.threads,
            path=str(grammar),
            notes=self._notes(),
            progress=tell,
        )

    def extract_on(
        self, cluster: str, texts: "ExtractionTexts", grammar: Path, folder: Path, tell: Tell
    ) -> ExtractionSummary:
        """Extract rules as `extract` does, by shards on the machines of a cluster.

        Parameters
        ----------
        cluster
            The address of a Ray cluster.
        texts
            What rules are extracted from; all machines read it.
        grammar
            The file to write, completely or not at all.
        folder
            For files that machines exchange; it is removed in the end.
        tell
            Progress callback.
        """
        tell("reading", 0, 0)
        bitext, shared = _opened(self, texts)
        folder.mkdir()
        try:
            with sharing(cluster) as share_out:
                tell("extracting", 0, 0)
                collect = partial(_collect, self, texts, folder)
                collected = list(share_out(len(bitext), collect))
                tell("scoring", 0, 0)
                score = partial(_score, self, texts, folder, collected)
                scored = [one for some in share_out(shared.partitions, score) for one in some]
                targets = np.zeros(0, np.uint64)
                counted: list[_Counted] = []
                if texts.inputs:
                    tell("counting", 0, 0)
                    targets = shared.targets(scored)
                    count = partial(_count, self, texts, folder, targets)
                    counted = list(share_out(len(bitext), count))
            return shared.write(
                collected=collected,
                scored=scored,
                targets=targets,
                counted=counted,
                path=str(grammar),
                notes=self._notes(),
                progress=tell,
            )
        finally:
            _opened.cache_clear()
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def _smoothing(self) -> RuleSmoothing:
        return RuleSmoothing[self.smoothing.replace("-", "_")]

    def _filter(
        self, bitext: _core.Bitext, inputs: Sequence[PathLike], max_span: int | None
    ) -> _core.SourceFilter | None:
        if not inputs:
            return None
        filtered = _core.SourceFilter(bitext, self.max_source_symbols, max_span or 0)
        for path in inputs:
            filtered.add(read_text(path))
        return filtered

    def _options(self) -> _core.ExtractionOptions:
        return _core.ExtractionOptions(
            max_phrase_length=self.max_phrase_length,
            max_source_symbols=self.max_source_symbols,
            max_nonterminals=self.max_nonterminals,
            min_nonterminal_span=self.min_nonterminal_span,
            adjacent_nonterminals=self.adjacent_nonterminals,
            tight=self.tight,
            fractional_counts=self.fractional_counts,
        )

    def _notes(self) -> str:
        resources = {"memory", "threads", "temporary_directory"}
        settings = {name: v for name, v in asdict(self).items() if name not in resources}
        return json.dumps({"extraction": settings})


@dataclass(frozen=True, kw_only=True)
class ExtractionTexts:
    """A bitext, its alignments, and the texts to translate later, if any."""

    source: Path
    target: Path
    alignments: Path
    inputs: tuple[Path, ...] = ()
    max_span: int = 0


# What the machines of a cluster do. They keep the bitext; see SharedExtraction of the core.

_Collected = tuple[str, Sequence[int], int, int]
_Scored = tuple[str, Sequence[int]]
_Counted = tuple[NDArray[np.uint64], str, Sequence[int]]


@lru_cache(maxsize=1)
def _opened(
    extraction: RuleExtraction, texts: ExtractionTexts
) -> tuple[_core.Bitext, _core.SharedExtraction]:
    bitext = read_bitext(texts.source, texts.target, texts.alignments, tell_nobody)
    return bitext, _core.SharedExtraction(
        bitext=bitext,
        options=extraction._options(),
        smoothing=extraction._smoothing,
        filter=extraction._filter(bitext, texts.inputs, texts.max_span),
        memory=extraction.memory,
        directory=extraction.temporary_directory or tempfile.gettempdir(),
        threads=extraction.threads,
    )


def _shared(
    extraction: RuleExtraction, texts: ExtractionTexts, share: Share
) -> _core.SharedExtraction:
    return _opened(replace(extraction, threads=share.threads), texts)[1]


def _collect(
    extraction: RuleExtraction, texts: ExtractionTexts, folder: Path, share: Share
) -> _Collected:
    path = folder / f"collected-{share.begin}"
    return _shared(extraction, texts, share).collect(share.begin, share.end, str(path))


def _score(
    extraction: RuleExtraction,
    texts: ExtractionTexts,
    folder: Path,
    collected: Sequence[_Collected],
    share: Share,
) -> Sequence[_Scored]:
    shared = _shared(extraction, texts, share)
    return shared.score(collected, share.begin, share.end, str(folder))


def _count(
    extraction: RuleExtraction,
    texts: ExtractionTexts,
    folder: Path,
    targets: NDArray[np.uint64],
    share: Share,
) -> _Counted:
    path = folder / f"counted-{share.begin}"
    return _shared(extraction, texts, share).count(targets, share.begin, share.end, str(path))


CHIANG = RuleExtraction()
"""The settings of the paper."""

MOSES = RuleExtraction(tight=False, smoothing="good-turing")
"""The default settings of Moses' train-model.perl -hierarchical."""


def rarity(count: float) -> float:
    """Return the rarity of a rule with this count: exp(1 - count).

    Examples
    --------
    >>> rarity(1)
    1.0
    """
    return math.exp(1 - count)


def read_bitext(
    source: PathLike, target: PathLike, alignments: PathLike | Alignments, tell: Tell
) -> _core.Bitext:
    """Read a bitext and its alignments."""
    tell("reading", 0, 3)
    source_text = read_text(source)
    tell("reading", 1, 3)
    target_text = read_text(target)
    tell("reading", 2, 3)
    links = alignments if isinstance(alignments, Alignments) else read_alignments(alignments)
    name = "the alignments" if isinstance(alignments, Alignments) else str(alignments)
    bitext = _core.Bitext(source_text, target_text, links, name)
    tell("reading", 3, 3)
    return bitext
