"""Forests: all derivations of a sentence as an acyclic hypergraph.

Huang & Chiang (2005), Better k-best parsing. A node stands for the ways to translate a part of the
source; an edge makes its head out of its tails. Lattices and n-best lists are forests too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.forest.derivation import Derivation, SparseFeatures, split
from hopefear.forest.distribution import Distribution, Posteriors
from hopefear.forest.envelope import Envelope
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["Forest"]


class Forest:
    """All derivations of one sentence.

    Nodes are numbered in topological order, tails before heads; the last one is the root. Edges are
    numbered in the order of their heads. A forest never changes.

    Inference takes either `weights` or, for anything that is not w · h, an array `edge_scores` with
    a score for each edge; minus infinity makes an edge impossible. Weights are :class:`Weights`, or
    an array indexed by feature id; features beyond its end have weight 0, so that forests read
    later may have features that the weights do not know. Ties go to edges of lower numbers.

    Parameters
    ----------
    core
        The compiled forest, as :class:`ForestBuilder` or a reader makes it.
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.Forest) -> None:
        self.core = core

    def __repr__(self) -> str:
        return f"Forest({self.node_count} nodes, {self.edge_count} edges)"

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self.core.node_count

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return self.core.edge_count

    @property
    def root(self) -> int:
        """The number of the root: that of the last node."""
        return self.core.node_count - 1

    @property
    def words(self) -> Vocabulary:
        """The words that target sides number."""
        return self.core.words

    @property
    def feature_names(self) -> Vocabulary:
        """The names that feature ids number."""
        return self.core.feature_names

    def edges(self, node: int) -> range:
        """Return the numbers of the edges into a node."""
        begin = self.core.edge_begin
        return range(int(begin[node]), int(begin[node + 1]))

    def head(self, edge: int) -> int:
        """Return the head of an edge."""
        return int(self.core.heads[edge])

    def tails(self, edge: int) -> NDArray[np.int32]:
        """Return the tails of an edge."""
        begin = self.core.tail_begin
        return self.core.tails[begin[edge] : begin[edge + 1]]

    def target(self, edge: int) -> tuple[str | int, ...]:
        """Return the target side of an edge: words, and the numbers of its tails."""
        begin = self.core.target_begin
        symbols = self.core.targets[begin[edge] : begin[edge + 1]].tolist()
        return tuple(self.words[symbol] if symbol >= 0 else ~symbol for symbol in symbols)

    def features(self, edge: int) -> dict[str, float]:
        """Return the features of an edge by name."""
        begin = self.core.value_begin
        values = self.core.values[begin[edge] : begin[edge + 1]]
        return SparseFeatures(self.core.feature_ids(edge), values).named(self.feature_names)

    def covered(self, node: int) -> int:
        """Return how many source words a node covers."""
        return int(self.core.covered[node])

    def source_begin(self, node: int) -> int | None:
        """Return the first source word that a node covers; None if that is not known."""
        begin = int(self.core.source_begin[node])
        return begin if begin >= 0 else None

    def without_words(self, words: Sequence[int]) -> Forest:
        """Return the forest without some words, given by their numbers, in its target sides.

        If none of them occurs, that is the forest itself.
        """
        dropped = np.array(words, dtype=np.int32)
        if not np.isin(self.core.targets, dropped).any():
            return self
        return Forest(self.core.without_words(dropped))

    def score_edges(self, weights: Weights | FloatArray) -> FloatArray:
        """Return w · h of each edge."""
        if isinstance(weights, Weights):
            weights = weights.vector(self.feature_names)
        return _core.score_edges(self.core, np.ascontiguousarray(weights, dtype=np.float64))

    def _scores(
        self, weights: Weights | FloatArray | None, edge_scores: FloatArray | None
    ) -> FloatArray:
        if weights is not None and edge_scores is None:
            return self.score_edges(weights)
        if weights is None and edge_scores is not None:
            return np.ascontiguousarray(edge_scores, dtype=np.float64)
        raise ConfigError("give either weights or edge_scores")

    def viterbi(
        self, weights: Weights | FloatArray | None = None, *, edge_scores: FloatArray | None = None
    ) -> Derivation:
        """Return the best derivation.

        Raises
        ------
        ForestError
            If every derivation is impossible. So do all methods below.
        """
        return Derivation(self.core, *_core.viterbi(self.core, self._scores(weights, edge_scores)))

    def kbest(
        self,
        weights: Weights | FloatArray | None = None,
        k: int = 100,
        *,
        edge_scores: FloatArray | None = None,
        distinct: bool = False,
        limit: int = 1_000_000,
    ) -> list[Derivation]:
        """Return the k best derivations, the best first; fewer if there are no more.

        Parameters
        ----------
        weights, edge_scores
            One of the two.
        k
            How many.
        distinct
            Of all derivations with the same words, give only the best.
        limit
            With `distinct`, how many derivations of any nodes are looked at before giving up with
            fewer than k; this bounds the memory, at about 100 bytes each.
        """
        scores = self._scores(weights, edge_scores)
        return list(split(self.core, *_core.kbest(self.core, scores, k, distinct, limit)))

    def derivations(
        self,
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        distinct: bool = False,
        limit: int = 1_000_000,
    ) -> Iterator[Derivation]:
        """Yield what :meth:`kbest` gives, each derivation found when it is asked for."""
        scores = self._scores(weights, edge_scores)
        search = _core.KBest(self.core, scores, distinct, limit)
        while (found := search.next()) is not None:
            yield Derivation(self.core, *found)

    def max_marginals(
        self, weights: Weights | FloatArray | None = None, *, edge_scores: FloatArray | None = None
    ) -> FloatArray:
        """Return for each edge the score of the best derivation that uses it.

        It is minus infinity where there is none; nothing is raised if there is none at all.
        """
        return _core.max_marginals(self.core, self._scores(weights, edge_scores))

    def count(self) -> int:
        """Return the number of derivations."""
        return int(_core.count_derivations(self.core), 16)

    def distribution(
        self,
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        temperature: float = 1.0,
    ) -> Distribution:
        """Return P(d) ∝ exp(score(d) / temperature), from which expectations can be had."""
        return Distribution(self.core, self._scores(weights, edge_scores), temperature)

    def log_partition(
        self,
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        temperature: float = 1.0,
    ) -> float:
        """Return the logarithm of the sum of exp(score / temperature) over all derivations."""
        scores = self._scores(weights, edge_scores)
        return Distribution(self.core, scores, temperature).log_partition

    def posteriors(
        self,
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        temperature: float = 1.0,
    ) -> Posteriors:
        """Return how often a derivation is expected to use each edge and node."""
        scores = self._scores(weights, edge_scores)
        return Distribution(self.core, scores, temperature).posteriors()

    def expectations(
        self,
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        temperature: float = 1.0,
    ) -> SparseFeatures:
        """Return the expectation of every feature of the forest."""
        scores = self._scores(weights, edge_scores)
        return Distribution(self.core, scores, temperature).expected_features()

    def sample(
        self,
        weights: Weights | FloatArray | None = None,
        count: int = 1,
        *,
        seed: int,
        edge_scores: FloatArray | None = None,
        temperature: float = 1.0,
    ) -> list[Derivation]:
        """Draw derivations in proportion to exp(score / temperature); scores are those at T = 1."""
        scores = self._scores(weights, edge_scores)
        return Distribution(self.core, scores, temperature).sample(count, seed=seed)

    def envelope(
        self,
        weights: Weights | FloatArray | None = None,
        direction: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        edge_slopes: FloatArray | None = None,
    ) -> Envelope:
        """Return which derivation is best at ``weights + γ · direction``, for every γ.

        Parameters
        ----------
        weights, edge_scores
            One of the two: where the line starts.
        direction, edge_slopes
            One of the two: where it leads.
        """
        intercepts = self._scores(weights, edge_scores)
        return Envelope(self.core, intercepts, self._scores(direction, edge_slopes))

    def derivation(
        self,
        edges: NDArray[np.int32],
        weights: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
    ) -> Derivation:
        """Return the derivation that has these edges, in pre-order, with its score."""
        scores = self._scores(weights, edge_scores)
        chosen = np.ascontiguousarray(edges, dtype=np.int32)
        score = _core.derivation_score(self.core, chosen, scores)
        return Derivation(self.core, chosen, score)
