"""chrF and chrF++: the F-score of character n-grams, and of word n-grams if wanted.

Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT.
Popović (2017), chrF++: words helping character n-grams, WMT.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.metrics.base import (
    Statistics,
    format_signature,
    metrics,
    sacrebleu_version,
    score_rows,
)
from hopefear.metrics.references import (
    References,
    check_lists,
    check_sentences,
    check_texts,
    nbest_texts,
)
from hopefear.nbest import NBest
from hopefear.settings import require

__all__ = ["Chrf", "ChrfPlusPlus", "ChrfReferences"]


class ChrfReferences:
    """References as chrF sees them."""

    def __init__(self, references: References, options: _core.ChrfOptions, lowercase: bool) -> None:
        self._references = references
        self._lowercase = lowercase
        sentences = [self._preprocess(texts) for texts in references.sentences]
        self._core = _core.ChrfReferences(sentences, options)

    def statistics(
        self,
        hypotheses: Sequence[str] | NBest,
        sentences: NDArray[np.int64] | None = None,
        *,
        threads: int = 0,
    ) -> Statistics:
        """Return a row of statistics for each hypothesis; see `Prepared`."""
        if isinstance(hypotheses, NBest):
            check_lists(hypotheses, self._references)
            hypotheses, sentences = nbest_texts(hypotheses)
        check_texts("hypothesis", hypotheses)
        numbers = check_sentences(len(hypotheses), sentences, self._references)
        return self._core.statistics(self._preprocess(hypotheses), numbers, threads=threads)

    def set_statistics(self, lists: NBest, *, threads: int = 0) -> None:
        """Compute the statistics of n-best lists and store them there."""
        lists.set_statistics(self.statistics(lists, threads=threads))

    def _preprocess(self, texts: Sequence[str]) -> list[str]:
        return [text.lower() for text in texts] if self._lowercase else list(texts)


@metrics.register("chrf")
@dataclass(frozen=True, kw_only=True)
class Chrf:
    """(1 + β²) P R / (β² P + R), with precision P and recall R averaged over the orders.

    Statistics are [n-grams of the hypothesis, of the reference, of both] for each order. The score
    equals sacreBLEU's, whose options these are.

    Parameters
    ----------
    character_order : int
        The length of the longest character n-grams.
    word_order : int
        The length of the longest word n-grams: 0 for chrF, 2 for chrF++.
    beta : int
        Recall counts β times as much as precision.
    lowercase : bool
        Ignore case.
    whitespace : bool
        Count white space as characters.
    epsilon_smoothing : bool
        Average the orders' F-scores, undefined ones counting as 10⁻¹⁶, in place of precisions and
        recalls.

    Examples
    --------
    >>> metric = Chrf()
    >>> references = metric.prepare(References([["the cat sat on the mat"]]))
    >>> metric.score(references.statistics(["the cat sat on a mat"])).round(2)
    array([65.98])
    """

    higher_is_better: ClassVar[bool] = True
    perfect_gain: ClassVar[float | None] = 1.0

    character_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    epsilon_smoothing: bool = False

    def __post_init__(self) -> None:
        require.integer(self, "character_order", 1, _core.MAX_NGRAM_ORDER)
        require.integer(self, "word_order", 0, _core.MAX_NGRAM_ORDER)
        require.integer(self, "beta", 1, 1000)

    @property
    def name(self) -> str:
        """The name that is printed with a score: chrF2 and chrF2++ by default."""
        return f"chrF{self.beta}{'+' * self.word_order}"

    @property
    def _options(self) -> _core.ChrfOptions:
        return _core.ChrfOptions(
            character_order=self.character_order,
            word_order=self.word_order,
            beta=self.beta,
            whitespace=self.whitespace,
            epsilon_smoothing=self.epsilon_smoothing,
        )

    def prepare(self, references: References) -> ChrfReferences:
        """Return the references in the form in which statistics are computed."""
        return ChrfReferences(references, self._options, self.lowercase)

    def corpus_score(self) -> _core.ChrfScore:
        """Return chrF as the core computes it, from 0 to 1."""
        return _core.ChrfScore(self._options)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return chrF of summed statistics, from 0 to 100."""
        return 100.0 * score_rows(self.corpus_score(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return chrF of each hypothesis, from 0 to 1."""
        return score_rows(self.corpus_score(), statistics)

    def signature(self, references: References) -> str:
        """Return the options that matter to the score, in sacreBLEU's form."""
        return format_signature(
            references,
            sacrebleu_version(),
            case="lc" if self.lowercase else "mixed",
            eff=not self.epsilon_smoothing,
            nc=self.character_order,
            nw=self.word_order,
            space=self.whitespace,
        )


@metrics.register("chrf++")
@dataclass(frozen=True, kw_only=True)
class ChrfPlusPlus(Chrf):
    """chrF with word n-grams of up to two words; see `Chrf`."""

    word_order: int = 2
