"""Which run is best, and how sure that is."""

from dataclasses import replace
from pathlib import Path

import pytest

from hopefear.events import EpochFinished, ReplicasFinished, RunFinished, RunStarted
from hopefear.reporting import read_run, report_html
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.standing import best_of, standings
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run, write_sentence_lines

WEIGHTS = [Weights({"lm": 1.0}), Weights({"lm": 0.5}), Weights({"lm": 0.75})]
GOOD = [(f"a dog {i}", f"the dog sees {i} cats", f"the dog sees {i} cats") for i in range(30)]
SAME = [(reference, reference, reference) for _, _, reference in GOOD]


def run(path: Path, score: float, *, metric: str = "BLEU") -> Path:
    started, *rest = events_of_a_run(WEIGHTS, scores=[score - 1, score])
    assert isinstance(started, RunStarted)
    return write_run(path, [replace(started, metric=metric), *rest])


def records(*paths: Path) -> list[RunRecord]:
    return [read_run(path) for path in paths]


@pytest.mark.parametrize(("metric", "best"), [("BLEU", "high"), ("TER", "low"), ("WER", "low")])
def test_the_best_run_is_the_best_by_its_metric(metric: str, best: str, tmp_path: Path) -> None:
    low, high = (run(tmp_path / n, s, metric=metric) for n, s in (("low", 31.0), ("high", 35.0)))
    found = best_of(standings(records(low, high)))
    assert found is not None
    assert found.name == best
    assert report_html(records(low, high)).count('<tr class="best">') == 1


def test_runs_on_other_data_are_not_compared(tmp_path: Path) -> None:
    one, other = run(tmp_path / "one", 31.0), run(tmp_path / "other", 35.0, metric="chrF")
    assert [standing.best for standing in standings(records(one, other))] == [False, False]
    page = report_html(records(one, other))
    assert "only those that do are compared" in page
    assert "Best run" not in page
    third = run(tmp_path / "third", 34.0, metric="chrF")
    found = standings(records(one, other, third))
    assert [standing.best for standing in found] == [False, True, False]


def test_nothing_is_explained_that_is_not_there(tmp_path: Path) -> None:
    started, *rest = events_of_a_run(WEIGHTS, scores=[33.0, 35.0])
    assert isinstance(started, RunStarted)
    bare = replace(started, dev_score=None, tuning_oracle=None, dev_oracle=None)
    ended = (EpochFinished, RunFinished)
    learned = [replace(one, dev_score=None) for one in rest if isinstance(one, ended)]
    page = report_html(records(write_run(tmp_path / "bare", [bare, *learned])))
    for word in ("oracle", "held-out", "the band", "p (start)", "p (best)", "stroke-dasharray"):
        assert word not in page
    assert "A diamond marks" in page


def test_significance_comes_from_the_sentences(tmp_path: Path) -> None:
    better = write_sentence_lines(run(tmp_path / "better", 35.0), GOOD)
    equal = write_sentence_lines(run(tmp_path / "equal", 31.0), SAME)
    unknown = run(tmp_path / "unknown", 30.5)
    found = {one.name: one for one in standings(records(better, equal, unknown))}
    assert found["better"].against_start == pytest.approx(1 / 1001)
    assert found["equal"].against_start == 1.0
    assert found["equal"].against_best == 1.0  # the same results
    assert found["unknown"].against_start is None
    assert found["unknown"].against_best is None
    page = report_html(records(better, equal, unknown))
    assert "against the start: p &lt; 0.001" in page
    assert "ahead of equal by 4.00: p = 1.00" in page


def test_replicas_are_ranked_by_their_mean(tmp_path: Path) -> None:
    lucky = ReplicasFinished(
        metric="BLEU",
        weights=WEIGHTS[1],
        replicas=2,
        chosen=1,
        dev_score=34.0,
        dev_mean=30.0,
        dev_deviation=5.66,
    )
    path = write_run(tmp_path / "lucky", [lucky])
    for number in (1, 2):
        events = events_of_a_run(WEIGHTS, scores=[33.0, 34.0], replica=number)
        write_run(path / f"replica-{number}", events)
    steady = run(tmp_path / "steady", 35.0)
    found = best_of(standings(records(path, steady)))
    assert found is not None
    assert (found.name, found.deviation) == ("steady", None)


def test_a_run_that_goes_on_has_the_best_score_so_far(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.0, 33.0])[:-1]
    (found,) = standings(records(write_run(tmp_path / "run", events)))
    assert (found.start, found.result, found.change) == (28.0, 33.0, 5.0)
    assert "So far: <strong>run</strong>" in report_html(records(tmp_path / "run"))
