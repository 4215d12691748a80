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
        self._gain = hope.gain(document)
        self.ids: NDArray[np.int32] = hope.features.ids
        self.rows: FloatArray = np.zeros((1, len(self.ids)))
        self.losses: FloatArray = np.zeros(1)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, found: Found) -> bool:
        return any(found.derivation == other.derivation for other in self._found)

    def add(self, found: Found) -> None:
        """Add a derivation."""
        self._found.append(found)
        ids, self.ids = self.ids, _union(self.ids, found.features.ids)
        if self.ids is ids:
            self.rows = np.vstack((self.rows, self._row(self._found[0]) - self._row(found)))
        else:
            hope = self._row(self._found[0])
            self.rows = np.array([hope - self._row(one) for one in self._found])
        self.losses = np.append(self.losses, self._gain - found.gain(self._document))

    def _row(self, found: Found) -> FloatArray:
        """Return h of all features of the set."""
        ids, values = found.features
        if len(ids) == len(self.ids):
            return values
        row = np.zeros(len(self.ids))
        row[np.searchsorted(self.ids, ids)] = values
        return row

    def violations(self, weights: FloatArray) -> FloatArray:
        """Return v(d) = ℓ(d, hope) − w · (h(hope) − h(d)) of each derivation."""
        return self.losses - self.rows @ weights[self.ids]

    def worst(self, weights: FloatArray) -> float:
        """Return the largest v(d); that of the hope is 0."""
        return float(self.violations(weights).max()) if len(self) > 1 else 0.0

    def violation(self, found: Found, weights: FloatArray) -> float:
        """Return v(d) of a derivation that need not be in the set."""
        loss = self._gain - found.gain(self._document)
        return loss - _dot(self._found[0], weights) + _dot(found, weights)

    def solve(self, weights: FloatArray, rates: FloatArray) -> FloatArray:
        """Return x = Σ α (h(hope) − h(d)), by which w′ = w + Σ x; Σ is the diagonal of `rates`.

        α maximizes Σ α v(d) − ½ xᵀ Σ x for α ≥ 0 with sum 1; SMO starts with all of it on the hope.
        """
        gram = (self.rows * rates[self.ids]) @ self.rows.T
        solution = _core.solve_simplex_qp(
            gram,
            self.violations(weights),
            budget=1.0,
            tolerance=TOLERANCE * self._document.scale,
            max_iterations=ITERATIONS,
        )
        return solution.alpha @ self.rows


def _union(known: NDArray[np.int32], more: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return all ids; derivations with the same features are frequent, and quick."""
    if len(known) == len(more) and (known == more).all():
        return known
    union = np.union1d(known, more)
    return known if len(union) == len(known) else union


def _dot(found: Found, weights: FloatArray) -> float:
    return float(found.features.values @ weights[found.features.ids])
