"""Hypothesis strategies: random small forests, and scores for their edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from hopefear.forest import Forest, ForestBuilder
from hopefear.types import FloatArray

MAX_DERIVATIONS = 60

finite = st.floats(-100, 100)
# Exact in sums and differences, with many ties.
whole = st.integers(-3, 3).map(float)
huge = st.sampled_from([-1e300, -1.0, 0.0, 1.0, 1e300])


@dataclass(frozen=True)
class Edge:
    """An edge as it is handed to the builder."""

    head: int
    tails: tuple[int, ...]
    target: tuple[str | int, ...]
    features: dict[str, float]


@dataclass(frozen=True)
class Plan:
    """What a builder is told: nodes in any order, some of them of no use."""

    covered: tuple[int, ...]
    edges: tuple[Edge, ...]
    root: int

    def build(self) -> Forest:
        builder = ForestBuilder()
        for covered in self.covered:
            builder.add_node(covered=covered)
        for edge in self.edges:
            builder.add_edge(
                edge.head, tails=edge.tails, target=edge.target, features=edge.features
            )
        builder.set_root(self.root)
        return builder.build()


@st.composite
def target_sides(draw: st.DrawFn, tails: int) -> tuple[str | int, ...]:
    words = draw(st.lists(st.sampled_from(["a", "b", "c"]), max_size=2))
    return tuple(draw(st.permutations([*range(tails), *words])))


@st.composite
def node_edges(
    draw: st.DrawFn, node: int, counts: Sequence[int], values: st.SearchStrategy[float]
) -> tuple[list[Edge], int]:
    """The edges into a node, and how many derivations it has by them."""
    edges = []
    total = 0
    below = st.integers(0, node - 1) if node else st.nothing()
    for _ in range(draw(st.integers(0, 3))):
        tails = tuple(draw(st.lists(below, max_size=3 if node else 0)))
        count = math.prod(counts[tail] for tail in tails)
        if total + count > MAX_DERIVATIONS:
            tails, count = (), 1
        features = draw(st.dictionaries(st.sampled_from(["f", "g", "h"]), values, max_size=3))
        edges.append(Edge(node, tails, draw(target_sides(len(tails))), features))
        total += count
    return edges, total


@st.composite
def plans(draw: st.DrawFn, values: st.SearchStrategy[float] = finite) -> Plan:
    """Nodes without edges, nodes out of reach, repeated tails, unary chains, edges in any order."""
    counts: list[int] = []
    edges: list[Edge] = []
    for node in range(draw(st.integers(1, 6))):
        own, count = draw(node_edges(node, counts, values))
        edges += own
        counts.append(count)
    derivable = [node for node, count in enumerate(counts) if count]
    if not derivable:
        edges.append(Edge(0, (), ("a",), {}))
        derivable = [0]
    root = draw(st.sampled_from(derivable[::-1]))
    number = draw(st.permutations(range(len(counts))))
    renumbered = [
        Edge(number[e.head], tuple(number[t] for t in e.tails), e.target, e.features) for e in edges
    ]
    covered = draw(st.lists(st.integers(0, 9), min_size=len(counts), max_size=len(counts)))
    return Plan(tuple(covered), tuple(draw(st.permutations(renumbered))), number[root])


def forests(values: st.SearchStrategy[float] = finite) -> st.SearchStrategy[Forest]:
    return plans(values).map(Plan.build)


@st.composite
def scored_forests(
    draw: st.DrawFn, values: st.SearchStrategy[float] = finite
) -> tuple[Forest, FloatArray]:
    """A forest with a score for each edge."""
    forest = draw(forests())
    size = forest.edge_count
    return forest, np.array(draw(st.lists(values, min_size=size, max_size=size)))


impossible = st.just(-math.inf)
any_scores = st.one_of(
    scored_forests(finite),
    scored_forests(whole),
    scored_forests(st.one_of(whole, whole, impossible)),
    scored_forests(huge),
)
exact_scores = st.one_of(scored_forests(whole), scored_forests(st.one_of(whole, whole, impossible)))
