"""PRO: tuning as ranking, by logistic regression on differences of hypotheses.

Hopkins and May (2011), Tuning as ranking, EMNLP. The exhaustive variant, with the corpus oracles
paired with every other hypothesis of its list, is the baseline of Watanabe (2012).
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners.base import learners
from hopefear.learners.lbfgs import minimize
from hopefear.regularizers import L2, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Pro", "ProState"]

ProState = tuple[FloatArray, FloatArray]
"""The weights, and what a pull to the start pulls to."""


@learners.register("pro")
@settings
class Pro:
    """R(w) + Σ log(1 + exp(−w·(h(better) − h(worse)))) over pairs of hypotheses."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=1)
    whole: ClassVar[bool] = True

    pairs: Literal["sampled", "oracle"] = setting(
        "sampled", "Pairs drawn at random from each list, or all pairs with a corpus oracle."
    )
    samples: int = setting(5000, "Γ, pairs drawn from each list.", least=1)
    kept: int = setting(
        50, "Ξ, of the pairs drawn from a list keep those with the largest difference.", least=1
    )
    threshold: float = setting(
        0.05, "α, the least difference of gains for a pair to be kept.", least=0
    )
    max_oracles: int = setting(
        10,
        "With more oracles in a list, pair only so many, evenly spaced; 0 for no limit. Unlike the "
        "paper, which pairs all at a cost of the square of the list's length.",
        least=0,
    )
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2, help="R, counted against the sum over all pairs."
    )
    interpolation: float = setting(
        1.0,
        "Ψ, the share of the classifier in the new weights; the rest are the old ones. Around a "
        "decoder, whose lists change, the paper takes 0.1.",
        least=0,
        most=1,
    )

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> ProState:
        """Start at `weights`."""
        return weights, origin

    def learn(
        self, state: ProState, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[ProState, None]:
        """Draw pairs, train the classifier and mix its weights with the old ones."""
        w, origin = state
        pairs = self._pairs(data, block, int(step.random().integers(2**63)))
        if not len(pairs):
            return state, None  # the penalty alone would make all weights zero
        penalty = self.regularizer.bind(list(data.feature_names), origin)
        learned = classify(data, pairs, penalty, w)
        # w ← Ψ w′ + (1 − Ψ) w
        return (self.interpolation * learned + (1 - self.interpolation) * w, origin), None

    def weights(self, state: ProState) -> FloatArray:
        """Return the weights."""
        return state[0]

    def _pairs(self, data: ListSet, block: Block, seed: int) -> _core.RankingPairs:
        lists = data.nbest
        if self.pairs == "oracle":
            oracles = _core.corpus_oracles(lists, data.corpus_score, block)
            return _core.oracle_pairs(lists, block, oracles, most=self.max_oracles)
        return _core.sample_pairs(
            lists,
            data.gains,
            samples=self.samples,
            kept=self.kept,
            threshold=self.threshold,
            seed=seed,
            threads=data.threads,
        )


def classify(
    data: ListSet, pairs: _core.RankingPairs, penalty: Penalty, start: FloatArray
) -> FloatArray:
    """Return the weights of the logistic regression on `pairs`, searched from `start`."""
    lists, tolerance = data.nbest, 1e-7 * len(pairs)
    if penalty.pull is None:
        return minimize(
            lambda w: _core.logistic_loss(lists, pairs, w),
            penalty,
            start,
            scale=data.feature_spread,
            tolerance=tolerance,
        )
    strength, origin = penalty.pull
    return _core.logistic_regression(
        lists, pairs, start, origin, data.feature_unit, strength=strength, tolerance=tolerance
    )
