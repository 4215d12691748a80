"""RAMPION: the third ramp loss, minimized by the concave-convex procedure.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, algorithm 1.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from hopefear import _core
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners, random_stream
from hopefear.learners.sgd import start_state, step_sizes
from hopefear.regularizers import L2Start, Regularizer, regularizers
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Rampion"]

# − s(y⁺) + max (s + c): the convex part of ramp 3, with the hopes held fixed
HOPES_HELD = _core.Loss(up=_core.Side(pool=_core.Pool.fixed), down=_core.Side(cost=1.0))


@learners.register("rampion")
@dataclass(frozen=True, kw_only=True)
class Rampion:
    """C/2 ‖w − w₀‖² + Σᵢ [max (s + c) − max (s − c)].

    An epoch is one round of the procedure: find every sentence's hope and hold it, then take
    subgradient steps on what is left, which is convex.

    Parameters
    ----------
    cost_scale : float
        α: the cost of a hypothesis is α times what it loses of the metric.
    rate : float
        η.
    regularizer : Regularizer
        R, against the sum over all sentences; the paper pulls towards the start.
    passes : int
        T″, passes over the sentences with the hopes held.
    epochs : int
        T′, rounds.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    cost_scale: float = 10.0  # α
    rate: float = 0.0001  # η
    regularizer: Annotated[Regularizer, regularizers] = field(default_factory=L2Start)
    passes: int = 5  # T″
    epochs: int = 10  # T′

    def __post_init__(self) -> None:
        require.positive(self, "cost_scale")
        require.positive(self, "rate")
        require.integer(self, "passes", 1)
        require.integer(self, "epochs", 1)

    def init(self, data: TuningSet, weights: FloatArray) -> _core.SubgradientState:
        """Start at `weights`, to which the regularizer pulls."""
        return start_state(self.regularizer, weights)

    def epoch(
        self,
        data: TuningSet,
        state: _core.SubgradientState,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> _core.SubgradientState:
        """Hold the hopes under the current weights and take `passes` passes."""
        nbest = data.nbest
        # yᵢ⁺ ← argmax s − c   (line 6)
        hopes = nbest.best(
            state.weights(), gains=data.costs, gain_scale=-self.cost_scale, threads=data.threads
        )
        steps = step_sizes(self.regularizer, self.rate, nbest.sentence_count)
        for i in range(self.passes):
            # y⁻ ← argmax s + c;  θ −= η C (θ − θ₀)/N;  θ += η (h(y⁺) − h(y⁻))   (lines 10-12)
            # Unlike the paper, which visits sentences in order, each pass has its own order.
            order = random_stream(seed, i).permutation(nbest.sentence_count)
            state = _core.subgradient_epoch(
                nbest.core,
                data.costs,
                HOPES_HELD,
                hopes,
                order,
                **steps,
                cost_scale=self.cost_scale,
                state=state,
            )
            progress(i + 1, self.passes)
        return state

    def weights(self, state: _core.SubgradientState) -> FloatArray:
        """Return the last weights."""
        return state.weights()
