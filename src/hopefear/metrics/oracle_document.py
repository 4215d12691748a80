"""The oracle document: earlier translations, the context in which BLEU judges a sentence.

Watanabe et al. (2007), Online large-margin training for SMT, EMNLP. Chiang (2012), Hope and fear,
JMLR 13: section 2.4 (decay, equation 3) and appendix A.3 (linear BLEU).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import DataError, OptionError
from hopefear.metrics.base import Statistics

__all__ = ["OracleDocument"]

LEAST = 0.1  # of every component


def _start() -> NDArray[np.float64]:
    return _core.perfect_sentence(4)


@dataclass(frozen=True, kw_only=True, eq=False)
class OracleDocument:
    """Decayed BLEU statistics b̄ of earlier 1-best translations; immutable.

    The paper does not define the initial b̄. Here it is one perfect sentence of K words,
    m̄ₖ = n̄ₖ = K − k + 1 and ρ̄ = K. All its components are positive, so that every gain is defined,
    and the decay removes it within some dozens of sentences. Unlike the paper, no component falls
    below a tenth, which is what the decay leaves of one match after 22 sentences without another:
    the coefficient of linear BLEU grows as m̄₄^(−3/4) and would have no bound.

    Parameters
    ----------
    statistics : array of float64
        b̄ = [m̄₁ … m̄_K, n̄₁ … n̄_K, ρ̄].
    decay : float
        The factor of b̄ after each sentence.
    scale : float
        The factor of B.

    Examples
    --------
    >>> document = OracleDocument()
    >>> good, bad = [5.0, 4, 3, 2, 5, 4, 3, 2, 5], [3.0, 1, 0, 0, 5, 4, 3, 2, 5]
    >>> document.gains(np.array([good, bad])).round(3)
    array([ 0.   , -2.026])
    """

    statistics: NDArray[np.float64] = field(default_factory=_start)
    decay: float = 0.9
    scale: float = 1.0

    def __post_init__(self) -> None:
        # Not declared settings: a document is made for every sentence.
        if not 0 <= self.decay <= 1:
            raise OptionError(self, "decay", f" must be from 0 to 1, got {self.decay}")
        if not 0 < self.scale < np.inf:
            raise OptionError(self, "scale", f" must be a finite number > 0, got {self.scale}")
        if not _core.are_counts(self.statistics):
            raise DataError(f"statistics must be finite and >= 0, got {self.statistics.tolist()}")

    def add(self, statistics: Statistics) -> OracleDocument:
        """Return the document after one more sentence: b̄ ← decay · (b̄ + b)."""
        total = _core.next_document(self.statistics, statistics, decay=self.decay, least=LEAST)
        return OracleDocument(statistics=total, decay=self.decay, scale=self.scale)

    def gain(self, statistics: Statistics) -> float:
        """Return B(b) of one row."""
        return self.scale * _core.document_gain(self.statistics, statistics)

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return B(b) = n̄₁ (BLEU(b̄ + b) − BLEU(b̄)) for each row b (equation 3)."""
        return self.scale * _core.document_gains(self.statistics, statistics)

    def linear_gain(self) -> NDArray[np.float64]:
        """Return c such that B(b) ≈ c · b, the first-order expansion at b̄ (A.3)."""
        return self.scale * _core.linear_bleu(self.statistics)
