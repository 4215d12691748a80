"""Hope and fear against the enumeration of all derivations."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import brute_force
from hopefear.errors import ConfigError, DataError, ForestError
from hopefear.forest import Forest, nbest_forest
from hopefear.metrics import Bleu, BleuReferences, OracleDocument, References
from hopefear.search import (
    Bold,
    Example,
    Found,
    Hope,
    Linear,
    Local,
    MaxBleu,
    NBestSearch,
    Rerank,
    Search,
    searches,
)
from hopefear.types import FloatArray, Hypothesis
from strategies import arrays, forests, whole

BLEU = Bleu(tokenize="none")
ALL = 10_000  # more than a random forest has derivations

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
references = st.lists(texts, min_size=1, max_size=3)
gain_weights = st.sampled_from([1.0, -1.0, 0.3, -2.0])
rows = st.lists(st.integers(1, 9), min_size=4, max_size=4)


@st.composite
def documents(draw: st.DrawFn) -> OracleDocument:
    totals = sorted(draw(rows), reverse=True)
    matches = [max(0.5, total * draw(st.floats(0.2, 1.0))) for total in totals]
    return OracleDocument(statistics=np.array([*matches, *totals, draw(st.integers(1, 12))], float))


def prepare(texts: list[str]) -> BleuReferences:
    return BLEU.prepare(References([texts]))


def example_of(forest: Forest, texts: list[str], weights: FloatArray) -> Example:
    return Example(forest, 0, prepare(texts), weights)


def phi(
    example: Example, derivation: tuple[int, ...], document: OracleDocument, gain_weight: float
) -> float:
    """w · h + g B with exact statistics, from the definitions."""
    text = " ".join(brute_force.words(example.forest, derivation))
    gain = document.gains(example.references.statistics([text]))[0]
    return brute_force.score(derivation, example.scores.tolist()) + gain_weight * float(gain)


def gains_of(example: Example, texts: list[str], document: OracleDocument) -> FloatArray:
    sentences = np.zeros(len(texts), dtype=np.int64)
    return document.gains(example.references.statistics(texts, sentences))


def edges(found: Found) -> tuple[int, ...]:
    return tuple(found.derivation.edges.tolist())


@given(forests(), references, arrays(3), documents(), gain_weights)
def test_linear_search_finds_the_best_of_all_derivations(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument, g: float
) -> None:
    example = example_of(forest, texts, weights)
    average = sum(len(text.split()) for text in texts) / len(texts)
    gain = document.linear_gain()

    def value(derivation: tuple[int, ...]) -> float:
        string = brute_force.words(forest, derivation)
        b = []
        for k in range(1, 5):
            known = {
                tuple(words[i : i + k])
                for words in (text.split() for text in texts)
                for i in range(len(words) - k + 1)
            }
            b.append(sum(string[i : i + k] in known for i in range(len(string) - k + 1)))
        b += [max(0, len(string) - k + 1) for k in range(1, 5)]
        linear = float(gain @ np.array([*b, average]))
        return brute_force.score(derivation, example.scores.tolist()) + g * linear

    found = Linear().find(example, example.scores, document, g, count=3)
    best = sorted((value(d) for d in brute_force.derivations(forest)), reverse=True)[:3]
    assert_allclose([value(edges(one)) for one in found], best, rtol=1e-9, atol=1e-9)


@given(forests(), references, arrays(3), documents(), gain_weights)
def test_n_best_search_finds_the_best_of_the_list(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument, g: float
) -> None:
    example = example_of(forest, texts, weights)
    found = NBestSearch(size=5).find(example, example.scores, document, g, count=2)
    listed = [tuple(d.edges.tolist()) for d in forest.kbest(weights, 5)]
    best = sorted((phi(example, d, document, g) for d in listed), reverse=True)[:2]
    assert_allclose(
        [phi(example, edges(one), document, g) for one in found], best, rtol=1e-9, atol=1e-9
    )


@given(forests(), references, arrays(3), documents(), gain_weights)
def test_reranking_that_keeps_everything_is_exact(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument, g: float
) -> None:
    example = example_of(forest, texts, weights)
    found = Rerank(kept=ALL).find(example, example.scores, document, g, count=ALL)
    best = sorted(
        (phi(example, d, document, g) for d in brute_force.derivations(forest)), reverse=True
    )
    assert_allclose(
        [phi(example, edges(one), document, g) for one in found], best, rtol=1e-9, atol=1e-9
    )


def clipped(string: tuple[str, ...], texts: list[str]) -> list[float]:
    """[m₁ … m₄, n₁ … n₄] by definition."""
    matches, totals = [], []
    for k in range(1, 5):
        own = Counter(string[i : i + k] for i in range(len(string) - k + 1))
        limits: Counter[tuple[str, ...]] = Counter()
        for words in (tuple(text.split()) for text in texts):
            limits |= Counter(words[i : i + k] for i in range(len(words) - k + 1))
        matches.append(float((own & limits).total()))
        totals.append(float(own.total()))
    return [*matches, *totals]


def best_of_nodes(
    example: Example, texts: list[str], document: OracleDocument, g: float
) -> tuple[int, ...]:
    """The dynamic program of section 5.2, written out: the best derivation of the root."""
    forest, covered = example.forest, example.forest.covered(example.forest.root)
    average = sum(len(text.split()) for text in texts) / len(texts)
    best: list[tuple[int, ...]] = []
    strings: list[tuple[str, ...]] = []
    for node in range(forest.node_count):
        values = []
        for edge in forest.edges(node):
            tails = forest.tails(edge).tolist()
            derivation = (edge, *(e for tail in tails for e in best[tail]))
            parts = [
                (symbol,) if isinstance(symbol, str) else strings[tails[symbol]]
                for symbol in forest.target(edge)
            ]
            string = tuple(word for part in parts for word in part)
            if node == forest.root:
                rho = float(example.references.statistics([" ".join(string)])[0, -1])
            else:
                rho = average * forest.covered(node) / covered if covered else float(len(string))
            gain = document.gains(np.array([[*clipped(string, texts), rho]]))[0]
            score = brute_force.score(derivation, example.scores.tolist())
            values.append((score + g * float(gain), derivation, string))
        _, derivation, string = max(values, key=lambda value: value[0])
        best.append(derivation)
        strings.append(string)
    return best[-1]


@given(forests(whole), references, arrays(3, whole), documents(), gain_weights)
def test_reranking_is_the_dynamic_program_of_the_paper(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument, g: float
) -> None:
    example = example_of(forest, texts, weights)
    (found,) = Rerank().find(example, example.scores, document, g)
    expected = best_of_nodes(example, texts, document, g)
    assert_allclose(
        phi(example, edges(found), document, g),
        phi(example, expected, document, g),
        rtol=1e-9,
        atol=1e-9,
    )


@given(forests(whole), references, arrays(3, whole), documents(), gain_weights)
def test_reranking_finds_no_less_for_the_root_than_the_parts_it_kept(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument, g: float
) -> None:
    example = example_of(forest, texts, weights)
    (found,) = Rerank().find(example, example.scores, document, g)
    best = max(phi(example, d, document, g) for d in brute_force.derivations(forest))
    assert phi(example, edges(found), document, g) <= best + 1e-9


@pytest.mark.parametrize("search", [Linear(), NBestSearch(), Rerank(), Rerank(kept=3)])
@given(forests(), references, arrays(3), documents(), gain_weights)
def test_what_is_found_has_the_exact_statistics_and_score_of_its_derivation(
    search: Search,
    forest: Forest,
    texts: list[str],
    weights: FloatArray,
    document: OracleDocument,
    g: float,
) -> None:
    example = example_of(forest, texts, weights)
    other = forest.score_edges(weights[::-1].copy())
    found, derivations = (
        search.find(example, other, document, g, count=3),
        brute_force.derivations(forest),
    )
    assert len({edges(one) for one in found}) == len(found) == min(3, len(derivations))
    for one in found:
        assert edges(one) in derivations
        expected = example.references.statistics([one.derivation.text])[0]
        assert_array_equal(one.statistics, expected)
        score = brute_force.score(edges(one), other.tolist())
        assert_allclose(one.derivation.score, score, rtol=1e-9, atol=1e-9)
        h = brute_force.features(forest, edges(one))
        assert one.features.named(forest.feature_names) == pytest.approx(h)


@given(forests(), references, arrays(3))
def test_the_one_best_is_that_of_viterbi(
    forest: Forest, texts: list[str], weights: FloatArray
) -> None:
    example = example_of(forest, texts, weights)
    assert example.best.derivation == forest.viterbi(weights)


@given(forests(whole), references, arrays(3, whole))
def test_bold_finds_the_best_derivation_of_a_reference_or_nothing(
    forest: Forest, texts: list[str], weights: FloatArray
) -> None:
    example = example_of(forest, texts, weights)
    strings = [tuple(text.split()) for text in texts]
    reached = [
        brute_force.score(d, example.scores.tolist())
        for d in brute_force.derivations(forest)
        if brute_force.words(forest, d) in strings
    ]
    found = Bold().choose(example, Rerank(), OracleDocument(), 0)
    if found is None:
        assert reached == []
    else:
        assert tuple(found.derivation.words) in strings
        assert found.derivation.score == max(reached)


@given(forests(), references, arrays(3), documents())
def test_max_bleu_finds_the_best_gain(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument
) -> None:
    example = example_of(forest, texts, weights)
    found = MaxBleu().choose(example, Rerank(kept=ALL), document, 0)
    strings = [" ".join(brute_force.words(forest, d)) for d in brute_force.derivations(forest)]
    gains = gains_of(example, strings, document)
    assert_allclose(found.gain(document), gains.max(), rtol=1e-9, atol=1e-9)
    score = brute_force.score(edges(found), example.scores.tolist())
    assert_allclose(found.derivation.score, score, rtol=1e-9, atol=1e-9)


@given(forests(), references, arrays(3), documents())
def test_local_finds_the_best_gain_of_the_list(
    forest: Forest, texts: list[str], weights: FloatArray, document: OracleDocument
) -> None:
    example = example_of(forest, texts, weights)
    found = Local(size=4).choose(example, Rerank(), document, 0)
    listed = [d.text for d in forest.kbest(weights, 4)]
    gains = gains_of(example, listed, document)
    assert_allclose(found.gain(document), gains.max(), rtol=1e-9, atol=1e-9)


def two_candidates() -> Example:
    """A good one and one that the model likes better, by 1."""
    forest = nbest_forest(
        [
            Hypothesis(text="a b c d e", features={"f": 0.0}),
            Hypothesis(text="a b c x y", features={"f": 1.0}),
        ]
    )
    return example_of(forest, ["a b c d e"], np.ones(1))


def test_a_more_negative_mu_hopes_for_a_better_translation() -> None:
    example, document = two_candidates(), OracleDocument()
    model, bleu = (Hope(mu=mu).choose(example, Rerank(), document, 0) for mu in (-0.1, -5.0))
    assert model.derivation.text == "a b c x y"
    assert bleu.derivation.text == "a b c d e"


def test_mu_decays_from_epoch_to_epoch() -> None:
    example, document = two_candidates(), OracleDocument()
    hope = Hope(mu=-5.0, mu_decay=0.1)
    chosen = [hope.choose(example, Rerank(), document, e).derivation.text for e in range(3)]
    assert chosen == ["a b c d e", "a b c x y", "a b c x y"]


def test_reranking_skips_impossible_edges() -> None:
    example = two_candidates()
    scores = np.array([-np.inf, 0.0])
    for g in (1.0, -1.0):
        (found,) = Rerank().find(example, scores, OracleDocument(), g, count=1)
        assert found.derivation.text == "a b c x y"
    with pytest.raises(ForestError, match="no derivation is possible"):
        Rerank().find(example, np.full(2, -np.inf), OracleDocument(), 1.0)


def test_searches_need_the_words_of_the_references() -> None:
    forest = nbest_forest([Hypothesis(text="a")])
    prepared = Bleu().prepare(References([["a"]]))
    with pytest.raises(ConfigError, match="use 'none'"):
        _ = Example(forest, 0, prepared, np.zeros(0)).best


def test_a_sentence_without_references_is_refused() -> None:
    forest = nbest_forest([Hypothesis(text="a")])
    example = Example(forest, 1, prepare(["a"]), np.zeros(0))
    with pytest.raises(DataError, match="belongs to sentence 1, but there are references for 1"):
        _ = example.best


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hope(mu=0.0), "Hope.mu must be < 0, got 0.0"),
        (lambda: Hope(mu_decay=1.5), "Hope.mu_decay must be a finite number > 0 and <= 1"),
        (lambda: Local(size=0), "Local.size"),
        (lambda: NBestSearch(size=0), "NBestSearch.size"),
        (lambda: Rerank(kept=0), "Rerank.kept"),
    ],
)
def test_bad_options_are_refused(make: type[Hope], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_all_searches_are_registered() -> None:
    assert list(searches) == ["linear", "nbest", "rerank"]
