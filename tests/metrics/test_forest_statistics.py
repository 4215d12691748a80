from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from brute_force import derivations, features, words
from hopefear.errors import ConfigError, DataError, ForestError
from hopefear.forest import Forest, ForestBuilder
from hopefear.metrics import Bleu, ForestStatistics, References
from strategies import forests

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
references = st.lists(texts, min_size=1, max_size=3)
orders = st.integers(1, 5)


def ngrams(string: tuple[str, ...], k: int) -> list[tuple[str, ...]]:
    return [string[i : i + k] for i in range(len(string) - k + 1)]


def unclipped(string: tuple[str, ...], texts: list[str], order: int) -> list[float]:
    """Statistics of a string by their definition."""
    matches, totals = [], []
    for k in range(1, order + 1):
        known = {ngram for text in texts for ngram in ngrams(tuple(text.split()), k)}
        matches.append(float(sum(ngram in known for ngram in ngrams(string, k))))
        totals.append(float(len(ngrams(string, k))))
    return [*matches, *totals, sum(len(text.split()) for text in texts) / len(texts)]


def intersect(forest: Forest, texts: list[str], order: int = 4) -> ForestStatistics:
    prepared = Bleu(tokenize="none", order=order).prepare(References([texts]))
    return prepared.forest_statistics(forest, 0)


@given(forests(), references, orders)
def test_the_edges_of_every_derivation_add_up_to_the_statistics_of_its_string(
    forest: Forest, texts: list[str], order: int
) -> None:
    found = intersect(forest, texts, order)
    for derivation in derivations(found.forest):
        total = found.statistics[list(derivation)].sum(axis=0)
        expected = unclipped(words(found.forest, derivation), texts, order)
        assert total[:-1].tolist() == expected[:-1]
        assert_allclose(total[-1], expected[-1], rtol=1e-9, atol=1e-12)


@given(forests(), references, orders)
def test_the_split_forest_has_the_derivations_of_the_original(
    forest: Forest, texts: list[str], order: int
) -> None:
    found = intersect(forest, texts, order)
    mapped = [tuple(int(found.edges[e]) for e in d) for d in derivations(found.forest)]
    assert Counter(mapped) == Counter(derivations(forest))
    for split, original in zip(derivations(found.forest), mapped, strict=True):
        assert words(found.forest, split) == words(forest, original)
        assert features(found.forest, split) == features(forest, original)


@given(forests(), references)
def test_every_edge_keeps_its_source_and_its_order(forest: Forest, texts: list[str]) -> None:
    found = intersect(forest, texts)
    split = found.forest
    for edge in range(split.edge_count):
        original = int(found.edges[edge])
        assert split.target(edge) == forest.target(original)
        assert split.features(edge) == forest.features(original)
        assert split.covered(split.head(edge)) == forest.covered(forest.head(original))
    heads = [forest.head(int(edge)) for edge in found.edges]
    assert heads == sorted(heads)


def chain(left: list[str], middle: list[str], right: list[str]) -> Forest:
    """Return a forest in which a node with many strings has words around it."""
    builder = ForestBuilder()
    inner, outer = builder.add_node(covered=1), builder.add_node(covered=2)
    for text in middle:
        builder.add_edge(inner, target=text.split())
    builder.add_edge(outer, tails=[inner], target=[*left, 0, *right])
    builder.set_root(outer)
    return builder.build()


def test_lengths_split_a_node_only_where_a_sentence_may_be_too_short_for_some_ngram() -> None:
    middle = ["c", "d e", "f g h"]
    assert intersect(chain([], middle, []), ["x"]).forest.node_count == 1 + 3
    assert intersect(chain(["a"], middle, []), ["x"]).forest.node_count == 1 + 2
    assert intersect(chain(["a"], middle, ["b"]), ["x"]).forest.node_count == 1 + 1


def test_only_outer_words_that_may_become_a_match_split_a_node() -> None:
    reference = ["r s t u v"]
    middle = ["r p q u", "s p q u", "x p q u", "y p q x", "y p q s t", "x p x s t"]
    found = intersect(chain(["a", "b"], middle, ["c"]), reference)
    # Nothing comes before r, v is the end of it, x and y are not in the reference: what counts is
    # s at the beginning; at the end u, s t, or nothing.
    assert found.forest.node_count == 1 + len({("", "u"), ("s", "u"), ("", ""), ("", "s t")})


def test_a_forest_without_words_of_the_references_stays_as_it_is() -> None:
    forest = chain(["a", "b"], ["c", "d e", "f g h i j"], ["k"])
    found = intersect(forest, ["x y z"])
    assert found.forest.node_count == forest.node_count
    assert found.edges.tolist() == list(range(forest.edge_count))
    assert (found.statistics[:, :4] == 0).all()


def test_matches_go_through_a_tail_that_is_shorter_than_they_are() -> None:
    found = intersect(chain(["r", "s"], ["t", "x"], ["u", "v"]), ["r s t u v"])
    totals = {
        words(found.forest, derivation): found.statistics[list(derivation)].sum(axis=0).tolist()
        for derivation in derivations(found.forest)
    }
    assert totals["r", "s", "t", "u", "v"] == [5, 4, 3, 2, 5, 4, 3, 2, 5]
    assert totals["r", "s", "x", "u", "v"] == [4, 2, 0, 0, 5, 4, 3, 2, 5]


def test_reference_length_is_split_by_source_words_covered() -> None:
    found = intersect(chain(["a"], ["b"], []), ["a b c", "a b c d e"])
    assert found.statistics[:, -1].tolist() == [2, 2]


def test_without_source_words_the_reference_length_is_at_the_root() -> None:
    builder = ForestBuilder()
    leaf, root = builder.add_node(), builder.add_node()
    builder.add_edge(leaf, target=["a"])
    builder.add_edge(root, tails=[leaf], target=[0, "b"])
    builder.set_root(root)
    assert intersect(builder.build(), ["a b c"]).statistics[:, -1].tolist() == [0, 3]


def test_case_is_ignored_if_the_metric_ignores_it() -> None:
    forest = chain(["The"], ["Cat"], ["sat"])
    prepared = Bleu(tokenize="none", lowercase=True).prepare(References([["the cat Sat"]]))
    total = prepared.forest_statistics(forest, 0).statistics.sum(axis=0)
    assert total.tolist() == [3, 2, 1, 0, 3, 2, 1, 0, 3]


def test_a_growing_shared_vocabulary_is_numbered_again() -> None:
    prepared = Bleu(tokenize="none").prepare(References([["a b"], ["c d"]]))
    builder = ForestBuilder()
    builder.add_edge(builder.add_node(), target=["a", "b"])
    builder.set_root(0)
    first = builder.build()
    assert prepared.forest_statistics(first, 0).statistics[0, 1] == 1
    grown = ForestBuilder(words=first.words, feature_names=first.feature_names)
    grown.add_edge(grown.add_node(), target=["c", "d"])
    grown.set_root(0)
    assert prepared.forest_statistics(grown.build(), 1).statistics[0, 1] == 1


def test_forests_that_cannot_be_split_are_errors() -> None:
    forest = chain(["a"], ["b", "c"], [])
    prepared = Bleu(tokenize="none").prepare(References([["a b c"]]))
    with pytest.raises(ForestError, match="the forest of 3 edges has more than 3; prune it"):
        prepared.forest_statistics(forest, 0, max_edges=3)
    with pytest.raises(DataError, match="to sentence 1, but there are references for 1 sentences"):
        prepared.forest_statistics(forest, 1)
    with pytest.raises(ConfigError, match=r"'13a', but forests are already tokenized; use 'none'"):
        Bleu().prepare(References([["a b c"]])).forest_statistics(forest, 0)
