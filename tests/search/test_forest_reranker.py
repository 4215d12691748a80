"""Forest reranking that is prepared once, against enumeration and the metric itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import brute_force
from hopefear.errors import ConfigError, DataError, ForestError
from hopefear.forest import Forest, ForestBuilder, nbest_forest
from hopefear.metrics import Bleu, BleuReferences, ForestReranker, OracleDocument, References
from hopefear.types import FloatArray, Hypothesis
from strategies import Numbers, arrays, finite, forests, whole, whole_or_impossible

ALL = 10_000  # more than a random forest has derivations

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
searches = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([1.0, -1.0, 0.0, -2.0]), st.integers(1, 3)),
    min_size=2,
    max_size=5,
)
rounds = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1.0, -1.0, -1.0, 1.0])))


def document_of(order: int) -> FloatArray:
    """Something was translated before, two thirds of it as it should be."""
    totals = [float(order + 2 - k) for k in range(order)]
    return np.array([*(2 / 3 * n for n in totals), *totals, order + 3.0])


def prepare(texts: list[str], order: int = 4) -> BleuReferences:
    return Bleu(tokenize="none", order=order).prepare(References([texts]))


def reranker(forest: Forest, references: BleuReferences, order: int = 4) -> ForestReranker:
    return references.reranker(forest, 0, document_of(order))


def statistics(references: BleuReferences, texts: list[str]) -> FloatArray:
    return references.statistics(texts, np.zeros(len(texts), dtype=np.int64))


@given(forests(), st.lists(texts, min_size=1, max_size=3), st.data(), searches)
def test_a_search_that_is_prepared_once_finds_what_fresh_ones_find(
    forest: Forest, texts: list[str], data: st.DataObject, asked: list[tuple[int, float, int]]
) -> None:
    references = prepare(texts)
    scores = [data.draw(arrays(forest.edge_count)) for _ in range(3)]
    prepared = reranker(forest, references)
    for which, gain_weight, kept in asked:
        found, rows = prepared.find(scores[which], gain_weight=gain_weight, kept=kept)
        fresh = reranker(forest, references)
        expected, expected_rows = fresh.find(scores[which], gain_weight=gain_weight, kept=kept)
        assert [d.edges.tolist() for d in found] == [d.edges.tolist() for d in expected]
        assert [d.score for d in found] == [d.score for d in expected]
        assert_array_equal(rows, expected_rows)


@pytest.mark.parametrize("numbers", [finite, whole, whole_or_impossible])
@given(st.data(), st.lists(texts, min_size=1, max_size=2), rounds)
def test_a_search_that_goes_on_from_the_last_one_finds_what_a_fresh_one_finds(
    numbers: Numbers, data: st.DataObject, texts: list[str], asked: list[tuple[int, float]]
) -> None:
    forest, references = data.draw(forests(numbers if numbers is finite else whole)), prepare(texts)
    # Few edges change from search to search, as when weights have moved a little.
    scores = [data.draw(arrays(forest.edge_count, numbers))]
    for _ in range(3):
        edge = data.draw(st.integers(0, forest.edge_count - 1))
        scores.append(scores[-1].copy())
        scores[-1][edge] += data.draw(st.sampled_from([-1.0, 1.0, 2.0, -50.0]))
    prepared = reranker(forest, references)
    for which, gain_weight in asked:
        fresh = reranker(forest, references)
        try:
            expected, expected_rows = fresh.find(scores[which], gain_weight=gain_weight)
        except ForestError:  # everything is impossible
            with pytest.raises(ForestError):
                prepared.find(scores[which], gain_weight=gain_weight)
            continue
        found, rows = prepared.find(scores[which], gain_weight=gain_weight)
        assert found[0].edges.tolist() == expected[0].edges.tolist()
        assert found[0].score == expected[0].score
        assert_array_equal(rows, expected_rows)


def test_what_the_last_search_found_of_an_edge_is_forgotten_if_its_tails_have_changed() -> None:
    builder = ForestBuilder()
    inner, root = builder.add_node(), builder.add_node()
    for words in (["a", "b"], ["y", "z"]):
        builder.add_edge(inner, target=words)
    builder.add_edge(root, tails=[inner], target=[0, "c", "d"])
    builder.add_edge(root, tails=[inner], target=["c", "d", 0])
    builder.set_root(root)
    prepared = reranker(builder.build(), prepare(["a b c d e"]))
    # Around "y z" both orders are as good by BLEU; around "a b" they are not.
    for first, expected in [(-100.0, "c d y z"), (100.0, "a b c d"), (-100.0, "c d y z")]:
        scores = np.array([first, 0.0, 0.0, 1e-3])
        ((best,), _) = prepared.find(scores, gain_weight=1.0)
        assert best.text == expected


@pytest.mark.parametrize("order", [1, 2, 3, 5, 8, 16])
@given(forests(), texts, st.data(), st.sampled_from([1.0, -1.0]))
def test_any_order_of_bleu_can_be_searched_by(
    order: int, forest: Forest, text: str, data: st.DataObject, gain_weight: float
) -> None:
    references = prepare([text], order)
    scores = data.draw(arrays(forest.edge_count))
    prepared = reranker(forest, references, order)
    found, rows = prepared.find(scores, gain_weight=gain_weight, kept=ALL)
    assert_array_equal(rows, statistics(references, [d.text for d in found]))
    derivations = brute_force.derivations(forest)
    strings = [" ".join(brute_force.words(forest, d)) for d in derivations]
    document = OracleDocument(statistics=document_of(order))
    gains = document.gains(statistics(references, strings)).tolist()
    phi = {
        d: brute_force.score(d, scores.tolist()) + gain_weight * gain
        for d, gain in zip(derivations, gains, strict=True)
    }
    values = [phi[tuple(d.edges.tolist())] for d in found]
    assert_allclose(values, sorted(phi.values(), reverse=True), rtol=1e-9, atol=1e-9)


def chain(parts: list[list[str]], *, joined: int = 1) -> Forest:
    """Each part goes on from `joined` copies of the one before; two edges to choose from."""
    builder = ForestBuilder()
    for i, words in enumerate(parts):
        node = builder.add_node(covered=i + 1)
        tails = [node - 1] * joined if i else []
        slots = list(range(len(tails)))
        builder.add_edge(node, tails=tails, target=[*slots, *words])
        builder.add_edge(node, tails=tails, target=[*words, *slots])
    builder.set_root(len(parts) - 1)
    return builder.build()


@pytest.mark.parametrize("gain_weight", [1.0, -1.0])
@pytest.mark.parametrize("joined", [1, 2, 3])
@given(st.data())
def test_long_references_with_many_repeated_words_are_counted(
    gain_weight: float, joined: int, data: st.DataObject
) -> None:
    # More k-grams than there are bits in a word of memory, and many that match more than once.
    vocabulary = st.sampled_from([f"w{i}" for i in range(data.draw(st.integers(1, 40)))])
    reference = " ".join(data.draw(st.lists(vocabulary, min_size=30, max_size=60)))
    part = st.lists(vocabulary, max_size=6)
    forest = chain(data.draw(st.lists(part, min_size=1, max_size=4)), joined=joined)
    references = prepare([reference])
    found, rows = reranker(forest, references).find(
        np.zeros(forest.edge_count), gain_weight=gain_weight, kept=3
    )
    assert_array_equal(rows, statistics(references, [d.text for d in found]))


@pytest.mark.parametrize(("before", "limit"), [(200, 300), (300, 256), (70_000, 65_536)])
def test_a_word_may_match_any_number_of_times(before: int, limit: int) -> None:
    builder = ForestBuilder()
    part, root = builder.add_node(covered=1), builder.add_node(covered=2)
    builder.add_edge(part, target=["a"] * before)
    builder.add_edge(root, tails=[part, part], target=[0, "b", 1, "a"])
    builder.set_root(root)
    forest, references = builder.build(), prepare([" ".join(["a"] * limit)])
    _, rows = reranker(forest, references).find(np.zeros(2), gain_weight=1.0)
    assert rows[0, 0] == min(2 * before + 1, limit)
    text = " ".join([*["a"] * before, "b", *["a"] * (before + 1)])
    assert_array_equal(rows, statistics(references, [text]))


def test_strings_that_are_exponentially_long_are_refused() -> None:
    builder = ForestBuilder()
    for i in range(80):
        node = builder.add_node(covered=1)
        builder.add_edge(node, tails=[i - 1] * 2 if i else [], target=[0, 1] if i else ["a"])
    builder.set_root(79)
    prepared = reranker(builder.build(), prepare(["a a"]))
    with pytest.raises(ForestError, match="edges"):
        prepared.find(np.zeros(80), gain_weight=1.0)


@pytest.mark.parametrize("covered", [2, 2_000_000_000])
def test_parts_that_cover_more_than_the_whole_are_searched(covered: int) -> None:
    builder = ForestBuilder()
    part, root = builder.add_node(covered=covered), builder.add_node(covered=1)
    for word in "ab":
        builder.add_edge(part, target=[word])
    builder.add_edge(root, tails=[part], target=[0])
    builder.set_root(root)
    found, _ = reranker(builder.build(), prepare(["b"])).find(np.zeros(3), gain_weight=1.0)
    # Of so much nothing is left but a tie.
    assert found[0].text == ("b" if covered == 2 else "a")


def test_what_does_not_fit_is_refused() -> None:
    forest, references = nbest_forest([Hypothesis(text="a")]), prepare(["a"])
    with pytest.raises(DataError, match="the document has 7 statistics, the references give 9"):
        references.reranker(forest, 0, document_of(3))
    with pytest.raises(DataError, match="belongs to sentence 1, but there are references for 1"):
        references.reranker(forest, 1, document_of(4))
    prepared = reranker(forest, references)
    with pytest.raises(ForestError, match="2"):
        prepared.find(np.zeros(2), gain_weight=1.0)
    with pytest.raises(ConfigError, match="derivations to keep must be at least 1"):
        prepared.find(np.zeros(1), gain_weight=1.0, kept=0)
    with pytest.raises(ConfigError, match="must be finite, got nan"):
        prepared.find(np.zeros(1), gain_weight=np.nan)
