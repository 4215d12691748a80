"""A linear structured support vector machine, by cutting planes with one slack.

Joachims, Finley and Yu (2009), Cutting-plane training of structural SVMs, Machine Learning 77,
algorithm 3; Tsochantaridis et al. (2004) for margin rescaling.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from hopefear import _core
from hopefear.learners.base import DataTypes, ProgressCallback, TuningSet, learners
from hopefear.settings import require
from hopefear.types import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Planes", "StructuredSvm"]


@dataclass(frozen=True, kw_only=True)
class Planes:
    """What is known of the loss: it is at least cost − w·row for every plane (row, cost)."""

    start: FloatArray
    weights: FloatArray
    references: IntArray  # the rows of the references, one for each sentence with hypotheses
    rows: "csr_array"
    costs: FloatArray


@learners.register("structured-svm")
@dataclass(frozen=True, kw_only=True)
class StructuredSvm:
    """½‖w − w₀‖² + C/N Σᵢ max_d [cost(d) − cost(dᵢ) − w·(h(dᵢ) − h(d))].

    dᵢ is the reference derivation: the hypothesis of the least cost, or the hope under the start.

    Parameters
    ----------
    strength : float
        C, how much the mean loss counts against staying near the start.
    reference : {"max-metric", "hope"}
        What stands for the reference; it is chosen once, so that the problem is convex.
    cost_scale : float
        α: the cost of a hypothesis is α times what it loses of the metric.
    tolerance : float
        ε: the search ends when no plane cuts off more than this.
    epochs : int
        Cutting planes, at most.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    strength: float = 1.0  # C
    reference: Literal["max-metric", "hope"] = "max-metric"
    cost_scale: float = 10.0  # α
    tolerance: float = 0.001  # ε
    epochs: int = 100

    def __post_init__(self) -> None:
        require.positive(self, "strength")
        require.one_of(self, "reference", ["max-metric", "hope"])
        require.positive(self, "cost_scale")
        require.positive(self, "tolerance")
        require.integer(self, "epochs", 1)

    def init(self, data: TuningSet, weights: FloatArray) -> Planes:
        """Choose the references; the only plane known is that the loss is not negative."""
        from scipy.sparse import csr_array

        nbest = data.nbest
        model = weights if self.reference == "hope" else np.zeros_like(weights)
        rows = nbest.best(model / self.cost_scale, gains=-data.costs, threads=data.threads)
        return Planes(
            start=weights,
            weights=weights,
            references=rows[rows >= 0],
            rows=csr_array((1, len(weights))),
            costs=np.zeros(1),
        )

    def epoch(
        self, data: TuningSet, state: Planes, seed: tuple[int, int], progress: ProgressCallback
    ) -> Planes:
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
            return state
        rows, all_costs = vstack([state.rows, row], format="csr"), np.append(state.costs, cost)
        # α ← argmax  α·(c − R w₀) − ½ ‖Rᵀα‖²,  α ≥ 0, Σα = C;   w = w₀ + Rᵀα
        alpha = _core.solve_simplex_qp(
            (rows @ rows.T).toarray(), all_costs - rows @ state.start, budget=self.strength
        ).alpha
        return replace(state, weights=state.start + rows.T @ alpha, rows=rows, costs=all_costs)

    def weights(self, state: Planes) -> FloatArray:
        """Return the weights."""
        return state.weights
