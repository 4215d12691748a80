"""WER: the number of words to insert, delete or replace, per word of the reference.

Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear import __version__, _core
from hopefear.metrics.base import Statistics, format_signature, metrics, score_rows
from hopefear.metrics.references import References
from hopefear.metrics.words import WordReferences
from hopefear.settings import setting, settings
from hopefear.text.tokenizers import TokenizerName, tokenizer

__all__ = ["Wer"]


@metrics.register("wer")
@settings
class Wer:
    """Σ edits / Σ reference words.

    With several references, the one with the fewest edits counts, and its length; of equally close
    ones the longest.

    Examples
    --------
    >>> metric = Wer()
    >>> references = metric.prepare(References([["the cat sat on the mat"]]))
    >>> metric.score(references.statistics(["cat sat on a mat"])).round(2)
    array([33.33])
    """

    name: ClassVar[str] = "WER"
    higher_is_better: ClassVar[bool] = False
    perfect_gain: ClassVar[float | None] = 0.0

    tokenize: TokenizerName = setting(
        "none", "sacreBLEU's tokenizer; none keeps the words as they are."
    )
    lowercase: bool = setting(False, "Ignore case.")

    def prepare(self, references: References) -> WordReferences[_core.WerReferences]:
        """Return references that compute the statistics of hypotheses."""
        return WordReferences(
            references,
            make=_core.WerReferences,
            lowercase=self.lowercase,
            tokenize=None if self.tokenize == "none" else tokenizer(self.tokenize),
        )

    def parts(
        self, references: References, hypotheses: Sequence[str], *, threads: int = 0
    ) -> dict[str, float]:
        """Return insertions, deletions and substitutions per hundred reference words.

        Examples
        --------
        >>> Wer().parts(References([["the cat sat on the mat"]]), ["cat sat on a mat"])
        {'insertions': 0.0, 'deletions': 16.67, 'substitutions': 16.67}
        """
        prepared = WordReferences(
            references,
            make=_core.WerParts,
            lowercase=self.lowercase,
            tokenize=None if self.tokenize == "none" else tokenizer(self.tokenize),
        )
        edits = prepared.statistics(hypotheses, threads=threads).sum(axis=0)
        words = self.prepare(references).statistics(hypotheses, threads=threads)[:, 1].sum()
        names = ("insertions", "deletions", "substitutions")
        return {
            name: round(100.0 * float(count) / max(1.0, float(words)), 2)
            for name, count in zip(names, edits, strict=True)
        }

    def corpus_score(self) -> _core.ErrorRateScore:
        """Return the core's negated WER: edits per reference word."""
        return _core.ErrorRateScore()

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return WER of summed statistics: edits per hundred reference words."""
        return -100.0 * score_rows(self.corpus_score(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return the negated edits per reference word of each hypothesis."""
        return score_rows(self.corpus_score(), statistics)

    def signature(self, references: References) -> str:
        """Return the options that influence the score; the version is ours, not sacreBLEU's."""
        return format_signature(
            references,
            f"hopefear-{__version__}",
            case="lc" if self.lowercase else "mixed",
            tok=tokenizer(self.tokenize).signature(),
        )
