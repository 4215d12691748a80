"""PRO: tuning as ranking, by a linear classifier of differences of hypotheses.

Hopkins and May (2011), Tuning as ranking, EMNLP. The exhaustive variant, with the corpus oracles
paired with every other hypothesis of its list and with the hinge loss, is the baseline of Watanabe
(2012), Optimized online rank learning for machine translation, NAACL, section 5.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.classifier import regress, separate
from hopefear.regularizers import L2, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Pro", "ProState"]

ProState = tuple[FloatArray, FloatArray]
"""The weights, and what a pull to the start pulls to."""


@learners.register("pro")
@settings
class Pro:
    """R(w) + Σ ℓ(w·(h(better) − h(worse))) over pairs of hypotheses.

    ℓ(x) is log(1 + exp(−x)), or max(0, 1 − x).
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=1)
    whole: ClassVar[bool] = True
    unit_free: ClassVar[bool] = True  # its classifier is found by Newton steps

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
    loss: Literal["logistic", "hinge"] = setting(
        "logistic", "ℓ; hinge makes the classifier a support vector machine."
    )
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2, help="R, counted against the sum over all pairs."
    )
    mean: bool = setting(
        False, "Count R against the mean over all pairs (Watanabe, 2012, equations 4 and 5)."
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
        pull = self.regularizer.bind(list(data.feature_names), origin).pull
        if self.loss == "hinge" and (pull is None or not pull[0] > 0):
            # without which its minimum is not unique
            needed = ": 'hinge' needs regularizer l2 or l2-start with a strength > 0"
            raise OptionError(self, "loss", needed)
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
        count = float(len(pairs)) if self.mean else 1.0
        classify = separate if self.loss == "hinge" else regress
        learned = classify(data, pairs, penalty, w, count)
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
