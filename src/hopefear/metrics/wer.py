"""WER: how many words to insert, delete or replace, for each word of the reference.

Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear import __version__, _core
from hopefear.metrics.base import Statistics, format_signature, metrics, score_rows
from hopefear.metrics.references import References
from hopefear.metrics.words import WordReferences
from hopefear.settings import require
from hopefear.text.tokenizers import TOKENIZERS, tokenizer

__all__ = ["Wer"]


@metrics.register("wer")
@dataclass(frozen=True, kw_only=True)
class Wer:
    """Σ edits / Σ reference words.

    Of several references the one with the fewest edits counts, and its length; of equally close
    ones the longest.

    Parameters
    ----------
    tokenize : str
        One of sacreBLEU's tokenizers; ``none`` takes the words as they are.
    lowercase : bool
        Ignore case.

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

    tokenize: str = "none"
    lowercase: bool = False

    def __post_init__(self) -> None:
        require.one_of(self, "tokenize", TOKENIZERS)

    def prepare(self, references: References) -> WordReferences[_core.WerReferences]:
        """Return the references in the form in which statistics are computed."""
        return WordReferences(
            references,
            make=_core.WerReferences,
            lowercase=self.lowercase,
            tokenize=None if self.tokenize == "none" else tokenizer(self.tokenize),
        )

    def corpus_score(self) -> _core.ErrorRateScore:
        """Return minus WER as the core computes it: edits for each reference word."""
        return _core.ErrorRateScore()

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return WER of summed statistics: edits for each hundred reference words."""
        return -100.0 * score_rows(self.corpus_score(), statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return minus the edits for each reference word, for each hypothesis."""
        return score_rows(self.corpus_score(), statistics)

    def signature(self, references: References) -> str:
        """Return the options that matter to the score; the version is ours, not sacreBLEU's."""
        return format_signature(
            references,
            f"hopefear-{__version__}",
            case="lc" if self.lowercase else "mixed",
            tok=tokenizer(self.tokenize).signature(),
        )
