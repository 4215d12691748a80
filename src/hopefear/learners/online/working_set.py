"""The working set of an example, and the quadratic program over it.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, algorithms 2 and 3.
"""

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.metrics import OracleDocument
from hopefear.search import Found
from hopefear.types import FloatArray

__all__ = ["WorkingSet"]

# Unlike the paper, which is content with KKT conditions that are met to within 0.01.
TOLERANCE = 1e-6
ITERATIONS = 1000


class WorkingSet:
    """The hope and some fears: rows x = h(hope) − h(d), and losses ℓ = B(hope) − B(d).

    Parameters
    ----------
    hope : Found
        The first derivation; its row and its loss are 0.
    document : OracleDocument
        In whose context B is.
    """

    def __init__(self, hope: Found, document: OracleDocument) -> None:
        self._document = document
        self._found = [hope]
        self.ids: NDArray[np.int32] = hope.features.ids
        self._stack()

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, found: Found) -> bool:
        return any(found.derivation == other.derivation for other in self._found)

    def add(self, found: Found) -> None:
        """Add a derivation."""
        self._found.append(found)
        self.ids = np.union1d(self.ids, found.features.ids)
        self._stack()

    def _stack(self) -> None:
        h = np.zeros((len(self), len(self.ids)))
        for row, found in zip(h, self._found, strict=True):
            row[np.searchsorted(self.ids, found.features.ids)] = found.features.values
        self.rows: FloatArray = h[0] - h
        gains = self._document.gains(np.array([found.statistics for found in self._found]))
        self.losses: FloatArray = gains[0] - gains

    def violations(self, weights: FloatArray) -> FloatArray:
        """Return v(d) = ℓ(d, hope) − w · (h(hope) − h(d)) of each derivation."""
        return self.losses - self.rows @ weights[self.ids]

    def violation(self, found: Found, weights: FloatArray) -> float:
        """Return v(d) of a derivation that need not be in the set."""
        hope = self._found[0]
        loss = hope.gain(self._document) - found.gain(self._document)
        return loss - _dot(hope, weights) + _dot(found, weights)

    def solve(self, weights: FloatArray, rates: FloatArray) -> FloatArray:
        """Return x = Σ α (h(hope) − h(d)), by which w′ = w + Σ x; Σ is the diagonal of `rates`.

        α maximizes Σ α v(d) − ½ xᵀ Σ x for α ≥ 0 with sum 1; SMO starts with all of it on the hope.
        """
        gram = (self.rows * rates[self.ids]) @ self.rows.T
        solution = _core.solve_simplex_qp(
            gram,
            self.violations(weights),
            budget=1.0,
            tolerance=TOLERANCE,
            max_iterations=ITERATIONS,
        )
        return solution.alpha @ self.rows


def _dot(found: Found, weights: FloatArray) -> float:
    return float(found.features.values @ weights[found.features.ids])
