"""The curves of several learners: by epoch, and by the work of each."""

from dataclasses import replace
from pathlib import Path

from hopefear.events import EpochFinished
from hopefear.reporting import read_run, report_html
from hopefear.reporting.chart import Line
from hopefear.reporting.learners import learners_section
from hopefear.reporting.page import Table
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

WEIGHTS = [Weights({"lm": x}) for x in (1.0, 2.0, 3.0)]


def run_of(path: Path, strategy: str, workers: int) -> Path:
    events = [
        replace(event, messages=30, bytes_sent=6000, waiting=3)
        if isinstance(event, EpochFinished) and strategy == "async"
        else event
        for event in events_of_a_run(WEIGHTS, scores=[35.0, 36.0])
    ]
    count = f"workers = {workers}\n" if strategy != "serial" else ""
    settings = f'seed = 7\n[strategy]\nname = "{strategy}"\n{count}'
    return write_run(path, events, settings=settings)


def test_curves_are_by_epoch_and_by_the_work_of_each_learner(tmp_path: Path) -> None:
    paths = [
        run_of(tmp_path / "one", "serial", 1),
        run_of(tmp_path / "mixed", "mixing", 4),
        run_of(tmp_path / "heard", "async", 4),
    ]
    runs = [read_run(path) for path in paths]
    section = learners_section(runs)
    assert section is not None
    epochs, work = section.charts
    lines = [[mark for mark in chart.marks if isinstance(mark, Line)] for chart in (epochs, work)]
    assert [list(line.x) for line in lines[0]] == [[0, 1, 2]] * 3
    # Of the 12 sentences, each of four learners visits three in an epoch.
    assert [list(line.x) for line in lines[1]] == [[0, 12, 24], [0, 3, 6], [0, 3, 6]]
    assert [list(line.y) for line in lines[1]] == [[28.0, 33.0, 34.0]] * 3
    assert [line.dashed for line in lines[0]] == [False, True, False]
    table = section.data["work"]
    assert isinstance(table, Table)
    assert table.rows[2][1:5] == ["async", "4", "3.0", "30"]
    assert table.rows[2][6] == "3"
    assert "Several learners" in report_html(runs)


def test_a_run_with_one_learner_has_no_such_section(tmp_path: Path) -> None:
    assert learners_section([read_run(run_of(tmp_path / "one", "serial", 1))]) is None
    broken = run_of(tmp_path / "broken", "mixing", 4)
    (broken / "config.toml").write_text("strategy = [")
    assert learners_section([read_run(broken)]) is None
