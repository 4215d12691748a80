"""Statistics of hypotheses are stored in narrow types, and come back bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import FloatArray

RUN = 64  # rows that have one type


def lists_of(rows: int, *, limit: int = 0) -> NBest:
    builder = NBestBuilder(memory_limit=limit)
    for row in range(rows):
        builder.add(row // 10, f"text {row}", {"f": 1.0})
    return builder.finish()


def check_kept(values: FloatArray, *, limit: int = 0) -> NBest:
    lists = lists_of(len(values), limit=limit)
    lists.set_statistics(values)
    found = lists.statistics
    assert found is not None
    assert found.tobytes() == np.ascontiguousarray(values).tobytes()
    return lists


LIMITS = {
    1: [0.0, 255.0],
    2: [-32768.0, 32767.0, 256.0, -1.0],
    4: [2147483647.0, -2147483648.0, 32768.0, 0.5, -0.0, 3.4028234663852886e38],
    8: [2147483649.0, 1 / 3, 1e300, -1e-320, np.inf, -np.inf, np.nan, 3.5e38],
}


@pytest.mark.parametrize(
    ("size", "value"), [(s, v) for s, values in LIMITS.items() for v in values]
)
def test_a_run_has_the_narrowest_type_that_holds_its_numbers(size: int, value: float) -> None:
    values = np.full((RUN, 8), 7.0)
    values[-1, -1] = value
    lists = check_kept(values)
    assert lists.statistics_nbytes == RUN * 8 * size + 8


def test_another_nan_keeps_its_bits() -> None:
    odd = np.array([0x7FF8000000000123, 0xFFF0000000000001], dtype=np.uint64).view(np.float64)
    check_kept(np.array([[odd[0], 1.0], [odd[1], 2.0]]))


def test_each_run_has_its_own_type() -> None:
    values = np.ones((3 * RUN, 2))
    values[RUN, 0] = 1 / 3
    lists = check_kept(values)
    assert lists.statistics_nbytes == 2 * RUN * (1 + 8 + 1) + 3 * 8


def test_runs_of_any_width_begin_where_doubles_may() -> None:
    values = np.ones((RUN + 3, 9))
    values[RUN + 1, 4] = -0.25
    values = np.concatenate([np.ones((2 * RUN, 9)), values])
    check_kept(values)


@given(st.data())
def test_statistics_come_back_bit_for_bit(data: st.DataObject) -> None:
    number = data.draw(
        st.sampled_from(
            [
                st.integers(0, 255).map(float),
                st.integers(-40000, 40000).map(float),
                st.floats(width=32),
                st.floats(),
                st.one_of(st.floats(), st.integers(-300, 300).map(float)),
            ]
        )
    )
    rows, columns = data.draw(st.integers(1, 150)), data.draw(st.integers(1, 4))
    some = data.draw(st.lists(number, min_size=1, max_size=8))
    values = np.resize(np.array(some), (rows, columns))
    lists = check_kept(values, limit=data.draw(st.sampled_from([0, 1])))
    begin = data.draw(st.integers(0, rows))
    end = data.draw(st.integers(begin, rows))
    part = lists.statistics_of(begin, end)
    assert part is not None
    assert part.tobytes() == values[begin:end].tobytes()
    chosen = np.arange(0, rows, 3)
    with np.errstate(all="ignore"):
        expected = np.zeros(columns)
        for row in chosen:
            expected += values[row]
        np.testing.assert_array_equal(lists.sum_statistics(chosen), expected)


@pytest.mark.parametrize("rows", [range(-1, 2), range(2, 1), range(0, 4)])
def test_rows_that_do_not_exist_are_an_error(rows: range) -> None:
    lists = lists_of(3)
    lists.set_statistics(np.ones((3, 2)))
    with pytest.raises(DataError, match=f"rows {rows.start} to {rows.stop} do not exist"):
        lists.statistics_of(rows.start, rows.stop)


def test_statistics_without_columns_can_be_set() -> None:
    check_kept(np.empty((5, 0)))
