"""The working set of an example, and the quadratic program over one or several of them.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, algorithms 2 to 4.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.learners.visit import Taught, Visit
from hopefear.metrics import OracleDocument
from hopefear.search import Found
from hopefear.types import FloatArray

__all__ = ["WorkingSet", "solve_together"]

# Unlike the paper, which stops when the KKT conditions are met to within 0.01.
TOLERANCE = 1e-6
ITERATIONS = 100_000  # nearly equal features take thousands
ROUNDS = 100  # over several working sets


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
        self.core = _core.WorkingSet(*hope.features, hope.gain(document))
        self._known = {hope.derivation.edges.tobytes()}

    @classmethod
    def of(cls, taught: Taught, document: OracleDocument) -> "WorkingSet":
        """Return the working set that another learner was taught by."""
        made = cls.__new__(cls)
        made._document, made._known = document, set()
        made.core = _core.WorkingSet.taught(taught.ids, taught.rows, taught.losses)
        return made

    def taught(self, violation: float) -> Taught:
        """Return what the set teaches: all of it but the hope, whose row and loss are 0."""
        return Taught(self.ids, self.rows[1:], self.losses[1:], violation)

    def __len__(self) -> int:
        return len(self.core)

    def __contains__(self, found: Found) -> bool:
        return found.derivation.edges.tobytes() in self._known

    def add(self, found: Found) -> None:
        """Add a derivation."""
        self._known.add(found.derivation.edges.tobytes())
        self.core.add(*found.features, found.gain(self._document))

    @property
    def ids(self) -> NDArray[np.int32]:
        """The features of all derivations."""
        return self.core.ids

    @property
    def rows(self) -> FloatArray:
        """The rows x, with a column for each of the ids."""
        rows = self.core.rows
        return rows if rows.shape[1] else rows.reshape(len(self), 0)

    @property
    def losses(self) -> FloatArray:
        """The losses ℓ."""
        return self.core.losses

    def violations(self, weights: FloatArray) -> FloatArray:
        """Return v(d) = ℓ(d, hope) − w · (h(hope) − h(d)) of each derivation; the hope's is 0."""
        return self.core.violations(weights)

    def violation(self, found: Found, weights: FloatArray) -> float:
        """Return v(d) of a derivation that need not be in the set."""
        return self.core.violation(*found.features, found.gain(self._document), weights)

    def solve(self, weights: FloatArray, rates: FloatArray) -> FloatArray:
        """Return x = Σ α (h(hope) − h(d)), by which w′ = w + Σ x; Σ is the diagonal of `rates`.

        α maximizes Σ α v(d) − ½ xᵀ Σ x for α ≥ 0 with sum 1; SMO starts with all of it on the hope.
        """
        return self.core.solve(
            weights,
            rates,
            tolerance=TOLERANCE * self._document.scale,
            max_iterations=ITERATIONS,
        )


def solve_together(sets: Sequence[WorkingSet], visit: Visit) -> list[FloatArray]:
    """Set `visit.trial` to w′ = w + Σ Σᵢ xᵢ; return xᵢ of each working set.

    The problem of all sets together is solved by coordinate ascent in its dual: each set is solved
    anew from where the others lead, until none changes (algorithm 4, OPTIMIZESETS).
    """
    return _core.solve_together(
        [working.core for working in sets],
        visit.start,
        visit.rates,
        visit.trial,
        tolerance=TOLERANCE,
        gap=TOLERANCE * visit.document.scale,
        max_iterations=ITERATIONS,
        max_rounds=ROUNDS,
    )
