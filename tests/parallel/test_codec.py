"""Messages: what was packed is what is unpacked, and nothing that is damaged is believed."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hopefear.errors import DataError
from hopefear.learners import Figures, Mira
from hopefear.learners.visit import OnlineLesson, Taught
from hopefear.parallel.codec import decode, encode, join_messages, pack, split_messages, unpack
from hopefear.rhythm import Step
from tuning_sets import FOREST_START, synthetic_forests

ARRAYS = {
    "a": np.arange(6.0).reshape(2, 3),
    "b.c": np.array([], dtype=np.int32),
    "d": np.array(3),
    "e": np.arange(8, dtype=np.uint8)[::2],
}


def test_arrays_come_back_as_they_were() -> None:
    found = unpack(pack(ARRAYS))
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert_array_equal(found[name], array, strict=True)


def test_a_lesson_comes_back_as_it_was() -> None:
    data, learner = synthetic_forests(), Mira(rate=0.05)
    start = FOREST_START.vector(data.feature_names)
    state = learner.start(data, start, start)
    _, lesson = learner.learn(state, data, np.arange(20), Step(shared=True))
    assert len(lesson) > 5
    found = decode(learner.silence(), unpack(pack(encode(lesson))), data)
    assert_array_equal(found.sets, lesson.sets)
    for one, other in zip(found.taught(4), lesson.taught(4), strict=True):
        assert_array_equal(one.ids, other.ids)
        assert_array_equal(one.rows, other.rows)
        assert_array_equal(one.losses, other.losses)
    with pytest.raises(DataError):
        lesson.taught(1)  # it is about features that nobody has


@given(st.data())
def test_damaged_messages_are_refused_or_harmless(data: st.DataObject) -> None:
    message = bytearray(pack(ARRAYS))
    for _ in range(data.draw(st.integers(1, 3))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(message)))
    for damaged in (bytes(message), bytes(message[:cut])):
        try:
            found = unpack(damaged)
        except DataError:
            continue
        assert sum(array.nbytes for array in found.values()) <= len(damaged)


@pytest.mark.parametrize("kind", [",f8", "<f8,<f8", "<f16", "O", "|V8", 8, ["<f8"]])
def test_only_plain_numbers_are_unpacked(kind: object) -> None:
    head = json.dumps([["weights", kind, [1]]]).encode()
    with pytest.raises(DataError):
        unpack(len(head).to_bytes(8, "little") + head + bytes(16))


ONES = np.ones(2, np.int32)


@pytest.mark.parametrize("length", range(8))
def test_unpacked_numbers_are_where_the_core_may_read_them(length: int) -> None:
    arrays = {"n" * (length + 1): np.arange(3.0), "odd": np.zeros(length, np.uint8), "z": ONES}
    assert all(array.flags.aligned for array in unpack(pack(arrays)).values())


@pytest.mark.parametrize("shape", [[1 << 70], [0, 1 << 70], [1 << 62, 4], [-1], [1.5], "1", 1])
def test_shapes_that_cannot_be_are_refused(shape: object) -> None:
    head = json.dumps([["weights", "<f8", shape]]).encode()
    with pytest.raises(DataError):
        unpack(len(head).to_bytes(8, "little") + head + bytes(16))


@given(st.lists(st.binary(max_size=9)))
def test_messages_are_joined_and_split_again(messages: list[bytes]) -> None:
    joined = join_messages(messages)
    assert split_messages(joined) == tuple(messages)
    if len(joined):
        with pytest.raises(DataError):
            split_messages(joined[:-1])


@pytest.mark.parametrize("size", [[0, 2, 1, 2], [0, 2, 2, 1], [0, 3, 1, 1], [0, -1, 1, 1]])
def test_a_lesson_whose_parts_do_not_fit_is_refused(size: list[int]) -> None:
    lesson = OnlineLesson.of(
        {0: Taught(np.array([0, 1], dtype=np.int32), np.ones((1, 2)), np.ones(1))},
        Figures(statistics=np.empty(0)),
    )
    assert len(lesson.taught(2)) == 1
    with pytest.raises(DataError, match="fit"):
        replace(lesson, sets=np.array([size], dtype=np.int32)).taught(2)
