"""A result that is none, or worse than the start, is never called a success."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from candidate_files import CandidateFiles, write_candidates
from hopefear import tune_events as tune
from hopefear.candidates import ListSet
from hopefear.errors import DataError, LearningError
from hopefear.events import (
    EpochFinished,
    Event,
    ReplicasFinished,
    RunFailed,
    RunFinished,
    RunStarted,
    Warned,
    read_log,
)
from hopefear.learners import AnyLearner, Lbfgs, Sgd
from hopefear.regularizers import L1
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.runs.checkpoint import CheckpointFile
from hopefear.runs.loop import About, learn
from hopefear.types import FloatArray, Hypothesis, Weights
from tuning_sets import course_of, start_vector, synthetic_set


def run(files: CandidateFiles, learner: str | AnyLearner, **options: Any) -> list[Event]:
    events = tune(learner, nbest=files.nbest, refs=files.refs, tokenize="none", **options)
    return list(events)


def warnings(events: list[Event]) -> list[str]:
    """Return the warnings but the one about held-out data."""
    messages = [event.message for event in events if isinstance(event, Warned)]
    return [message for message in messages if not message.startswith("no held-out data")]


@dataclass(frozen=True, kw_only=True)
class Returning:
    """A learner that ends each epoch with given weights: equal ones, or each larger by `growth`."""

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=2)

    value: float
    growth: float = 0.0

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> FloatArray:
        return weights

    def learn(
        self, state: FloatArray, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[FloatArray, None]:
        return np.array([self.value + self.growth * i for i in range(len(state))]), None

    def weights(self, state: FloatArray) -> FloatArray:
        return state


def learned(
    learner: AnyLearner,
    start: Weights | None = None,
    *,
    epochs: int = 2,
    dev: ListSet | None = None,
    checkpoint: CheckpointFile | None = None,
) -> Iterator[Event]:
    data = synthetic_set()
    names = data.feature_names
    start = Weights.from_vector(names, np.ones(5)) if start is None else start
    course = course_of(learner, data, start.vector(names), rhythm=Rhythm(epochs=epochs))
    return learn(course, start, About(name="returning"), dev=dev, checkpoint=checkpoint)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "epoch 1: the weight of 'lm' became nan"),
        (np.inf, "epoch 1: the weight of 'lm' became inf"),
        (0.0, "epoch 1: all weights became zero"),
        (1e14, r"epoch 1: the weight of '.*' grew to 1e\+14"),
        (
            1.0,
            r"\(returning\) did not change the weights: they equal .* references are in",
        ),
        (3.0, r"did not change the weights: .* the start weights times 3, which choose"),
        (1 / 3, "did not change the weights: they equal the start weights times 0.3333"),
    ],
)
def test_weights_that_are_no_result_end_the_run(value: float, message: str) -> None:
    with pytest.raises(LearningError, match=message):
        list(learned(Returning(value=value)))


@pytest.mark.parametrize("value", [1e14, 1e308])
def test_start_weights_beyond_all_measure_are_told_as_such(tmp_path: Path, value: float) -> None:
    files, out = write_candidates(tmp_path), tmp_path / "run"
    with pytest.raises(DataError, match=r"the start weight of 'words' is 1e\+\d+: scores would"):
        run(files, "kbest-mira", start={"lm": 1.0, "words": value}, out=out)


def test_epochs_that_change_nothing_are_a_warning() -> None:
    events = list(learned(Returning(value=2.0, growth=0.5), epochs=9))
    assert "the last 3 epochs, up to 4, changed nothing" in warnings(events)


def test_a_failed_run_leaves_its_log_and_no_final_weights(tmp_path: Path) -> None:
    files, out = write_candidates(tmp_path), tmp_path / "run"
    with pytest.raises(LearningError, match="all weights became zero"):
        run(files, Lbfgs(regularizer=L1(strength=1e9)), out=out)
    *_, last = read_log(out / "events.jsonl")
    assert isinstance(last, RunFailed)
    assert "all weights became zero" in last.message
    names = ["config.toml", "events.jsonl", "report.html", "run.json"]
    assert sorted(path.name for path in out.iterdir()) == names


def test_replicas_that_end_alike_are_a_warning(tmp_path: Path) -> None:
    events = run(write_candidates(tmp_path), Lbfgs(), epochs=1, replicas=3)
    (message,) = warnings(events)
    assert message.startswith("replicas 1 and 2 ended with the same weights")
    assert isinstance(events[-1], ReplicasFinished)


def test_weights_that_turned_round_have_moved() -> None:
    *_, finished = learned(Returning(value=-1.0))
    assert isinstance(finished, RunFinished)


def test_a_start_at_zero_leaves_room_to_move() -> None:
    *_, finished = learned(Returning(value=2.0), Weights())
    assert isinstance(finished, RunFinished)


def with_constant(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
    """Leave one feature that varies, and one that does not."""
    return replace(hypothesis, features={"lm": hypothesis.features["lm"], "bias": 1.0})


@pytest.mark.parametrize(
    "learner", ["moses-kbmira", "pro", "rampion", "sgd", "lbfgs", "structured-svm", "mert", "oro"]
)
def test_one_feature_leaves_nothing_to_learn(learner: str, tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=with_constant)
    with pytest.raises(LearningError, match="did not change the weights"):
        run(files, learner, start={"lm": 0.5, "bias": 0.25}, threads=1)


def worse(events: list[Event]) -> list[str]:
    return [message for message in warnings(events) if "worse than the start" in message]


def good_start() -> Weights:
    """Return weights that the ones of `Returning` are worse than."""
    *_, finished = learned(Lbfgs(), Weights({"lm": 1.0}), epochs=10)
    assert isinstance(finished, RunFinished)
    return finished.weights


@pytest.mark.parametrize("held_out", [False, True])
def test_a_result_worse_than_the_start_is_a_warning_with_both_scores(held_out: bool) -> None:
    dev = synthetic_set(seed=2) if held_out else None
    events = list(learned(Returning(value=-1.0, growth=0.1), good_start(), dev=dev))
    started, finished = events[0], events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    before = started.dev_score if held_out else started.tuning_score
    after = finished.dev_score if held_out else finished.tuning_score
    assert before is not None
    assert after is not None
    (message,) = worse(events)
    role = "dev" if held_out else "tuning"
    assert f"BLEU on the {role} data went from {before:.2f} to {after:.2f}" in message
    assert f"{before - after:.2g} lower" in message
    assert events[-2] == Warned(message=message)


def test_steps_too_small_to_change_a_choice_are_a_warning() -> None:
    data = synthetic_set()
    start = Weights.from_vector(data.feature_names, 100 * start_vector(data))
    events = list(learned(Sgd(rate=1e-9), start))
    started, told = events[0], warnings(events)
    assert isinstance(started, RunStarted)
    stays = f"BLEU on the tuning data stays at {started.tuning_score:.2f}"
    assert [stays in message for message in told if "no better than the start" in message] == [True]


def test_a_run_that_goes_on_remembers_how_good_its_start_was(tmp_path: Path) -> None:
    learner, start = Returning(value=-1.0, growth=0.1), good_start()
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    for event in learned(learner, start, checkpoint=checkpoint):
        if isinstance(event, EpochFinished) and event.epoch == 2:
            break
    assert len(worse(list(learned(learner, start, checkpoint=checkpoint)))) == 1


def test_replicas_worse_than_the_start_are_told_so_in_the_log(tmp_path: Path) -> None:
    files, out = write_candidates(tmp_path), tmp_path / "run"
    *_, best = run(files, "mert")
    assert isinstance(best, RunFinished)
    options: dict[str, Any] = {"replicas": 2, "start": best.weights, "out": out}
    events = run(files, Lbfgs(), epochs=1, **options)
    assert isinstance(events[-1], ReplicasFinished)
    assert len(worse(list(read_log(out / "events.jsonl")))) == 1


def test_a_better_result_is_no_warning(tmp_path: Path) -> None:
    assert worse(run(write_candidates(tmp_path), Lbfgs(), epochs=5)) == []
