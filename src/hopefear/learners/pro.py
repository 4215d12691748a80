"""PRO: tuning as ranking, a classifier that tells the better of two hypotheses.

Hopkins and May (2011), Tuning as ranking, EMNLP. The exhaustive variant, in which every oracle is
paired with every other hypothesis of its list, is the baseline of Watanabe (2012).
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from hopefear import _core
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners, random_stream
from hopefear.learners.lbfgs import minimize
from hopefear.regularizers import L1, L2, L2Start, Regularizer, regularizers
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Pro"]


@learners.register("pro")
@dataclass(frozen=True, kw_only=True)
class Pro:
    """R(w) + Σ log(1 + exp(−w·(h(better) − h(worse)))) over pairs of hypotheses.

    Parameters
    ----------
    pairs : {"sampled", "oracle"}
        Pairs drawn at random from each list, or all pairs with a corpus oracle.
    samples, kept, threshold
        Γ pairs are drawn from each list; of those whose gains differ by more than α, the Ξ with the
        largest difference are kept.
    max_oracles : int
        Of more oracles in a list only so many are paired, in even distances; 0 for no limit.
        Unlike the paper, which pairs all: lists with many hypotheses that are equally good would
        cost the square of their length.
    regularizer : Regularizer
        R, against the sum over all pairs.
    interpolation : float
        Ψ, how much of the classifier's weights goes into the new weights; the rest are the old
        ones. Around a decoder, whose lists change, the paper takes 0.1.
    epochs : int
        New pairs are drawn in each.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    pairs: Literal["sampled", "oracle"] = "sampled"
    samples: int = 5000  # Γ
    kept: int = 50  # Ξ
    threshold: float = 0.05  # α
    max_oracles: int = 10
    regularizer: Annotated[Regularizer, regularizers] = field(default_factory=L2)
    interpolation: float = 1.0  # Ψ
    epochs: int = 1

    def __post_init__(self) -> None:
        require.one_of(self, "pairs", ["sampled", "oracle"])
        require.integer(self, "samples", 1)
        require.integer(self, "kept", 1)
        require.non_negative(self, "threshold")
        require.integer(self, "max_oracles", 0)
        require.probability(self, "interpolation")
        require.integer(self, "epochs", 1)

    def init(self, data: TuningSet, weights: FloatArray) -> FloatArray:
        """Start at `weights`."""
        return weights

    def epoch(
        self, data: TuningSet, state: FloatArray, seed: tuple[int, int], progress: ProgressCallback
    ) -> FloatArray:
        """Draw pairs, train the classifier and mix its weights with the old ones."""
        pairs = self._pairs(data, int(random_stream(seed).integers(2**63)))
        if not len(pairs):
            return state  # or the penalty alone would make weights, and all of them zero
        learned = self.classify(data, pairs, state)
        return self.interpolation * learned + (1 - self.interpolation) * state

    def weights(self, state: FloatArray) -> FloatArray:
        """Return the weights."""
        return state

    def _pairs(self, data: TuningSet, seed: int) -> _core.RankingPairs:
        lists = data.nbest.core
        if self.pairs == "oracle":
            sentences = np.arange(data.nbest.sentence_count)
            oracles = _core.corpus_oracles(lists, data.corpus_score, sentences)
            return _core.oracle_pairs(lists, sentences, oracles, most=self.max_oracles)
        return _core.sample_pairs(
            lists,
            data.gains,
            samples=self.samples,
            kept=self.kept,
            threshold=self.threshold,
            seed=seed,
            threads=data.threads,
        )

    def classify(self, data: TuningSet, pairs: _core.RankingPairs, start: FloatArray) -> FloatArray:
        """Return the weights of the logistic regression on `pairs`, started at `start`."""
        lists, tolerance = data.nbest.core, 1e-7 * len(pairs)
        if isinstance(self.regularizer, L1):
            return minimize(
                lambda w: _core.logistic_loss(lists, pairs, w),
                self.regularizer,
                start,
                scale=data.feature_spread,
                tolerance=tolerance,
            )
        return _core.logistic_regression(
            lists,
            pairs,
            start,
            start if isinstance(self.regularizer, L2Start) else np.zeros_like(start),
            data.feature_unit,
            strength=self.regularizer.strength,
            tolerance=tolerance,
        )
