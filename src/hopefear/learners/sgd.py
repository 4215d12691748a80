"""Stochastic subgradient descent on any loss of the table; the perceptron is one of them.

Gimpel and Smith (2012), 3.1; Ratliff et al. (2007), (Online) subgradient methods for structured
prediction; averaging as in Collins (2002).
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from hopefear import _core
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners, random_stream
from hopefear.losses import Loss, Ramp3, losses
from hopefear.regularizers import L1, L2Start, NoPenalty, Regularizer, regularizers
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Sgd", "start_state", "step_sizes"]


def start_state(regularizer: Regularizer, weights: FloatArray) -> _core.SubgradientState:
    """Return weights that shrink towards what the regularizer pulls to."""
    origin = weights if isinstance(regularizer, L2Start) else np.empty(0)
    return _core.SubgradientState(weights, origin)


def step_sizes(regularizer: Regularizer, rate: float, sentences: int) -> dict[str, float]:
    """Return what one step takes: each of the N sentences carries 1/N of the penalty."""
    penalty = rate * regularizer.strength / max(sentences, 1)
    is_l1 = isinstance(regularizer, L1)
    return {"rate": rate, "shrinkage": 0.0 if is_l1 else penalty, "l1": penalty if is_l1 else 0.0}


@learners.register("sgd")
@dataclass(frozen=True, kw_only=True)
class Sgd:
    """R(w) + Σᵢ Lᵢ(w), one sentence at a time: w ← w − η (∇Lᵢ(w) + ∇R(w)/N).

    Parameters
    ----------
    loss : Loss
        Any loss of the table.
    cost_scale : float
        α: the cost of a hypothesis is α times what it loses of the metric.
    rate : float
        η of the first epoch.
    decay : float
        The rate of each epoch is this times that of the one before.
    regularizer : Regularizer
        R, against the sum over all sentences.
    averaged : bool
        Take the mean of the weights over all steps.
    epochs : int
        Passes over the sentences, each in a new random order.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    loss: Annotated[Loss, losses] = field(default_factory=Ramp3)
    cost_scale: float = 10.0  # α
    rate: float = 0.0001  # η
    decay: float = 1.0
    regularizer: Annotated[Regularizer, regularizers] = field(default_factory=NoPenalty)
    averaged: bool = True
    epochs: int = 50

    def __post_init__(self) -> None:
        require.positive(self, "cost_scale")
        require.positive(self, "rate")
        require.probability(self, "decay")
        require.integer(self, "epochs", 1)

    def init(self, data: TuningSet, weights: FloatArray) -> _core.SubgradientState:
        """Start at `weights`."""
        return start_state(self.regularizer, weights)

    def epoch(
        self,
        data: TuningSet,
        state: _core.SubgradientState,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> _core.SubgradientState:
        """Take one step for every sentence."""
        sentences = data.nbest.sentence_count
        rate = self.rate * self.decay ** seed[1]
        return _core.subgradient_epoch(
            data.nbest.core,
            data.costs,
            self.loss.core(),
            np.empty(0, dtype=np.int64),
            random_stream(seed).permutation(sentences),
            **step_sizes(self.regularizer, rate, sentences),
            cost_scale=self.cost_scale,
            state=state,
        )

    def weights(self, state: _core.SubgradientState) -> FloatArray:
        """Return the mean over all steps, or the last weights."""
        return state.average() if self.averaged else state.weights()
