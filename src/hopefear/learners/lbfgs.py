"""Smooth losses by L-BFGS, all sentences at once."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.minimize import minimize
from hopefear.losses import JensenRiskBound, Loss, losses
from hopefear.regularizers import L2, Regularizer, regularizers
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Lbfgs"]


@learners.register("lbfgs")
@settings
class Lbfgs:
    """R(w) + Σᵢ Lᵢ(w) for a loss that is smooth."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=10)
    whole: ClassVar[bool] = True
    needs_scipy: ClassVar[bool] = True

    loss: Annotated[Loss, losses] = setting(
        factory=JensenRiskBound, help="A soft loss of the table, or risk."
    )
    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=L2, help="R, counted against the sum over all sentences."
    )
    iterations: int = setting(
        20, "Steps of L-BFGS in an epoch; it forgets its curvature in between.", least=1
    )

    def check(self) -> None:
        """Refuse a loss without a gradient."""
        if not self.loss.smooth:
            name = losses.name_of(type(self.loss))
            problem = f": '{name}' is not smooth; set soft = 'both', or learn with 'sgd'"
            raise OptionError(self, "loss", problem)

    def start(
        self, data: ListSet, weights: FloatArray, origin: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Start at `weights`; the regularizer may pull back to `origin`."""
        return weights, origin

    def learn(
        self,
        state: tuple[FloatArray, FloatArray],
        data: ListSet,
        block: Block,
        step: Step,
        heard: Sequence[None] = (),
    ) -> tuple[tuple[FloatArray, FloatArray], None]:
        """Take `iterations` steps."""
        w, origin = state
        lists, costs, loss = data.nbest, data.costs, self.loss.core()

        def objective(weights: FloatArray) -> tuple[float, FloatArray]:
            return _core.loss_gradient(lists, weights, costs, self.cost_scale, loss, data.threads)

        found = minimize(
            objective,
            self.regularizer.bind(list(data.feature_names), origin),
            w,
            scale=data.feature_spread,
            max_iterations=self.iterations,
        )
        return (state if np.array_equal(found, w) else (found, origin)), None

    def weights(self, state: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Return the weights."""
        return state[0]
