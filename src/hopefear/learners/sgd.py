"""Stochastic subgradient descent on any loss of the table; the perceptron is one of them.

Gimpel and Smith (2012), 3.1; Ratliff et al. (2007), (Online) subgradient methods for structured
prediction; averaging as in Collins (2002).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Protocol

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners.base import learners
from hopefear.learners.regularized import Regularized, visit_between
from hopefear.losses import Loss, Ramp3, losses
from hopefear.regularizers import Penalty
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Descent", "Kernel", "Sgd"]


class Kernel(Protocol):
    """An epoch of steps on the losses of some candidates, in learn/subgradient.cpp of the core."""

    def __call__(
        self,
        order: Block,
        *,
        rate: float,
        shrinkage: float,
        l1: float,
        state: _core.SubgradientState,
    ) -> _core.SubgradientState:
        """Return the state after a step for each sentence of `order`."""


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Weights on their way down R(w) + Σᵢ Lᵢ(w), and what a pull to the start pulls to."""

    core: _core.SubgradientState
    origin: FloatArray

    @classmethod
    def start(cls, weights: FloatArray, origin: FloatArray, penalty: Penalty) -> "Descent":
        """Start at `weights`."""
        pulled = penalty.pull is not None and penalty.pull[1].any()
        return cls(
            core=_core.SubgradientState(weights, origin if pulled else np.empty(0)), origin=origin
        )

    def visit(
        self, epoch: Kernel, order: Block, penalty: Penalty, *, rate: float, sentence_count: int
    ) -> "Descent":
        """Take a step for each sentence: w ← w − η (∇Lᵢ(w) + ∇R(w)/N).

        Each of the N sentences carries 1/N of the penalty. One that the kernel does not know takes
        its proximal steps here, after every few sentences.
        """
        share = rate / max(sentence_count, 1)
        shrinkage = share * penalty.pull[0] if penalty.pull is not None else 0.0

        def visited(block: Block, core: _core.SubgradientState) -> _core.SubgradientState:
            l1 = share * penalty.l1
            return epoch(block, rate=rate, shrinkage=shrinkage, l1=l1, state=core)

        if penalty.pull is not None or penalty.l1 > 0:
            core = visited(order, self.core)
        else:
            core = visit_between(visited, self.core, order, penalty, share)
        return Descent(core=core, origin=self.origin)

    @classmethod
    def merged(cls, states: "Sequence[Descent]") -> "Descent":
        """Return the mean of the weights, over all steps of all states."""
        core = _core.SubgradientState.merged([state.core for state in states])
        return cls(core=core, origin=states[0].origin)


@learners.register("sgd")
@settings
class Sgd(Regularized):
    """R(w) + Σᵢ Lᵢ(w), one sentence at a time: w ← w − η (∇Lᵢ(w) + ∇R(w)/N)."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=50)

    loss: Annotated[Loss, losses] = setting(factory=Ramp3, help="Any loss of the table.")
    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    rate: float = setting(0.0001, "η of the first epoch.", above=0)
    decay: float = setting(
        1.0, "The rate of each epoch is this times that of the one before.", least=0, most=1
    )
    averaged: bool = setting(True, "Take the mean of the weights over all steps.")

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Descent:
        """Start at `weights`."""
        return Descent.start(weights, origin, self.penalty(data, origin))

    def learn(
        self, state: Descent, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Descent, None]:
        """Take one step for every sentence."""
        losses = (data.nbest, data.costs, self.loss.core(), np.empty(0))
        found = state.visit(
            partial(_core.subgradient_epoch, *losses, cost_scale=self.cost_scale),
            block,
            self.penalty(data, state.origin),
            rate=self.rate * self.decay**step.epoch,
            sentence_count=data.sentence_count,
        )
        return found, None

    def weights(self, state: Descent) -> FloatArray:
        """Return the mean over all steps, or the last weights."""
        return state.core.average() if self.averaged else state.core.weights()

    def merge(self, states: Sequence[Descent]) -> Descent:
        """Return the mean of several descents."""
        return Descent.merged(states)
