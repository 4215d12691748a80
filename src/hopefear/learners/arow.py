"""AROW: MIRA with a learning rate for each feature, which falls as the feature is learned.

Crammer, Kulesza and Dredze (2009), Adaptive regularization of weight vectors, NIPS; Chiang (2012),
Hope and fear for discriminative training of SMT, JMLR 13, algorithm 3.
"""

import numpy as np
from numpy.typing import NDArray

from hopefear.learners.base import learners
from hopefear.learners.mira import Mira
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Arow"]


@learners.register("arow")
@settings
class Arow(Mira):
    """min_w′ ½ (w′ − w)ᵀ Σ⁻¹ (w′ − w) + max_d v(d), and then Σ⁻¹ ← Σ⁻¹ + λ diag(x²).

    x = Σ α (h(hope) − h(d)) is what the step was made of. Σ is diagonal and starts at `rate`; the
    paper starts language models and phrase probabilities at 0.01 (`feature_rates`).
    """

    rate: float = setting(1.0, "η₀, the learning rate at the start.", above=0)
    confidence: float = setting(0.01, "λ: how fast the rates fall.", least=0)

    def learn_rates(self, rates: FloatArray, ids: NDArray[np.int32], x: FloatArray) -> None:
        """Σ⁻¹ ← Σ⁻¹ + λ diag(x²), written so that a rate of 0 stays 0."""
        rates[ids] /= 1.0 + self.confidence * rates[ids] * x**2
