"""Forests as data to learn from: what they choose, and the exact line search over them."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import brute_force
from hopefear import _core
from hopefear.candidates import ForestSet, ListSet
from hopefear.errors import DataError
from hopefear.forest import Forest, nbest_forest
from hopefear.learners import Mert
from hopefear.metrics import Bleu, Chrf, References, TextMetric, Wer
from hopefear.types import FloatArray, Hypothesis, Vocabulary
from strategies import Numbers, arrays, corpora, finite, forests, whole
from tuning_sets import next_state, start_vector, synthetic_set

BLEU = Bleu(tokenize="none")
three_weights, three_whole = arrays(3, finite), arrays(3, whole)


def as_forests(data: ListSet, *, threads: int = 1, metric: TextMetric = BLEU) -> ForestSet:
    """Make a forest of each list; the references are gone, so the first hypothesis stands in."""
    words, names = Vocabulary(), Vocabulary()
    for i in range(len(data.feature_names)):
        names.add(data.feature_names[i])
    made, references = [], []
    for sentence in range(data.sentence_count):
        rows = data.nbest.rows(sentence)
        hypotheses = [
            Hypothesis(text=data.nbest.text(row), features=data.nbest.features_of(row))
            for row in rows
        ]
        made.append(nbest_forest(hypotheses, words=words, feature_names=names))
        references.append([data.nbest.text(rows[0])])
    return ForestSet(made, References(references), metric, threads=threads)


def lines_of(
    forest: Forest,
    scores: FloatArray,
    slopes: FloatArray,
    table: _core.StringTable | None = None,
    before: _core.FoundBefore | None = None,
) -> tuple[list[float], list[float], list[str]]:
    """The envelope that the line search finds: slopes, intercepts and texts."""
    table = _core.StringTable() if table is None else table
    forests, before = _core.ForestSet([forest.core]), before or _core.FoundBefore()
    found = _core.forest_lines(forests, scores, slopes, table, before, 1)
    offsets, line_slopes, intercepts, strings = found
    assert offsets.tolist() == [0, len(line_slopes)]
    texts, _ = table.texts(0, forest.words)
    return line_slopes.tolist(), intercepts.tolist(), [texts[i] for i in strings]


@st.composite
def forest_with_lines(draw: st.DrawFn, values: Numbers) -> tuple[Forest, FloatArray, FloatArray]:
    forest = draw(forests())
    numbers = arrays(forest.edge_count, values)
    return forest, draw(numbers), draw(numbers)


@given(forest_with_lines(whole))
def test_the_lines_are_the_upper_envelope_of_all_derivations(
    case: tuple[Forest, FloatArray, FloatArray],
) -> None:
    forest, scores, slopes = case
    derivations = brute_force.derivations(forest)
    all_lines = [
        (int(brute_force.score(d, slopes.tolist())), int(brute_force.score(d, scores.tolist())))
        for d in derivations
    ]
    expected = brute_force.upper_envelope(iter(all_lines))
    found_slopes, intercepts, texts = lines_of(forest, scores, slopes)
    assert (found_slopes, intercepts) == ([a for a, _, _ in expected], [b for _, b, _ in expected])
    for line in zip(found_slopes, intercepts, texts, strict=True):
        strings = [
            " ".join(brute_force.words(forest, d))
            for d, known in zip(derivations, all_lines, strict=True)
            if known == line[:2]
        ]
        assert line[2] in strings


@given(forest_with_lines(finite))
def test_the_lines_are_those_of_the_envelope_semiring(
    case: tuple[Forest, FloatArray, FloatArray],
) -> None:
    forest, scores, slopes = case
    envelope = forest.envelope(edge_scores=scores, edge_slopes=slopes)
    found_slopes, intercepts, _ = lines_of(forest, scores, slopes)
    steps = np.concatenate([envelope.breakpoints[1:], [-1e6, -1.0, 0.0, 1.0, 1e6]])
    for step in steps:
        expected = envelope.intercepts + step * envelope.slopes
        highest = max(b + step * a for a, b in zip(found_slopes, intercepts, strict=True))
        size = np.abs(envelope.intercepts).max() + abs(step) * np.abs(envelope.slopes).max()
        assert math.isclose(highest, expected.max(), rel_tol=1e-9, abs_tol=1e-9 * (1 + size))


@given(forest_with_lines(whole), st.integers(0, 2**32))
def test_what_was_found_along_other_lines_changes_no_envelope(
    case: tuple[Forest, FloatArray, FloatArray], seed: int
) -> None:
    forest, scores, slopes = case
    table, before, draws = _core.StringTable(), _core.FoundBefore(), np.random.default_rng(seed)
    for _ in range(20):
        fresh = lines_of(forest, scores, slopes)
        again = lines_of(forest, scores, slopes, table, before)
        assert again[:2] == fresh[:2]
        for slope, intercept, text in zip(*again, strict=True):
            assert any(
                " ".join(brute_force.words(forest, d)) == text
                and brute_force.score(d, slopes.tolist()) == slope
                and brute_force.score(d, scores.tolist()) == intercept
                for d in brute_force.derivations(forest)
            )
        scores, slopes = draws.permuted(scores), draws.permuted(slopes)


@given(forests(whole), three_weights, st.integers(0, 2**32))
def test_lines_that_all_meet_in_one_point_are_found_in_the_end(
    forest: Forest, w: FloatArray, seed: int
) -> None:
    weights = np.resize(w, len(forest.feature_names))
    factor = finite(Random(seed))
    scores = forest.score_edges(weights)
    slopes = forest.score_edges(weights * factor)
    found_slopes, intercepts, _ = lines_of(forest, scores, slopes)
    envelope = forest.envelope(edge_scores=scores, edge_slopes=slopes)
    assert_allclose(found_slopes[0], envelope.slopes[0], atol=1e-9 * np.abs(slopes).sum())
    assert_allclose(found_slopes[-1], envelope.slopes[-1], atol=1e-9 * np.abs(slopes).sum())
    for step in (-10.0, -1.0, 0.0, 1.0, 10.0):
        highest = max(b + step * a for a, b in zip(found_slopes, intercepts, strict=True))
        expected = (envelope.intercepts + step * envelope.slopes).max()
        assert_allclose(highest, expected, rtol=1e-9, atol=1e-9 * np.abs(scores).sum())


class Enumerated:
    """All derivations of a corpus' forests: feature vectors, and statistics of their strings."""

    def __init__(self, data: ForestSet) -> None:
        self.features: list[FloatArray] = []
        self.statistics: list[FloatArray] = []
        for sentence, forest in enumerate(data.forests):
            assert forest is not None
            derivations = brute_force.derivations(forest)
            found = [brute_force.features(forest, d) for d in derivations]
            self.features.append(
                np.array([[h.get(n, 0.0) for n in ("f", "g", "h")] for h in found])
            )
            texts = [" ".join(brute_force.words(forest, d)) for d in derivations]
            sentences = np.full(len(texts), sentence)
            self.statistics.append(data.prepared.statistics(texts, sentences))

    def chosen(self, weights: FloatArray) -> FloatArray | None:
        """The summed statistics of the best; None if those of equally good ones differ."""
        total = np.zeros(self.statistics[0].shape[1])
        for features, statistics in zip(self.features, self.statistics, strict=True):
            scores = features @ weights
            size = 1 + np.abs(features) @ np.abs(weights)
            best = np.unique(statistics[scores >= scores.max() - 1e-9 * size.max()], axis=0)
            if len(best) > 1:
                return None
            total += best[0]
        return total


@given(corpora(whole), st.integers(0, 2), st.floats(-3, 3))
def test_scores_by_one_feature_are_its_values_times_the_weight(
    corpus: tuple[list[Forest], References], feature: int, weight: float
) -> None:
    data = ForestSet(*corpus, BLEU)
    weights = np.zeros(len(data.feature_names))
    weights[feature % len(weights)] = weight
    one_by_one = [forest.score_edges(weights) for forest in data.forests if forest is not None]
    assert_array_equal(data.scores(weights), np.concatenate(one_by_one))


@pytest.mark.parametrize("metric", [BLEU, Wer(), Chrf()], ids=lambda metric: metric.name)
@given(corpus=corpora(whole), w=three_weights, d=three_whole)
def test_the_surface_equals_enumeration_between_all_breakpoints(
    metric: TextMetric, corpus: tuple[list[Forest], References], w: FloatArray, d: FloatArray
) -> None:
    data = ForestSet(*corpus, metric, threads=1)
    expected = Enumerated(data)
    breakpoints, table = data.error_surface(data.scores(w), data.scores(d)).table()
    inner = (breakpoints[1:] + breakpoints[:-1]) / 2
    ends = [breakpoints[0] - 1, breakpoints[-1] + 1] if len(breakpoints) else [0.0]
    for step, statistics in zip([ends[0], *inner, *ends[1:]], table, strict=True):
        chosen = expected.chosen(w + step * d)
        if chosen is not None:
            assert_allclose(statistics, chosen, atol=1e-9)
            assert_allclose(data.chosen(w + step * d), chosen, atol=1e-9)


@given(corpora(whole), three_weights, three_weights)
def test_no_step_of_a_fine_grid_is_better_than_the_line_search(
    corpus: tuple[list[Forest], References], w: FloatArray, d: FloatArray
) -> None:
    data = ForestSet(*corpus, BLEU, threads=1)
    expected, score = Enumerated(data), data.corpus_score
    surface = data.error_surface(data.scores(w), data.scores(d))
    found = surface.search(score)
    assert found.score >= found.score_at_zero
    breakpoints, _ = surface.table()
    # An interval that rounding may have made is no place to go to.
    narrow = np.diff(breakpoints) <= 1e-8 * (1 + np.abs(breakpoints[1:]))
    grid = np.concatenate([np.linspace(-5, 5, 61), np.geomspace(10, 1e6, 6)])
    for step in np.concatenate([grid, -grid]):
        at = int(np.searchsorted(breakpoints, step)) - 1
        if 0 <= at < len(narrow) and narrow[at]:
            continue
        chosen = expected.chosen(w + step * d)
        assert chosen is None or found.score >= score(chosen) - 1e-12


def test_forests_made_of_lists_have_the_surface_of_the_lists() -> None:
    lists = synthetic_set()
    data = as_forests(lists)
    _judge_by_first(lists)
    start = start_vector(lists)
    for direction in np.eye(len(start)):
        tables = [
            each.error_surface(each.scores(start), each.scores(direction)).table()
            for each in (lists, data)
        ]
        assert_array_equal(tables[0][0], tables[1][0])
        assert_array_equal(tables[0][1], tables[1][1])


def _judge_by_first(lists: ListSet) -> None:
    texts = [[lists.nbest.text(lists.nbest.rows(s)[0])] for s in range(lists.sentence_count)]
    BLEU.prepare(References(texts)).set_statistics(lists.nbest)


def test_mert_finds_the_same_weights_in_lists_and_in_forests_made_of_them() -> None:
    lists = synthetic_set()
    data = as_forests(lists)
    _judge_by_first(lists)
    start, learner = start_vector(lists), Mert(restarts=1, random_directions=1)
    found = [next_state(learner, each, start, (1, 0)) for each in (lists, data)]
    assert_allclose(found[0], found[1], rtol=1e-6)
    assert data.score(found[0]) > data.score(start)


@given(corpora())
def test_the_spread_is_the_deviation_over_all_derivations(
    corpus: tuple[list[Forest], References],
) -> None:
    data = ForestSet(*corpus, BLEU, threads=1)
    variances = []
    for forest in corpus[0]:
        rows = [
            [features.get(name, 0.0) for name in ("f", "g", "h")]
            for features in (
                brute_force.features(forest, d) for d in brute_force.derivations(forest)
            )
        ]
        variances.append(np.var(rows, axis=0))
    expected = np.sqrt(np.mean(variances, axis=0))
    assert_allclose(data.feature_spread, expected, rtol=1e-6, atol=1e-7)


@given(corpora())
def test_the_unit_of_a_feature_is_at_least_its_deviation_among_edges(
    corpus: tuple[list[Forest], References],
) -> None:
    """With what is below an edge on average."""
    data = ForestSet(*corpus, BLEU, threads=1)
    variances: dict[str, list[float]] = {"f": [], "g": [], "h": []}
    for forest in corpus[0]:
        for derivations in brute_force.node_derivations(forest):
            rows = [brute_force.features(forest, d) for d in derivations]
            edges = {d[0] for d in derivations}
            for name, below in variances.items():
                means = [
                    np.mean(
                        [
                            h.get(name, 0.0)
                            for h, d in zip(rows, derivations, strict=True)
                            if d[0] == edge
                        ]
                    )
                    for edge in edges
                ]
                if np.var(means) > 1e-12:
                    below.append(float(np.var(means)))
    for i, below in enumerate(variances.values()):
        spread = data.feature_spread[i]
        least = math.sqrt(np.mean(below)) if below else 0.0
        expected = max(spread, least) if spread > 0 else 1.0
        assert_allclose(data.feature_unit[i], expected, rtol=1e-6)


def test_the_spread_of_forests_made_of_lists_is_that_of_the_lists() -> None:
    lists = synthetic_set()
    assert_allclose(as_forests(lists).feature_spread, lists.feature_spread, rtol=1e-9)


def test_scaled_forests_are_those_of_scaled_lists() -> None:
    lists = synthetic_set()
    data = as_forests(lists)
    w = start_vector(lists)
    assert_allclose(data.scaled.scores(w), lists.scaled.scores(w), rtol=1e-9)
    assert_allclose(data.scaled.feature_spread, np.ones(len(w)), rtol=1e-9)
    assert_array_equal(data.scaled.chosen(w * data.feature_unit), data.chosen(w))


def test_any_number_of_threads_gives_the_same_bits() -> None:
    lists = synthetic_set(sentences=40)
    start = start_vector(lists)
    direction = np.linspace(-1, 1, len(start))
    tables, spreads = [], []
    for threads in (1, 3):
        data = as_forests(lists, threads=threads)
        surface = data.error_surface(data.scores(start), data.scores(direction))
        tables.append(surface.table()[1])
        spreads.append(data.feature_spread)
    assert_array_equal(tables[0], tables[1])
    assert_array_equal(spreads[0], spreads[1])


def test_a_sentence_without_a_forest_counts_nothing() -> None:
    forest = nbest_forest([Hypothesis(text="a b", features={"f": 1.0})])
    data = ForestSet([None, forest, None], References([["a"], ["a b"], ["b"]]), Wer(), threads=1)
    assert data.sentence_count == 3
    assert data.chosen(np.ones(1)).tolist() == [0.0, 2.0]
    assert data.error_surface(data.scores(np.ones(1)), data.scores(np.ones(1))).at_zero[1] == 2.0


def test_forests_of_different_vocabularies_are_refused() -> None:
    made = [nbest_forest([Hypothesis(text="a")]) for _ in range(2)]
    with pytest.raises(DataError, match="sentence 1 has other vocabularies"):
        ForestSet(made, References([["a"], ["a"]]), BLEU)


def test_forests_without_references_are_refused() -> None:
    forest = nbest_forest([Hypothesis(text="a")])
    with pytest.raises(DataError, match="forests of 1 sentences, but references for 2"):
        ForestSet([forest], References([["a"], ["a"]], source="refs.txt"), BLEU)
    with pytest.raises(DataError, match="no sentence has a forest"):
        ForestSet([None], References([["a"]]), BLEU)
