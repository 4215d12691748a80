"""Online rank optimization: in small batches, every oracle above every other hypothesis.

Watanabe (2012), Optimized online rank learning for machine translation, NAACL: algorithm 2 (ORO),
its optimized updates of section 4.1 (O-ORO), and the batch MIRA that it is compared with (equation
13). The line search of section 4.2 belongs to the rhythm.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.regularized import Regularized
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, IntArray

__all__ = ["Oro", "Ranking"]


@dataclass(frozen=True)
class Ranking:
    """The weights, and the start of the run, to which a regularizer may pull."""

    weights: FloatArray
    origin: FloatArray


@learners.register("oro")
@settings
class Oro(Regularized):
    """λ/2 ‖w‖² + a loss of the pairs (oracle, other) of a batch, by one update a batch.

    hinge: the mean of max(0, 1 − w·(h(oracle) − h(other))). softmax: the mean of
    −log(Z_oracle/Z_nbest). The oracles are chosen for the corpus score of the batch. A regularizer
    has a proximal step after each update, with the rate of the update.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(
        epochs=30, block=16, line_search=True, list_size=1000, lists="block"
    )

    loss: Literal["hinge", "softmax"] = setting("hinge", "The loss of a batch.")
    update: Literal["optimized", "subgradient", "mira"] = setting(
        "optimized",
        "Solve the batch's problem within the learning rate (O-ORO, equations 12 and 16), take one "
        "subgradient step (ORO, equation 8), or solve equation 13 (MIRA; hinge only).",
    )
    tangent_offset: bool = setting(
        True,
        "Whether the linearized softmax loss passes through its point of tangency. The printed "
        "equation 16 lacks that offset; false keeps it as printed, for comparison.",
    )
    max_oracles: int = setting(
        10,
        "With more oracles in a list, pair only so many, evenly spaced; 0 for no limit. Unlike the "
        "paper, which pairs all at a cost of the square of the list's length.",
        least=0,
    )
    l2: float = setting(1e-5, "λ. For MIRA, how much staying at the old weights counts.", above=0)
    rate: float = setting(0.2, "η₀: the rate of batch k, from 1, is η₀ α^(k/K).", above=0)
    decay: float = setting(
        0.85, "α: the rate falls by this factor in every epoch.", least=0, most=1
    )

    def check(self) -> None:
        """Refuse MIRA on the softmax loss."""
        if self.update == "mira" and self.loss == "softmax":
            raise OptionError(self, "update", ": 'mira' is defined for the hinge loss only")

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Ranking:
        """Start at `weights`; the paper starts at zero."""
        return Ranking(weights, origin)

    def learn(
        self, state: Ranking, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Ranking, None]:
        """Update once."""
        # η_k = η₀ α^(k/K), where K batches are an epoch and k counts from 1   (line 6)
        rate = self.rate * self.decay ** (step.passed + 1 / step.blocks)
        oracles = _core.corpus_oracles(data.nbest, data.corpus_score, block)
        seed = int(step.random(step.block).integers(2**63))
        update = self._hinge if self.loss == "hinge" else self._softmax
        w = update(data, state.weights, block, oracles, rate, seed)
        if self.regularized:
            # The loss of a batch is a mean, of which R is 1/N; for MIRA it is a sum, at a rate 1/λ.
            length = len(block) / self.l2 if self.update == "mira" else rate
            penalty = self.penalty(data, state.origin, len(w))
            w = penalty.proximal(w, length / max(data.sentence_count, 1))
        if self.update != "mira":
            # w ← min(1, 1/(√λ ‖w‖)) w   (line 9)
            w = w * min(1.0, 1.0 / max(np.sqrt(self.l2) * float(np.linalg.norm(w)), 1e-300))
        return replace(state, weights=w), None

    def weights(self, state: Ranking) -> FloatArray:
        """Return the weights."""
        return state.weights

    def merge(self, states: Sequence[Ranking]) -> Ranking:
        """Return the mean of several weights."""
        mean = np.mean([state.weights for state in states], axis=0)
        return replace(states[0], weights=mean)

    def _hinge(
        self,
        data: ListSet,
        w: FloatArray,
        batch: IntArray,
        oracles: list[list[int]],
        rate: float,
        seed: int,
    ) -> FloatArray:
        pairs = _core.oracle_pairs(data.nbest, batch, oracles, most=self.max_oracles)
        if self.update == "subgradient":
            count, violating = _core.violated_pairs(data.nbest, pairs, w)
            # M′, the number of violating pairs, in place of M: the paper found M too slow
            return (1 - self.l2 * rate) * w + rate / max(count, 1) * violating
        rows = _core.pair_differences(data.nbest, pairs)
        margins = np.ones(len(rows))
        if self.update == "mira":
            return _solve(rows, margins, w, 1.0 / self.l2, seed).weights
        return _within(rows, margins, (1 - self.l2 * rate) * w, rate, seed)

    def _softmax(
        self,
        data: ListSet,
        w: FloatArray,
        batch: IntArray,
        oracles: list[list[int]],
        rate: float,
        seed: int,
    ) -> FloatArray:
        values, gradients = _core.softmax_tangents(data.nbest, batch, oracles, w)
        if self.update == "subgradient":
            mean = gradients.transposed_dot(np.full(len(batch), 1 / len(batch)), len(w))
            return (1 - self.l2 * rate) * w + rate * mean
        margins = -values
        if self.tangent_offset:
            # w·Ψ ≥ −L(w_k) + w_k·Ψ − ξ
            margins = margins + gradients.dot(w)
        return _within(gradients, margins, (1 - self.l2 * rate) * w, rate, seed)


def _solve(
    rows: _core.SparseRows, margins: FloatArray, start: FloatArray, bound: float, seed: int
) -> _core.MarginSolution:
    return _core.solve_margins(
        rows, margins, start, bound=bound, tolerance=1e-3, max_passes=1000, seed=seed
    )


def _within(
    rows: _core.SparseRows, margins: FloatArray, start: FloatArray, rate: float, seed: int
) -> FloatArray:
    """Solve with 0 ≤ τ ≤ η and then scale τ so that its sum is at most η (footnote 2)."""
    found = _solve(rows, margins, start, rate, seed)
    scale = min(1.0, rate / max(float(found.tau.sum()), 1e-300))
    return start + scale * (found.weights - start)
