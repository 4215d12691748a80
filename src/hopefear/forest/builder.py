"""Forests from nodes and edges, from lattices, and from lists of hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hopefear import _core
from hopefear.errors import ForestError
from hopefear.forest.forest import Forest
from hopefear.types import Hypothesis, Vocabulary, check_features, check_text

__all__ = ["Arc", "ForestBuilder", "lattice_forest", "nbest_forest"]


class ForestBuilder:
    """Builds a forest from nodes and edges in any order.

    Nodes and edges are numbered in the order of addition. :meth:`build` checks them, and its errors
    use these numbers.

    Parameters
    ----------
    words, feature_names
        Vocabularies to share with other forests; new ones by default.

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

    @property
    def node_count(self) -> int:
        """The number of nodes added so far."""
        return self._core.node_count

    @property
    def edge_count(self) -> int:
        """The number of edges added so far."""
        return self._core.edge_count

    def add_node(self, *, begin: int | None = None, covered: int = 0) -> int:
        """Add a node that covers this many source words, from `begin` if known."""
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
            Numbers of nodes, which may be added later. A node may be a tail more than once.
        target
            The target side: words, and the position of each tail in `tails`, once.
        features
            Feature values by name.

        Returns
        -------
        int
            The number of the edge.
        """
        named = {} if features is None else features
        try:
            symbols = [self.words.add(s) if isinstance(s, str) else ~s for s in target]
            ids = [self.feature_names.add(name) for name in named]
            return self._core.add_edge(head, list(tails), ids, list(named.values()), symbols)
        except (TypeError, AttributeError):  # checked only now, because there may be millions
            _check_edge(head, tails, target, named)
            raise

    def set_root(self, node: int) -> None:
        """Set the root."""
        self._core.set_root(node)

    def build(self) -> Forest:
        """Check all nodes and edges and make the forest.

        Returns
        -------
        Forest
            The part that is used by complete derivations of the root, in the order of addition as
            far as tails precede heads.

        Raises
        ------
        ForestError
            If an edge is invalid, the root is missing or has no derivation, or there is a cycle.
        """
        return Forest(self._core.build())


@dataclass(frozen=True, kw_only=True)
class Arc:
    """An arc of a lattice between two states, with any number of words."""

    source: int
    target: int
    words: Sequence[str] = ()
    features: Mapping[str, float] = field(default_factory=dict)


def lattice_forest(
    arcs: Iterable[Arc],
    *,
    start: int = 0,
    final: Mapping[int, Mapping[str, float]],
    words: Vocabulary | None = None,
    feature_names: Vocabulary | None = None,
) -> Forest:
    """Make a forest from a lattice; derivations are paths from `start` to a final state.

    Parameters
    ----------
    arcs
        The arcs; states are numbered from 0.
    start
        The first state of every path.
    final
        The final states, with the features of ending there.
    words, feature_names
        Vocabularies to share with other forests.

    Returns
    -------
    Forest
        A node for each state on a path, and the root. The edges of a node are the arcs into its
        state, in order; those of the root are the final states.

    Raises
    ------
    ForestError
        If there is no path, or there is a cycle.

    Examples
    --------
    >>> arcs = [Arc(source=0, target=1, words=[word]) for word in ("hope", "fear")]
    >>> lattice_forest(arcs, final={1: {}}).count()
    2
    """
    arcs = list(arcs)
    builder = ForestBuilder(words, feature_names)
    states = max([start, *final, *(max(arc.source, arc.target) for arc in arcs)]) + 1
    for _ in range(states):
        builder.add_node()
    builder.add_edge(start)
    for arc in arcs:
        builder.add_edge(
            arc.target, tails=[arc.source], target=[0, *arc.words], features=arc.features
        )
    root = builder.add_node()
    for state, features in final.items():
        builder.add_edge(root, tails=[state], target=[0], features=features)
    builder.set_root(root)
    return builder.build()


def nbest_forest(
    hypotheses: Iterable[Hypothesis],
    *,
    words: Vocabulary | None = None,
    feature_names: Vocabulary | None = None,
) -> Forest:
    """Make a forest from hypotheses, with one node and an edge for each hypothesis.

    Texts are split into words at whitespace.

    Examples
    --------
    >>> forest = nbest_forest([Hypothesis(text="hope"), Hypothesis(text="and fear")])
    >>> [forest.target(edge) for edge in forest.edges(forest.root)]
    [('hope',), ('and', 'fear')]
    """
    builder = ForestBuilder(words, feature_names)
    root = builder.add_node()
    for hypothesis in hypotheses:
        builder.add_edge(root, target=hypothesis.text.split(), features=hypothesis.features)
    builder.set_root(root)
    return builder.build()


def _check_edge(
    head: object, tails: Sequence[object], target: Sequence[object], features: object
) -> None:
    """Raise an error for invalid arguments of an edge."""
    for node in (head, *tails):
        if not isinstance(node, int) or not 0 <= node < 2**31:
            raise ForestError(f"a node must be a whole number >= 0, got {node!r:.60}")
    for symbol in target:
        if not isinstance(symbol, int):
            check_text(symbol, "a symbol of the target side that is not a tail")
    check_features(features)
