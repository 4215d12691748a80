"""Estimates for more learners: by hand where steps all take the same time, and from real logs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hopefear
from command_line import Hopefear
from hopefear.errors import DataError
from hopefear.events import EpochFinished
from hopefear.runs.planning import BYTES_PER_FEATURE, Measured, Plan, read_measured
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

ALONE = Measured(
    name="alone",
    strategy="serial",
    workers=1,
    sentences=100,
    features=1000,
    seconds=2.5,
    step=0.02,
    deviation=0.0,
    messages=0.0,
    sent=0.0,
)
# Half of the sentences teach a lesson of 600 bytes; hearing one takes 2 ms.
HEARD = replace(ALONE, strategy="async", workers=3, step=0.022, messages=100.0, sent=60_000.0)
PLAN = Plan(runs=(ALONE, HEARD), bandwidth=1e6, latency=0.001)


def test_an_epoch_takes_as_long_as_its_longest_learner_and_the_states_on_their_way() -> None:
    found = PLAN.estimate("mixing", 8)
    states = 2 * 8 * 1000 * BYTES_PER_FEATURE
    assert_allclose(found.seconds, 13 * 0.02 + states / 1e6 + 0.002)  # 100 = 4 × 13 + 4 × 12
    assert_allclose(found.speedup, 2.0 / found.seconds)
    assert (found.messages, found.sent) == (16, states)
    assert_allclose(PLAN.estimate("mixing", 1).seconds, 2.0)


def test_asynchronous_steps_take_longer_the_more_they_hear() -> None:
    assert_allclose(PLAN.line, (0.02, 0.002))
    found = PLAN.estimate("async", 5)
    assert_allclose(found.work, 100 * (0.02 + 0.002 * 0.5 * 4))
    assert_allclose(found.seconds, 20 * (0.02 + 0.002 * 0.5 * 4) + 0.001)
    assert_allclose((found.messages, found.sent), (200, 200 * 600))
    slow = replace(PLAN, bandwidth=1e3).estimate("async", 5)
    assert_allclose(slow.seconds, 200 * 600 / 5 / 1e3 + 0.001)


def test_few_processors_take_turns() -> None:
    found = replace(PLAN, processors=2, latency=0.0, bandwidth=1e18).estimate("mixing", 4)
    assert_allclose(found.seconds, 100 * 0.02 / 2)


def test_steps_of_different_length_make_learners_wait() -> None:
    runs = tuple(replace(run, deviation=run.step) for run in PLAN.runs)
    varied = Plan(runs=runs, sentences=10_000, latency=0.0, bandwidth=1e18)
    found = varied.estimate("mixing", 100)
    # The largest of 100 sums of 100 exponential variates lies 2.5 of their deviations above.
    assert_allclose(found.seconds, 0.02 * (100 + 2.5 * 10), rtol=0.03)
    assert varied.estimate("mixing", 100) == found


def test_what_was_measured_is_compared_with_its_estimate() -> None:
    pair = PLAN.compare(HEARD)
    assert_allclose(pair.estimate.sent, HEARD.sent)
    assert_allclose(pair.estimate.work, HEARD.sentences * HEARD.step)


def run_of(path: Path, step: float | None) -> Path:
    weights = [Weights({"lm": x}) for x in (1.0, 2.0, 3.0)]
    events = [
        replace(event, step_seconds=step, step_deviation=0.5, updates=6)
        if isinstance(event, EpochFinished)
        else event
        for event in events_of_a_run(weights, scores=[35.0, 36.0])
    ]
    return write_run(path, events)


def test_a_run_without_measured_steps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not the directory of a run"):
        read_measured(tmp_path)
    with pytest.raises(DataError, match="online learners"):
        read_measured(run_of(tmp_path / "lists", None))
    found = read_measured(run_of(tmp_path / "forests", 1.5))
    assert (found.step, found.deviation, found.sentences, found.workers) == (1.5, 0.5, 12, 1)


def test_the_command_prints_assumptions_and_estimates(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = run_of(tmp_path / "run", 1.5)
    shown = Hopefear(capsys)("simulate-cluster", run, "--workers", "2", "--compare", run)
    assert shown.code == 0
    assert "assumed:" in shown.out
    assert "12 sentences" in shown.out
    assert "no estimates for async" in shown.out
    plan, estimates, (pair,) = hopefear.simulate_cluster(run, workers=(2,), compare=(run,))
    assert [one.workers for one in estimates] == [2]
    assert pair.measured == plan.runs[0]
    assert np.isfinite(estimates[0].seconds)
