"""Online learners against the equations of the paper, written out."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import brute_force
from hopefear import _core
from hopefear.candidates import ForestSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest, nbest_forest
from hopefear.learners import AnyLearner, Arow, MinRisk, Mira, OnlineLearner, OnlineSgd, Perceptron
from hopefear.learners.visit import Taught, Visit
from hopefear.learners.working_set import WorkingSet
from hopefear.metrics import Bleu, Chrf, OracleDocument, References
from hopefear.rhythm import Step
from hopefear.search import (
    Bold,
    Hope,
    Linear,
    Local,
    MaxBleu,
    NBestSearch,
    Rerank,
    Search,
)
from hopefear.types import FloatArray, Hypothesis, Vocabulary
from strategies import corpora, finite, forests, random_plan
from tuning_sets import next_state
from visits import ALL, BLEU, features_of, pair, small, texts, visit_of

ONLINE: dict[str, OnlineLearner] = {
    "perceptron": Perceptron(rate=0.05),
    "online-sgd": OnlineSgd(rate=0.05),
    "online-sgd linear": OnlineSgd(rate=0.05, search=Linear()),
    "online-sgd nbest": OnlineSgd(rate=0.05, search=NBestSearch(size=5)),
    "mira": Mira(rate=0.05),
    "mira max-bleu": Mira(rate=0.05, reference=MaxBleu()),
    "mira local": Mira(rate=0.05, reference=Local(size=3)),
    "mira bold": Mira(rate=0.05, reference=Bold()),
    "mira 10 fears": Mira(rate=0.05, fears=10, rounds=1),
    "arow": Arow(rate=0.1),
    "min-risk": MinRisk(rate=0.02),
    "min-risk annealed": MinRisk(rate=0.02, annealing=0.9),
}


def synthetic_forests(*, sentences: int = 20, seed: int = 1) -> ForestSet:
    """Forests of made-up n-best lists."""
    words, names = Vocabulary(), Vocabulary()
    for name in START:
        names.add(name)
    made, references = [], []
    for text, segment in SyntheticCandidates(sentences=sentences, size=10, seed=seed):
        references.append([text])
        made.append(nbest_forest(segment.hypotheses, words=words, feature_names=names))
    return ForestSet(made, References(references), BLEU, threads=1)


def start_of(data: ForestSet) -> FloatArray:
    return START.vector(data.feature_names)


def run(
    learner: AnyLearner, data: ForestSet, start: FloatArray, epochs: int = 5
) -> list[FloatArray]:
    state, found = learner.start(data, start, start), []
    for epoch in range(epochs):
        state = next_state(learner, data, state, (1, epoch))
        found.append(learner.weights(state))
    return found


@pytest.mark.parametrize("name", ONLINE)
def test_an_online_learner_raises_the_metric_on_what_it_learns_from(name: str) -> None:
    data = synthetic_forests()
    start = start_of(data)
    scores = [data.score(w) for w in run(ONLINE[name], data, start)]
    assert max(scores) > data.score(start) + 1.0


@pytest.mark.parametrize("name", ONLINE)
def test_a_state_can_be_continued_twice_with_the_same_result(name: str) -> None:
    data, learner = synthetic_forests(sentences=8), ONLINE[name]
    start = start_of(data)
    before = start.copy()
    state = next_state(learner, data, learner.start(data, start, start), (1, 0))
    first, second = (learner.weights(next_state(learner, data, state, (1, 1))) for _ in range(2))
    assert_array_equal(first, second)
    assert_array_equal(start, before)


@given(corpora(), small)
def test_learners_walk_through_any_forests(
    corpus: tuple[list[Forest], References], start: FloatArray
) -> None:
    data = ForestSet(*corpus, BLEU, threads=1)
    for learner in ONLINE.values():
        (w,) = run(learner, data, start, epochs=1)
        assert np.isfinite(w).all()


@given(forests(), texts, small)
def test_a_step_of_sgd_goes_from_fear_to_hope(
    forest: Forest, text: str, weights: FloatArray
) -> None:
    visit, online = visit_of(forest, [text], weights, 0.1)
    outcome = OnlineSgd(search=ALL).update(visit)
    document, example = OracleDocument(), visit.example
    (hope,) = ALL.find(example, example.scores, document, 1.0)
    (fear,) = ALL.find(example, example.scores, document, -1.0)
    step = 0.1 * (features_of(hope, 3) - features_of(fear, 3)) if outcome is not None else 0.0
    assert_allclose(online.current, weights + step, rtol=1e-12, atol=1e-12)
    assert_array_equal(visit.trial, online.current)


@given(forests(), texts, small)
def test_a_step_of_the_perceptron_goes_from_the_one_best_to_the_hope(
    forest: Forest, text: str, weights: FloatArray
) -> None:
    visit, online = visit_of(forest, [text], weights, 0.1)
    Perceptron(search=ALL).update(visit)
    (hope,) = ALL.find(visit.example, visit.example.scores, OracleDocument(), 1.0)
    difference = features_of(hope, 3) - features_of(visit.example.best, 3)
    document = OracleDocument()
    loss = hope.gain(document) - visit.example.best.gain(document)
    step = 0.1 * difference if loss - weights @ difference > 0 else 0.0
    assert_allclose(online.current, weights + step, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rate", [1e-3, 0.05, 1.0, 100.0])
def test_mira_with_one_constraint_is_its_closed_form(rate: float) -> None:
    forest = pair({"f": 1.0, "g": 2.0}, {"f": 3.0, "g": -1.0})
    weights = np.array([0.5, 0.1])
    visit, online = visit_of(forest, ["a b c d e"], weights, rate)
    Mira().update(visit)
    difference = np.array([-2.0, 3.0])
    gains = OracleDocument().gains(
        visit.example.references.statistics(["a b c d e", "a b x y z"], np.zeros(2, dtype=np.int64))
    )
    violation = gains[0] - gains[1] - weights @ difference
    tau = min(rate, violation / (difference @ difference))
    assert tau > 0
    assert_allclose(online.current, weights + tau * difference, rtol=1e-9)


@pytest.mark.parametrize("learner", [Mira(), Arow(), OnlineSgd(), Perceptron()])
def test_weights_that_meet_every_margin_stay(learner: OnlineLearner) -> None:
    forest = pair({"f": 100.0}, {"f": 0.0})
    weights = np.array([1.0])
    visit, online = visit_of(forest, ["a b c d e"], weights, 0.5)
    assert learner.update(visit) is None
    assert_array_equal(online.current, weights)


@example(random_plan(12900955, 3, 3, finite).build(), "a", np.array([0.6, 0.6, 0.0]), 2.0)
@given(forests(), texts, small, st.sampled_from([0.01, 0.3, 2.0]))
def test_cutting_planes_solve_the_problem_with_all_derivations(
    forest: Forest, text: str, weights: FloatArray, rate: float
) -> None:
    visit, online = visit_of(forest, [text], weights, rate)
    example, document, tolerance = visit.example, OracleDocument(), 1e-3
    Mira(search=ALL, tolerance=tolerance, rounds=1000).update(visit)
    hope, *others = ALL.find(example, example.scores, document, 1.0, count=200)
    working = WorkingSet(hope, document)
    for other in others:
        working.add(other)
    best = weights.copy()
    best[working.ids] += rate * working.solve(weights, visit.rates)

    def objective(w: FloatArray) -> float:
        change = w - weights
        return float(change @ change / (2 * rate) + max(0.0, working.violations(w).max()))

    assert objective(online.current) <= objective(best) + tolerance + 1e-5


def test_the_rates_of_arow_never_grow_and_only_those_of_what_moved_fall() -> None:
    data, learner = synthetic_forests(), Arow(rate=0.5, feature_rates={"noise*": 0.01})
    state = learner.start(data, start_of(data), start_of(data))
    for epoch in range(3):
        before = state.rates.copy()
        state = next_state(learner, data, state, (1, epoch))
        assert (state.rates <= before).all()
        assert (state.rates > 0).all()
    assert (state.rates < before).any()


def test_arow_is_the_update_of_the_paper() -> None:
    forest = pair({"f": 1.0, "g": 2.0}, {"f": 3.0, "g": -1.0})
    weights, sigma, confidence = np.array([0.5, 0.1]), np.array([0.2, 0.004]), 0.3
    visit, online = visit_of(forest, ["a b c d e"], weights, 1.0)
    visit.rates[:] = sigma
    outcome = Arow(confidence=confidence).update(visit)
    assert outcome is not None
    difference = np.array([-2.0, 3.0])
    alpha = min(1.0, outcome.violation / (difference @ (sigma * difference)))
    x = alpha * difference
    assert_allclose(online.current, weights + sigma * x, rtol=1e-9)
    assert_allclose(1 / visit.rates, 1 / sigma + confidence * x**2, rtol=1e-9)


def test_arow_without_confidence_is_mira() -> None:
    data = synthetic_forests(sentences=8)
    start = start_of(data)
    assert_array_equal(
        run(Arow(rate=0.05, confidence=0.0), data, start), run(Mira(rate=0.05), data, start)
    )


@given(forests(), texts, small, st.sampled_from([0.5, 1.0, 3.0]))
def test_a_step_of_minimum_risk_is_the_gradient_of_the_enumerated_risk(
    forest: Forest, text: str, weights: FloatArray, temperature: float
) -> None:
    weights = 0.02 * weights  # features are up to 100, and derivations many
    visit, online = visit_of(forest, [text], weights, 1.0, epoch=2)
    MinRisk(temperature=4.0 * temperature, annealing=0.5).update(visit)
    split = visit.example.split
    values = (split.statistics @ OracleDocument().linear_gain()).tolist()

    def expected_gain(w: FloatArray) -> float:
        scores = split.forest.score_edges(w).tolist()
        distribution = brute_force.probabilities(split.forest, scores, temperature)
        return brute_force.expectation(distribution, lambda d: brute_force.score(d, values))

    for i in range(3):
        step = 1e-6 * np.eye(3)[i]
        slope = (expected_gain(weights + step) - expected_gain(weights - step)) / 2e-6
        assert_allclose(online.current[i] - weights[i], slope, rtol=1e-5, atol=1e-5)


def test_the_weights_of_a_learner_are_the_mean_over_all_its_steps() -> None:
    data = synthetic_forests(sentences=8)
    seen: list[FloatArray] = []

    class Watched(Mira):
        def update(self, visit: Visit) -> Taught | None:
            outcome = super().update(visit)
            seen.append(np.array(visit.start))
            return outcome

    learner = Watched(rate=0.05)
    found = run(learner, data, start_of(data), epochs=3)
    assert len(seen) == 24
    assert_allclose(found[-1], np.mean(seen, axis=0), rtol=1e-9)
    last = run(replace(learner, average="none"), data, start_of(data), epochs=3)
    assert_array_equal(last[-1], seen[-1])
    late = run(replace(learner, average="late"), data, start_of(data), epochs=3)
    for epoch, mean in enumerate(late, 1):
        steps = seen[-24:][: 8 * epoch]
        expected = np.average(steps, axis=0, weights=np.arange(1, len(steps) + 1))
        assert_allclose(mean, expected, rtol=1e-9)


def test_a_perceptron_of_constant_length_turns_its_weights_and_nothing_else() -> None:
    data = synthetic_forests(sentences=8)
    start = start_of(data)
    learner = Perceptron(rate=0.2, average="none", constant_length=True)
    turned = run(learner, data, start, epochs=3)
    for w in turned:
        assert_allclose(np.linalg.norm(w), np.linalg.norm(start), rtol=1e-12)
    assert np.abs(turned[-1] - start).max() > 0.1
    shrunk = run(replace(learner, constant_length=False, rate=1e-4), data, start, epochs=1)
    assert np.linalg.norm(shrunk[0]) < np.linalg.norm(start)


def test_a_perceptron_of_constant_length_can_start_at_zero() -> None:
    data = synthetic_forests(sentences=8)
    learner = Perceptron(rate=0.2, constant_length=True)
    assert np.linalg.norm(run(learner, data, np.zeros(len(start_of(data))), epochs=1)[0]) > 0


def test_a_perceptron_of_constant_length_that_steps_to_zero_stays_there() -> None:
    # A bad and a good translation, one feature: w = 1 prefers the bad one, and the step is -1.
    texts = {"no": 1.0, "w x y z": 0.0}
    hypotheses = [Hypothesis(text=text, features={"f": value}) for text, value in texts.items()]
    forest = nbest_forest(hypotheses)
    data = ForestSet([forest], References([["w x y z"]]), BLEU, threads=1)
    learner = Perceptron(rate=1.0, average="none", constant_length=True)
    assert_array_equal(run(learner, data, np.ones(1), epochs=1), [np.zeros(1)])


SEARCHES: list[Search] = [Rerank(), Linear(), NBestSearch(size=20)]
COOLED: list[OnlineLearner] = [
    MinRisk(rate=0.02),
    *(Perceptron(search=search) for search in SEARCHES),
    *(OnlineSgd(rate=0.05, search=search) for search in SEARCHES),
    *(Mira(rate=0.05, tolerance=1.0, search=search) for search in SEARCHES),
]


@pytest.mark.parametrize("grown", COOLED)
def test_cooling_down_is_growing_weights(grown: OnlineLearner) -> None:
    """What a gain of 1/4 is to weights w, a gain of 1 is to 4 w, and so is a step."""
    data = synthetic_forests(sentences=8)
    start = start_of(data)
    cooled = replace(grown, cooling=0.25)
    if isinstance(cooled, MinRisk):
        cooled = replace(cooled, annealing=0.25)
    small = next_state(cooled, data, cooled.start(data, start, start), (1, 1))
    large = next_state(grown, data, grown.start(data, 4.0 * start, 4.0 * start), (1, 1))
    assert_array_equal(4.0 * cooled.weights(small), grown.weights(large))
    assert not np.array_equal(cooled.weights(small), start)


def test_a_temperature_that_falls_leaves_rates_and_gains_alone() -> None:
    data = synthetic_forests(sentences=3)
    learner = MinRisk(rate=0.5, annealing=0.5)
    state = learner.start(data, start_of(data), start_of(data))
    for epoch in range(3):
        state = next_state(learner, data, state, (1, epoch))
    assert set(state.rates.tolist()) == {0.5}
    assert state.document.scale == 1.0


def test_a_temperature_near_zero_still_gives_a_step() -> None:
    data = synthetic_forests(sentences=3)
    learner = MinRisk(rate=0.5, annealing=1e-9)
    state = learner.start(data, start_of(data), start_of(data))
    state = next_state(learner, data, state, (1, 40))
    assert np.isfinite(learner.weights(state)).all()


def test_the_earlier_working_set_has_ten_of_each_kind() -> None:
    """Footnote 4: the union of the 10-best, the 10 hopes and the 10 fears, solved once."""
    text, segment = next(iter(SyntheticCandidates(sentences=1, size=40, seed=1)))
    forest = nbest_forest(segment.hypotheses)
    visit, _ = visit_of(forest, [text], START.vector(forest.feature_names), 0.05)
    example, document = visit.example, visit.document
    every = ALL.find(example, example.scores, document, 0.0, count=1000)
    scores = np.array([found.derivation.score for found in every])
    gains = np.array([found.gain(document) for found in every])
    union = {
        int(i)
        for values in (scores, scores + gains, scores - gains)
        for i in np.argsort(-values, kind="stable")[:10]
    }
    taught = Mira(search=ALL, first="union", fears=10, rounds=1).update(visit)
    assert taught is not None
    hope = int(np.argmax(scores + gains))
    expected = sorted(gains[hope] - gains[i] for i in union if i != hope)
    assert_allclose(sorted(taught.losses), expected, atol=1e-12)


def test_minimum_risk_has_no_options_of_a_search() -> None:
    names = {option.name for option in fields(MinRisk)}
    assert not names & {"search", "reference"}


def test_rates_fall_once_an_epoch() -> None:
    data = synthetic_forests(sentences=3)
    learner = OnlineSgd(rate=0.5, cooling=0.5)
    state = learner.start(data, start_of(data), start_of(data))
    for epoch, rate in enumerate([0.5, 0.25, 0.125]):
        state = next_state(learner, data, state, (1, epoch))
        assert set(state.rates.tolist()) == {rate}
        assert state.document.scale == 0.5**epoch


def test_patterns_give_features_their_own_rates() -> None:
    data = synthetic_forests(sentences=2)
    names = list(data.feature_names)
    learner = OnlineSgd(rate=0.5, feature_rates={f"{names[0][:-1]}?": 0.0, names[1]: 0.1})
    state = learner.start(data, start_of(data), start_of(data))
    assert state.rates[:3].tolist() == [0.0, 0.1, 0.5]
    state = next_state(learner, data, state, (1, 0))
    assert state.weights.current[0] == start_of(data)[0]


def test_a_lesson_says_what_a_block_was_like() -> None:
    data, learner = synthetic_forests(), Mira(rate=0.05)
    start = start_of(data)
    state = learner.start(data, start, start)
    _, lesson = learner.learn(state, data, np.arange(20), Step())
    figures = lesson.figures
    assert 0 < figures.updates <= figures.sentences == 20
    assert figures.constraints >= figures.updates
    assert figures.violation > 0
    assert figures.statistics[-1] == sum(len(t.split()) for t in reference_texts())
    assert len(lesson) == 0  # nobody listens


@pytest.mark.parametrize("learner", [OnlineSgd(rate=0.05), MinRisk(rate=0.05)])
def test_what_is_heard_is_one_more_step(learner: OnlineLearner) -> None:
    data = synthetic_forests()
    start = start_of(data)
    state = learner.start(data, start, start)
    lessons = {i: learner.learn(state, data, np.array([i]), Step(shared=True))[1] for i in range(9)}
    told, own = [i for i, lesson in lessons.items() if len(lesson)][:2]
    (taught,) = lessons[told].taught(len(start))
    alone, _ = learner.learn(state, data, np.array([own]), Step())
    moved, _ = learner.learn(state, data, np.array([own]), Step(), [lessons[told]])
    step = np.zeros(len(start))
    step[taught.ids] = 0.05 * taught.rows[0]
    assert_allclose(moved.weights.current - alone.weights.current, step, atol=1e-12)


def reference_texts() -> list[str]:
    return [text for text, _ in SyntheticCandidates(sentences=20, size=10, seed=1)]


def test_hope_and_fear_are_searched_for_by_bleu_alone() -> None:
    forest = nbest_forest([Hypothesis(text="a", features={"f": 1.0})])
    for metric in (Chrf(), Bleu()):
        data = ForestSet([forest], References([["a"]]), metric)
        with pytest.raises(ConfigError, match="by BLEU with tokenize = 'none'"):
            Mira().start(data, np.zeros(1), np.zeros(1))


def test_sentences_without_a_forest_are_left_out() -> None:
    forest = pair({"f": 1.0}, {"f": 3.0})
    data = ForestSet([None, forest], References([["a"], ["a b c d e"]]), BLEU, threads=1)
    (w,) = run(Mira(), data, np.zeros(1), epochs=1)
    assert w[0] < 0


def test_new_features_begin_at_zero_and_count_from_the_beginning() -> None:
    online = _core.OnlineWeights(np.array([1.0]))
    online.count()
    online = online.grown(2)
    online.add(np.array([1], dtype=np.int32), np.array([4.0]), 1.0)
    online.count()
    assert online.current.tolist() == [1.0, 4.0]
    assert online.average().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0.0}, "Mira.rate must be .*> 0"),
        ({"decay": 2.0}, "Mira.decay must be .*<= 1"),
        ({"rounds": 0}, "Mira.rounds"),
        ({"fears": 0}, "Mira.fears"),
        ({"tolerance": -1.0}, "Mira.tolerance"),
        ({"feature_rates": {"lm": -1.0}}, "Mira.feature_rates: 'lm' must be >= 0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Mira(**options)
    assert isinstance(Mira().reference, Hope)
    assert isinstance(Mira().search, Rerank)


def test_a_step_moves_each_weight_by_its_rate_and_a_copy_follows() -> None:
    start, rates = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 0.1])
    online, copy = _core.OnlineWeights(start), np.array([7.0, 7.0, 7.0])
    ids, x = np.array([0, 2], dtype=np.int32), np.array([4.0, -2.0])
    online.step(ids, x, rates, copy)
    assert online.current.tolist() == [3.0, 2.0, 2.8]
    assert copy.tolist() == [3.0, 7.0, 2.8]
    for known, held in ((rates[:2], copy), (rates, copy[:2])):
        with pytest.raises(DataError, match="feature 2 has no weight"):
            online.step(ids, x, known, held)
