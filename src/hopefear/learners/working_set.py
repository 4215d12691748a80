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
ITERATIONS = 100_000  # a few features that are nearly the same take thousands


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
        self._core = _core.WorkingSet(*hope.features, hope.gain(document))
        self._known = {hope.derivation.edges.tobytes()}

    def __len__(self) -> int:
        return len(self._core)

    def __contains__(self, found: Found) -> bool:
        return found.derivation.edges.tobytes() in self._known

    def add(self, found: Found) -> None:
        """Add a derivation."""
        self._known.add(found.derivation.edges.tobytes())
        self._core.add(*found.features, found.gain(self._document))

    @property
    def ids(self) -> NDArray[np.int32]:
        """The features of all derivations."""
        return self._core.ids

    @property
    def rows(self) -> FloatArray:
        """The rows x, with a column for each of the ids."""
        return self._core.rows.reshape(len(self), len(self.ids))

    @property
    def losses(self) -> FloatArray:
        """The losses ℓ."""
        return self._core.losses

    def violations(self, weights: FloatArray) -> FloatArray:
        """Return v(d) = ℓ(d, hope) − w · (h(hope) − h(d)) of each derivation; the hope's is 0."""
        return self._core.violations(weights)

    def violation(self, found: Found, weights: FloatArray) -> float:
        """Return v(d) of a derivation that need not be in the set."""
        return self._core.violation(*found.features, found.gain(self._document), weights)

    def solve(self, weights: FloatArray, rates: FloatArray) -> FloatArray:
        """Return x = Σ α (h(hope) − h(d)), by which w′ = w + Σ x; Σ is the diagonal of `rates`.

        α maximizes Σ α v(d) − ½ xᵀ Σ x for α ≥ 0 with sum 1; SMO starts with all of it on the hope.
        """
        return self._core.solve(
            weights,
            rates,
            tolerance=TOLERANCE * self._document.scale,
            max_iterations=ITERATIONS,
        )
