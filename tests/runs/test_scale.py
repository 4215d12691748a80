"""The scale of weights that are handed over."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hopefear.candidates import CommandDecoder, CommandSet, ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import LearningError
from hopefear.learners import AnyLearner, KBestMira, Lbfgs, Mert, Pro, Rampion, is_scale_free
from hopefear.metrics import Bleu, References
from hopefear.parallel import Serial
from hopefear.rhythm import Rhythm
from hopefear.runs.course import Decodings
from hopefear.runs.result_guards import check_weights
from hopefear.runs.scale import fixed_norm, nearest_scale
from hopefear.types import FloatArray, Weights
from stand_in_decoder import STAND_IN
from tuning_sets import FOREST_START, course_of, start_vector, synthetic_forests, synthetic_set


def quiet(done: int, total: int) -> None:
    pass


def learned(learner: AnyLearner, data: ListSet, start: FloatArray) -> FloatArray:
    course = course_of(learner, data, start)
    found = course.epoch(course.start(start), 0, quiet)
    assert found is not None
    return course.weights(found[0])


def test_mert_ends_with_norm_1_whatever_the_scale_of_the_start() -> None:
    data = synthetic_set()
    w = start_vector(data)
    for start in (w, 1000 * w):
        found = learned(Mert(restarts=2), data, start)
        assert_allclose(np.abs(found).sum(), 1.0, rtol=1e-12)
        assert data.score(found) > data.score(w)


def test_beside_a_weight_that_is_not_learned_the_others_keep_their_norm() -> None:
    data = synthetic_set()
    flat = replace(data, nbest=data.nbest.scaled(np.array([1.0, 0.0, 1.0, 1.0, 1.0])))
    start = 3 * start_vector(data)
    found = learned(Mert(restarts=2), flat, start)
    assert found[1] == start[1] != 0
    others = np.array([0, 2, 3, 4])
    assert_allclose(np.abs(found[others]).sum(), np.abs(start[others]).sum(), rtol=1e-12)


def test_a_weight_of_zero_that_is_not_learned_gives_no_scale() -> None:
    data = synthetic_set()
    data.feature_names.add("unseen")
    found = learned(Mert(restarts=1), data, np.append(5 * start_vector(data)[:-1], 0.0))
    assert_allclose(np.abs(found).sum(), 1.0, rtol=1e-12)


def test_beside_a_fixed_feature_the_scale_is_the_nearest_that_is_as_good() -> None:
    """Against all scales of a fine grid."""
    data = synthetic_set()
    w = start_vector(data)
    fixed = data.feature_names[0]
    free = np.arange(len(w)) > 0
    size = np.abs(w[free]).sum()
    for factor in (1e-3, 0.3, 1.0, 7.0, 1e5):
        far = np.where(free, w * factor, w)
        found = nearest_scale(data, far, w, free)
        assert data.score(found) >= data.score(far)
        assert found[0] == w[0]
        assert_allclose(found[free] / np.abs(found[free]).sum(), w[free] / size, rtol=1e-9)
        grid = np.geomspace(1e-4, 1e6, 2001)
        good = [s for s in grid if data.score(np.where(free, s * w, w)) >= data.score(far)]
        nearest = min(abs(s - 1.0) for s in good)
        assert abs(np.abs(found[free]).sum() / size - 1.0) <= nearest + 1e-9
    learner = Mert(restarts=2, fixed=(fixed,))
    found = learned(learner, data, w)
    assert found[0] == w[0]
    assert data.score(found) > data.score(w)


def test_bounds_and_a_penalty_on_the_norm_give_weights_a_scale() -> None:
    assert is_scale_free(Mert())
    assert is_scale_free(Mert(penalty="l0", strength=0.01))
    assert not is_scale_free(Mert(penalty="l2", strength=0.01))
    assert not is_scale_free(Mert(bounds={"lm": (0.0, 1.0)}))
    assert not is_scale_free(KBestMira())


def test_weights_do_not_grow_from_decoding_to_decoding() -> None:
    data = synthetic_forests(sentences=10, longest=8)
    start = FOREST_START.vector(data.feature_names)
    course = Decodings(
        data=data,
        learner=Mert(restarts=3),
        rhythm=Rhythm(list_size=10, lists="replaced"),
        strategy=Serial(),
        origin=start,
        seed=1,
    )
    state = course.start(start)
    for number in range(5):
        found = course.epoch(state, number, quiet)
        if found is None:
            break
        state = found[0]
        assert_allclose(np.abs(state.weights).sum(), 1.0, rtol=1e-12)
        assert_array_equal(state.learned, state.weights)
    assert number > 1


@pytest.fixture
def decoded(tmp_path: Path) -> CommandSet:
    """Translations of a decoder, which has a feature that it does not list."""
    candidates = SyntheticCandidates(sentences=12, size=8, seed=1)
    (tmp_path / "decode.py").write_text(STAND_IN)
    (tmp_path / "candidates").write_text(
        "\n".join(
            json.dumps([(h.text, dict(h.features)) for h in segment.hypotheses])
            for _, segment in candidates
        )
    )
    command = f"{sys.executable} {tmp_path}/decode.py {{weights}} {{size}} 1 {tmp_path}/candidates"
    return CommandSet(
        CommandDecoder(command=command),
        References([[text] for text, _ in candidates]),
        Bleu(tokenize="none"),
        start=START,
        size=5,
        folder=tmp_path / "work",
    )


@pytest.mark.parametrize("learner", [KBestMira(), Pro(), Rampion(rate=0.01), Lbfgs(), Mert()])
def test_a_decoder_gets_a_fixed_norm_and_the_learner_its_own_scale(
    learner: AnyLearner, decoded: CommandSet
) -> None:
    start = START.vector(decoded.feature_names)
    course = course_of(learner, decoded, start)
    state = course.start(start)
    for number in range(2):
        found = course.epoch(state, number, quiet)
        assert found is not None
        state = found[0]
        handed, own = course.weights(state), state.learned
        assert_allclose(np.abs(handed).sum(), 1.0, rtol=1e-12)
        assert_allclose(own / np.abs(own).sum(), handed, rtol=1e-12)
    if not is_scale_free(learner):
        assert abs(np.abs(own).sum() - 1.0) > 1e-6


@pytest.mark.parametrize("learner", [KBestMira(), Pro(), Rampion(rate=0.01), Lbfgs(), Mert()])
def test_a_feature_that_a_decoder_does_not_list_keeps_its_weight_and_its_share(
    learner: AnyLearner, decoded: CommandSet
) -> None:
    decoded.feature_names.add("UnknownWordPenalty0")
    weights = 7 * START + Weights({"UnknownWordPenalty0": 3.0})
    start = weights.vector(decoded.feature_names)
    course = course_of(learner, decoded, start)
    state = course.start(start)
    for number in range(2):
        found = course.epoch(state, number, quiet)
        assert found is not None
        state = found[0]
    handed = course.weights(state)
    assert handed[-1] == 3.0
    assert_allclose(np.abs(handed[:-1]).sum(), np.abs(start[:-1]).sum(), rtol=1e-12)
    assert not np.allclose(handed, start)


def test_nothing_to_scale_stays() -> None:
    zero, free = np.zeros(2), np.array([True, False])
    assert_array_equal(fixed_norm(zero, zero, free), zero)
    # From a start of zeros there is no norm to keep.
    assert_array_equal(fixed_norm(np.array([4.0, 2.0]), zero, free), [1.0, 2.0])


def test_weights_that_grow_a_million_times_are_an_error() -> None:
    data = synthetic_set()
    names, spread = data.feature_names, data.feature_spread
    start = start_vector(data)
    size = float((np.abs(start) * spread).max())
    check_weights(1e5 * start, names, spread, 1, start)
    check_weights(1e9 * start, names, spread, 1, 1e8 * start)
    with pytest.raises(LearningError, match=r"epoch 3: the weight of '.*' grew to"):
        check_weights(2e6 / min(size, 1.0) * start, names, spread, 3, start)
