"""Forests: all derivations of a sentence as an acyclic hypergraph.

Huang & Chiang (2005), Better k-best parsing. A node stands for the ways to translate a part of the
source; an edge makes its head out of its tails. Lattices and n-best lists are forests too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear._core import Vocabulary

__all__ = ["Forest", "ForestBuilder", "Vocabulary"]


class Forest:
    """All derivations of one sentence.

    Nodes are numbered in topological order, tails before heads; the last one is the root. Edges are
    numbered in the order of their heads. A forest never changes.

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
        values = self.core.values[begin[edge] : begin[edge + 1]].tolist()
        ids = self.core.feature_ids(edge).tolist()
        return {self.feature_names[i]: value for i, value in zip(ids, values, strict=True)}

    def covered(self, node: int) -> int:
        """Return how many source words a node covers."""
        return int(self.core.covered[node])


class ForestBuilder:
    """Builds a forest from nodes and edges that come in any order.

    Nodes and edges are numbered as they are added. Nothing is checked before :meth:`build`, whose
    errors name these numbers.

    Parameters
    ----------
    words, feature_names
        Vocabularies to share with other forests; new ones if left out.

    Examples
    --------
    >>> builder = ForestBuilder()
    >>> house = builder.add_node(begin=1, covered=1)
    >>> root = builder.add_node(begin=0, covered=2)
    >>> for word in "house", "home":
    ...     _ = builder.add_edge(house, target=[word], features={"length": len(word)})
    >>> _ = builder.add_edge(root, tails=[house], target=["my", 0])
    >>> builder.set_root(root)
    >>> builder.build()
    Forest(2 nodes, 3 edges)
    """

    def __init__(
        self, words: Vocabulary | None = None, feature_names: Vocabulary | None = None
    ) -> None:
        self.words = Vocabulary() if words is None else words
        self.feature_names = Vocabulary() if feature_names is None else feature_names
        self._core = _core.ForestBuilder(self.words, self.feature_names)

    def add_node(self, *, begin: int | None = None, covered: int = 0) -> int:
        """Add a node that covers so many source words, from `begin` on if that is known."""
        return self._core.add_node(-1 if begin is None else begin, covered)

    def add_edge(
        self,
        head: int,
        *,
        tails: Sequence[int] = (),
        target: Sequence[str | int] = (),
        features: Mapping[str, float] | None = None,
    ) -> int:
        """Add an edge.

        Parameters
        ----------
        head, tails
            The numbers of nodes; they may be added later. A node may be a tail more than once.
        target
            The target side: words, and for each tail its position in `tails`, once.
        features
            Feature values by name.

        Returns
        -------
        int
            The number of the edge.
        """
        named = {} if features is None else features
        symbols = [self.words.add(s) if isinstance(s, str) else ~s for s in target]
        ids = [self.feature_names.add(name) for name in named]
        return self._core.add_edge(head, list(tails), ids, list(named.values()), symbols)

    def set_root(self, node: int) -> None:
        """Say which node is the root."""
        self._core.set_root(node)

    def build(self) -> Forest:
        """Check everything and make the forest of what the root can reach and complete.

        Returns
        -------
        Forest
            What stays keeps its order, as far as tails come before heads.

        Raises
        ------
        ForestError
            If an edge is malformed, the root is missing or has no derivation, or a node can be
            derived from itself.
        """
        return Forest(self._core.build())
