"""Runs that are stopped go on, and end where an undisturbed run ends."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from candidate_files import CandidateFiles, write_candidates
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, FormatError
from hopefear.events import (
    EpochFinished,
    Event,
    RunFinished,
    RunResumed,
    read_log,
    to_json,
)
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
    program = "from hopefear.cli import main; main()"
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


def test_a_run_that_was_killed_before_its_report_gets_one(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    whole = list(tune("mert", out=out, set=["learner.restarts=0"], **options))
    (out / "report.html").unlink()
    assert result(list(resume_tuning(out))) == result(whole)
    assert (out / "report.html").exists()
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


Change = Callable[[NDArray[Any]], NDArray[Any]]


def arrays_after_two_epochs(
    checkpoint: CheckpointFile, name: str = "pro", *, forests: bool = False
) -> dict[str, Any]:
    for event in course(name, checkpoint, forests=forests):
        if isinstance(event, EpochFinished) and event.epoch == 3:
            break
    with np.load(checkpoint.path) as file:
        return {name: file[name] for name in file.files}


def changed(place: int | tuple[int, ...], value: float) -> Change:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array = array.copy()
        array[place] = value
        return array

    return change


def text(value: object) -> Change:
    return lambda array: np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def of_table(**values: object) -> Change:
    return lambda array: text(json.loads(array.tobytes()) | values)(array)


ANOTHER_EVENT = to_json(RunResumed(epoch=1, started=""))
CRAFTED: dict[str, list[tuple[str, str, Change]]] = {
    "pro": [
        ("longer", "state.0", lambda array: np.append(array, 1.0)),
        ("shorter", "state.0", lambda array: array[1:]),
        ("a table", "state.0", lambda array: array[None]),
        ("a number", "state.0", lambda array: array[0]),
        ("small floats", "state.0", lambda array: array.astype(np.float32)),
        ("whole numbers", "state.1", lambda array: array.astype(np.int64)),
        ("texts", "state.1", lambda array: array.astype(str)),
        ("a table of weights", "previous", lambda array: array[None]),
        ("one weight", "previous", lambda array: array[0]),
        ("too many weights", "previous", lambda array: np.zeros(10**6)),
        ("no table", "table", text([])),
        ("no epoch", "table", of_table(epoch=None)),
        ("an epoch before all", "table", of_table(epoch=-2)),
        ("an endless epoch", "table", of_table(epoch=float("inf"))),
        ("another best event", "table", of_table(best=ANOTHER_EVENT)),
        ("no event", "table", of_table(best="{}")),
        ("nameless features", "table", of_table(features=[1, 2])),
        ("no scores", "table", of_table(held_out=3)),
    ],
    "structured-svm": [
        ("beyond the columns", "state.rows.indices", changed(0, 5)),
        ("far beyond", "state.rows.indices", changed(-1, 2**31 - 1)),
        ("before the columns", "state.rows.indices", changed(3, -1)),
        ("fractions", "state.rows.indices", lambda array: array.astype(np.float64)),
        ("fewer", "state.rows.indices", lambda array: array[:-1]),
        ("back and forth", "state.rows.indptr", changed(2, 100)),
        ("beyond the values", "state.rows.indptr", changed(-1, 10**6)),
        ("not from zero", "state.rows.indptr", changed(0, -1)),
        ("whole numbers", "state.rows.data", lambda array: array.astype(np.int64)),
        ("texts", "state.rows.data", lambda array: array.astype(str)),
        ("a table", "state.rows.data", lambda array: array[None]),
        ("more columns", "state.rows.shape", changed(1, 6)),
        ("more rows", "state.rows.shape", changed(0, 10**9)),
        ("fewer rows", "state.rows.shape", changed(0, -3)),
        ("three axes", "state.rows.shape", lambda array: np.append(array, 1)),
        ("fractions of rows", "state.rows.shape", lambda array: array + 0.5),
        ("more costs than planes", "state.costs", lambda array: np.append(array, 1.0)),
        ("fewer costs than planes", "state.costs", lambda array: array[1:]),
        ("a table of costs", "state.costs", lambda array: array[None]),
        ("one cost", "state.costs", lambda array: array[0]),
    ],
    "kbest-mira": [
        ("negative", "state.lists.offsets", changed(1, -1)),
        ("not from zero", "state.lists.offsets", changed(0, -5)),
        ("back and forth", "state.lists.offsets", changed(5, 10**6)),
        ("no end", "state.lists.offsets", changed(-1, 10**6)),
        ("fractions", "state.lists.offsets", lambda array: array + 0.25),
        ("nothing", "state.lists.offsets", lambda array: array[:0]),
        ("a number", "state.lists.offsets", lambda array: array[-1]),
        ("a table", "state.lists.offsets", lambda array: array[None]),
        ("more sentences", "state.lists.offsets", lambda array: np.append(array, array[-1])),
        ("fewer sentences", "state.lists.offsets", lambda array: np.delete(array, 3)),
        ("negative", "state.lists.sizes", changed(0, -1)),
        ("larger", "state.lists.sizes", changed(0, 10**6)),
        ("fractions", "state.lists.sizes", lambda array: array + 0.5),
        ("unknown features", "state.lists.ids", changed(0, 5)),
        ("features before all", "state.lists.ids", changed(0, -1)),
        ("fractions of features", "state.lists.ids", lambda array: array + 0.5),
        ("a table", "state.lists.ids", lambda array: array[None]),
        ("texts", "state.lists.values", lambda array: array.astype(str)),
        ("not finite", "state.lists.values", changed(0, np.nan)),
        ("fewer", "state.lists.values", lambda array: array[1:]),
        ("numbers", "state.lists.texts", lambda array: text([1] * 100)(array)),
        ("no list", "state.lists.texts", text({})),
        ("not text", "state.lists.texts", lambda array: np.full(7, 255, dtype=np.uint8)),
        ("fewer columns", "state.lists.statistics", lambda array: array[:, 1:].copy()),
        ("more columns", "state.lists.statistics", lambda array: np.repeat(array, 2, axis=1)),
        ("no columns", "state.lists.statistics", lambda array: array[:, :0]),
        ("fewer rows", "state.lists.statistics", lambda array: array[1:]),
        ("one row", "state.lists.statistics", lambda array: array[0]),
        ("texts", "state.lists.statistics", lambda array: array.astype(str)),
        ("longer", "state.weights", lambda array: np.append(array, 1.0)),
        ("a table", "state.converged", lambda array: array[None]),
        ("a text", "state.converged", lambda array: np.array("no")),
    ],
    "sgd": [
        ("nothing", "state.core", lambda array: array[:0]),
        ("a table", "state.core", lambda array: array[None]),
        ("small floats", "state.core", lambda array: array.astype(np.float32)),
        ("fewer weights", "state.core", changed(0, 4.0)),
        ("endless weights", "state.core", changed(0, np.inf)),
        ("cut off", "state.core", lambda array: array[:-1]),
        ("another's weights", "state.core", lambda array: np.append(array, array)),
    ],
    "mira": [
        ("cut off", "state.weights", lambda array: array[:-1]),
        ("more weights", "state.weights", changed(0, 1e300)),
        ("longer", "state.document.statistics", lambda array: np.append(array, 1.0)),
        ("shorter", "state.rates", lambda array: array[1:]),
        ("a table", "state.seen", lambda array: array[None]),
    ],
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_checkpoint_is_refused_and_named(name: str, tmp_path: Path) -> None:
    checkpoint, forests = CheckpointFile(tmp_path / "state.npz"), name == "kbest-mira"
    arrays = arrays_after_two_epochs(checkpoint, name, forests=forests)
    for what, key, change in CRAFTED[name]:
        np.savez(checkpoint.path, **arrays | {key: change(arrays[key])})
        print(key, what)  # which one, if it is not refused
        with pytest.raises(FormatError, match=re.escape(str(checkpoint.path))):
            list(course(name, checkpoint, forests=forests))
    np.savez(checkpoint.path, **arrays)
    assert isinstance(list(course(name, checkpoint, forests=forests))[-1], RunFinished)


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
    zeros, ones = np.zeros(2), np.ones(2)
    state = DecodingState(learned=ones, weights=ones, lists=data)
    kept = decode(DecodingState(learned=zeros, weights=zeros), encode(state), data).lists
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
