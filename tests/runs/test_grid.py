"""Grids: every combination of settings is run once, and the best one is kept."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

import hopefear
from candidate_files import write_candidates
from command_line import Hopefear
from hopefear.errors import ConfigError, LearningError
from hopefear.events import ReplicasFinished, read_log
from hopefear.formats import read_weights
from hopefear.formats.lock import FolderLock
from hopefear.learners import Pro
from hopefear.regularizers import LinearNeighbors, regularizers
from hopefear.runs import batch
from hopefear.runs.grid import GridCell, parse_grid
from hopefear.runs.run import run
from hopefear.runs.run_directory import is_over
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config
from hopefear.translation.features.bins import read_bins


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    tuning = write_candidates(tmp_path, sentences=30)
    dev = write_candidates(tmp_path, "dev", sentences=30, seed=2)
    return {
        "nbest": tuning.nbest,
        "refs": tuning.refs,
        "dev_nbest": dev.nbest,
        "dev_refs": dev.refs,
        "tokenize": "none",
        "discretize": {"features": ["lm"]},
    }


GRID: dict[str, list[object]] = {"bits": [1, 3], "regularizer.strength": [0.1, 10.0]}


def count_runs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the directories of all runs that follow, as they begin."""
    ran: list[Path] = []

    def counted(*arguments: Any, **keywords: Any) -> Any:
        ran.append(keywords["out"])
        return run(*arguments, **keywords)

    monkeypatch.setattr(batch, "run", counted)
    return ran


def is_locked(folder: Path) -> bool:
    try:
        FolderLock(folder).release()
    except ConfigError:
        return True
    return False


def test_of_replicas_the_mean_decides(options: dict[str, Any], tmp_path: Path) -> None:
    few = ["learner.samples=20", "learner.kept=3"]
    found = hopefear.tune_grid(
        "pro", grid={"bits": [3]}, out=tmp_path / "grid", replicas=3, set=few, **options
    )
    (cell,) = found.cells
    events = read_log(cell.directory / "events.jsonl")
    ended = next(event for event in events if isinstance(event, ReplicasFinished))
    assert cell.score == ended.dev_mean != ended.dev_score


def test_an_option_may_only_make_sense_with_what_the_grid_chooses(
    options: dict[str, Any], tmp_path: Path
) -> None:
    """Here the l2 of neighbors, which the regularizer of PRO does not have."""
    grid: dict[str, list[object]] = {"learner.regularizer": ["lnr", "mnr"], "bits": [0, 2]}
    set = ["learner.regularizer.l2=0.5"]
    found = hopefear.tune_grid("pro", grid=grid, set=set, out=tmp_path / "grid", **options)
    for cell in found.cells:
        used = config.load(TuneSettings, cell.directory / "config.toml")
        pro = cast(Pro, used.learner)
        assert regularizers.name_of(type(pro.regularizer)) == cell.values["learner.regularizer"]
        assert cast(LinearNeighbors, pro.regularizer).l2 == 0.5
        # 0 bits are no bins.
        assert any("#" in name for name in cell.weights) == (cell.values["bits"] != "0")
    linear = {cell.score for cell in found.cells if cell.values["bits"] == "0"}
    plain = {key: value for key, value in options.items() if key != "discretize"}
    alone = hopefear.tune("pro", **plain, set=["learner.regularizer.strength=0.5"])
    assert linear == {alone.dev_score}


def test_the_weight_of_the_cost_is_chosen_on_dev_data(
    options: dict[str, Any], tmp_path: Path
) -> None:
    """Gimpel and Smith's α."""
    plain = {key: value for key, value in options.items() if key != "discretize"}
    grid: dict[str, list[object]] = {"learner.cost_scale": [0.1, 10.0]}
    found = hopefear.tune_grid("rampion", grid=grid, out=tmp_path / "grid", epochs=2, **plain)
    scores = [cell.dev_score for cell in found.cells]
    assert scores[0] != scores[1]
    assert found.best.dev_score == max(score or 0.0 for score in scores)


def test_every_combination_is_run_and_the_best_is_kept(
    options: dict[str, Any], tmp_path: Path
) -> None:
    seen: list[GridCell] = []
    found = hopefear.tune_grid(
        "pro", grid=GRID, out=tmp_path / "grid", on_cell=seen.append, **options
    )
    assert [tuple(cell.values.values()) for cell in found.cells] == [
        ("1", "0.1"), ("1", "10.0"), ("3", "0.1"), ("3", "10.0"),
    ]  # fmt: skip
    assert seen == list(found.cells)
    assert found.best.dev_score == max(cell.dev_score or 0.0 for cell in found.cells)
    for cell in found.cells:
        bits, strength = cell.values.values()
        alone = hopefear.tune(
            "pro",
            **(options | {"discretize": {"features": ["lm"], "bits": int(bits)}}),
            set=[f"learner.regularizer.strength={strength}"],
        )
        assert alone.weights == cell.weights
        assert alone.dev_score == cell.dev_score
    assert read_weights(tmp_path / "grid" / "weights.tsv") == found.best.weights
    assert len(read_bins(tmp_path / "grid" / "bins.tsv")["lm"]) == 2 ** int(
        found.best.values["bits"]
    )


def test_a_grid_goes_on_where_it_stopped(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StopError(Exception):
        pass

    def stop(cell: GridCell) -> None:
        if cell.values["bits"] == "3":
            raise StopError

    out = tmp_path / "grid"
    with pytest.raises(StopError):
        hopefear.tune_grid("pro", grid=GRID, out=out, on_cell=stop, **options)
    assert not (out / "weights.tsv").exists()
    ran = count_runs(monkeypatch)
    found = hopefear.tune_grid("pro", grid=GRID, out=out, **options)
    assert [path.name for path in ran] == ["bits=3,regularizer.strength=10.0"]
    assert len(found.cells) == 4
    with pytest.raises(ConfigError, match="holds a run with other settings"):
        hopefear.tune_grid("pro", grid=GRID, out=out, **(options | {"seed": 5}))
    ran.clear()
    hopefear.tune_grid("pro", grid=GRID, out=out, force=True, **(options | {"seed": 5}))
    assert len(ran) == 4


def test_runs_at_the_same_time_find_the_same(options: dict[str, Any], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    told: list[tuple[str, int, int]] = []
    serial = hopefear.tune_grid("pro", grid=GRID, out=one, **options)
    parallel = hopefear.tune_grid(
        "pro", grid=GRID, out=two, jobs=2, progress=lambda *what: told.append(what), **options
    )
    assert [cell.weights for cell in parallel.cells] == [cell.weights for cell in serial.cells]
    assert parallel.best.values == serial.best.values
    assert (two / "weights.tsv").read_bytes() == (one / "weights.tsv").read_bytes()
    assert told == [("grid", done, 4) for done in (1, 2, 3, 4)]
    # What is there is used again by any number of jobs.
    again = hopefear.tune_grid("pro", grid=GRID, out=two, **options)
    assert again.best.weights == parallel.best.weights


def test_an_error_in_another_process_is_raised_here(
    options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="'hinge' needs") as caught:
        hopefear.tune_grid(
            "pro",
            grid={"learner.loss": ["hinge", "logistic"]},
            out=tmp_path / "grid",
            jobs=2,
            set=["learner.regularizer.strength=0"],
            **options,
        )
    assert caught.value.settings == ("loss",)


KILLED = """
import json, sys
import hopefear
if __name__ == "__main__":
    hopefear.tune_grid("pro", **json.loads(sys.argv[1]))
"""


def wait_for(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_grid_does_not_run_again_what_has_ended(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    out, script = tmp_path / "grid", tmp_path / "killed.py"
    script.write_text(KILLED)
    data: dict[str, Any] = {name: str(options[name]) for name in options if name != "discretize"}
    data["set"] = ["stopping.window=400"]  # no run ends before its epochs are over
    common: dict[str, Any] = data | {"grid": {"epochs": [1, 2, 300, 301]}, "out": str(out)}
    folders = [out / "grid" / f"epochs={epochs}" for epochs in (1, 2, 300, 301)]
    # With two jobs, the last run has begun when the one before it is on its way, too.
    last = folders[1 + jobs]
    with subprocess.Popen([sys.executable, script, json.dumps(common | {"jobs": jobs})]) as process:
        wait_for((last / "weights" / "02.tsv").is_file)
        process.kill()
    # The processes that make the runs end, too.
    wait_for(lambda: not any(is_locked(folder) for folder in folders if folder.is_dir()))
    ended = [folder for folder in folders if folder.is_dir() and is_over(folder)]
    assert folders[:2] == ended[:2]
    assert last not in ended
    times = [path.stat().st_mtime_ns for folder in ended for path in sorted(folder.iterdir())]
    ran = count_runs(monkeypatch)
    found = hopefear.tune_grid("pro", **common)
    assert ran == [folder for folder in folders if folder not in ended]
    assert times == [path.stat().st_mtime_ns for f in ended for path in sorted(f.iterdir())]
    assert found.cells[1 + jobs].weights == hopefear.tune("pro", epochs=299 + jobs, **data).weights


def test_settings_that_learn_nothing_are_told_and_not_kept(
    options: dict[str, Any], tmp_path: Path
) -> None:
    grid: dict[str, list[object]] = {
        "regularizer": ["l2", "l1"],
        "regularizer.strength": [1, 1e9],
    }
    found = hopefear.tune_grid("pro", grid=grid, out=tmp_path / "grid", **options)
    failed = [tuple(cell.values.values()) for cell in found.cells if cell.failure]
    assert failed == [("l1", "1000000000.0")]
    assert "zero" in found.cells[3].failure
    assert found.best.weights
    with pytest.raises(LearningError, match="zero"):
        hopefear.tune_grid(
            "pro", grid={"samples": [5, 6]}, out=tmp_path / "none",
            set=["learner.regularizer={name='l1',strength=1e9}"], **options,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "problem"),
    [("zork", "'zork' is unknown"), ("references", "may be tuning.references or dev.references")],
)
def test_unclear_settings_are_refused(
    options: dict[str, Any], tmp_path: Path, name: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        hopefear.tune_grid("pro", grid={name: [1]}, out=tmp_path / "grid", **options)


@pytest.mark.parametrize("texts", [["bits"], ["=1"], ["bits=1,,2"], ["bits=1", "bits=2"]])
def test_texts_that_are_no_grid_are_refused(texts: list[str]) -> None:
    with pytest.raises(ConfigError, match="expected a setting and its values"):
        parse_grid(texts)


def test_the_command_prints_a_table_and_writes_a_report(
    options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--nbest", options["nbest"], "--refs", options["refs"], "--tokenize", "none"]
    held_out = ["--dev-nbest", options["dev_nbest"], "--dev-refs", options["dev_refs"]]
    grid = ["--grid", "bits=2,3", "--grid", "regularizer.strength=1,10", "--jobs", "2"]
    arguments = ["pro", *data, *held_out, *grid, "-o", tmp_path / "grid"]
    found = Hopefear(capsys)("tune", *map(str, arguments))
    assert found.code == 0
    lines = [line for line in found.out.splitlines() if line.strip()]
    assert lines[0].split()[:2] == ["bits", "regularizer.strength"]
    assert len([line for line in lines if line.lstrip().startswith(("2 ", "3 "))]) == 4
    assert "held-out" in lines[0]
    assert sum("kept" in line for line in lines) == 1
    assert (tmp_path / "grid" / "report.html").is_file()
    assert (tmp_path / "grid" / "weights.tsv").is_file()


def test_several_jobs_without_a_grid_are_refused(
    options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--nbest", options["nbest"], "--refs", options["refs"]]
    found = Hopefear(capsys)("tune", "pro", *map(str, data), "--jobs", "2", "-o", str(tmp_path))
    assert found.code == 2
    assert "--jobs" in found.err


def test_what_a_grid_left_that_was_killed_at_its_end_is_removed(
    options: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "grid"
    common: dict[str, Any] = options | {"grid": {"epochs": [1, 2]}, "out": out}
    hopefear.tune_grid("pro", **common)
    left = out / ".weights.tsv.0123456789abcdef.part"
    left.write_text("")
    hopefear.tune_grid("pro", **common)
    assert not left.exists()
