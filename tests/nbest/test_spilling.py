"""Lists beyond their memory limit: bounded memory, no files left, errors instead of signals."""

import subprocess
import sys
from pathlib import Path

# 6,000 hypotheses with 1,000 features and 200 statistics each, which need 8 bytes, are 58 MB; every
# tenth comes again.
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError, HopefearError
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import FloatArray

MUCH = """
import pathlib
import numpy as np
from hopefear.nbest import NBestBuilder

def peak() -> int:
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024

names = [f"f{i}" for i in range(1000)]
rows = [dict(zip(names, (float(i + j) for j in range(1000)))) for i in range(10)]
builder = NBestBuilder(memory_limit=LIMIT, directory=DIRECTORY)
before = peak()
for i in range(6000):
    rows[i % 10]["f0"] = float(i - i % 10)
    assert builder.add(ORDER, f"text {i}", rows[i % 10])
    assert i % 10 > 0 or not builder.add(ORDER, f"text {i}", rows[0])
lists = builder.finish()
assert len(lists) == 6000
scores = lists.scores(np.ones(1000))
expected = sum(range(1000))
for row in range(0, 6000, 501):
    i = int(lists.text(row).split()[1])
    assert scores[row] == expected + 999 * (i % 10) + i - i % 10
lists.set_statistics(np.full((6000, 200), 2.0**1000))
assert lists.sum_statistics(lists.best(np.ones(1000)))[0] == SENTENCES * 2.0**1000
print(peak() - before)
"""


def run_much(limit: int, directory: Path, order: str, sentences: int) -> int:
    """Return by how many bytes the peak of the memory grew."""
    names = {"LIMIT": limit, "DIRECTORY": repr(str(directory)), "ORDER": order}
    program = MUCH.replace("SENTENCES", str(sentences))
    for name, value in names.items():
        program = program.replace(name, str(value))
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return int(run.stdout)


LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")


@pytest.mark.unsanitized("sanitizers keep memory that is freed")
@LINUX
@pytest.mark.parametrize("order", ["i // 60", "i % 100"])
def test_memory_stays_near_the_limit(tmp_path: Path, order: str) -> None:
    limit = 8_000_000
    assert run_much(limit, tmp_path, order, sentences=100) < limit + 25_000_000


@LINUX
def test_without_a_limit_everything_is_in_memory(tmp_path: Path) -> None:
    assert run_much(0, tmp_path, "i // 60", sentences=100) > 57_000_000


def test_temporary_files_are_never_visible(tmp_path: Path) -> None:
    builder = NBestBuilder(memory_limit=1, directory=str(tmp_path))
    builder.add(0, "a house", {"lm": 1.0})
    assert list(tmp_path.iterdir()) == []
    lists = builder.finish()
    assert lists.spilled
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_does_not_exist_is_an_error_that_names_it(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    builder = NBestBuilder(memory_limit=1, directory=str(missing))
    with pytest.raises(
        HopefearError, match=f"cannot create a temporary file in '{missing}': No such file"
    ):
        builder.add(0, "a house", {"lm": 1.0})


FULL = """
import resource
from hopefear.errors import HopefearError
from hopefear.nbest import NBestBuilder

resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
builder = NBestBuilder(memory_limit=1)
features = {f"f{i}": float(i) for i in range(1000)}
for i in range(1000):
    try:
        builder.add(0, f"text {i}", features)
    except HopefearError as error:
        print(error)
        break
count = len(builder)
try:
    builder.add(0, "one more", features)
except HopefearError as error:
    print(error)
assert len(builder) == count
lists = builder.finish()
assert len(lists) == count
assert [lists.text(row) for row in range(count)] == [f"text {i}" for i in range(count)]
assert all(lists.features_of(row) == features for row in range(count))
"""


def test_a_file_that_cannot_grow_is_an_error_and_loses_no_data() -> None:
    run = subprocess.run([sys.executable, "-c", FULL], check=True, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("moving data to a temporary file: it cannot grow")
        assert "File too large; free some space, choose another directory, or raise" in line


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


def test_runs_of_any_width_are_aligned_for_doubles() -> None:
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
