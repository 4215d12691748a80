"""The papers' outer loops around a decoder, each against a few lines of its own.

What one decoding lists, and what a learner makes of one list, have tests of their own. Here it is
which lists a learner sees, under which weights they were made, and which weights are handed on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hopefear.candidates import ForestSet, HasLists, ListSet, Translations
from hopefear.learners import AnyLearner, Pro
from hopefear.learners.oro import Ranking
from hopefear.metrics import Bleu
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.runs.options import build_settings
from hopefear.types import FloatArray, Vocabulary
from small_models import START, small_corpus, small_set
from tuning_sets import FOREST_START, course_of, synthetic_forests

K = 12
Entry = tuple[str, tuple[float, ...]]


class Decoder(ForestSet):
    """A decoder that remembers under which weights it was asked for lists, and what it gave."""

    asked: list[FloatArray]

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        self.asked.append(weights)
        return super().kbest_lists(weights, k)


def decoder() -> Decoder:
    data = synthetic_forests(sentences=8, longest=6)
    made = Decoder(data.forests, data.references, Bleu(tokenize="none"), threads=1)
    made.asked = []
    return made


def preset(name: str) -> tuple[AnyLearner, Rhythm]:
    around = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    settings = build_settings(name, around)
    return settings.learner, replace(settings.rhythm, list_size=K)


def handed_on(
    learner: AnyLearner, rhythm: Rhythm, data: HasLists, decodings: int
) -> list[FloatArray]:
    """The weights before the first decoding, and after each."""
    start = FOREST_START.vector(data.feature_names)
    course = course_of(learner, data, start, seed=3, rhythm=rhythm)
    state, found = course.start(start), [start]
    for number in range(decodings):
        after = course.epoch(state, number, lambda done, total: None)
        assert after is not None
        state = after[0]
        found.append(course.weights(state))
    return found


def matrix(lists: ListSet) -> FloatArray:
    rows = range(len(lists.nbest))
    names = list(lists.feature_names)
    return np.array([[lists.nbest.features_of(r).get(n, 0.0) for n in names] for r in rows])


def entries(lists: ListSet) -> list[set[Entry]]:
    h = matrix(lists).round(6)
    return [
        {(lists.nbest.text(r), tuple(h[r])) for r in lists.nbest.rows(i)}
        for i in range(lists.sentence_count)
    ]


def rampion(
    data: ForestSet, theta_0: FloatArray, *, iterations: int, eta: float, c: float, alpha: float
) -> Iterable[FloatArray]:
    """Algorithm 1 of Gimpel and Smith (2012), line by line, with T′ = 10 and T″ = 5."""
    theta, n = theta_0.copy(), data.sentence_count
    for _ in range(iterations):
        lists = data.kbest_lists(theta, K)
        h, cost = matrix(lists), alpha * lists.costs
        rows = [np.array(lists.nbest.rows(i)) for i in range(n)]
        for _ in range(10):
            plus = [r[np.argmax(h[r] @ theta - cost[r])] for r in rows]
            for _ in range(5):
                for i in range(n):
                    minus = rows[i][np.argmax(h[rows[i]] @ theta + cost[rows[i]])]
                    theta = theta - eta * c * (theta - theta_0) / n
                    theta = theta + eta * (h[plus[i]] - h[minus])
        yield theta


def test_rampion_stays_as_far_from_the_start_as_in_algorithm_1() -> None:
    learner, rhythm = preset("gimpel2012-rampion")
    data = decoder()
    found = handed_on(learner, rhythm, data, 6)
    expected = list(rampion(data, found[0], iterations=6, eta=0.0001, c=1.0, alpha=10.0))
    for w, theta in zip(found[1:], expected, strict=True):
        assert_allclose(w, theta, rtol=1e-9, atol=1e-12)
    # The start is that of the run: the distance from it is no sum of what decodings moved.
    distances = [np.linalg.norm(theta - found[0]) for theta in expected]
    assert distances[-1] > distances[0] > 0


@dataclass(frozen=True)
class Watched:
    """A learner of lists, and what it was given at each decoding."""

    learner: AnyLearner
    seen: list[ListSet] = field(default_factory=list)
    starts: list[FloatArray] = field(default_factory=list)

    scale_free: ClassVar[bool] = False
    rhythm: ClassVar[Rhythm] = Rhythm()

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> Any:
        self.seen.append(data)
        self.starts.append(weights)
        return self.learner.start(data, weights, origin)

    def learn(
        self, state: Any, data: ListSet, block: Block, step: Step, heard: Sequence[Any] = ()
    ) -> tuple[Any, Any]:
        return self.learner.learn(state, data, block, step, heard)

    def weights(self, state: Any) -> FloatArray:
        return self.learner.weights(state)


@pytest.mark.parametrize("name", ["gimpel2012-pro", "moses-pro", "chiang2012-mert-small"])
def test_pro_and_mert_see_all_that_was_listed_so_far_and_go_on_from_their_weights(
    name: str,
) -> None:
    learner, rhythm = preset(name)
    watched, data = Watched(learner), decoder()
    found = handed_on(watched, rhythm, data, 3)
    fresh = decoder()
    together: list[set[Entry]] = [set() for _ in range(data.sentence_count)]
    for i in range(3):
        assert_allclose(data.asked[i], found[i])
        assert_allclose(watched.starts[i], found[i])
        for known, new in zip(together, entries(fresh.kbest_lists(found[i], K)), strict=True):
            known |= new
        assert entries(watched.seen[i]) == together


def test_rampion_sees_the_last_list_alone() -> None:
    learner, rhythm = preset("gimpel2012-rampion")
    watched, data = Watched(learner), decoder()
    found = handed_on(watched, rhythm, data, 3)
    for i in range(3):
        assert entries(watched.seen[i]) == entries(decoder().kbest_lists(found[i], K))


def test_pro_has_one_classifier_a_decoding_of_which_it_takes_a_tenth() -> None:
    learner, rhythm = preset("gimpel2012-pro")
    assert isinstance(learner, Pro)
    watched = Watched(learner)
    found = handed_on(watched, rhythm, decoder(), 3)
    for i in range(3):
        alone = replace(learner, interpolation=1.0)
        step = Step(entropy=(3, i))
        block = np.arange(watched.seen[i].sentence_count)
        (classifier, _), _ = alone.learn((found[i], found[0]), watched.seen[i], block, step)
        assert_allclose(found[i + 1], 0.1 * classifier + 0.9 * found[i], rtol=1e-9)


def test_mert_hands_on_the_best_weights_of_all_that_was_listed_with_norm_one() -> None:
    learner, rhythm = preset("moses-mert")
    data = decoder()
    w = FOREST_START.vector(data.feature_names)
    lists: ListSet | None = None
    found = handed_on(learner, rhythm, ListsOnly(data), 3)
    for i in range(3):
        listed = data.kbest_lists(w, K)
        lists = listed if lists is None else lists.merged(listed)
        step = Step(entropy=(3, i))
        best, _ = learner.learn(learner.start(lists, w, w), lists, np.arange(8), step)
        w = learner.weights(best)
        w = w / np.abs(w).sum()
        assert_allclose(found[i + 1], w, rtol=1e-9)


def test_mert_on_forests_sees_those_of_the_last_decoding_alone(tmp_path: Path) -> None:
    learner, rhythm = preset("watanabe2012-mert")
    data = small_set(tmp_path)
    w = START.vector(data.feature_names)
    course = course_of(learner, data, w, seed=3, rhythm=rhythm)
    state = course.start(w)
    for i in range(2):
        # Algorithm 1 of Watanabe (2012), with forests in line 3 (section 5; Kumar et al., 2009)
        forests = [data.forest(sentence, w) for sentence in range(data.sentence_count)]
        _, references = small_corpus(data.sentence_count)
        made = ForestSet(forests, references, data.metric, threads=1)
        assert_allclose(course.chosen(w), made.chosen(w))
        block, step = np.arange(data.sentence_count), Step(entropy=(3, i))
        best, _ = learner.learn(learner.start(made, w, w), made, block, step)
        learned, size = made.feature_spread > 0, 1.0
        if w[~learned].any():  # what is not learned gives the others their scale
            size = np.abs(w[learned]).sum()
        new = learner.weights(best)
        w = np.where(learned, new * size / np.abs(new[learned]).sum(), w)
        after = course.epoch(state, i, lambda done, total: None)
        assert after is not None
        state = after[0]
        assert_allclose(course.weights(state), w, rtol=1e-9)


class ListsOnly(HasLists):
    """A decoder that gives lists and nothing else, as a command does."""

    description: ClassVar[str] = "a decoder"
    scale_matters: ClassVar[bool] = True

    def __init__(self, data: ForestSet) -> None:
        self._data, self.metric, self.threads = data, data.metric, 1

    @property
    def feature_names(self) -> Vocabulary:
        return self._data.feature_names

    @property
    def sentence_count(self) -> int:
        return self._data.sentence_count

    @property
    def feature_spread(self) -> FloatArray:
        return self._data.feature_spread

    def chosen(self, weights: FloatArray) -> FloatArray:
        return self._data.chosen(weights)

    def translations(self, weights: FloatArray) -> Translations:
        return self._data.translations(weights)

    def subset(self, sentences: Sequence[int]) -> "ListsOnly":
        return ListsOnly(self._data.subset(sentences))

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        return self._data.kbest_lists(weights, k)


@pytest.mark.parametrize("name", ["watanabe2012-oro-hinge", "watanabe2012-o-oro-softmax-l"])
def test_around_a_command_an_iteration_of_oro_is_one_decoding_and_its_rate_goes_on_falling(
    name: str,
) -> None:
    learner, rhythm = preset(name)
    data = ListsOnly(decoder())
    rhythm = replace(rhythm, block=4, line_search=False, epochs=5)
    course = course_of(learner, data, np.zeros(4), seed=3, rhythm=rhythm)
    assert course.epochs == 5
    w, state = np.zeros(4), course.start(np.zeros(4))
    for t in range(5):
        after = course.epoch(state, t, lambda done, total: None)
        assert after is not None
        state = after[0]
        lists = data.kbest_lists(w, K)
        # Algorithm 2, lines 3 to 11: η_k = 0.2 · 0.85^(k/K), k = 1, 2, …, K = 2
        order = np.random.default_rng([3, t]).permutation(8)
        for j, batch in enumerate(np.split(order, 2)):
            step = Step(epoch=t, epochs=5, block=j, blocks=2, entropy=(3, t))
            w = learner.weights(learner.learn(Ranking(w, w), lists, batch, step)[0])
        learned = state.learned
        assert_allclose(learned, w, rtol=1e-9, atol=1e-12)
    assert np.linalg.norm(w) > 0
