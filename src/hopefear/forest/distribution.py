"""The distribution P(d) ∝ exp(score(d) / T) over the derivations of a forest.

Li & Eisner (2009), First- and second-order expectation semirings. Chiang (2012), Hope and fear,
A.4, for the gradient of the expected gain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopefear import _core
from hopefear.forest.derivation import Derivation, SparseFeatures, split
from hopefear.types import FloatArray

__all__ = ["Distribution", "Posteriors"]


class Posteriors(NamedTuple):
    """How often a derivation is expected to use each edge and each node.

    That is a probability, unless a derivation can use one more than once.
    """

    edges: FloatArray
    nodes: FloatArray


class Distribution:
    """P(d) ∝ exp(score(d) / T); made by :meth:`Forest.distribution`.

    Everything here shares the pass over the forest that the constructor makes. Scores of any size
    will do: probabilities are kept for each edge given its head.

    Parameters
    ----------
    forest
        The compiled forest.
    edge_scores
        A score for each edge; minus infinity makes an edge impossible.
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
        """Return E[B] of B(d) = the sum of `edge_values` over the edges of d."""
        return self._core.expectation(np.ascontiguousarray(edge_values, dtype=np.float64))

    def expected_features(self) -> SparseFeatures:
        """Return E[h]; all features of the forest are listed."""
        return SparseFeatures(*self._core.expected_features())

    def covariance(self, edge_values: FloatArray) -> SparseFeatures:
        """Return Cov(B, h) = E[B h] − E[B] E[h], B(d) being the sum of `edge_values`.

        Divided by the temperature this is the gradient of E[B] with respect to the weights: of the
        expected gain, the negated risk. All features of the forest are listed.
        """
        values = np.ascontiguousarray(edge_values, dtype=np.float64)
        return SparseFeatures(*self._core.covariance(values))

    def edge_covariance(self, edge_values: FloatArray) -> FloatArray:
        """Return Cov(B, number of uses of e) = p(e) (E[B | e] − E[B]) for each edge e."""
        return self._core.edge_covariance(np.ascontiguousarray(edge_values, dtype=np.float64))

    def sample(self, count: int, *, seed: int) -> list[Derivation]:
        """Draw derivations independently; the same ones for the same seed, on every machine."""
        return list(split(self._forest, *self._core.sample(count, seed)))
