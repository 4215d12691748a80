"""Runs that are stopped go on, and end where an undisturbed run ends."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from candidate_files import CandidateFiles, write_candidates
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, FormatError
from hopefear.events import EpochFinished, Event, RunFinished, RunResumed, read_log
from hopefear.forest import nbest_forest
from hopefear.formats import read_nbest
from hopefear.formats.forests.store import ForestWriter
from hopefear.learners import (
    AnyLearner,
    KBestMira,
    Lbfgs,
    Mert,
    Mira,
    Pro,
    Rampion,
    StructuredSvm,
    learners,
)
from hopefear.metrics import Bleu, Column, References
from hopefear.nbest import NBestBuilder
from hopefear.parallel.codec import decode, encode
from hopefear.regularizers import L1
from hopefear.runs.checkpoint import CheckpointFile
from hopefear.runs.course import DecodingState
from hopefear.runs.kinds import learns_from
from hopefear.runs.loop import About, learn
from hopefear.runs.run_directory import read_folder
from hopefear.runs.stopping import Stopping
from hopefear.types import Vocabulary, Weights
from tuning_sets import course_of, start_vector, synthetic_set

SMALL: dict[str, tuple[AnyLearner, int]] = {name: (learners[name](), 4) for name in learners} | {
    "mert": (Mert(restarts=1, random_directions=1), 3),
    "pro": (Pro(samples=100, kept=10, interpolation=0.5), 3),
    "rampion": (Rampion(rate=0.01), 4),
    "lbfgs l1": (Lbfgs(regularizer=L1(strength=0.1)), 4),
    "scaled mira": (Mira(rate=0.05), 4),
    "structured-svm": (StructuredSvm(), 6),
}


def forest_set() -> ForestSet:
    words, names = Vocabulary(), Vocabulary()
    for name in START:
        names.add(name)
    made, references = [], []
    for text, segment in SyntheticCandidates(sentences=12, size=8, seed=1):
        references.append([text])
        made.append(nbest_forest(segment.hypotheses, words=words, feature_names=names))
    return ForestSet(made, References(references), Bleu(tokenize="none"), threads=1)


def course(
    name: str, checkpoint: CheckpointFile | None, *, forests: bool = False
) -> Iterator[Event]:
    learner, epochs = SMALL[name]
    data: Candidates
    if forests or "lists" not in learns_from(learner):
        data = forest_set()
    else:
        data = synthetic_set(sentences=12, size=8)
    planned = course_of(
        learner,
        data,
        START.vector(data.feature_names),
        rhythm=replace(learner.rhythm, epochs=epochs, list_size=3, decodings=4),
        scaled=name.startswith("scaled"),
    )
    return learn(planned, START, About(name="learner"), checkpoint=checkpoint)


def result(events: list[Event]) -> Weights:
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    return finished.weights


@pytest.mark.parametrize("forests", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_every_learner_goes_on_from_every_epoch_to_the_same_end(
    name: str, forests: bool, tmp_path: Path
) -> None:
    whole = list(course(name, None, forests=forests))
    epochs = sum(isinstance(event, EpochFinished) for event in whole)
    for stop in range(1, epochs):
        checkpoint = CheckpointFile(tmp_path / str(stop) / "state.npz")
        for event in course(name, checkpoint, forests=forests):
            if isinstance(event, EpochFinished) and event.epoch > stop:
                break  # the checkpoint is that of the epoch before
        assert checkpoint.epoch() == stop
        rest = list(course(name, checkpoint, forests=forests))
        assert isinstance(rest[0], RunResumed)
        assert rest[0].epoch == stop + 1
        assert result(rest) == result(whole)
        assert [e.epoch for e in rest if isinstance(e, EpochFinished)] == list(
            range(stop + 1, epochs + 1)
        )


def test_a_run_that_had_decided_to_stop_does_not_go_on(tmp_path: Path) -> None:
    data = synthetic_set(sentences=12, size=8)
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    rhythm = replace(KBestMira().rhythm, epochs=10)
    planned = course_of(KBestMira(), data, start_vector(data), rhythm=rhythm)

    def events() -> Iterator[Event]:
        stopping = Stopping(window=3, least_gain=100.0)
        about = About(name="kbest-mira")
        return learn(planned, START, about, dev=data, stopping=stopping, checkpoint=checkpoint)

    stopped = list(takewhile(lambda event: not isinstance(event, RunFinished), events()))
    assert sum(isinstance(event, EpochFinished) for event in stopped) == 3
    rest = list(events())
    assert [type(event) for event in rest] == [RunResumed, RunFinished]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CandidateFiles:
    return write_candidates(tmp_path_factory.mktemp("resume"), sentences=60, size=20)


# Enough epochs that a kill falls into the middle of them.
RUNS = {
    "kbest-mira": ["kbest-mira", "--set", "rhythm.epochs=60", "--set", "learner.line_search=1"],
    "replicas": ["mert", "--replicas", "3", "--set", "learner.restarts=2"],
    "online": ["chiang2012-mira-small", "--set", "rhythm.epochs=20"],
}


@pytest.fixture(scope="module")
def forests(files: CandidateFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lists of `files` as forests, which online learners need."""
    path = tmp_path_factory.mktemp("forests") / "0.forests"
    words, names = Vocabulary(), Vocabulary()
    with ForestWriter.open(path) as writer:
        for segment in read_nbest(files.nbest):
            forest = nbest_forest(segment.hypotheses, words=words, feature_names=names)
            assert isinstance(segment.sentence, int)
            writer.add(segment.sentence, forest)
    return path.parent


def command(files: CandidateFiles, forests: Path, name: str, out: Path) -> list[str]:
    candidates = ["--forests", str(forests)] if name == "online" else ["--nbest", str(files.nbest)]
    data = [*candidates, "--refs", str(files.refs), "--tokenize", "none"]
    return [*RUNS[name], *data, "-o", str(out)]


def start(arguments: list[str]) -> "subprocess.Popen[bytes]":
    program = "from hopefear.cli.program import main; main()"
    words = [sys.executable, "-c", program, "tune", *arguments]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_is_killed_at_any_moment_ends_as_if_it_had_not_been(
    files: CandidateFiles, forests: Path, name: str, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    began = time.monotonic()
    assert start(command(files, forests, name, whole)).wait() == 0
    duration = time.monotonic() - began
    draw = random.Random(os.getpid())  # another moment every time
    arguments = command(files, forests, name, killed)
    for _ in range(4):
        process = start(arguments)
        try:
            process.wait(timeout=draw.uniform(0.3, 1.0) * duration)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        if (killed / "weights.tsv").exists():
            break
        if (killed / "config.toml").exists():
            arguments = ["--resume", "-o", str(killed)]
    if not (killed / "weights.tsv").exists():
        assert start(arguments).wait() == 0
    assert (killed / "weights.tsv").read_bytes() == (whole / "weights.tsv").read_bytes()
    epochs = [e.epoch for e in read_log(killed / "events.jsonl") if isinstance(e, EpochFinished)]
    assert epochs == sorted(set(epochs))


def test_a_run_goes_on_in_python_and_tells_that_it_did(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    options["set"] = ["rhythm.epochs=5"]
    whole = list(tune("kbest-mira", **options))
    for event in tune("kbest-mira", out=out, **options):
        if isinstance(event, EpochFinished) and event.epoch == 3:
            break
    rest = list(resume_tuning(out))
    assert result(rest) == result(whole)
    log = list(read_log(out / "events.jsonl"))
    assert [e.epoch for e in log if isinstance(e, EpochFinished)] == [1, 2, 3, 4, 5]
    assert sum(isinstance(event, RunResumed) for event in log) == 1
    with pytest.raises(ConfigError, match="the run is over"):
        resume_tuning(out)


def test_what_is_no_run_cannot_go_on(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path))):
        resume_tuning(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\x93NUMPY"])
def test_a_broken_checkpoint_is_named(
    content: bytes, files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    for event in tune("kbest-mira", out=out, **options):
        if isinstance(event, EpochFinished) and event.epoch == 2:
            break
    (out / "checkpoint" / "state.npz").write_bytes(content)
    with pytest.raises(FormatError, match="damaged, or from another run"):
        list(resume_tuning(out))


def test_a_checkpoint_of_other_features_is_refused(tmp_path: Path) -> None:
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    for event in course("mira", checkpoint):
        if isinstance(event, EpochFinished) and event.epoch == 2:
            break
    names = Vocabulary()
    for name in reversed(list(START)):
        names.add(name)
    words = Vocabulary()
    made = [
        nbest_forest(segment.hypotheses, words=words, feature_names=names)
        for _, segment in SyntheticCandidates(sentences=12, size=8, seed=1)
    ]
    texts = [[text] for text, _ in SyntheticCandidates(sentences=12, size=8, seed=1)]
    other = ForestSet(made, References(texts), Bleu(tokenize="none"), threads=1)
    planned = course_of(SMALL["mira"][0], other, START.vector(names))
    with pytest.raises(FormatError, match="feature 0 of the run was"):
        list(learn(planned, START, About(name="mira"), checkpoint=checkpoint))


def arrays_after_two_epochs(checkpoint: CheckpointFile) -> dict[str, Any]:
    for event in course("pro", checkpoint):
        if isinstance(event, EpochFinished) and event.epoch == 2:
            break
    with np.load(checkpoint.path) as file:
        return {name: file[name] for name in file.files}


def test_arrays_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    arrays = arrays_after_two_epochs(checkpoint)
    arrays["state.0"] = np.array(["text"])
    np.savez(checkpoint.path, **arrays)
    with pytest.raises(FormatError, match=r"'state\.0' has <U4"):
        list(course("pro", checkpoint))
    del arrays["state.0"]
    np.savez(checkpoint.path, **arrays)
    with pytest.raises(FormatError, match=r"'state\.0' is missing"):
        list(course("pro", checkpoint))


def test_a_bit_that_is_changed_in_the_archive_does_no_harm(tmp_path: Path) -> None:
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    arrays_after_two_epochs(checkpoint)
    content, epoch = checkpoint.path.read_bytes(), checkpoint.epoch()
    messages = []
    for begin in (content.rfind(b"PK\x03\x04"), content.rfind(b"PK\x01\x02")):
        for bit in range(8 * 30):
            changed = bytearray(content)
            changed[begin + bit // 8] ^= 1 << bit % 8
            checkpoint.path.write_bytes(changed)
            try:
                found = checkpoint.epoch()
            except FormatError as error:
                messages.append(str(error))
            else:
                assert found == epoch
    assert len(messages) > 100
    assert all("damaged, or from another run" in message for message in messages)


def test_lists_are_kept_with_all_their_blanks() -> None:
    builder = NBestBuilder()
    for text in ("a  b", "a\nb", "\u00e9\u2028c", ""):
        builder.add(1, text, {"f": 1.0, "g": -2.0})
    nbest = builder.finish(3)
    nbest.set_statistics(np.arange(8.0).reshape(4, 2))
    data = ListSet(nbest=nbest, metric=Column())
    state = DecodingState(weights=np.ones(2), lists=data)
    kept = decode(DecodingState(weights=np.zeros(2)), encode(state), data).lists
    assert [kept.nbest.text(row) for row in range(4)] == [nbest.text(row) for row in range(4)]
    assert kept.nbest.checksum() == nbest.checksum()


def test_the_time_before_a_stop_counts(tmp_path: Path) -> None:
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    arrays = arrays_after_two_epochs(checkpoint)
    table = json.loads(arrays["table"].tobytes()) | {"seconds": 1000.0}
    arrays["table"] = np.frombuffer(json.dumps(table).encode(), dtype=np.uint8)
    np.savez(checkpoint.path, **arrays)
    *_, finished = course("pro", checkpoint)
    assert isinstance(finished, RunFinished)
    assert 1000.0 < finished.seconds < 1100.0


def test_a_run_goes_on_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(home)
    write_candidates(home)
    options: dict[str, Any] = {"nbest": "tune.nbest", "refs": "tune.refs", "tokenize": "none"}
    whole = list(tune(KBestMira(), epochs=5, **options))
    for stop in (1, 3):  # before the first checkpoint, and after some
        out = home / f"run-{stop}"
        for event in tune(KBestMira(), epochs=5, out=out, **options):
            if isinstance(event, EpochFinished) and event.epoch == stop:
                break
        monkeypatch.chdir(elsewhere)
        assert result(list(resume_tuning(out))) == result(whole)
        assert read_folder(out) == home
        monkeypatch.chdir(home)
