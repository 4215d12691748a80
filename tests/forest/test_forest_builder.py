from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from hopefear import _core
from hopefear.errors import DataError, ForestError
from hopefear.forest import Arc, Forest, ForestBuilder, lattice_forest
from hopefear.types import Vocabulary


def one_edge() -> ForestBuilder:
    builder = ForestBuilder()
    root = builder.add_node()
    builder.add_edge(root, target=["word"])
    builder.set_root(root)
    return builder


def shape(forest: Forest) -> list[tuple[int, list[int], tuple[str | int, ...]]]:
    edges = range(forest.edge_count)
    return [(forest.head(e), forest.tails(e).tolist(), forest.target(e)) for e in edges]


def test_a_forest_gives_back_what_was_added() -> None:
    builder = ForestBuilder()
    leaf = builder.add_node(begin=2, covered=1)
    root = builder.add_node(covered=5)
    builder.add_edge(leaf, target=["a", "b"], features={"lm": -1.5, "length": 2.0})
    builder.add_edge(root, tails=[leaf, leaf], target=[1, "and", 0], features={"glue": 1.0})
    builder.set_root(root)
    forest = builder.build()
    assert (forest.node_count, forest.edge_count, forest.root) == (2, 2, 1)
    assert shape(forest) == [(0, [], ("a", "b")), (1, [0, 0], (1, "and", 0))]
    assert forest.features(0) == {"lm": -1.5, "length": 2.0}
    assert forest.features(1) == {"glue": 1.0}
    assert forest.core.source_begin.tolist() == [2, -1]
    assert [forest.covered(n) for n in (0, 1)] == [1, 5]
    assert [list(forest.edges(n)) for n in (0, 1)] == [[0], [1]]


def test_nodes_and_edges_in_order_keep_their_numbers() -> None:
    builder = ForestBuilder()
    nodes = [builder.add_node(covered=i) for i in range(4)]
    for word in "xyz":
        builder.add_edge(nodes[0], target=[word])
    builder.add_edge(nodes[1], target=["u"])
    builder.add_edge(nodes[2], tails=[1, 0], target=[0, 1])
    builder.add_edge(nodes[3], tails=[2], target=[0])
    builder.add_edge(nodes[3], tails=[0, 1], target=[1, 0])
    builder.set_root(nodes[3])
    forest = builder.build()
    assert [forest.covered(n) for n in range(4)] == [0, 1, 2, 3]
    assert [target for _, _, target in shape(forest)] == [
        *(("x",), ("y",), ("z",), ("u",)),
        *((0, 1), (0,), (1, 0)),
    ]


def test_nodes_are_sorted_and_edges_of_a_node_keep_their_order() -> None:
    builder = ForestBuilder()
    root, middle, leaf = (builder.add_node(covered=c) for c in (30, 20, 10))
    builder.add_edge(root, tails=[middle], target=[0, "first"])
    builder.add_edge(middle, tails=[leaf], target=[0])
    builder.add_edge(root, tails=[leaf], target=[0, "second"])
    builder.add_edge(leaf, target=["w"])
    builder.set_root(root)
    forest = builder.build()
    assert [forest.covered(n) for n in range(3)] == [10, 20, 30]
    assert shape(forest) == [
        (0, [], ("w",)),
        (1, [0], (0,)),
        (2, [1], (0, "first")),
        (2, [0], (0, "second")),
    ]


def test_nodes_that_are_unreachable_or_cannot_be_completed_are_left_out() -> None:
    builder = ForestBuilder()
    leaf, empty, unreached, root = (builder.add_node(covered=c) for c in range(4))
    builder.add_edge(leaf, target=["kept"])
    builder.add_edge(unreached, tails=[leaf], target=[0], features={"unused": 1.0})
    builder.add_edge(root, tails=[leaf, empty], target=[0, 1])
    builder.add_edge(root, tails=[leaf], target=[0])
    builder.set_root(root)
    forest = builder.build()
    assert shape(forest) == [(0, [], ("kept",)), (1, [0], (0,))]
    assert forest.core.feature_count == 0


def test_a_cycle_outside_all_derivations_is_harmless() -> None:
    builder = one_edge()
    a, b = builder.add_node(), builder.add_node()
    builder.add_edge(a, tails=[b], target=[0])
    builder.add_edge(b, tails=[a], target=[0])
    builder.add_edge(0, tails=[a], target=[0])
    assert builder.build().edge_count == 1


def test_values_of_a_feature_that_is_given_twice_are_added_up() -> None:
    words, names = Vocabulary(), Vocabulary()
    a, b = names.add("a"), names.add("b")
    builder = _core.ForestBuilder(words, names)
    builder.set_root(builder.add_node())
    builder.add_edge(0, [], [b, a, b], [1.0, 2.0, 4.0], [])
    assert Forest(builder.build()).features(0) == {"a": 2.0, "b": 5.0}


def test_forests_can_share_vocabularies() -> None:
    words, names = Vocabulary(), Vocabulary()
    first = ForestBuilder(words, names)
    second = ForestBuilder(words, names)
    for builder in first, second:
        builder.set_root(builder.add_node())
        builder.add_edge(0, target=["same"], features={"f": 1.0})
    assert first.build().words is words
    assert second.build().feature_names is names
    assert (len(words), len(names)) == (1, 1)


def test_a_builder_can_continue_after_building() -> None:
    builder = one_edge()
    before = builder.build()
    builder.add_edge(0, target=["more"])
    assert (before.edge_count, builder.build().edge_count) == (1, 2)


def test_a_unary_chain_of_many_nodes_is_built() -> None:
    builder = ForestBuilder()
    length = 100_000
    for _ in range(length):
        builder.add_node()
    builder.add_edge(length - 1, target=["end"])
    for node in range(length - 1):
        builder.add_edge(node, tails=[node + 1], target=[0])
    builder.set_root(0)
    forest = builder.build()
    assert forest.node_count == length
    assert forest.tails(length - 1).tolist() == [length - 2]


def test_a_forest_without_a_root_is_an_error() -> None:
    builder = ForestBuilder()
    builder.add_edge(builder.add_node(), target=["word"])
    with pytest.raises(ForestError, match="the forest has no root"):
        builder.build()


@pytest.mark.parametrize("root", [-1, 1])
def test_a_root_that_is_not_a_node_is_an_error(root: int) -> None:
    builder = one_edge()
    builder.set_root(root)
    with pytest.raises(ForestError, match=f"the root is node {root}, but there are 1 nodes"):
        builder.build()


@pytest.mark.parametrize("node", [-1, 1])
def test_an_edge_to_a_node_that_does_not_exist_is_an_error(node: int) -> None:
    builder = one_edge()
    builder.add_edge(node, target=["word"])
    with pytest.raises(ForestError, match=f"edge 1: its head is node {node}, but there are 1"):
        builder.build()
    builder = one_edge()
    builder.add_edge(0, tails=[node], target=[0])
    with pytest.raises(ForestError, match=f"edge 1: its tail is node {node}, but there are 1"):
        builder.build()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([0], "edge 1: its target side does not use tail slot 1"),
        ([0, 1, 0], "edge 1: its target side uses tail slot 0 twice"),
        ([0, 1, 2], "edge 1: its target side has tail slot 2, but the edge has 2 tails"),
    ],
)
def test_a_target_side_that_does_not_use_each_tail_once_is_an_error(
    target: list[int], message: str
) -> None:
    builder = one_edge()
    root = builder.add_node()
    builder.add_edge(root, tails=[0, 0], target=target)
    builder.set_root(root)
    with pytest.raises(ForestError, match=message):
        builder.build()


def test_a_word_that_is_not_in_the_vocabulary_is_an_error() -> None:
    builder = _core.ForestBuilder(Vocabulary(), Vocabulary())
    builder.set_root(builder.add_node())
    builder.add_edge(0, [], [], [], [7])
    with pytest.raises(ForestError, match="edge 0: its target side has the word 7, but the"):
        builder.build()


def test_a_feature_without_a_name_is_an_error() -> None:
    builder = _core.ForestBuilder(Vocabulary(), Vocabulary())
    builder.set_root(builder.add_node())
    builder.add_edge(0, [], [3], [1.0], [])
    with pytest.raises(ForestError, match="edge 0: feature 3 has no name; there are 0"):
        builder.build()


def test_a_negative_feature_id_is_an_error() -> None:
    builder = _core.ForestBuilder(Vocabulary(), Vocabulary())
    with pytest.raises(DataError, match="-2"):
        builder.add_edge(0, [], [-2], [1.0], [])


def test_more_feature_ids_than_values_is_an_error() -> None:
    builder = _core.ForestBuilder(Vocabulary(), Vocabulary())
    with pytest.raises(ForestError, match="edge 0: 2 feature ids, but 1 values"):
        builder.add_edge(0, [], [0, 1], [1.0], [])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_feature_that_is_not_finite_is_an_error_that_names_edge_and_feature(
    value: float,
) -> None:
    builder = one_edge()
    builder.add_edge(0, features={"fine": 1.0, "lm": value})
    with pytest.raises(ForestError, match=f"edge 1: feature 'lm' is {value}"):
        builder.build()


def test_a_negative_number_of_covered_words_is_an_error() -> None:
    builder = one_edge()
    builder.add_node(covered=-3)
    with pytest.raises(ForestError, match="node 1 covers -3 source words"):
        builder.build()


def test_a_node_that_can_be_derived_from_itself_is_an_error_that_names_it() -> None:
    builder = one_edge()
    loop, root = builder.add_node(), builder.add_node()
    builder.add_edge(loop, tails=[0], target=[0])
    builder.add_edge(loop, tails=[loop], target=[0])
    builder.add_edge(root, tails=[loop], target=[0])
    builder.set_root(root)
    with pytest.raises(ForestError, match="node 1 is on a cycle"):
        builder.build()


def test_a_root_without_edges_is_an_error() -> None:
    builder = one_edge()
    builder.set_root(builder.add_node())
    with pytest.raises(ForestError, match="node 1 is the root and has no derivation: there is no"):
        builder.build()


def test_a_root_that_cannot_be_completed_is_an_error_that_names_the_place() -> None:
    builder = one_edge()
    missing, root = builder.add_node(), builder.add_node()
    builder.add_edge(root, tails=[0, missing], target=[0, 1])
    builder.set_root(root)
    with pytest.raises(ForestError, match=r"node 2 is the root .* there is no edge into node 1"):
        builder.build()


def test_a_root_that_needs_a_cycle_is_an_error_that_names_a_node() -> None:
    builder = one_edge()
    a, b, root = (builder.add_node() for _ in range(3))
    builder.add_edge(a, tails=[b], target=[0])
    builder.add_edge(b, tails=[0, a], target=[0, 1])
    builder.add_edge(root, tails=[a], target=[0])
    builder.set_root(root)
    with pytest.raises(ForestError, match="node 1 can only be derived from itself"):
        builder.build()


LENGTH = 50_000


@pytest.fixture(scope="module")
def chain() -> Forest:
    """A lattice of 2 to the power of LENGTH paths."""
    arcs = [
        Arc(source=i, target=i + 1, words=[word], features={word: 1.0})
        for i in range(LENGTH)
        for word in ("x", "y")
    ]
    return lattice_forest(arcs, final={LENGTH: {}})


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.array([1.0, 0.5])


def test_a_deep_forest_has_its_best_derivation(chain: Forest, weights: np.ndarray) -> None:
    best = chain.viterbi(weights)
    assert best.score == LENGTH
    assert best.words == ("x",) * LENGTH
    assert best.features == {"x": LENGTH}


def test_the_derivations_of_a_deep_forest_are_counted(chain: Forest) -> None:
    assert chain.count() == 2**LENGTH


def test_a_deep_forest_has_its_k_best_derivations(chain: Forest, weights: np.ndarray) -> None:
    found = chain.kbest(weights, k=5)
    assert [d.score for d in found] == [LENGTH, *[LENGTH - 0.5] * 4]
    distinct = list(islice(chain.derivations(weights, distinct=True), 5))
    assert len({d.words for d in distinct}) == 5


def test_a_deep_forest_has_its_expectations(chain: Forest, weights: np.ndarray) -> None:
    distribution = chain.distribution(weights, temperature=0.5)
    log_partition = LENGTH * np.log(np.exp(2.0) + np.exp(1.0))
    assert distribution.log_partition == pytest.approx(log_partition, rel=1e-9)
    p = 1 / (1 + np.exp(-1))
    expected = distribution.expected_features().values
    assert expected == pytest.approx([LENGTH * p, LENGTH * (1 - p)], rel=1e-9)
    covariance = distribution.covariance(chain.score_edges(np.array([1.0, 0.0]))).values
    variance = LENGTH * p * (1 - p)
    assert covariance == pytest.approx([variance, -variance], rel=1e-9)


def test_a_deep_forest_is_sampled(chain: Forest, weights: np.ndarray) -> None:
    (drawn,) = chain.distribution(weights).sample(1, seed=1)
    assert len(drawn.words) == LENGTH


def test_a_deep_forest_has_its_envelope(chain: Forest, weights: np.ndarray) -> None:
    envelope = chain.envelope(weights, np.array([0.0, 1.0]))
    assert envelope.breakpoints.tolist() == [-np.inf, 0.5]
    assert envelope.slopes.tolist() == [0, LENGTH]
    assert envelope.derivation(1).words == ("y",) * LENGTH
