"""The course of a run: decodings, rhythm, scaled features, strategies."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hopefear.candidates import ForestSet, ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import EpochFinished, RunFinished, RunStarted
from hopefear.forest import nbest_forest
from hopefear.learners import (
    AnyLearner,
    ForestMira,
    KBestMira,
    Mert,
    Mira,
    Oro,
    Rampion,
    Sgd,
    StructuredSvm,
    is_scale_free,
)
from hopefear.learners.oro import Ranking
from hopefear.metrics import Bleu, References, TextMetric, Wer
from hopefear.nbest import NBestBuilder
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.runs.course import Decodings, DecodingState, Passes
from hopefear.runs.loop import About, learn
from hopefear.types import FloatArray, Vocabulary
from tuning_sets import (
    FOREST_START,
    course_of,
    next_state,
    start_vector,
    synthetic_forests,
    synthetic_set,
)


def quiet(done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Scripted:
    """Offers one weight vector after the other, and remembers what it was asked."""

    offers: Sequence[FloatArray]
    steps: list[Step] = field(default_factory=list)
    origins: list[FloatArray] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)

    rhythm: ClassVar[Rhythm] = Rhythm()

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> int:
        self.origins.append(origin)
        self.seen.append(len(data.nbest))
        return 0

    def learn(
        self, state: int, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[int, None]:
        self.steps.append(step)
        return state + 1, None

    def weights(self, state: int) -> FloatArray:
        return self.offers[state - 1]


class Counted(ForestSet):
    """Forests that count how often they were listed."""

    listed = 0

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        self.listed += 1
        return super().kbest_lists(weights, k)

    def chosen(self, weights: FloatArray) -> FloatArray:
        raise AssertionError("the lists tell what is best")


def forests(metric: TextMetric) -> Counted:
    data = synthetic_forests(sentences=6, longest=6)
    return Counted(data.forests, data.references, metric, threads=1)


def decode(learner: Scripted, data: ForestSet, decodings: int = 1, **changes: Any) -> DecodingState:
    rhythm = Rhythm(epochs=len(learner.offers), list_size=10, **changes)
    start = FOREST_START.vector(data.feature_names)
    course = course_of(learner, data, start, seed=5, rhythm=rhythm)
    assert isinstance(course, Decodings)
    state = course.start(start)
    for number in range(decodings):
        found = course.epoch(state, number, quiet)
        state = state if found is None else found[0]
    return state


def random_offers(count: int) -> list[FloatArray]:
    return list(np.random.default_rng(1).normal(size=(count, len(FOREST_START))))


@pytest.mark.parametrize("metric", [Bleu(tokenize="none"), Wer()])
def test_of_the_epochs_on_a_list_the_best_is_handed_on(metric: TextMetric) -> None:
    offers = random_offers(6)
    found = decode(Scripted(offers), forests(metric))
    assert found.lists is not None
    scores = [found.lists.score(w) for w in offers]
    assert len(set(scores)) > 3
    best = int(np.argmax(scores) if metric.higher_is_better else np.argmin(scores))
    assert_array_equal(found.weights, offers[best])


def test_each_weights_are_decoded_once_to_be_scored_and_learned_from() -> None:
    data = forests(Bleu(tokenize="none"))
    rhythm = Rhythm(epochs=3, list_size=10, decodings=4, lists="replaced")
    start = FOREST_START.vector(data.feature_names)
    course = course_of(KBestMira(), data, start, rhythm=rhythm)
    *_, finished = learn(course, FOREST_START, About(name="kbest-mira"))
    assert isinstance(finished, RunFinished)
    assert (finished.epochs, data.listed) == (4, 5)
    plain = ForestSet(data.forests, data.references, Bleu(tokenize="none"))
    assert finished.tuning_score == plain.score(finished.weights.vector(data.feature_names))


def test_or_the_last_one_if_the_rhythm_says_so() -> None:
    offers = random_offers(6)
    found = decode(Scripted(offers), forests(Wer()), keep="last")
    assert_array_equal(found.weights, offers[-1])


def test_every_epoch_of_the_run_has_random_numbers_of_its_own() -> None:
    learner = Scripted(random_offers(3))
    decode(learner, forests(Wer()), decodings=2)
    assert [step.entropy for step in learner.steps] == [(5, number) for number in range(6)]


def test_a_schedule_starts_anew_at_each_decoding() -> None:
    learner = Scripted(random_offers(3))
    decode(learner, forests(Wer()), decodings=2)
    assert [step.epoch for step in learner.steps] == [0, 1, 2, 0, 1, 2]
    assert {step.epochs for step in learner.steps} == {3}


@pytest.mark.parametrize(
    "learner", [Oro(rate=0.2, decay=0.5), Sgd(rate=0.05, decay=0.2, averaged=False)]
)
def test_a_learner_with_a_schedule_keeps_learning_in_later_decodings(learner: AnyLearner) -> None:
    data = synthetic_forests(sentences=8, longest=6)
    start = FOREST_START.vector(data.feature_names)
    rhythm = Rhythm(epochs=12, list_size=10, decodings=3, lists="replaced", keep="last")
    course = course_of(learner, data, start, rhythm=rhythm)
    state, moves = course.start(start), []
    for number in range(3):
        found = course.epoch(state, number, quiet)
        assert found is not None
        moves.append(float(np.linalg.norm(course.weights(found[0]) - course.weights(state))))
        state = found[0]
    # A schedule that had run out would move the weights by 0.5^12 or 0.2^12 of the first time.
    assert min(moves[1:]) > 1e-3 * moves[0]


def test_lists_are_merged_or_replaced() -> None:
    for lists, grows in (("merged", True), ("replaced", False)):
        learner, data = Scripted(random_offers(1)), forests(Wer())
        decode(learner, data, decodings=2, lists=lists)
        assert learner.seen[0] <= 10 * data.sentence_count
        assert (learner.seen[1] > learner.seen[0]) == grows


def test_the_start_that_is_pulled_to_is_that_of_the_run_or_of_the_decoding() -> None:
    offers = random_offers(1)
    start = FOREST_START.vector(forests(Wer()).feature_names)
    for origin, second in (("kept", start), ("moved", offers[0])):
        learner = Scripted(offers)
        decode(learner, forests(Wer()), decodings=2, origin=origin)
        assert_array_equal(learner.origins[0], start)
        assert_array_equal(learner.origins[1], second)


def test_weights_that_stay_are_not_listed_again() -> None:
    data = forests(Wer())
    w = FOREST_START.vector(data.feature_names)
    state = decode(Scripted([w * (1 + 1e-9)]), data, decodings=3)
    assert (data.listed, state.converged) == (1, True)
    decode(Scripted([w * -1.0]), data, decodings=2)
    assert data.listed == 3


def test_lists_grow_by_what_is_new_until_nothing_is() -> None:
    data = synthetic_forests()
    start = FOREST_START.vector(data.feature_names)
    rhythm = Rhythm(epochs=3, list_size=5, decodings=50)
    course = course_of(KBestMira(), data, start, rhythm=rhythm)
    state, sizes = course.start(start), []
    for number in range(course.epochs):
        found = course.epoch(state, number, quiet)
        if found is None:
            break
        state = found[0]
        sizes.append(len(state.lists.nbest))
    assert len(sizes) < course.epochs
    assert sizes[0] == 5 * data.sentence_count
    assert sizes == sorted(set(sizes))


def test_the_loop_says_of_forests_what_it_says_of_lists() -> None:
    data, dev = synthetic_forests(), synthetic_forests(seed=2)
    start = FOREST_START.vector(data.feature_names)
    rhythm = Rhythm(epochs=5, list_size=20, decodings=3)
    course = course_of(KBestMira(), data, start, rhythm=rhythm)
    events = list(learn(course, FOREST_START, About(name="kbest-mira"), dev=dev))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.dev_score is not None
    assert finished.dev_score > dev.score(FOREST_START.vector(dev.feature_names))
    assert sum(isinstance(event, EpochFinished) for event in events) == finished.epochs


def test_sentences_are_visited_as_given_or_in_random_order() -> None:
    data = synthetic_set()
    start = start_vector(data)
    orders: list[list[int]] = []

    @dataclass(frozen=True)
    class Watching(Scripted):
        def learn(
            self, state: int, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
        ) -> tuple[int, None]:
            orders.append(block.tolist())
            return super().learn(state, data, block, step)

    for order in ("given", "random"):
        rhythm = Rhythm(epochs=1, order=order, block=5)
        next_state(Watching([start] * 5), data, 0, (1, 0), rhythm=rhythm)
    everything = list(range(data.sentence_count))
    given, shuffled = (list(chain(*part)) for part in (orders[:5], orders[5:]))
    assert given == everything
    assert shuffled != everything
    assert sorted(shuffled) == everything


def test_rampion_in_the_given_order_does_not_depend_on_the_seed() -> None:
    data = synthetic_set()
    start = start_vector(data)
    learner, found = Rampion(rate=0.01), []
    for seed in (1, 2):
        state = learner.start(data, start, start)
        rhythm = replace(learner.rhythm, order="given")
        found.append(learner.weights(next_state(learner, data, state, (seed, 0), rhythm=rhythm)))
    assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("loss", ["hinge", "softmax"])
@pytest.mark.parametrize("line_search", [False, True])
def test_a_single_block_is_that_of_the_lists_under_the_weights(
    loss: Literal["hinge", "softmax"], line_search: bool
) -> None:
    data = synthetic_forests(sentences=8, longest=6)
    w = FOREST_START.vector(data.feature_names)
    learner = Oro(loss=loss)
    rhythm = Rhythm(block=100, line_search=line_search, list_size=10, lists="block")
    batch, whole = (
        next_state(learner, source, Ranking(w, w), (1, 0), rhythm=rhythm)
        for source in (data, data.kbest_lists(w, 10))
    )
    assert_array_equal(batch.weights, whole.weights)


def test_blocks_have_lists_under_weights_of_their_own() -> None:
    data = synthetic_forests(sentences=8, longest=6)
    w = FOREST_START.vector(data.feature_names)
    seen: list[tuple[list[int], FloatArray]] = []

    class Watched(ForestSet):
        def kbest_lists(self, weights: FloatArray, k: int, **options: Any) -> ListSet:
            present = [i for i, forest in enumerate(self.forests) if forest is not None]
            seen.append((present, weights))
            return super().kbest_lists(weights, k, **options)

    watched = synthetic_forests(sentences=8, longest=6)
    watched.__class__ = Watched
    rhythm = Rhythm(block=2, line_search=True, list_size=10, lists="block")
    found = next_state(Oro(), watched, Ranking(w, w), (1, 0), rhythm=rhythm)
    assert sorted(sentence for block, _ in seen for sentence in block) == list(range(8))
    assert len(seen) == 4
    assert all((a[1] != b[1]).any() for a, b in pairwise(seen))
    assert data.score(found.weights) >= data.score(w)


def test_a_line_search_from_zero_leaves_it() -> None:
    """At zero the first hypothesis of a list counts as the best, and a decoder writes it first."""
    data = synthetic_set()
    best = data.nbest.best(start_vector(data), gains=data.gains, gain_scale=1000.0)
    ordered = NBestBuilder(feature_names=data.feature_names)
    for sentence in range(data.sentence_count):
        rows = list(data.nbest.rows(sentence))
        for row in sorted(rows, key=lambda row: row != best[sentence]):
            ordered.add(sentence, data.nbest.text(row), data.nbest.features_of(row))
    nbest = ordered.finish(data.sentence_count)
    statistics = data.nbest.statistics
    assert statistics is not None
    order = [
        r
        for i in range(data.sentence_count)
        for r in sorted(data.nbest.rows(i), key=lambda row: row != best[i])
    ]
    nbest.set_statistics(statistics[order])
    lists, zero = replace(data, nbest=nbest), np.zeros(len(data.feature_names))
    direction = start_vector(data)
    assert lists.score(zero) > lists.score(direction)
    assert_array_equal(lists.line_search(zero, direction), direction)


def scaled_weights(learner: AnyLearner, data: ListSet, start: FloatArray) -> FloatArray:
    rhythm = replace(learner.rhythm, epochs=3, line_search=False)
    course = course_of(learner, data, start, rhythm=rhythm, scaled=True)
    state = course.start(start)
    for number in range(3):
        found = course.epoch(state, number, quiet)
        state = state if found is None else found[0]
    return course.weights(state)


@pytest.mark.parametrize("learner", [KBestMira(), Oro(), Mert(restarts=1)])
def test_scaled_features_make_their_units_irrelevant(learner: AnyLearner) -> None:
    """Powers of two, so that nothing is rounded."""
    data = synthetic_set()
    start = start_vector(data)
    factors = np.array([1024.0, 1.0, 0.125, 2.0, 4.0])
    other = replace(data, nbest=data.nbest.scaled(factors))
    expected = scaled_weights(learner, data, start)
    found = scaled_weights(learner, other, start / factors) * factors
    if is_scale_free(learner):
        # Its weights are handed over with the norm 1, which depends on the units.
        assert_allclose(found / np.abs(found).sum(), expected, rtol=1e-12)
    else:
        assert_array_equal(found, expected)


def test_scaled_features_have_unit_spread() -> None:
    assert_allclose(synthetic_set().scaled.feature_spread, 1.0, rtol=1e-12)


def test_a_feature_without_spread_is_not_scaled() -> None:
    data = synthetic_set()
    flat = replace(data, nbest=data.nbest.scaled(np.array([1.0, 0.0, 1.0, 1.0, 1.0])))
    assert flat.feature_unit[1] == 1.0


def test_weights_score_scaled_features_as_they_score_the_original_ones() -> None:
    data = synthetic_set()
    w = np.array([0.5, 1.0, -1.0, 2.0, 0.25])
    inside = data.scaled.nbest.scores(w * data.feature_unit)
    assert_allclose(inside, data.nbest.scores(w), rtol=1e-12)


def test_lists_that_a_decoder_makes_can_be_scaled() -> None:
    data = synthetic_forests()
    start = FOREST_START.vector(data.feature_names)
    rhythm = Rhythm(epochs=3, list_size=20, decodings=2)
    course = course_of(KBestMira(), data, start, rhythm=rhythm, scaled=True)
    found = course.epoch(course.start(start), 0, quiet)
    assert found is not None
    assert data.score(course.weights(found[0])) > data.score(start)


def test_a_learner_that_has_nothing_left_to_learn_ends_the_course() -> None:
    data = synthetic_set(sentences=3, size=2)
    start = start_vector(data)
    course = course_of(StructuredSvm(tolerance=1e9), data, start, scaled=True)
    assert isinstance(course, Passes)
    assert course.epoch(course.start(start), 0, quiet) is None


def test_forest_mira_learns_from_scaled_forests() -> None:
    data = synthetic_forests()
    start = FOREST_START.vector(data.feature_names)
    course = course_of(ForestMira(), data, start, scaled=True)
    state = course.start(start)
    for number in range(5):
        found = course.epoch(state, number, quiet)
        assert found is not None
        state = found[0]
    assert data.score(course.weights(state)) > data.score(start) + 5.0


def forest_set(names: Vocabulary, *, seed: int) -> ForestSet:
    words, made, references = Vocabulary(), [], []
    for text, segment in SyntheticCandidates(sentences=15, size=10, seed=seed):
        references.append([text])
        made.append(nbest_forest(segment.hypotheses, words=words, feature_names=names))
    return ForestSet(made, References(references), Bleu(tokenize="none"), threads=1)


def test_an_epoch_tells_how_learning_goes() -> None:
    data = forest_set(Vocabulary(), seed=1)
    first = START.vector(data.feature_names)
    course = course_of(Mira(rate=0.05), data, first, rhythm=Rhythm(epochs=3))
    told = list(learn(course, START, About(name="mira")))
    started, *epochs, finished = told
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert len(epochs) == 3
    for epoch in epochs:
        assert isinstance(epoch, EpochFinished)
        assert epoch.updates is not None
        assert epoch.working_set is not None
        assert epoch.working_set * 15 >= epoch.updates
        assert epoch.sentences_per_second is not None
        assert epoch.sentences_per_second > 0
        assert epoch.length_ratio is not None
        assert 0.5 < epoch.length_ratio < 1.5
        # Without held-out data the weights themselves are measured.
        assert epoch.tuning_score == data.score(epoch.weights.vector(data.feature_names))


def test_with_held_out_data_the_tuning_score_is_that_of_the_translations_on_the_way() -> None:
    names = Vocabulary()
    data, dev = forest_set(names, seed=1), forest_set(names, seed=2)
    first = START.vector(names)
    course = course_of(Mira(rate=0.05), data, first)
    told = learn(course, START, About(name="mira"), dev=dev)
    next(told)
    found = course.epoch(course.start(first), 0, lambda done, total: None)
    assert found is not None
    figures = found[1].figures
    assert figures is not None
    epoch = next(told)
    assert isinstance(epoch, EpochFinished)
    assert epoch.tuning_score == data.metric.score(figures.statistics)
    statistics = dev.chosen(epoch.weights.vector(names))
    assert epoch.dev_score == dev.metric.score(statistics)
    assert epoch.length_ratio == Bleu(tokenize="none").length_ratio(statistics)


def test_a_learner_of_scaled_features_tells_the_same() -> None:
    data = forest_set(Vocabulary(), seed=1)
    first = START.vector(data.feature_names)
    course = course_of(Mira(rate=0.05), data, first, scaled=True)
    found = course.epoch(course.start(first), 0, lambda done, total: None)
    assert found is not None
    figures = found[1].figures
    assert figures is not None
    assert figures.sentences == data.sentence_count
