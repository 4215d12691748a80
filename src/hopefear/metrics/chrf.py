"""chrF and chrF++: the F-score of character n-grams, and of word n-grams for chrF++.

Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT.
Popović (2017), chrF++: words helping character n-grams, WMT.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from hopefear.settings import setting, settings

__all__ = ["Chrf", "ChrfPlusPlus", "ChrfReferences"]


class ChrfReferences:
    """References prepared for chrF."""

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
        """Compute the statistics of n-best lists and store them in the lists."""
        lists.set_statistics(self.statistics(lists, threads=threads))

    def _preprocess(self, texts: Sequence[str]) -> list[str]:
        return [text.lower() for text in texts] if self._lowercase else list(texts)


@metrics.register("chrf")
@settings
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

    character_order: int = setting(
        6, "Longest n-grams of characters.", least=1, most=_core.MAX_NGRAM_ORDER
    )
    word_order: int = setting(
        0, "Longest n-grams of words; 2 for chrF++.", least=0, most=_core.MAX_NGRAM_ORDER
    )
    beta: int = setting(
        2, "How many times more recall counts than precision.", least=1, most=1000
    )  # β
    lowercase: bool = setting(False, "Ignore case.")
    whitespace: bool = setting(False, "Count spaces as characters.")
    epsilon_smoothing: bool = setting(
        False, "Average the F-scores of all orders instead of precisions and recalls."
    )  # an undefined F-score counts as 10⁻¹⁶

    @property
    def name(self) -> str:
        """The name to print with a score: chrF2 and chrF2++ by default."""
        return f"chrF{self.beta}{'+' * self.word_order}"

    @property
    def core_options(self) -> _core.ChrfOptions:
        """The options as the core takes them."""
        return _core.ChrfOptions(
            character_order=self.character_order,
            word_order=self.word_order,
            beta=self.beta,
            whitespace=self.whitespace,
            epsilon_smoothing=self.epsilon_smoothing,
        )

    def prepare(self, references: References) -> ChrfReferences:
        """Return references that compute the statistics of hypotheses."""
        return ChrfReferences(references, self.core_options, self.lowercase)

    def corpus_score(self) -> _core.ChrfScore:
        """Return the core's chrF, from 0 to 1."""
        return _core.ChrfScore(self.core_options)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return chrF of summed statistics, from 0 to 100."""
        return 100.0 * score_rows(self.corpus_score(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return chrF of each hypothesis, from 0 to 1."""
        return score_rows(self.corpus_score(), statistics)

    def signature(self, references: References) -> str:
        """Return the options that influence the score, in sacreBLEU's form."""
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
@settings
class ChrfPlusPlus(Chrf):
    """chrF with n-grams of up to two words; see `Chrf`."""

    word_order: int = setting(2, "Longest n-grams of words.", least=0, most=_core.MAX_NGRAM_ORDER)
