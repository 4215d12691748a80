"""Forests: all derivations of a sentence as an acyclic hypergraph.

Huang & Chiang (2005), Better k-best parsing. A node represents all translations of a part of the
source; an edge combines its tails into its head. Lattices and n-best lists are forests, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.forest.derivation import Derivation, SparseFeatures, split
from hopefear.forest.inference import Distribution, Envelope
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["BOUNDARIES", "Forest", "without_boundaries"]


class Forest:
    """All derivations of one sentence.

    Nodes are numbered in topological order, tails before heads; the last one is the root. Edges are
    numbered in the order of their heads. A forest is immutable.

    Inference takes `weights` to score edges by w · h, or an array `edge_scores` of any other
    scores, in which minus infinity makes an edge impossible. Weights are :class:`Weights` or an
    array indexed by feature id; features beyond its end have weight 0, so that a forest may have
    features that the weights lack. Ties go to the edge with the lower number.

    Parameters
    ----------
    core
        The compiled forest, made by :class:`ForestBuilder` or a reader.
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
        """The root, which is the last node."""
        return self.core.node_count - 1

    @property
    def words(self) -> Vocabulary:
        """The words of the target sides by id."""
        return self.core.words

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features by id."""
        return self.core.feature_names

    def edges(self, node: int) -> range:
        """Return the edges into a node."""
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
        """Return the target side of an edge: words, and positions of tails."""
        begin = self.core.target_begin
        symbols = self.core.targets[begin[edge] : begin[edge + 1]].tolist()
        return tuple(self.words[symbol] if symbol >= 0 else ~symbol for symbol in symbols)

    def features(self, edge: int) -> dict[str, float]:
        """Return the features of an edge by name."""
        begin = self.core.value_begin
        values = self.core.values[begin[edge] : begin[edge + 1]]
        return SparseFeatures(self.core.feature_ids(edge), values).named(self.feature_names)

    def covered(self, node: int) -> int:
        """Return the number of source words that a node covers."""
        return int(self.core.covered[node])

    def source_begin(self, node: int) -> int | None:
        """Return the first source word that a node covers; None if unknown."""
        begin = int(self.core.source_begin[node])
        return begin if begin >= 0 else None

    def without_words(self, words: Sequence[int]) -> Forest:
        """Return the forest without the words with these ids, or itself if it has none of them."""
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
        raise ConfigError("give either weights or edge_scores, not both")

    def viterbi(
        self, weights: Weights | FloatArray | None = None, *, edge_scores: FloatArray | None = None
    ) -> Derivation:
        """Return the best derivation.

        Raises
        ------
        ForestError
            If every derivation is impossible, as for the methods below.
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
        """Return the k best derivations in order, or all if there are fewer.

        Parameters
        ----------
        weights, edge_scores
            Exactly one of the two.
        k
            The number of derivations.
        distinct
            Return only the best derivation of each string.
        limit
            With `distinct`, the number of derivations of any node to search before returning fewer
            than k. It limits the memory, at about 100 bytes each.
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
        """Yield the derivations of :meth:`kbest` lazily."""
        scores = self._scores(weights, edge_scores)
        search = _core.KBest(self.core, scores, distinct, limit)
        while (found := search.next()) is not None:
            yield Derivation(self.core, *found)

    def max_marginals(
        self, weights: Weights | FloatArray | None = None, *, edge_scores: FloatArray | None = None
    ) -> FloatArray:
        """Return the score of the best derivation that uses each edge.

        It is minus infinity if there is none; this method does not raise ForestError.
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
        """Return P(d) ∝ exp(score(d) / temperature), for expectations and samples."""
        return Distribution(self.core, self._scores(weights, edge_scores), temperature)

    def envelope(
        self,
        weights: Weights | FloatArray | None = None,
        direction: Weights | FloatArray | None = None,
        *,
        edge_scores: FloatArray | None = None,
        edge_slopes: FloatArray | None = None,
    ) -> Envelope:
        """Return the best derivations at ``weights + γ · direction``, for every γ.

        Parameters
        ----------
        weights, edge_scores
            Exactly one of the two: the start of the line.
        direction, edge_slopes
            Exactly one of the two: its direction.
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
        """Return the derivation with these edges in pre-order, and its score."""
        scores = self._scores(weights, edge_scores)
        chosen = np.ascontiguousarray(edges, dtype=np.int32)
        score = _core.derivation_score(self.core, chosen, scores)
        return Derivation(self.core, chosen, score)


# Some forests have these in their target sides. They are removed before learning, scoring and
# printing; conversion keeps them.
BOUNDARIES = ("<s>", "</s>")


def without_boundaries(forest: Forest) -> Forest:
    """Return the forest without ``<s>`` and ``</s>``, or itself if it has none."""
    found = [forest.words.find(word) for word in BOUNDARIES]
    return forest.without_words([number for number in found if number is not None])
