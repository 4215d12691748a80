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
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.regularized import Regularized
from hopefear.regularizers import Penalty, settled
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
class StructuredSvm(Regularized):
    """½‖w − w₀‖² + C/N (Σᵢ max_d [cost(d) − cost(dᵢ) − w·(h(dᵢ) − h(d))] + R(w)).

    dᵢ is the reference derivation: the hypothesis of the least cost, or the hope under the start.
    An epoch adds one cutting plane.

    A quadratic R is part of the quadratic program: w is then not w₀ + Rᵀα, but the proximal point
    of that. Monotone neighbors are held as such, and solved again where their damping rises.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=100)
    whole: ClassVar[bool] = True
    needs_scipy: ClassVar[bool] = True

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

    def check(self) -> None:
        """Refuse a penalty that no quadratic program has."""
        if self.regularizer.bind([], np.empty(0)).l1 > 0:
            raise OptionError(self, "regularizer", ": 'l1' is not quadratic; choose another")

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
        """Add the plane that the current weights violate most, and solve the program.

        The same state if there is no such plane, and nothing else changes.
        """
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
        found = cost - float((row @ state.weights).sum()) > slack + self.tolerance
        if found:
            rows = vstack([state.rows, row], format="csr")
            state = replace(state, rows=rows, costs=np.append(state.costs, cost))
        elif not self.regularized:
            return state, None
        weights = self._solve(state, data, self.strength / n)
        if not found and np.allclose(weights, state.weights, rtol=1e-9, atol=1e-12):
            return state, None
        return replace(state, weights=weights), None

    def _solve(self, state: Planes, data: ListSet, share: float) -> FloatArray:
        """Return the weights that are best as far as the planes tell."""
        rows, origin = state.rows, state.origin
        if not self.regularized:
            found: FloatArray = origin + rows.T @ self._alpha(state, rows @ rows.T, origin)
            return found
        penalty = self.penalty(data, origin)
        return settled(penalty, origin, lambda held: self._solve_with(held, state, share))

    def _solve_with(self, penalty: Penalty, state: Planes, share: float) -> FloatArray:
        """Solve the program with a quadratic penalty."""
        from scipy.sparse import csr_array

        rows, origin = state.rows, state.origin
        # p(u) = argmin R(v) C/N + ½‖v − u‖² = H⁻¹ u + p(0)
        zero = penalty.proximal(np.zeros_like(origin), share)
        bent = [penalty.proximal(row.toarray().ravel(), share) - zero for row in rows]
        gram = rows @ csr_array(np.array(bent)).T
        # w = p(w₀ + Rᵀα)
        alpha = self._alpha(state, (gram + gram.T) / 2, penalty.proximal(origin, share))
        return penalty.proximal(origin + rows.T @ alpha, share)

    def _alpha(self, state: Planes, gram: Any, start: FloatArray) -> FloatArray:
        # α ← argmax  α·(c − R w₀) − ½ αᵀ R H⁻¹ Rᵀ α,  α ≥ 0, Σα = C;   H = 1 without a regularizer
        left = state.costs - state.rows @ start
        return _core.solve_simplex_qp(gram.toarray(), left, budget=self.strength).alpha

    def weights(self, state: Planes) -> FloatArray:
        """Return the weights."""
        return state.weights
