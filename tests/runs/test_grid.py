"""Grids: every combination of settings is run once, and the best one is kept."""

from pathlib import Path
from typing import Any

import pytest

import hopefear
from candidate_files import write_candidates
from command_line import Hopefear
from hopefear.errors import ConfigError
from hopefear.formats import read_weights
from hopefear.runs import grid as grids
from hopefear.runs.grid import GridCell, parse_grid
from hopefear.runs.run import run
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
    ran: list[Path] = []

    def counted(*arguments: Any, **keywords: Any) -> Any:
        ran.append(keywords["out"])
        return run(*arguments, **keywords)

    monkeypatch.setattr(grids, "run", counted)
    found = hopefear.tune_grid("pro", grid=GRID, out=out, **options)
    assert [path.name for path in ran] == ["bits=3,regularizer.strength=10.0"]
    assert len(found.cells) == 4
    with pytest.raises(ConfigError, match="holds a run with other settings"):
        hopefear.tune_grid("pro", grid=GRID, out=out, **(options | {"seed": 5}))
    ran.clear()
    hopefear.tune_grid("pro", grid=GRID, out=out, force=True, **(options | {"seed": 5}))
    assert len(ran) == 4


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
    arguments = ["pro", *data, *held_out, "--grid", "samples=50,500", "-o", tmp_path / "grid"]
    found = Hopefear(capsys)("tune", *map(str, arguments))
    assert found.code == 0
    lines = [line for line in found.out.splitlines() if line.strip()]
    assert "samples" in lines[0]
    assert "held-out" in lines[0]
    assert sum("kept" in line for line in lines) == 1
    assert (tmp_path / "grid" / "report.html").is_file()
    assert (tmp_path / "grid" / "weights.tsv").is_file()
