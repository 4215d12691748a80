"""The built-in decoder in the loop: forests under any weights, from parses that are made once."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hopefear.candidates import DecodedSet, Parses, write_parses
from hopefear.forest import Forest
from hopefear.formats.files import Tell
from hopefear.formats.forests.store import ForestStore
from hopefear.learners import AnyLearner, Arow, MinRisk, Mira, OnlineSgd, Perceptron
from hopefear.nbest import NBest
from hopefear.search import Linear, NBestSearch
from hopefear.translation import Decoder
from hopefear.types import FloatArray, Weights
from small_models import START, small_corpus, small_decoder, small_set
from tuning_sets import course_of, next_state


@pytest.fixture
def data(tmp_path: Path) -> DecodedSet:
    return small_set(tmp_path)


def start_of(data: DecodedSet) -> FloatArray:
    return START.vector(data.feature_names)


@pytest.mark.parametrize("weights", [START, Weights({"lm": 1.0, "p": 1.0})])
def test_forests_and_translations_are_those_of_the_decoder(
    data: DecodedSet, tmp_path: Path, weights: Weights
) -> None:
    decoder = small_decoder(tmp_path).with_weights(weights)
    source, _ = small_corpus(12)
    w = weights.vector(data.feature_names)
    texts = data.texts(w)
    for number, words in enumerate(source):
        forest = data.forest(number, w)
        assert forest is not None
        best = decoder.forest(words).viterbi(weights)
        assert forest.viterbi(w).score == pytest.approx(best.score, abs=1e-9)
        assert texts[number] == forest.viterbi(w).text
    assert_array_equal(data.chosen(w), data.prepared.statistics(texts).sum(axis=0))


def test_lists_hold_the_best_translations(data: DecodedSet) -> None:
    w = start_of(data)
    lists = data.kbest_lists(w, 5)
    assert lists.nbest.sentence_count == 12
    for number, text in enumerate(data.texts(w)):
        rows = lists.nbest.rows(number)
        texts = [lists.nbest.text(row) for row in rows]
        assert texts[0] == text
        assert len(set(texts)) == len(texts) <= 5
        forest = data.forest(number, w)
        assert forest is not None
        assert lists.nbest.features_of(rows[0]) == forest.viterbi(w).features
    some = data.subset([2, 7]).kbest_lists(w, 5)
    assert np.flatnonzero(np.diff(some.nbest.offsets)).tolist() == [2, 7]


def test_any_number_of_threads_gives_the_same_lists(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = small_set(tmp_path / "one"), small_set(tmp_path / "two", threads=2)
    w = start_of(one)
    assert one.texts(w) == two.texts(w)
    first, second = one.kbest_lists(w, 9).nbest, two.kbest_lists(w, 9).nbest
    assert_array_equal(first.offsets, second.offsets)
    assert [first.text(i) for i in range(len(first))] == [
        second.text(i) for i in range(len(second))
    ]


ONLINE: list[AnyLearner] = [
    Perceptron(rate=0.05),
    OnlineSgd(rate=0.05),
    OnlineSgd(rate=0.05, search=NBestSearch(size=20)),
    Mira(rate=0.05),
    Mira(rate=0.05, search=Linear()),
    Arow(rate=0.05),
    MinRisk(rate=0.05),
]


@pytest.mark.parametrize("learner", ONLINE, ids=lambda learner: type(learner).__name__)
def test_online_learners_learn_to_translate(data: DecodedSet, learner: AnyLearner) -> None:
    w = start_of(data)
    state, scores = learner.start(data, w, w), [data.score(w)]
    for epoch in range(4):
        state = next_state(learner, data, state, (1, epoch))
        scores.append(data.score(learner.weights(state)))
    assert max(scores) > scores[0] + 5.0


def test_a_limit_of_memory_changes_nothing(tmp_path: Path) -> None:
    data = small_set(tmp_path)
    decoder = small_decoder(tmp_path)
    store = ForestStore.open(tmp_path / "parses.forests", feature_names=data.feature_names)
    rescorer = decoder.rescorer()
    parses = Parses(store, rescorer, memory_limit=20_000)
    _, references = small_corpus(12)
    limited = DecodedSet(parses, rescorer, references, data.metric, threads=1)
    w = start_of(data)
    for _ in range(2):
        assert limited.texts(w) == data.texts(w)


def test_scaled_data_chooses_the_same_with_scaled_weights(data: DecodedSet) -> None:
    w, unit, names = start_of(data), data.feature_unit, data.feature_names
    assert data.scaled.texts(w * unit) == data.texts(w)
    forest, scaled = data.forest(0, w), data.scaled.forest(0, w * unit)
    assert forest is not None
    assert scaled is not None
    best, scaled_best = forest.viterbi(w), scaled.viterbi(w * unit)
    assert_allclose(scaled_best.score, best.score, rtol=1e-9)
    expected = {name: value / unit[names.find(name)] for name, value in best.features.items()}
    assert scaled_best.features == pytest.approx(expected)


def test_a_sentence_without_words_has_no_forest_and_an_empty_translation(tmp_path: Path) -> None:
    data = small_set(tmp_path, sentences=3)
    decoder = small_decoder(tmp_path)
    source, references = small_corpus(3)
    source[1] = []
    write_parses(tmp_path / "gaps.forests", decoder, source)
    rescorer = decoder.rescorer()
    store = ForestStore.open(tmp_path / "gaps.forests", feature_names=data.feature_names)
    gaps = DecodedSet(Parses(store, rescorer), rescorer, references, data.metric)
    w = start_of(data)
    assert gaps.forest(1, w) is None
    assert gaps.texts(w)[1] == ""
    lists = gaps.kbest_lists(w, 3)
    assert [lists.nbest.text(row) for row in lists.nbest.rows(1)] == [""]
    assert_array_equal(lists.first, gaps.chosen(w))


def test_lists_of_scaled_data_have_scaled_features(data: DecodedSet) -> None:
    w, unit = start_of(data), data.feature_unit
    plain, scaled = data.kbest_lists(w, 5).nbest, data.scaled.kbest_lists(w * unit, 5).nbest
    assert contents(scaled, unit) == contents(plain, np.ones_like(unit))


def contents(lists: NBest, unit: FloatArray) -> list[tuple[str, dict[str, float]]]:
    units = dict(zip(lists.feature_names, unit.tolist(), strict=True))
    found = []
    for row in range(len(lists)):
        features = lists.features_of(row).items()
        found.append((lists.text(row), {name: round(v * units[name], 9) for name, v in features}))
    return found


def test_online_learners_learn_from_scaled_features(data: DecodedSet) -> None:
    w = start_of(data)
    course = course_of(Mira(rate=0.05), data, w, scaled=True)
    state, scores = course.start(w), [data.score(w)]
    for number in range(4):
        found = course.epoch(state, number, lambda done, total: None)
        assert found is not None
        state = found[0]
        scores.append(data.score(course.weights(state)))
    assert max(scores) > scores[0] + 5.0


def test_parses_that_are_finished_survive_an_interruption(tmp_path: Path) -> None:
    decoder = small_decoder(tmp_path)
    source, _ = small_corpus(6)
    write_parses(tmp_path / "whole.forests", decoder, source, threads=1)
    path = tmp_path / "parses" / "own.forests"

    def interrupt_at(last: int) -> Tell:
        def tell(stage: str, done: int, total: int) -> None:
            if done == last:
                raise KeyboardInterrupt

        return tell

    with pytest.raises(KeyboardInterrupt):
        write_parses(path, decoder, source, threads=1, tell=interrupt_at(3))
    assert [file.name for file in path.parent.iterdir()] == ["own.unfinished"]
    assert list(ForestStore.open([path.with_suffix(".unfinished")])) == [0, 1, 2]
    # An interruption before the old ones are copied loses none of them.
    with pytest.raises(KeyboardInterrupt):
        write_parses(path, decoder, source, threads=1, tell=interrupt_at(1))
    assert list(ForestStore.open([path.with_suffix(".unfinished")])) == [0, 1, 2]

    parsed: list[Sequence[str]] = []
    whole = decoder.parse_all

    class Watched:
        def parse_all(self, sentences: Iterable[Sequence[str]], **options: Any) -> Iterator[Forest]:
            found = list(sentences)
            parsed.extend(found)
            return iter(whole(found, **options))

    write_parses(path, cast(Decoder, Watched()), source, threads=1)
    assert parsed == source[3:]
    assert [file.name for file in path.parent.iterdir()] == ["own.forests"]
    assert path.read_bytes() == (tmp_path / "whole.forests").read_bytes()


def test_runs_that_begin_together_parse_once(tmp_path: Path) -> None:
    decoder = small_decoder(tmp_path)
    source, _ = small_corpus(6)
    path = tmp_path / "parses" / "shared.forests"
    second = Thread(target=lambda: write_parses(path, cast(Decoder, Never()), source, threads=1))

    class Never:
        def parse_all(self, sentences: object, **options: Any) -> Iterator[Forest]:
            raise AssertionError("these sentences are being parsed already")

    def begin_another(stage: str, done: int, total: int) -> None:
        if done == 1:
            second.start()

    write_parses(path, decoder, source, threads=1, tell=begin_another)
    second.join()
    assert list(ForestStore.open([path])) == [0, 1, 2, 3, 4, 5]
    assert [file.name for file in path.parent.iterdir()] == ["shared.forests"]


def test_a_failure_before_the_first_parse_leaves_nothing(tmp_path: Path) -> None:
    class Broken:
        def parse_all(self, sentences: object, **options: Any) -> Iterator[Forest]:
            return (self.interrupt() for _ in range(1))

        def interrupt(self) -> Forest:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parses(tmp_path / "own" / "a.forests", cast(Decoder, Broken()), [["a"]])
    assert list((tmp_path / "own").iterdir()) == []
