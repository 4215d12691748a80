"""Hypothesis strategies: random small forests, and numbers for their edges.

Sizes and a seed are drawn, the rest follows from the seed: that is a hundred times as fast as to
draw every tail and every word, and smaller sizes still give the smaller example.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from hypothesis import strategies as st

from hopefear.forest import Forest, ForestBuilder
from hopefear.metrics import References
from hopefear.types import FloatArray, Vocabulary

MAX_DERIVATIONS = 100
MAX_SIZE = 30

Numbers = Callable[[Random], float]


def finite(random: Random) -> float:
    """Any number of moderate size; some come again and again."""
    return random.choice([0.0, 1.0, -2.5, random.uniform(-100, 100), random.uniform(-1, 1)])


def whole(random: Random) -> float:
    """A number with which sums are exact, and ties frequent."""
    return float(random.randint(-3, 3))


def whole_or_impossible(random: Random) -> float:
    """Now and then minus infinity."""
    return -math.inf if random.random() < 0.15 else whole(random)


def huge(random: Random) -> float:
    """A number near 10³⁰⁰, of which sums are exact, also when it is divided by 3; or 0."""
    return random.choice([-3 * 2.0**994, 0.0, 3 * 2.0**994])


def mixed(random: Random) -> float:
    """A number beside others that vanish in sums with it."""
    return random.choice([huge(random), whole(random)])


@dataclass(frozen=True)
class Edge:
    """An edge as it is handed to the builder."""

    head: int
    tails: tuple[int, ...]
    target: tuple[str | int, ...]
    features: dict[str, float]


@dataclass(frozen=True)
class Plan:
    """What a builder is told: nodes and edges in any order, some of them of no use."""

    covered: tuple[int, ...]
    edges: tuple[Edge, ...]
    root: int

    def build(
        self, words: Vocabulary | None = None, feature_names: Vocabulary | None = None
    ) -> Forest:
        builder = ForestBuilder(words, feature_names)
        for covered in self.covered:
            builder.add_node(covered=covered)
        for edge in self.edges:
            builder.add_edge(
                edge.head, tails=edge.tails, target=edge.target, features=edge.features
            )
        builder.set_root(self.root)
        return builder.build()


def random_edge(random: Random, head: int, tails: tuple[int, ...], values: Numbers) -> Edge:
    words = random.choices("abc", k=random.randint(0, 2))
    target: list[str | int] = [*range(len(tails)), *words]
    random.shuffle(target)
    names = random.sample("fgh", random.randint(0, 3))
    return Edge(head, tails, tuple(target), {name: values(random) for name in names})


def random_tails(random: Random, node: int) -> tuple[int, ...]:
    """Nodes before this one, near ones more often, so that most are of use."""
    arity = random.choice([0, 1, 1, 1, 2, 2, 2, 3])
    return tuple(random.choices(range(node), [2**i for i in range(node)], k=arity) if node else ())


def random_edges(
    random: Random, nodes: int, edges_per_node: int, values: Numbers
) -> tuple[list[Edge], list[int]]:
    """Edges into each node, and how many derivations each has."""
    edges: list[Edge] = []
    counts: list[int] = []
    sizes: list[int] = []  # of the largest derivation of each
    for node in range(nodes):
        counts.append(0)
        sizes.append(0)
        dead_end = random.random() < 0.08
        for _ in range(0 if dead_end else random.randint(1, edges_per_node)):
            tails = random_tails(random, node)
            count = math.prod(counts[tail] for tail in tails)
            size = 1 + sum(sizes[tail] for tail in tails)
            if counts[node] + count > MAX_DERIVATIONS or size > MAX_SIZE:
                tails, count, size = (), 1, 1
            edges.append(random_edge(random, node, tails, values))
            counts[node] += count
            sizes[node] = max(size, sizes[node])
    return edges, counts


def random_plan(seed: int, nodes: int, edges_per_node: int, values: Numbers) -> Plan:
    """Dead ends, nodes out of reach, repeated tails, unary chains; everything in any order."""
    random = Random(seed)
    edges, counts = random_edges(random, nodes, edges_per_node, values)
    if not any(counts):
        edges.append(Edge(0, (), ("a",), {}))
        counts[0] = 1
    root = max(range(nodes), key=lambda node: (min(counts[node], MAX_DERIVATIONS // 2), node))
    number = list(range(nodes))
    random.shuffle(number)
    renumbered = [
        replace(edge, head=number[edge.head], tails=tuple(number[tail] for tail in edge.tails))
        for edge in edges
    ]
    random.shuffle(renumbered)
    covered = tuple(random.randint(0, 9) for _ in range(nodes))
    return Plan(covered, tuple(renumbered), number[root])


seeds = st.integers(0, 2**32)


def plans(values: Numbers = finite) -> st.SearchStrategy[Plan]:
    return st.builds(
        random_plan,
        seeds,
        nodes=st.integers(1, 12),
        edges_per_node=st.integers(1, 5),
        values=st.just(values),
    )


def forests(values: Numbers = finite) -> st.SearchStrategy[Forest]:
    return plans(values).map(Plan.build)


def arrays(size: int, values: Numbers = finite) -> st.SearchStrategy[FloatArray]:
    """Arrays of `size` numbers."""

    def array(seed: int) -> FloatArray:
        random = Random(seed)
        return np.array([values(random) for _ in range(size)])

    return seeds.map(array)


@st.composite
def corpora(draw: st.DrawFn, values: Numbers = finite) -> tuple[list[Forest], References]:
    """Some forests with the same vocabularies, and a reference for each."""
    found = draw(st.lists(plans(values), min_size=1, max_size=3))
    words, names = Vocabulary(), Vocabulary()
    for name in ("f", "g", "h"):
        names.add(name)
    texts = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6).map(" ".join)
    references = [draw(st.lists(texts, min_size=1, max_size=2)) for _ in found]
    return [plan.build(words, names) for plan in found], References(references)


@st.composite
def scored_forests(draw: st.DrawFn, values: Numbers = finite) -> tuple[Forest, FloatArray]:
    """A forest with a score for each edge."""
    forest = draw(forests())
    return forest, draw(arrays(forest.edge_count, values))


exact_scores = st.one_of(scored_forests(whole), scored_forests(whole_or_impossible))
# Scores whose differences survive in their sums, as probabilities need them.
distinct_scores = st.one_of(exact_scores, scored_forests(finite), scored_forests(huge))
any_scores = st.one_of(exact_scores, *(scored_forests(kind) for kind in (finite, huge, mixed)))
