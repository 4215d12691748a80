"""Best derivations, k-best lists and counts equal enumeration of all derivations."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
import strategies
from hopefear.errors import ConfigError, DataError, ForestError
from hopefear.forest import Forest, ForestBuilder, nbest_forest
from hopefear.types import FloatArray, Hypothesis, Weights

Scored = tuple[Forest, FloatArray]


def tolerance(scores: FloatArray) -> float:
    """The rounding that a sum of a few dozen of these scores can have."""
    finite = np.abs(scores[np.isfinite(scores)])
    return 1e-12 * max(1.0, float(finite.max(initial=0.0)))


@given(plan=strategies.plans())
def test_a_built_forest_has_the_derivations_that_were_planned(plan: strategies.Plan) -> None:
    def strings(node: int) -> list[tuple[str, ...]]:
        found = []
        for edge in plan.edges:
            if edge.head != node:
                continue
            parts: list[tuple[str, ...]] = [()]
            for symbol in edge.target:
                added = [(symbol,)] if isinstance(symbol, str) else strings(edge.tails[symbol])
                parts = [(*part, *more) for part in parts for more in added]
            found += parts
        return found

    forest = plan.build()
    built = [brute_force.words(forest, d) for d in brute_force.derivations(forest)]
    assert sorted(built) == sorted(strings(plan.root))


@given(forest=strategies.forests())
def test_nodes_of_a_forest_are_sorted_and_each_is_part_of_a_derivation(forest: Forest) -> None:
    for edge in range(forest.edge_count):
        assert all(tail < forest.head(edge) for tail in forest.tails(edge))
    used = {edge for d in brute_force.derivations(forest) for edge in d}
    assert used == set(range(forest.edge_count))


@given(forest=strategies.forests())
def test_counting_equals_enumeration(forest: Forest) -> None:
    assert forest.count() == len(brute_force.derivations(forest))


@given(scored=strategies.any_scores)
def test_viterbi_finds_the_largest_score_of_all_derivations(scored: Scored) -> None:
    forest, scores = scored
    possible = brute_force.possible_derivations(forest, scores.tolist())
    assume(possible)
    best = forest.viterbi(edge_scores=scores)
    assert best.score == pytest.approx(
        max(brute_force.score(d, scores.tolist()) for d in possible),
        rel=1e-12,
        abs=tolerance(scores),
    )
    assert tuple(best.edges.tolist()) in possible


@given(scored=strategies.exact_scores)
def test_viterbi_breaks_ties_in_favour_of_edges_with_lower_numbers(scored: Scored) -> None:
    forest, scores = scored
    possible = brute_force.possible_derivations(forest, scores.tolist())
    assume(possible)
    best = min(possible, key=lambda d: (-brute_force.score(d, scores.tolist()), d))
    assert tuple(forest.viterbi(edge_scores=scores).edges.tolist()) == best


@given(scored=strategies.any_scores)
def test_max_marginals_are_the_best_scores_of_derivations_through_each_edge(
    scored: Scored,
) -> None:
    forest, scores = scored
    possible = brute_force.possible_derivations(forest, scores.tolist())
    best = [
        max(
            (brute_force.score(d, scores.tolist()) for d in possible if edge in d),
            default=-math.inf,
        )
        for edge in range(forest.edge_count)
    ]
    found = forest.max_marginals(edge_scores=scores)
    assert found.tolist() == pytest.approx(best, rel=1e-12, abs=tolerance(scores))


@given(scored=strategies.any_scores)
def test_a_k_best_list_that_is_long_enough_has_every_derivation_in_order(scored: Scored) -> None:
    forest, scores = scored
    possible = brute_force.possible_derivations(forest, scores.tolist())
    assume(possible)
    found = forest.kbest(k=len(possible) + 1, edge_scores=scores)
    assert sorted(tuple(d.edges.tolist()) for d in found) == sorted(possible)
    found_scores = [d.score for d in found]
    assert found_scores == sorted(found_scores, reverse=True)
    expected = sorted((brute_force.score(d, scores.tolist()) for d in possible), reverse=True)
    assert found_scores == pytest.approx(expected, rel=1e-12, abs=tolerance(scores))


@given(scored=strategies.any_scores, k=st.integers(0, 10))
def test_shorter_k_best_lists_are_the_beginnings_of_longer_ones(scored: Scored, k: int) -> None:
    forest, scores = scored
    assume(brute_force.possible_derivations(forest, scores.tolist()))
    everything = forest.kbest(k=1000, edge_scores=scores)
    assert forest.kbest(k=k, edge_scores=scores) == everything[:k]
    assert list(islice(forest.derivations(edge_scores=scores), k)) == everything[:k]
    assert everything[0] == forest.viterbi(edge_scores=scores)


@given(scored=strategies.any_scores)
def test_distinct_k_best_gives_each_string_once_with_its_best_score(scored: Scored) -> None:
    forest, scores = scored
    best: dict[tuple[str, ...], float] = {}
    for d in brute_force.possible_derivations(forest, scores.tolist()):
        string, score = brute_force.words(forest, d), brute_force.score(d, scores.tolist())
        best[string] = max(score, best.get(string, score))
    assume(best)
    found = forest.kbest(k=1000, edge_scores=scores, distinct=True)
    assert len(found) == len(best)
    assert {d.words for d in found} == set(best)
    for derivation in found:
        expected = pytest.approx(best[derivation.words], rel=1e-12, abs=tolerance(scores))
        assert derivation.score == expected
    assert [d.score for d in found] == sorted((d.score for d in found), reverse=True)


@given(scored=strategies.any_scores)
def test_words_features_and_score_of_a_derivation_are_those_of_its_edges(scored: Scored) -> None:
    forest, scores = scored
    assume(brute_force.possible_derivations(forest, scores.tolist()))
    for derivation in forest.kbest(k=5, edge_scores=scores):
        edges = tuple(derivation.edges.tolist())
        assert derivation.words == brute_force.words(forest, edges)
        assert derivation.text == " ".join(derivation.words)
        expected = brute_force.features(forest, edges)
        assert derivation.features == pytest.approx(expected, rel=1e-12, abs=1e-12)
        again = forest.derivation(derivation.edges, edge_scores=scores)
        assert (again, again.score) == (derivation, derivation.score)


@given(scored=strategies.scored_forests(lambda random: random.choice([0.0, -math.inf])))
def test_a_forest_without_possible_derivations_is_an_error(scored: Scored) -> None:
    forest, scores = scored
    assume(not brute_force.possible_derivations(forest, scores.tolist()))
    slopes = np.zeros(forest.edge_count)
    with pytest.raises(ForestError, match="no derivation is possible"):
        forest.viterbi(edge_scores=scores)
    with pytest.raises(ForestError, match="no derivation is possible"):
        forest.kbest(edge_scores=scores)
    with pytest.raises(ForestError, match="no derivation is possible"):
        forest.distribution(edge_scores=scores)
    with pytest.raises(ForestError, match="no derivation is possible"):
        forest.envelope(edge_scores=scores, edge_slopes=slopes)
    assert np.all(forest.max_marginals(edge_scores=scores) == -math.inf)


@given(
    forest=strategies.forests(),
    values=strategies.arrays(3),
)
def test_the_score_of_an_edge_is_weights_times_features(forest: Forest, values: FloatArray) -> None:
    weights = dict(zip("fgh", values.tolist(), strict=True))
    scores = forest.score_edges(Weights(weights))
    for edge, score in enumerate(scores.tolist()):
        features = forest.features(edge)
        expected = math.fsum(weights[name] * value for name, value in features.items())
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-9)


def two_features() -> Forest:
    return nbest_forest(
        [
            Hypothesis(text="x", features={"first": 1.0, "second": 10.0}),
            Hypothesis(text="y", features={"second": 2.0}),
        ]
    )


def test_features_beyond_the_end_of_the_weights_have_weight_zero() -> None:
    assert two_features().score_edges(np.array([3.0])).tolist() == [3.0, 0.0]


def test_weights_beyond_the_features_of_the_forest_are_ignored() -> None:
    assert two_features().score_edges(np.array([0.0, 1.0, 7.0])).tolist() == [10.0, 2.0]


@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_a_weight_that_is_not_finite_is_an_error(weight: float) -> None:
    with pytest.raises(DataError, match=f"the weight of feature 'second' is {weight}"):
        two_features().viterbi(np.array([0.0, weight]))


def test_an_edge_score_that_overflows_is_an_error() -> None:
    with pytest.raises(
        ForestError, match="the score of edge 0, the sum of weights times features, is inf"
    ):
        two_features().viterbi(np.array([0.0, 1e308]))


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_an_edge_score_of_nan_or_plus_infinity_is_an_error_that_names_the_edge(
    score: float,
) -> None:
    forest, scores = two_features(), np.array([0.0, score])
    message = f"the score of edge 1 is {score}"
    with pytest.raises(ForestError, match=message):
        forest.viterbi(edge_scores=scores)
    with pytest.raises(ForestError, match=message):
        forest.kbest(edge_scores=scores)
    with pytest.raises(ForestError, match=message):
        forest.distribution(edge_scores=scores)
    with pytest.raises(ForestError, match=message):
        forest.envelope(edge_scores=scores, edge_slopes=np.zeros(2))
    with pytest.raises(ForestError, match="among the edge slopes, that of edge 1"):
        forest.envelope(edge_scores=np.zeros(2), edge_slopes=scores)


def test_scores_for_another_number_of_edges_are_an_error() -> None:
    with pytest.raises(ForestError, match="3 edge scores for a forest of 2 edges"):
        two_features().viterbi(edge_scores=np.zeros(3))


def test_both_or_neither_of_weights_and_scores_is_an_error() -> None:
    forest = two_features()
    with pytest.raises(ConfigError, match="either weights or edge_scores"):
        forest.viterbi()
    with pytest.raises(ConfigError, match="either weights or edge_scores"):
        forest.viterbi(np.zeros(2), edge_scores=np.zeros(2))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_derivation_whose_score_overflows_is_an_error(sign: float) -> None:
    forest = doubling(1)
    scores = np.array([sign * 1e308, 0.0])
    for infer in (forest.viterbi, forest.kbest, forest.distribution):
        with pytest.raises(ForestError, match="too large for a double"):
            infer(edge_scores=scores)
    with pytest.raises(ForestError, match="too large for a double"):
        forest.envelope(edge_scores=scores, edge_slopes=np.zeros(2))


def doubling(levels: int) -> Forest:
    """A forest with one derivation, in which each level is used twice by the next."""
    builder = ForestBuilder()
    builder.add_edge(builder.add_node(), target=["w"])
    for _ in range(levels):
        below = builder.node_count - 1
        builder.add_edge(builder.add_node(), tails=[below, below], target=[1, 0])
    builder.set_root(builder.node_count - 1)
    return builder.build()


def test_a_derivation_that_is_exponentially_large_is_an_error_and_its_score_is_not() -> None:
    forest = doubling(50)
    scores = np.ones(forest.edge_count)
    assert forest.count() == 1
    assert forest.max_marginals(edge_scores=scores).tolist() == [2.0**51 - 1] * 51
    assert forest.distribution(edge_scores=scores).posteriors().nodes[0] == 2.0**50
    with pytest.raises(ForestError, match="more than 16777216 edges"):
        forest.viterbi(edge_scores=scores)
    with pytest.raises(ForestError, match="more than 16777216 edges"):
        forest.envelope(edge_scores=scores, edge_slopes=scores).derivation(0)


def test_expected_uses_that_overflow_are_an_error() -> None:
    forest = doubling(1100)
    with pytest.raises(ForestError, match="expected number of uses of a node is too large"):
        forest.distribution(edge_scores=np.zeros(forest.edge_count)).posteriors()


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([1], "not a derivation: after edge 1 at position 0 there are derivations of 0 of its 2"),
        ([1, 0], "not a derivation: after edge 1 at position 0 there are derivations of 1 of"),
        ([1, 0, 0, 0], "not a derivation of the root: 2 derivations one after the other"),
        ([0], "not a derivation of the root: 1 derivation of another node"),
        ([], "not a derivation of the root: 0 derivations"),
        ([2], "there is no edge 2; the forest has 2 edges"),
        ([1, 1, 0, 0, 0], "the tail number 0 of edge 1 is node 0, but edge 1 .* makes node 1"),
    ],
)
def test_edges_that_are_not_a_derivation_are_an_error(edges: list[int], message: str) -> None:
    forest = doubling(1)
    with pytest.raises(ForestError, match=message):
        forest.derivation(np.array(edges, dtype=np.int32), edge_scores=np.zeros(2))


def test_distinct_k_best_stops_at_the_limit() -> None:
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    for _ in range(100):
        builder.add_edge(0, target=["same"])
    builder.add_edge(0, target=["other"])
    forest = builder.build()
    scores = -np.arange(101.0)
    assert len(forest.kbest(k=2, edge_scores=scores, distinct=True, limit=101)) == 2
    assert len(forest.kbest(k=2, edge_scores=scores, distinct=True, limit=100)) == 1


def test_a_derivation_is_shown_as_a_tree() -> None:
    builder = ForestBuilder()
    noun, root = builder.add_node(begin=1, covered=1), builder.add_node(begin=0, covered=3)
    builder.add_edge(noun, target=["house"])
    builder.add_edge(root, tails=[noun, noun], target=["the", 1, "of", 0])
    builder.set_root(root)
    shown = builder.build().viterbi(edge_scores=np.zeros(2)).show()
    assert shown == "1: the [1] of [0] <0:3>\n  0: house <1:2>\n  0: house <1:2>"
