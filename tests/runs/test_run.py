"""Whole runs: their events, their directories, their replicas."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from candidate_files import CandidateFiles, write_candidates
from hopefear import tune_events as tune
from hopefear.errors import ConfigError, FormatError
from hopefear.events import (
    EpochFinished,
    Event,
    Noted,
    ReplicasFinished,
    RunFinished,
    RunStarted,
    Warned,
    read_log,
)
from hopefear.formats import read_weights
from hopefear.learners import KBestMira, Mert
from hopefear.runs.replicas import average_weights
from hopefear.types import Weights


@pytest.fixture
def files(tmp_path: Path) -> CandidateFiles:
    return write_candidates(tmp_path)


def run(files: CandidateFiles, **options: Any) -> list[Event]:
    if "learner" not in options:
        options = {"epochs": 3} | options
    learner = options.pop("learner", KBestMira())
    return list(tune(learner, nbest=files.nbest, refs=files.refs, tokenize="none", **options))


def finished(events: list[Event]) -> RunFinished:
    assert isinstance(events[-1], RunFinished)
    return events[-1]


def content(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_run_tells_its_start_its_epochs_and_its_end(files: CandidateFiles) -> None:
    events = run(files)
    assert [type(event) for event in events] == [
        *[Noted, RunStarted, EpochFinished, EpochFinished, EpochFinished, RunFinished]
    ]
    started = events[1]
    assert isinstance(started, RunStarted)
    assert (started.name, started.epochs, started.sentences) == ("kbest-mira", 3, 20)
    assert started.signature.startswith("nrefs:1|case:mixed|eff:no|tok:none")
    assert started.tuning_score is not None
    assert started.tuning_oracle is not None
    assert started.tuning_score < started.tuning_oracle


def test_the_directory_holds_settings_events_and_weights(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "some/run"
    events = run(files, out=out)
    assert content(out) == [
        *[
            "checkpoint/state.npz",
            "clouds/16.json",
            "config.toml",
            "events.jsonl",
            "report.html",
            "run.json",
        ],
        *[
            "sentences.jsonl.gz",
            "weights.moses",
            "weights.tsv",
            "weights/01.tsv",
            "weights/02.tsv",
            "weights/03.tsv",
        ],
    ]
    assert list(read_log(out / "events.jsonl")) == events
    weights = finished(events).weights
    assert read_weights(out / "weights.tsv") == weights
    assert read_weights(out / "weights.moses") == weights
    assert read_weights(out / f"weights/{finished(events).best_epoch:02}.tsv") == weights


def test_the_settings_of_a_run_repeat_it(files: CandidateFiles, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    run(files, out=first, seed=5)
    list(tune(first / "config.toml", out=second))
    for name in ("config.toml", "weights.tsv", "weights/01.tsv"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_same_seed_gives_the_same_weights_for_any_number_of_threads(
    files: CandidateFiles,
) -> None:
    learner = Mert(restarts=3, random_directions=2)
    one, two, other = (
        finished(run(files, learner=learner, threads=threads, seed=seed)).weights
        for threads, seed in ((1, 1), (2, 1), (1, 2))
    )
    assert one == two
    assert one != other


def test_the_best_epoch_on_held_out_data_is_taken(files: CandidateFiles, tmp_path: Path) -> None:
    dev = write_candidates(tmp_path, "dev", seed=9)
    events = run(files, learner=KBestMira(), epochs=8, dev_nbest=dev.nbest, dev_refs=dev.refs)
    epochs = [event for event in events if isinstance(event, EpochFinished)]
    best = max(epochs, key=lambda event: event.dev_score or 0.0)
    assert finished(events).best_epoch == best.epoch
    assert finished(events).dev_score == best.dev_score
    assert not any(isinstance(event, Warned) for event in events)


def test_a_run_stops_when_held_out_scores_do_not_rise(
    files: CandidateFiles, tmp_path: Path
) -> None:
    dev = write_candidates(tmp_path, "dev", seed=9)
    options = {"set": ["stopping.window=3", "stopping.least_gain=100.0"]}
    events = run(files, epochs=8, dev_nbest=dev.nbest, dev_refs=dev.refs, **options)
    assert finished(events).epochs == 3
    assert finished(events).reason == "the held-out score had no upward trend in the last 3 epochs"


def test_a_run_that_is_there_is_not_overwritten_unless_forced(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(files, out=out)
    with pytest.raises(ConfigError, match="holds a run already; name another directory, or force"):
        run(files, out=out)
    run(files, out=out, force=True, learner=KBestMira(), epochs=1)
    assert content(out / "weights") == ["01.tsv"]


def test_other_files_are_never_overwritten(files: CandidateFiles, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not the directory of a run"):
        run(files, out=tmp_path, force=True)
    with pytest.raises(ConfigError, match="exists and is not a directory"):
        run(files, out=files.nbest, force=True)
    assert files.nbest.is_file()


def test_an_old_run_survives_data_that_cannot_be_read(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run(files, out=out)
    files.nbest.write_text("broken\n")
    with pytest.raises(FormatError):
        run(files, out=out, force=True, format="moses")
    assert (out / "weights.tsv").is_file()


def test_weights_go_into_a_moses_ini(files: CandidateFiles, tmp_path: Path) -> None:
    template, out = tmp_path / "moses.ini", tmp_path / "run"
    template.write_text("[weight]\nlm= 0.5\ntm= 0.2\nUnknownWordPenalty0= 1\n")
    events = run(files, moses_ini=template, out=out)
    started = next(event for event in events if isinstance(event, RunStarted))
    assert (started.weights["lm"], started.weights["tm"]) == (0.5, 0.2)
    found = read_weights(out / "moses.ini", "moses")
    assert found["lm"] == finished(events).weights["lm"]
    assert found["UnknownWordPenalty0"] == 1.0


def test_the_format_of_weights_can_be_chosen(files: CandidateFiles, tmp_path: Path) -> None:
    out = tmp_path / "run"
    events = run(files, weights_format="json", out=out)
    assert read_weights(out / "weights.json") == finished(events).weights
    assert not (out / "weights.moses").exists()


def test_a_format_that_cannot_carry_the_weights_is_told_before_learning(tmp_path: Path) -> None:
    lists, out = tmp_path / "lists.jsonl", tmp_path / "run"
    rows = ((s, i) for s in range(4) for i in range(3))
    lines = (
        f'{{"sentence": {s}, "text": "{"a " * i}", "features": {{"two words": {i}}}}}\n'
        for s, i in rows
    )
    lists.write_text("".join(lines))
    refs = tmp_path / "refs"
    refs.write_text("a a\n" * 4)
    options: dict[str, Any] = {"nbest": lists, "refs": refs, "metric": "chrf", "out": out}
    with pytest.raises(
        FormatError, match="the cdec format cannot represent the feature 'two words'"
    ):
        list(tune("kbest-mira", **options, weights_format="cdec"))
    assert not out.exists()


def test_start_weights_come_from_a_file_or_a_string(files: CandidateFiles, tmp_path: Path) -> None:
    path = tmp_path / "start.json"
    path.write_text('{"lm": 0.5, "tm": 2, "noise": 1, "reordering": 1, "words": -1}')
    inline = "lm=0.5 tm=2 noise=1 reordering=1 words=-1"
    table = {"lm": 0.5, "tm": 2.0, "noise": 1.0, "reordering": 1.0, "words": -1.0}
    for start in (path, str(path), inline, table, Weights(table)):
        events = run(files, start=start)
        started = next(event for event in events if isinstance(event, RunStarted))
        assert started.weights == Weights(table)
    with pytest.raises(ConfigError, match="start weights 'lm=x': 'x' is not a number"):
        run(files, start="lm=x")


def test_sparse_features_start_at_zero(tmp_path: Path) -> None:
    lists, refs = tmp_path / "lists.tsv", tmp_path / "refs"
    lists.write_text("sentence\ttext\tlm\tw1\n0\ta b\t1\t1\n0\tb\t2\t\n0\tc\t3\t\n")
    refs.write_text("a b\n")
    events = list(tune(Mert(restarts=0), nbest=lists, refs=refs, metric="wer"))
    started = next(event for event in events if isinstance(event, RunStarted))
    assert started.weights == Weights({"lm": 1.0, "w1": 0.0})


def test_replicas_have_directories_and_a_mean(files: CandidateFiles, tmp_path: Path) -> None:
    out = tmp_path / "run"
    events = run(files, replicas=3, out=out, seed=4)
    assert content(out) == [
        *["clouds/16.json", "config.toml", "events.jsonl"],
        *[
            f"replica-{i}/{name}"
            for i in (1, 2, 3)
            for name in (
                *["checkpoint/state.npz", "events.jsonl", "weights.moses", "weights.tsv"],
                *["weights/01.tsv", "weights/02.tsv", "weights/03.tsv"],
            )
        ],
        *["report.html", "run.json", "sentences.jsonl.gz", "weights.moses", "weights.tsv"],
    ]
    ends = [event for event in events if isinstance(event, RunFinished)]
    starts = [event for event in events if isinstance(event, RunStarted)]
    assert [(start.seed, start.replica) for start in starts] == [(4, 1), (5, 2), (6, 3)]
    last = events[-1]
    assert isinstance(last, ReplicasFinished)
    scores = np.array([end.tuning_score for end in ends], dtype=np.float64)
    assert last.tuning_mean == pytest.approx(scores.mean(), rel=1e-12)
    assert last.tuning_deviation == pytest.approx(scores.std(ddof=1), rel=1e-12)
    assert last.chosen == scores.argmax() + 1
    assert last.weights == ends[scores.argmax()].weights
    assert read_weights(out / "weights.tsv") == last.weights
    assert list(read_log(out / "replica-2/events.jsonl"))[-1] == ends[1]


def test_of_replicas_the_one_with_the_fewest_errors_is_chosen(files: CandidateFiles) -> None:
    data: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs}
    events = list(tune(KBestMira(), **data, metric="ter", replicas=3, epochs=1))
    errors = [event.tuning_score for event in events if isinstance(event, RunFinished)]
    last = events[-1]
    assert isinstance(last, ReplicasFinished)
    assert len(set(errors)) > 1
    assert last.tuning_score == min(error for error in errors if error is not None)


def test_the_mean_of_the_weights_is_of_directions() -> None:
    first, second = Weights({"a": 1.0, "b": -1.0}), Weights({"a": 30.0, "c": 10.0})
    found = average_weights([first, second])
    assert found == Weights({"a": 13.125, "b": -5.25, "c": 2.625})


def test_averaged_weights_are_scored_as_such(files: CandidateFiles) -> None:
    events = run(files, replicas=2, average=True)
    ends = [event.weights for event in events if isinstance(event, RunFinished)]
    last = events[-1]
    assert isinstance(last, ReplicasFinished)
    assert last.chosen is None
    assert last.weights == average_weights(ends)


def test_settings_are_wrong_before_anything_is_read() -> None:
    with pytest.raises(ConfigError, match="unknown preset or learner 'mret'; did you mean 'mert'"):
        tune("mret", nbest="no-such-file", refs="neither")


def test_what_is_done_is_reported(files: CandidateFiles) -> None:
    told: list[tuple[str, int, int]] = []
    run(files, learner=Mert(restarts=2), progress=lambda *what: told.append(what))
    size = files.nbest.stat().st_size
    assert told == [
        *[(str(files.nbest), size, size), ("tuning data: BLEU", 0, 0)],
        *[("mert", 1, 3), ("mert", 2, 3), ("mert", 3, 3)],
    ]


def test_scaled_features_give_weights_of_the_features_as_they_are(files: CandidateFiles) -> None:
    events = run(files, scale_features=True, learner=KBestMira(), epochs=10)
    started = next(event for event in events if isinstance(event, RunStarted))
    assert started.tuning_score is not None
    score = finished(events).tuning_score
    assert score is not None
    assert score > started.tuning_score + 1
