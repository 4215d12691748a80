"""A linear structured support vector machine, by cutting planes with one slack.

Joachims, Finley and Yu (2009), Cutting-plane training of structural SVMs, Machine Learning 77,
algorithm 3; Tsochantaridis et al. (2004) for margin rescaling.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners.base import learners
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, IntArray

__all__ = ["Planes", "StructuredSvm"]


@dataclass(frozen=True)
class Planes:
    """What is known of the loss: it is at least cost − w·row for every plane (row, cost)."""

    origin: FloatArray
    weights: FloatArray
    references: Annotated[IntArray, "derived"]  # the reference's row of each nonempty list
    rows: Annotated[Any, "grows"]  # a csr_array of SciPy, which is imported only where it is used
    costs: Annotated[FloatArray, "grows"]


@learners.register("structured-svm")
@settings
class StructuredSvm:
    """½‖w − w₀‖² + C/N Σᵢ max_d [cost(d) − cost(dᵢ) − w·(h(dᵢ) − h(d))].

    dᵢ is the reference derivation: the hypothesis of the least cost, or the hope under the start.
    An epoch adds one cutting plane.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=100)
    whole: ClassVar[bool] = True

    strength: float = setting(1.0, "C, the weight of the mean loss.", above=0)
    reference: Literal["max-metric", "hope"] = setting(
        "max-metric", "What stands for the reference; chosen once, so that the problem is convex."
    )
    cost_scale: float = setting(
        10.0, "α: the cost of a hypothesis is α times what it loses of the metric.", above=0
    )
    tolerance: float = setting(
        0.001, "ε: the search ends when no plane cuts off more than this.", above=0
    )

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Planes:
        """Choose the references; the only plane known is that the loss is not negative."""
        from scipy.sparse import csr_array

        nbest = data.nbest
        model = weights if self.reference == "hope" else np.zeros_like(weights)
        rows = nbest.best(model / self.cost_scale, gains=-data.costs, threads=data.threads)
        none = csr_array((1, len(weights)))
        return Planes(origin, weights, rows[rows >= 0], rows=none, costs=np.zeros(1))

    def learn(
        self, state: Planes, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Planes, None]:
        """Add the plane that the current weights violate most; the same state if there is none."""
        from scipy.sparse import csr_array, vstack

        nbest, references = data.nbest, state.references
        # w·h + α cost is the largest where w/α·h + cost is
        rivals = nbest.best(state.weights / self.cost_scale, gains=data.costs, threads=data.threads)
        worst, n = rivals[rivals >= 0], max(len(references), 1)
        both = np.concatenate([references, worst])
        shares = np.repeat([1.0 / n, -1.0 / n], [len(references), len(worst)])
        row = csr_array(nbest.feature_sum(both, shares)[None])
        cost = -self.cost_scale * float(shares @ data.costs[both])

        slack = float((state.costs - state.rows @ state.weights).max())
        if cost - float((row @ state.weights).sum()) <= slack + self.tolerance:
            return state, None
        rows, all_costs = vstack([state.rows, row], format="csr"), np.append(state.costs, cost)
        # α ← argmax  α·(c − R w₀) − ½ ‖Rᵀα‖²,  α ≥ 0, Σα = C;   w = w₀ + Rᵀα
        alpha = _core.solve_simplex_qp(
            (rows @ rows.T).toarray(), all_costs - rows @ state.origin, budget=self.strength
        ).alpha
        weights = state.origin + rows.T @ alpha
        return replace(state, weights=weights, rows=rows, costs=all_costs), None

    def weights(self, state: Planes) -> FloatArray:
        """Return the weights."""
        return state.weights
