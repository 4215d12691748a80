"""RAMPION: the third ramp loss, minimized by the concave-convex procedure.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, algorithm 1.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners.base import learners
from hopefear.learners.sgd import Descent
from hopefear.regularizers import L2Start, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Rampion"]

# − s(y⁺) + max (s + c): the convex part of ramp 3, with the hopes held fixed
HOPES_HELD = _core.Loss(up=_core.Side(pool=_core.Pool.fixed), down=_core.Side(cost=1.0))


@learners.register("rampion")
@settings
class Rampion:
    """C/2 ‖w − w₀‖² + Σᵢ [max (s + c) − max (s − c)].

    A step is one round of the procedure: find every sentence's hope and hold it, then take
    subgradient steps on what is left, which is convex. Around a decoder every list replaces the one
    before, w₀ is the start of the run, and the last weights are handed on.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=10, lists="replaced", keep="last")  # T′

    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    rate: float = setting(0.0001, "η, the learning rate.", above=0)
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2Start,
        help="R, counted against the sum over all sentences; the paper pulls towards the start.",
    )
    passes: int = setting(5, "T″, passes over the sentences with the hopes held.", least=1)

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Descent:
        """Start at `weights`."""
        return Descent.start(weights, origin, self._penalty(data, origin))

    def learn(
        self, state: Descent, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Descent, None]:
        """Hold the hopes under the current weights and take `passes` passes."""
        # yᵢ⁺ ← argmax s − c   (line 6)
        hopes = data.nbest.best(
            state.core.weights(),
            gains=data.costs,
            gain_scale=-self.cost_scale,
            threads=data.threads,
        )
        penalty = self._penalty(data, state.origin)
        for i in range(self.passes):
            # y⁻ ← argmax s + c;  θ −= η C (θ − θ₀)/N;  θ += η (h(y⁺) − h(y⁻))   (lines 10-12)
            state = state.visit(
                data,
                step.visits(block, i),
                HOPES_HELD,
                penalty,
                rate=self.rate,
                cost_scale=self.cost_scale,
                fixed=hopes,
            )
            step.progress(i + 1, self.passes)
        return state, None

    def weights(self, state: Descent) -> FloatArray:
        """Return the last weights."""
        return state.core.weights()

    def merge(self, states: Sequence[Descent]) -> Descent:
        """Return the mean of several descents."""
        return Descent.merged(states)

    def _penalty(self, data: ListSet, origin: FloatArray) -> Penalty:
        return self.regularizer.bind(list(data.feature_names), origin)
