"""Distributions over the derivations of a forest, and their upper envelope along a line.

Li & Eisner (2009), First- and second-order expectation semirings. Chiang (2012), Hope and fear,
A.4, for the gradient of the expected gain. Kumar et al. (2009), Efficient minimum error rate
training and minimum Bayes-risk decoding for translation hypergraphs and lattices, for the envelope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopefear import _core
from hopefear.forest.derivation import Derivation, SparseFeatures, split
from hopefear.types import FloatArray

__all__ = ["Distribution", "Envelope", "Posteriors"]


class Posteriors(NamedTuple):
    """The expected number of uses of each edge and node in a derivation.

    It is a probability, unless a derivation can use the edge or node more than once.
    """

    edges: FloatArray
    nodes: FloatArray


class Distribution:
    """P(d) ∝ exp(score(d) / T); :meth:`Forest.distribution` makes it.

    All methods share the constructor's pass over the forest. Scores may have any size, because
    probabilities are stored for each edge given its head.

    Parameters
    ----------
    forest
        The compiled forest.
    edge_scores
        The score of each edge; minus infinity makes an edge impossible.
    temperature
        T > 0.
    """

    __slots__ = ("_core", "_forest")

    def __init__(
        self, forest: _core.Forest, edge_scores: FloatArray, temperature: float = 1.0
    ) -> None:
        self._forest = forest
        self._core = _core.Distribution(forest, edge_scores, temperature)

    @property
    def log_partition(self) -> float:
        """The logarithm of the sum of exp(score / T) over all derivations."""
        return self._core.log_partition

    def posteriors(self) -> Posteriors:
        """Return the expected number of uses of each edge and node."""
        return Posteriors(*self._core.posteriors())

    def expectation(self, edge_values: FloatArray) -> float:
        """Return E[B], where B(d) is the sum of `edge_values` over the edges of d."""
        return self._core.expectation(np.ascontiguousarray(edge_values, dtype=np.float64))

    def expected_features(self) -> SparseFeatures:
        """Return E[h] with all features of the forest."""
        return SparseFeatures(*self._core.expected_features())

    def covariance(self, edge_values: FloatArray) -> SparseFeatures:
        """Return Cov(B, h) = E[B h] − E[B] E[h] with all features of the forest.

        B(d) is the sum of `edge_values` over the edges of d. Divided by the temperature, this is
        the gradient of E[B] (the expected gain, or negated risk) with respect to the weights.
        """
        values = np.ascontiguousarray(edge_values, dtype=np.float64)
        return SparseFeatures(*self._core.covariance(values))

    def edge_covariance(self, edge_values: FloatArray) -> FloatArray:
        """Return Cov(B, number of uses of e) = p(e) (E[B | e] − E[B]) for each edge e."""
        return self._core.edge_covariance(np.ascontiguousarray(edge_values, dtype=np.float64))

    def sample(self, count: int, *, seed: int) -> list[Derivation]:
        """Draw independent derivations; a seed gives the same ones on every machine."""
        return list(split(self._forest, *self._core.sample(count, seed)))


class Envelope:
    """The upper envelope of the lines ``intercept + γ · slope`` of all derivations.

    :meth:`Forest.envelope` makes it. Line i is the highest from ``breakpoints[i]`` to
    ``breakpoints[i + 1]``; the first breakpoint is minus infinity. Slopes and breakpoints increase.

    Parameters
    ----------
    forest
        The compiled forest.
    intercepts, slopes
        The scores of the edges at γ = 0, and their slopes. An intercept of minus infinity makes an
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
        """Return the derivation of a line, with its score at γ = 0."""
        return Derivation(self._forest, self._core.derivation(line), float(self.intercepts[line]))

    def line_at(self, step: float) -> int:
        """Return the index of the highest line at γ = `step`."""
        return int(np.searchsorted(self.breakpoints, step, side="right")) - 1
