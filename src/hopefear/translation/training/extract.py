"""Extraction of a hierarchical phrase-based grammar from a word-aligned bitext.

Chiang (2007), Hierarchical phrase-based translation, section 3.2: phrase pairs consistent with the
word alignment, with nonterminals in place of smaller phrase pairs. Lexical weights are those of
Koehn, Och & Marcu (2003), Statistical phrase-based translation.
"""

import json
import math
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from hopefear import _core
from hopefear._core import Alignments, ExtractionSummary, RuleSmoothing
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.settings import parse_size, setting, settings
from hopefear.translation.training.align import read_alignments, read_text

__all__ = ["CHIANG", "MOSES", "ExtractionSummary", "RuleExtraction", "rarity", "read_bitext"]


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
        filtered = None
        if inputs:
            filtered = _core.SourceFilter(bitext, self.max_source_symbols, max_span or 0)
            for path in inputs:
                filtered.add(read_text(path))
        return _core.extract_rules(
            bitext=bitext,
            options=self._options(),
            smoothing=RuleSmoothing[self.smoothing.replace("-", "_")],
            filter=filtered,
            memory=self.memory,
            directory=self.temporary_directory or tempfile.gettempdir(),
            threads=self.threads,
            path=str(grammar),
            notes=self._notes(),
            progress=tell,
        )

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
