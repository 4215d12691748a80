"""`hopefear report`, and the report that `hopefear tune` writes."""

import os
from pathlib import Path
from typing import Any

import pytest

import hopefear as package
from candidate_files import CandidateFiles, write_candidates
from command_line import Hopefear
from hopefear.events import EpochFinished, RunFinished, read_log
from hopefear.reporting.run_record import read_runs

DATA = ["--nbest", "tune.nbest", "--refs", "tune.refs", "--tokenize", "none"]
FAST = ["kbest-mira", "--set", "rhythm.epochs=3"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CandidateFiles:
    monkeypatch.chdir(tmp_path)
    return write_candidates(tmp_path)


def test_a_run_has_a_small_report_which_can_be_declined(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    assert hopefear("tune", *FAST, *DATA, "-o", "run").code == 0
    *_, finished = read_log("run/events.jsonl")
    assert isinstance(finished, RunFinished)
    text = Path("run/report.html").read_text(encoding="utf-8")
    assert f"{finished.tuning_score:.2f}" in text
    assert len(text) < 60_000
    assert hopefear("tune", *FAST, *DATA, "-o", "run", "--force", "--no-report").code == 0
    assert not Path("run/report.html").exists()


def test_a_run_without_a_result_has_a_report_that_says_so(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    weak = ["--set", "learner.max_step=1e-300", "--set", "learner.line_search=0"]
    failed = hopefear("tune", "kbest-mira", *DATA, "-o", "run", *weak)
    assert failed.code == 1
    assert "failed:" in Path("run/report.html").read_text(encoding="utf-8")


def test_the_report_tells_where_it_is_and_how_large(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    for run in ("one", "two"):
        assert hopefear("tune", *FAST, *DATA, "-o", run).code == 0
    assert hopefear("report", "one").out.startswith("report: one/report.html (")
    both = hopefear("report", "one", "two", "--top", "2")
    assert both.out.startswith("report: report.html (")
    assert both.out.endswith(" kB)\n")
    assert hopefear("report", "one", "two", "-o", "x.html", "--pictures", "svg").code == 0
    assert Path("svg/02-bleu-by-epoch.svg").is_file()
    assert Path("x.html").is_file()


def test_what_is_no_run_is_an_error_of_one_line(files: CandidateFiles, hopefear: Hopefear) -> None:
    found = hopefear("report", ".")
    assert found.code == 1
    assert found.err == (
        "hopefear: .: is not the directory of a run: it has neither config.toml nor events.jsonl\n"
    )
    assert not Path("report.html").exists()


def test_python_has_the_same(files: CandidateFiles) -> None:
    for _ in package.tune_events(
        "kbest-mira", nbest="tune.nbest", refs="tune.refs", out="run", report=False
    ):
        pass
    assert package.report("run") == Path("run/report.html")
    assert package.report(["run"], out="here.html") == Path("here.html")
    with pytest.raises(package.HopefearError, match="the run 'run' is given twice"):
        package.report(["run", "run"])


def test_a_run_that_was_stopped_and_goes_on_has_a_whole_report(files: CandidateFiles) -> None:
    options: dict[str, Any] = {"nbest": "tune.nbest", "refs": "tune.refs", "tokenize": "none"}
    events = package.tune_events("kbest-mira", out="run", set=["rhythm.epochs=4"], **options)
    for event in events:
        if isinstance(event, EpochFinished) and event.epoch == 2:
            break
    del events
    assert not Path("run/report.html").exists()
    text = package.report("run").read_text(encoding="utf-8")
    assert "was stopped: 2 of 4 epochs are done" in text
    for _ in package.resume_events("run"):
        pass
    text = Path("run/report.html").read_text(encoding="utf-8")
    assert "was stopped" not in text
    (run,) = read_runs(["run"])
    assert [event.epoch for event in run.log.epochs] == [1, 2, 3, 4]
    assert run.started is not None
    assert run.started.reading_seconds is not None


def test_a_run_on_lists_keeps_the_cloud_of_its_most_interesting_sentence(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    assert hopefear("tune", *FAST, *DATA, "-o", "run").code == 0
    (kept,) = Path("run/clouds").iterdir()
    cloud = package.inspect("run", most_interesting=True)
    assert kept.name == f"{cloud.sentence}.json"
    assert 'id="clouds"' in Path("run/report.html").read_text(encoding="utf-8")
    (run,) = read_runs(["run"])
    assert run.environment["hopefear"] == package.__version__
    assert run.log.finished is not None
    assert run.log.finished.memory is not None
    assert run.started is not None
    assert run.started.reading_memory is not None
    assert 10_000_000 < run.started.reading_memory <= run.log.finished.memory


def test_a_run_that_was_killed_before_its_last_report_gets_it_by_resuming(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    assert hopefear("tune", *FAST, *DATA, "-o", "run").code == 0
    report = Path("run/report.html")
    whole = report.read_bytes()
    report.write_text("half the way")
    os.utime(report, (1, 1))
    assert hopefear("tune", "--resume", "-o", "run").code == 0
    assert report.read_bytes() == whole
