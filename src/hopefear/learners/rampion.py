"""RAMPION: ramp losses, minimized by the concave-convex procedure.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, algorithm 1;
Yuille and Rangarajan (2002), The concave-convex procedure, NIPS.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, ClassVar

from hopefear import _core
from hopefear.candidates import Candidates, ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.regularized import Regularized
from hopefear.learners.sgd import Descent, Kernel
from hopefear.losses import Loss, Ramp3, losses
from hopefear.regularizers import L2Start, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["ConcaveConvex", "Rampion"]


@settings
class ConcaveConvex(Regularized):
    """What RAMPION does on lists and on forests: all but what goes up and what goes down."""

    loss: Annotated[Loss, losses] = setting(factory=Ramp3, help="Any loss of the table but risk.")
    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    rate: float = setting(0.0001, "η, the learning rate.", above=0)
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2Start,
        help="R, counted against the sum over all sentences; the paper pulls towards the start.",
    )
    passes: int = setting(5, "T″, passes over the sentences with the hopes held.", least=1)

    def check(self) -> None:
        """Refuse a loss that has no two sides."""
        if self.loss.core().risk:
            raise OptionError(self, "loss", ": the risk has no concave part; learn it with 'sgd'")

    def started(self, data: Candidates, weights: FloatArray, origin: FloatArray) -> Descent:
        """Start at `weights`."""
        return Descent.start(weights, origin, self.penalty(data, origin))

    def descend(
        self, state: Descent, data: Candidates, block: Block, step: Step, epoch: Kernel
    ) -> Descent:
        """Take `passes` passes of steps on what is left when the concave part is held."""
        penalty = self.penalty(data, state.origin)
        for i in range(self.passes):
            # y⁻ ← argmax s + c;  θ −= η C (θ − θ₀)/N;  θ += η (h(y⁺) − h(y⁻))   (lines 10-12)
            state = state.visit(
                epoch,
                step.visits(block, i),
                penalty,
                rate=self.rate,
                sentence_count=data.sentence_count,
            )
            step.progress(i + 1, self.passes)
        return state

    def weights(self, state: Descent) -> FloatArray:
        """Return the last weights."""
        return state.core.weights()

    def merge(self, states: Sequence[Descent]) -> Descent:
        """Return the mean of several descents."""
        return Descent.merged(states)


@learners.register("rampion")
@settings
class Rampion(ConcaveConvex):
    """C/2 ‖w − w₀‖² + Σᵢ [M(s + b c) − M(s + a c)]; ramp 3 has a = −1, b = 1.

    A step is one round of the procedure: find what every sentence's concave part −M(s + a c) raises
    and hold it, then take subgradient steps on what is left, which is convex. Of ramp 3 the hopes
    are held, of ramp 1 the 1-best; of a soft side a share of every hypothesis.

    Around a decoder every list replaces the one before, w₀ is the start of the run, and the last
    weights are handed on.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(
        epochs=10, order="given", list_size=500, lists="replaced", keep="last"
    )  # T′, k

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Descent:
        """Start at `weights`."""
        return self.started(data, weights, origin)

    def learn(
        self, state: Descent, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Descent, None]:
        """Hold what goes up under the current weights and take `passes` passes."""
        loss, scale = self.loss.core(), self.cost_scale
        # yᵢ⁺ ← argmax s − c   (line 6)
        held = _core.raised_shares(
            data.nbest, state.core.weights(), data.costs, scale, loss, data.threads
        )
        epoch = partial(
            _core.subgradient_epoch, data.nbest, data.costs, loss, held, cost_scale=scale
        )
        return self.descend(state, data, block, step, epoch), None
