"""Runs that fail before they have started: nothing is left, and nothing is lost."""

import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from candidate_files import CandidateFiles, write_candidates
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.errors import ConfigError, DataError, DecoderError, FormatError, HopefearError
from hopefear.events import EpochFinished, Noted, RunFinished, RunStarted, Warned, read_log
from hopefear.learners import KBestMira, Mert
from hopefear.types import Hypothesis


def first_only(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis | None:
    return hypothesis if index == 0 else None


def renamed(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
    features = {f"other-{name}": value for name, value in hypothesis.features.items()}
    return Hypothesis(text=hypothesis.text, features=features)


@pytest.fixture
def files(tmp_path: Path) -> CandidateFiles:
    write_candidates(tmp_path, "single", change=first_only)
    write_candidates(tmp_path, "other", change=renamed)
    (tmp_path / "short").write_text("a b c\n")
    return write_candidates(tmp_path)


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def options(files: CandidateFiles, folder: Path, changes: dict[str, Any]) -> dict[str, Any]:
    """The options of a good run with changes: names of files become paths."""
    paths = ("nbest", "refs", "dev_nbest", "dev_refs", "start", "moses_ini")
    changed = {
        key: folder / value if key in paths and "=" not in value else value
        for key, value in changes.items()
    }
    return {"nbest": files.nbest, "refs": files.refs, "tokenize": "none", **changed}


MISTAKES: list[tuple[dict[str, Any], type[HopefearError], str]] = [
    ({"nbest": "gone"}, DataError, "gone: cannot be read"),
    ({"refs": "gone"}, DataError, "gone: cannot be read"),
    ({"refs": "short"}, DataError, "has references for 1"),
    ({"nbest": "short"}, FormatError, "n-best format is not recognized"),
    ({"nbest": "single.nbest"}, DataError, "more than one hypothesis"),
    ({"metric": "blue"}, ConfigError, "unknown metric"),
    ({"start": "zork=1"}, DataError, "no feature in common"),
    ({"start": "gone"}, FormatError, "gone: cannot be read"),
    ({"set": ["learner.restarts=-1"]}, ConfigError, "restarts must be"),
    ({"set": ["learner.fixed=['zork']"]}, ConfigError, "unknown feature 'zork'"),
    ({"set": ["learner.fixed=['zork']"], "replicas": 2}, ConfigError, "unknown feature 'zork'"),
    ({"dev_nbest": "other.nbest", "dev_refs": "other.refs"}, DataError, "no feature in common"),
    ({"dev_nbest": "tune.nbest", "dev_refs": "short"}, DataError, "has references for 1"),
    ({"features": ["lm", "tm"]}, DataError, "unexpected features"),
    ({"weights_format": "zork"}, ConfigError, "unknown weights format"),
    ({"moses_ini": "gone"}, FormatError, "gone: cannot be read"),
]


@pytest.mark.parametrize(("changes", "kind", "message"), MISTAKES)
def test_mistakes_leave_no_directory(
    files: CandidateFiles,
    tmp_path: Path,
    changes: dict[str, Any],
    kind: type[HopefearError],
    message: str,
) -> None:
    before = content(tmp_path)
    with pytest.raises(kind, match=message):
        list(tune("mert", out=tmp_path / "some/run", **options(files, tmp_path, changes)))
    assert content(tmp_path) == before


@pytest.mark.parametrize(("changes", "kind", "message"), MISTAKES)
def test_mistakes_leave_a_run_that_was_to_be_replaced(
    files: CandidateFiles,
    tmp_path: Path,
    changes: dict[str, Any],
    kind: type[HopefearError],
    message: str,
) -> None:
    out = tmp_path / "run"
    list(tune(KBestMira(), epochs=2, out=out, **options(files, tmp_path, {})))
    before = content(out)
    with pytest.raises(kind, match=message):
        list(tune("mert", out=out, force=True, **options(files, tmp_path, changes)))
    assert content(out) == before


def test_a_directory_that_was_there_stays(files: CandidateFiles, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    with pytest.raises(DataError):
        list(tune("mert", out=out, **options(files, tmp_path, {"start": "zork=1"})))
    assert out.is_dir()
    assert not content(out)


def test_a_new_run_does_not_go_on_with_the_one_that_it_replaces(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out, chosen = tmp_path / "run", options(files, tmp_path, {})
    list(tune(KBestMira(), epochs=3, out=out, **chosen))
    expected = list(tune(KBestMira(), epochs=5, **chosen))[-1]
    replaced = list(tune(KBestMira(), epochs=5, out=out, force=True, **chosen))
    assert isinstance(expected, RunFinished)
    assert isinstance(replaced[-1], RunFinished)
    assert replaced[-1].weights == expected.weights
    assert replaced[-1].epochs == 5
    assert list(read_log(out / "events.jsonl")) == replaced


def test_warnings_from_before_the_start_are_in_the_log(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    chosen = options(files, tmp_path, {"start": "lm=1 zork=1"})
    told = list(tune(Mert(restarts=0), out=out, replicas=2, **chosen))
    early = told[: next(i for i, event in enumerate(told) if isinstance(event, RunStarted))]
    assert len(early) == 3
    log = list(read_log(out / "events.jsonl"))
    assert log[:3] == early
    assert all(isinstance(event, Warned | Noted) for event in early)


def test_a_run_that_cannot_go_on_yet_can_go_on_later(files: CandidateFiles, tmp_path: Path) -> None:
    out, refs = tmp_path / "run", files.refs.read_text()
    chosen = options(files, tmp_path, {})
    stopped = list(islice(tune(KBestMira(), epochs=4, out=out, **chosen), 5))
    assert isinstance(stopped[-1], EpochFinished)
    before = content(out)
    files.refs.write_text("a b c\n")
    with pytest.raises(DataError):
        list(resume_tuning(out))
    assert content(out) == before
    files.refs.write_text(refs)
    finished = list(resume_tuning(out))[-1]
    assert isinstance(finished, RunFinished)
    assert finished.epochs == 4


KILLED = """
import os, signal, sys
from pathlib import Path
from hopefear import tune_events as tune
from hopefear.learners import KBestMira
def kill(what, done, total):
    os.kill(os.getpid(), signal.SIGKILL)
nbest, refs, out = map(Path, sys.argv[1:])
list(tune(KBestMira(), epochs=2, nbest=nbest, refs=refs, tokenize="none", out=out, progress=kill))
"""


def test_a_run_that_is_killed_while_it_reads_can_go_on(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    arguments = [sys.executable, "-c", KILLED, str(files.nbest), str(files.refs), str(out)]
    killed = subprocess.run(arguments, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (out / "events.jsonl").exists()
    finished = list(resume_tuning(out))[-1]
    assert isinstance(finished, RunFinished)
    assert finished.epochs == 2


def test_what_a_failing_decoder_wrote_stays_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x\n")
    (tmp_path / "e").write_text("x\n")
    texts: dict[str, Any] = {"source": tmp_path / "f", "refs": tmp_path / "e", "start": "lm=1"}
    before = content(tmp_path)
    with pytest.raises(DecoderError, match="cannot be run"):
        list(tune("mert", out=tmp_path / "run", decoder="./gone {weights}", **texts))
    assert content(tmp_path) == before
    failing = f"{sys.executable} -c 'import sys; sys.exit(\"no model\")' {{weights}}"
    with pytest.raises(DecoderError, match="no model"):
        list(tune("mert", out=tmp_path / "run", decoder=failing, **texts))
    (log,) = (tmp_path / "run").rglob("decoder.log")
    assert log.read_text() == "no model\n"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["decoder"]
