"""TER: the number of edits, including moves of blocks, per word of the reference.

Snover et al. (2006), A study of translation edit rate with targeted human annotation, AMTA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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
from hopefear.metrics.references import References
from hopefear.metrics.words import WordReferences
from hopefear.settings import setting, settings

if TYPE_CHECKING:
    from sacrebleu import TER

__all__ = ["Ter"]


@metrics.register("ter")
@settings
class Ter:
    """Σ edits / Σ reference words: the fewest edits to any reference, the average length.

    The options are those of sacreBLEU, and so is the score.

    Examples
    --------
    >>> metric = Ter()
    >>> references = metric.prepare(References([["on the mat the cat sat"]]))
    >>> metric.score(references.statistics(["The cat sat on a mat"])).round(2)
    array([33.33])
    """

    name: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False
    perfect_gain: ClassVar[float | None] = 0.0

    normalized: bool = setting(False, "Separate punctuation from words, replace XML entities.")
    no_punct: bool = setting(False, "Remove punctuation.")
    asian_support: bool = setting(
        False,
        "With normalized, split Chinese and Japanese into characters; with no_punct, remove their "
        "punctuation.",
    )
    case_sensitive: bool = setting(False, "Do not lowercase.")

    def prepare(self, references: References) -> WordReferences[_core.TerReferences]:
        """Return references that compute the statistics of hypotheses."""
        tokenizes = self.normalized or self.no_punct
        return WordReferences(
            references,
            make=_core.TerReferences,
            lowercase=not self.case_sensitive,
            tokenize=self._judge.tokenizer if tokenizes else None,
        )

    @property
    def _judge(self) -> TER:
        from sacrebleu import TER

        return TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def corpus_score(self) -> _core.ErrorRateScore:
        """Return the core's negated TER: edits per reference word."""
        return _core.ErrorRateScore()

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return TER of summed statistics: edits per hundred reference words."""
        return -100.0 * score_rows(self.corpus_score(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the negated edits per reference word of each hypothesis."""
        return score_rows(self.corpus_score(), statistics)

    def signature(self, references: References) -> str:
        """Return the options that influence the score, in sacreBLEU's form."""
        return format_signature(
            references,
            sacrebleu_version(),
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )
