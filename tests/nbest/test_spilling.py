"""Lists beyond their memory limit: bounded memory, no files left, errors instead of signals."""

import subprocess
import sys
from pathlib import Path

import pytest

from hopefear.errors import HopefearError
from hopefear.nbest import NBestBuilder

# 6,000 hypotheses with 1,000 features and 200 statistics each, which need 8 bytes, are 58 MB; every
# tenth comes again.
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


@LINUX
@pytest.mark.parametrize("order", ["i // 60", "i % 100"])
def test_memory_stays_near_the_limit(tmp_path: Path, order: str) -> None:
    limit = 8_000_000
    assert run_much(limit, tmp_path, order, sentences=100) < limit + 25_000_000


@LINUX
def test_without_a_limit_everything_is_in_memory(tmp_path: Path) -> None:
    assert run_much(0, tmp_path, "i // 60", sentences=100) > 57_000_000


def test_no_file_is_ever_to_be_seen(tmp_path: Path) -> None:
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


def test_a_file_that_cannot_grow_is_an_error_and_costs_nothing_else() -> None:
    run = subprocess.run([sys.executable, "-c", FULL], check=True, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("moving data to a temporary file: it cannot grow")
        assert "File too large; free some space, choose another directory, or raise" in line
