"""Forest MIRA against the rule written out over all derivations of small forests."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import brute_force
from hopefear import _core
from hopefear.candidates import ForestSet
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest
from hopefear.learners import ForestMira
from hopefear.metrics import Bleu, Chrf, References
from hopefear.metrics.bleu_references import BleuReferences
from hopefear.types import FloatArray, IntArray
from strategies import arrays, finite, forests
from tuning_sets import FOREST_START, course_of, next_state, synthetic_forests

BLEU = Bleu(tokenize="none")
FIRST = np.array([4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0, 4.0])  # a perfect sentence

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


def document_gain(b: FloatArray) -> float:
    """ρ BLEU of the statistics of a document."""
    precisions = np.exp(np.mean(np.log(b[:4] / b[4:8])))
    return float(b[8] * precisions * np.exp(min(0.0, 1 - b[8] / b[4])))


def bleu(b: FloatArray) -> float:
    return document_gain(b) / float(b[8])


@dataclass
class Row:
    """A derivation."""

    features: FloatArray
    exact: FloatArray
    linear: FloatArray


def in_target_order(forest: Forest, derivation: brute_force.Derivation) -> tuple[int, ...]:
    """The edges of a derivation, given in pre-order, as their words come in its string."""
    edges = iter(derivation)

    def read() -> tuple[int, ...]:
        edge = next(edges)
        parts = [read() for _ in forest.tails(edge)]
        slots = [symbol for symbol in forest.target(edge) if not isinstance(symbol, str)]
        return (edge, *(e for slot in slots for e in parts[slot]))

    return read()


def rows_of(data: ForestSet, sentence: int) -> dict[brute_force.Derivation, Row]:
    forest, references = data.forests[sentence], data.references.sentences[sentence]
    assert forest is not None
    rows: dict[brute_force.Derivation, Row] = {}
    for derivation in brute_force.derivations(forest):
        words = brute_force.words(forest, derivation)
        h = np.zeros(len(forest.feature_names))
        for name, value in brute_force.features(forest, derivation).items():
            number = forest.feature_names.find(name)
            assert number is not None
            h[number] = value
        (exact,) = data.prepared.statistics([" ".join(words)], np.array([sentence]), threads=1)
        rows[derivation] = Row(h, exact, brute_force.bleu_statistics(words, references))
    return rows


def test_the_linear_gain_is_the_derivative_of_the_gain() -> None:
    document = np.array([90.0, 50.0, 30.0, 20.0, 130.0, 120.0, 110.0, 100.0, 140.0])
    point, c = document + FIRST, _core.linear_gain(document)
    # ρ itself is in the gain as a factor, but what a sentence adds to it is the same for all of its
    # derivations: its coefficient is that of the brevity penalty alone.
    for i in range(8):
        step = np.zeros(9)
        step[i] = 1e-4
        slope = (document_gain(point + step) - document_gain(point - step)) / 2e-4
        assert_allclose(c[i], slope, rtol=1e-7)


@given(forests(), st.lists(texts, min_size=1, max_size=3), arrays(3, finite), st.data())
def test_hope_and_fear_are_the_best_of_all_derivations(
    forest: Forest, references: list[str], w: FloatArray, data: st.DataObject
) -> None:
    gain = data.draw(arrays(9, finite))
    weights = np.resize(w, len(forest.feature_names))
    tuning = ForestSet([forest], References([references]), BLEU, threads=1)
    assert isinstance(tuning.prepared, BleuReferences)
    split = tuning.prepared.split_forests(tuning.core, forest.words, growth=10_000)
    found = _core.hope_fear(tuning.core, split, 0, weights, gain, FIRST)
    by_derivation = rows_of(tuning, 0)
    by_edges = {in_target_order(forest, d): row for d, row in by_derivation.items()}
    rows = list(by_derivation.values())
    for (edges, statistics, score), sign in zip(found, (1.0, -1.0, 0.0), strict=True):
        values = [weights @ row.features + sign * gain @ row.linear for row in rows]
        sizes = [np.abs(weights @ row.features) + np.abs(gain) @ row.linear for row in rows]
        size = float(np.max(sizes))
        assert_allclose(score, np.max(values), rtol=1e-9, atol=1e-9 * (1 + size))
        row = by_edges[tuple(edges.tolist())]
        own = weights @ row.features + sign * gain @ row.linear
        assert_allclose(own, score, rtol=1e-9, atol=1e-9 * (1 + size))
        assert statistics.tolist() == row.exact.tolist()


@given(forests(), st.lists(texts, min_size=1, max_size=3), arrays(3, finite))
def test_forests_that_would_grow_too_large_are_reranked(
    forest: Forest, references: list[str], w: FloatArray
) -> None:
    weights = np.resize(w, len(forest.feature_names))
    data = ForestSet([forest], References([references]), BLEU, threads=1)
    assert isinstance(data.prepared, BleuReferences)
    split = data.prepared.split_forests(data.core, forest.words, growth=0)
    assert split.edge_count == 0
    hope, fear, model = _core.hope_fear(data.core, split, 0, weights, np.zeros(9), FIRST)
    scores = forest.score_edges(weights)
    best = forest.viterbi(weights).edges
    assert model[0].tolist() == best.tolist()
    for (edges, statistics, score), sign in ((hope, 1.0), (fear, -1.0)):
        reranker = data.prepared.reranker(forest, 0, FIRST)
        offered = [
            reranker.find(scores, gain_weight=sign * weight)[0][0].edges
            for weight in (1.0, 4.0, 16.0)
        ]
        values = []
        for found in (best, *offered):
            words = " ".join(brute_force.words(forest, tuple(found.tolist())))
            (row,) = data.prepared.statistics([words])
            gain = bleu(FIRST + row) - bleu(FIRST)
            values.append(float(scores[found].sum() + sign * FIRST[4] * gain))
            if found.tolist() == edges.tolist():
                assert statistics.tolist() == row.tolist()
        size = 1 + np.abs(scores).sum() * len(edges)
        assert_allclose(score, max(values), rtol=1e-9, atol=1e-9 * size)
        assert edges.tolist() in [found.tolist() for found in (best, *offered)]


@pytest.mark.parametrize("growth", [0, 10_000])
def test_reranked_forests_teach_as_well(growth: int) -> None:
    data = synthetic_forests(sentences=30)
    assert isinstance(data.prepared, BleuReferences)
    forest = data.forests[0]
    assert forest is not None
    data.bleu_forests = data.prepared.split_forests(data.core, forest.words, growth=growth)
    state = fast_epoch(data, np.arange(30), max_step=0.01)
    start = data.score(FOREST_START.vector(data.feature_names))
    assert data.score(state.weights()) > start + 5


def test_the_oracle_is_that_of_all_combinations_of_derivations() -> None:
    data = synthetic_forests(sentences=2, longest=4)
    first, second = (
        np.array([row.exact for row in rows_of(data, sentence).values()]) for sentence in (0, 1)
    )
    best = data.metric.score(first[:, None, :] + second[None, :, :]).max()
    assert data.oracle_score == pytest.approx(best)


def test_no_weights_are_better_than_the_oracle() -> None:
    data = synthetic_forests(sentences=40)
    assert data.oracle_score is not None
    random = np.random.default_rng(1)
    for w in random.normal(size=(50, 4)):
        assert data.score(w) <= data.oracle_score


def fast_epoch(
    data: ForestSet, order: IntArray, *, max_step: float = 0.1, hope_context: bool = True
) -> _core.KBestMiraState:
    assert data.bleu_forests is not None
    start = FOREST_START.vector(data.feature_names)
    return _core.forest_mira_epoch(
        data.core,
        data.bleu_forests,
        data.corpus_score,
        order,
        max_step=max_step,
        decay=0.9,
        hope_context=hope_context,
        state=_core.KBestMiraState(start, data.corpus_score.first_document()),
    )


def slow_epoch(
    data: ForestSet, start: FloatArray, order: IntArray, *, max_step: float, hope_context: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the last weights and the mean of the weights after each sentence."""
    w, document, seen = start.copy(), FIRST, []
    for sentence in order.tolist():
        rows = list(rows_of(data, sentence).values())
        scores = np.array([row.features for row in rows]) @ w
        gains = np.array([row.linear for row in rows]) @ _core.linear_gain(document)
        hope, fear = rows[np.argmax(scores + gains)], rows[np.argmax(scores - gains)]
        model = rows[np.argmax(scores)]
        cost = document_gain(document + hope.exact) - document_gain(document + fear.exact)
        difference = hope.features - fear.features
        violation = float(cost - w @ difference)
        if cost > 0 and violation > 0 and difference.any():
            w = w + min(max_step, violation / float(difference @ difference)) * difference
        document = 0.9 * document + (hope if hope_context else model).exact
        seen.append(w)
    return w, np.mean(seen, axis=0)


SMALL = synthetic_forests(sentences=12, longest=3)


@pytest.mark.parametrize("hope_context", [True, False])
@pytest.mark.parametrize("max_step", [0.001, 0.1])
def test_an_epoch_is_that_of_the_rule_written_out(max_step: float, hope_context: bool) -> None:
    start = FOREST_START.vector(SMALL.feature_names)
    order = np.random.default_rng(5).permutation(SMALL.sentence_count)
    state = fast_epoch(SMALL, order, max_step=max_step, hope_context=hope_context)
    last, mean = slow_epoch(SMALL, start, order, max_step=max_step, hope_context=hope_context)
    assert state.updates > 0
    assert_allclose(state.weights(), last, rtol=1e-9)
    assert_allclose(state.average(), mean, rtol=1e-9)


def test_a_sentence_without_a_forest_is_passed_over() -> None:
    forests = [*SMALL.forests[:4], None, *SMALL.forests[4:]]
    sentences = [*SMALL.references.sentences[:4], ["nothing"], *SMALL.references.sentences[4:]]
    data = ForestSet(forests, References(sentences), BLEU, threads=1)
    found = [fast_epoch(one, np.arange(one.sentence_count)).weights() for one in (SMALL, data)]
    assert found[0].tolist() == found[1].tolist()


def test_what_is_learned_holds_for_other_sentences() -> None:
    data, held_out = synthetic_forests(sentences=60), synthetic_forests(sentences=60, seed=2)
    start = FOREST_START.vector(data.feature_names)
    learner = ForestMira()
    state = learner.start(data, start, start)
    for epoch in range(10):
        state = next_state(learner, data, state, (1, epoch))
    w = learner.weights(state)
    assert data.score(w) > data.score(start) + 10
    assert held_out.score(w) > held_out.score(start) + 10
    # Noise is noise: next to nothing is left of its weight, in the unit in which features vary.
    sizes = dict(zip(FOREST_START, np.abs(w * data.feature_spread), strict=True))
    assert sizes["noise"] < 0.2 * sizes["tm"]


def test_scaled_features_lead_to_the_same_choices_in_any_unit() -> None:
    factors = np.array([1000.0, 1.0, 0.01, 1.0])
    other = ForestSet(
        [
            None if forest is None else Forest(forest.core.scaled(factors))
            for forest in SMALL.forests
        ],
        SMALL.references,
        BLEU,
        threads=1,
    )
    start, found = FOREST_START.vector(SMALL.feature_names), []
    for data, w in ((SMALL, start), (other, start / factors)):
        course = course_of(ForestMira(), data, w, scaled=True)
        after = course.epoch(course.start(w), 0, lambda done, total: None)
        assert after is not None
        found.append(course.weights(after[0]))
    assert_allclose(found[0], found[1] * factors, rtol=1e-9)


@pytest.mark.parametrize(
    ("metric", "dimension", "message"),
    [
        (Chrf(), 18, "the metric takes 18 statistics, the forests have 9"),
        (BLEU, 3, "the document has 3 statistics, the metric has 9"),
    ],
)
def test_statistics_of_another_metric_are_refused(
    metric: Bleu | Chrf, dimension: int, message: str
) -> None:
    assert SMALL.bleu_forests is not None
    state = _core.KBestMiraState(np.zeros(4), np.zeros(dimension))
    with pytest.raises(DataError, match=message):
        _core.forest_mira_epoch(
            SMALL.core,
            SMALL.bleu_forests,
            metric.corpus_score(),
            np.arange(12),
            max_step=0.1,
            decay=0.9,
            hope_context=True,
            state=state,
        )


def test_options_are_checked_when_they_are_set() -> None:
    with pytest.raises(ConfigError, match=r"ForestMira\.max_step must be .*> 0, got -0\.5"):
        ForestMira(max_step=-0.5)
    with pytest.raises(ConfigError, match=r"ForestMira\.k must be a whole number >= 1, got 0"):
        ForestMira(k=0)
