"""PRO: tuning as ranking, by a linear classifier of differences of hypotheses.

Hopkins and May (2011), Tuning as ranking, EMNLP. The exhaustive variant, with the corpus oracles
paired with every other hypothesis of its list and with the hinge loss, is the baseline of Watanabe
(2012), Optimized online rank learning for machine translation, NAACL, section 5.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.lbfgs import minimize
from hopefear.regularizers import L2, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Pro", "ProState", "regress", "separate"]

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

    def check(self) -> None:
        """Refuse a hinge loss without a pull, which alone makes its minimum unique."""
        pull = self.regularizer.bind([], np.empty(0)).pull
        if self.loss == "hinge" and (pull is None or not pull[0] > 0):
            raise OptionError(
                self, "loss", ": 'hinge' needs regularizer l2 or l2-start with a strength > 0"
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


def regress(
    data: ListSet,
    pairs: _core.RankingPairs,
    penalty: Penalty,
    start: FloatArray,
    count: float = 1.0,
) -> FloatArray:
    """Return argmin count · R(w) + Σ log(1 + exp(−w·x)), searched from `start`."""
    lists, tolerance = data.nbest, 1e-7 * len(pairs)
    if penalty.pull is None:

        def objective(w: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = _core.logistic_loss(lists, pairs, w)
            return value / count, gradient / count

        return minimize(
            objective, penalty, start, scale=data.feature_spread, tolerance=tolerance / count
        )
    strength, origin = penalty.pull
    return _core.logistic_regression(
        lists,
        pairs,
        start,
        origin,
        data.feature_unit,
        strength=count * strength,
        tolerance=tolerance,
    )


# From soft to nearly hard; the hinge loss of a pair is exact to the last of them times log 2.
SMOOTHING = (1.0, 0.1, 0.01, 0.001)


def separate(
    data: ListSet,
    pairs: _core.RankingPairs,
    penalty: Penalty,
    start: FloatArray,
    count: float = 1.0,
) -> FloatArray:
    """Return argmin count · C/2 ‖w − o‖² + Σ max(0, 1 − w·x), searched from `start`.

    max(0, 1 − w·x) is the limit of ε log(1 + exp((1 − w·x)/ε)), which is logistic regression in
    w/ε: a Newton method that does not mind features of different units.
    """
    (strength, origin), w = cast(tuple[float, FloatArray], penalty.pull), start
    for epsilon in SMOOTHING:
        w = epsilon * _core.logistic_regression(
            data.nbest,
            pairs,
            w / epsilon,
            origin / epsilon,
            data.feature_unit,
            strength=count * strength * epsilon,
            margin=1.0 / epsilon,
            tolerance=1e-7 * len(pairs),
        )
    return w
