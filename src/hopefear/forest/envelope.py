"""The upper envelope of a forest: which derivation is best at which step along a direction.

Kumar et al. (2009), Efficient minimum error rate training and minimum Bayes-risk decoding for
translation hypergraphs and lattices.
"""

from __future__ import annotations

import numpy as np

from hopefear import _core
from hopefear.forest.derivation import Derivation
from hopefear.types import FloatArray

__all__ = ["Envelope"]


class Envelope:
    """The highest of all lines ``intercept + γ · slope``, one for each derivation.

    Made by :meth:`Forest.envelope`. Line i is the highest from ``breakpoints[i]`` to
    ``breakpoints[i + 1]``; the first breakpoint is minus infinity. Slopes and breakpoints increase.

    Parameters
    ----------
    forest
        The compiled forest.
    intercepts, slopes
        Scores of the edges at γ = 0, and how they change; an intercept of minus infinity makes an
        edge impossible.
    """

    __slots__ = ("_core", "_forest", "breakpoints", "intercepts", "slopes")

    def __init__(self, forest: _core.Forest, intercepts: FloatArray, slopes: FloatArray) -> None:
        self._forest = forest
        self._core = _core.Envelope(forest, intercepts, slopes)
        self.slopes = self._core.slopes
        self.intercepts = self._core.intercepts
        self.breakpoints = self._core.breakpoints

    def __len__(self) -> int:
        return len(self._core)

    def derivation(self, line: int) -> Derivation:
        """Return the derivation of a line; its score is that at γ = 0."""
        return Derivation(self._forest, self._core.derivation(line), float(self.intercepts[line]))

    def line_at(self, step: float) -> int:
        """Return the number of the line that is highest at γ = `step`."""
        return int(np.searchsorted(self.breakpoints, step, side="right")) - 1
