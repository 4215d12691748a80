"""The directory of a run: one process at a time, nothing left behind, an end in order."""

import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from candidate_files import CandidateFiles, write_candidates
from command_line import program
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.errors import ConfigError
from hopefear.events import EpochFinished, Noted, RunFinished, RunStarted, Warned, read_log
from hopefear.formats.lock import FolderLock


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CandidateFiles:
    return write_candidates(tmp_path_factory.mktemp("runs"), sentences=60, size=20)


def test_one_process_at_a_time_writes_to_the_directory_of_a_run(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    live = tune("kbest-mira", out=out, **options)
    assert isinstance(
        next(event for event in live if not isinstance(event, Warned | Noted)), RunStarted
    )
    with pytest.raises(ConfigError, match="holds a run"):
        next(tune("mert", out=out, **options))
    with pytest.raises(ConfigError, match="in use by process"):
        next(tune("mert", out=out, force=True, **options))
    with pytest.raises(ConfigError, match="in use by process"):
        next(resume_tuning(out))
    assert isinstance(list(live)[-1], RunFinished)
    log = list(read_log(out / "events.jsonl"))
    assert [e.epoch for e in log if isinstance(e, EpochFinished)] == list(range(1, 61))
    assert not (out / ".lock").exists()


def test_a_run_that_ends_just_before_another_has_the_lock_is_kept(
    files: CandidateFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, out = tmp_path / "done", tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    list(tune("kbest-mira", out=done, epochs=1, **options))

    def lock(folder: Path) -> FolderLock:
        shutil.copytree(done, folder)  # what another process has written by then
        return FolderLock(folder)

    monkeypatch.setattr("hopefear.runs.run_directory.FolderLock", lock)
    with pytest.raises(ConfigError, match="holds a run"):
        next(tune("mert", out=out, **options))
    assert contents(out) == contents(done)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_what_a_killed_process_left_is_removed_by_the_next(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    for event in tune("kbest-mira", out=out, **options):
        if isinstance(event, EpochFinished) and event.epoch == 3:
            break
    names = ("weights.tsv.0123456789abcdef", "checkpoint/.state.npz.0b0b0b0b0b0b0b0b")
    litter = [out / f".{names[0]}.part", out / f"{names[1]}.part"]
    for path in litter:
        path.touch()
    list(resume_tuning(out))
    assert not any(path.exists() for path in litter)


def test_the_log_is_on_the_disk_before_a_checkpoint(
    files: CandidateFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, kept, seen = tmp_path / "run", tmp_path / "kept.jsonl", []

    def to_disk(path: Path) -> None:
        if path.name == "events.jsonl":
            kept.write_bytes(path.read_bytes())
        elif path.name.startswith(".state.npz."):
            told = list(read_log(kept))
            assert any(isinstance(event, RunStarted) for event in told)
            seen.append([event.epoch for event in told if isinstance(event, EpochFinished)])

    monkeypatch.setattr("hopefear.formats.files._to_disk", to_disk)
    monkeypatch.setattr("hopefear.runs.run_directory.CHECKPOINT_SECONDS", 0.0)
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    list(tune("kbest-mira", out=out, epochs=3, **options))
    assert seen == [[1], [1, 2], [1, 2, 3]]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_in_order(
    files: CandidateFiles, tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    words = ["--nbest", str(files.nbest), "--refs", str(files.refs), "--tokenize", "none"]
    words = ["kbest-mira", *words, "--epochs", "100000", "-o", str(out)]
    process = subprocess.Popen(
        program(["tune", *words]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while not (out / "weights" / "02.tsv").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    last = told.decode().splitlines()[-1]
    assert last.startswith(f"hopefear: ended by {number.name}; resume with")
    assert not (out / ".lock").exists()
    assert not list(out.rglob("*.part"))


def test_a_run_killed_while_it_wrote_its_first_file_can_be_started_again(
    files: CandidateFiles, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / ".config.toml.0123456789abcdef.part").write_text("seed =")
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    assert isinstance(list(tune("kbest-mira", out=out, epochs=1, **options))[-1], RunFinished)
    assert not list(out.glob(".*.part"))


def test_weights_of_epochs_that_a_power_cut_spoiled_are_written_again(
    files: CandidateFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopefear.runs.run_directory.CHECKPOINT_SECONDS", 0.0)
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    running = tune("kbest-mira", out=out, epochs=5, **options)
    for event in running:
        if isinstance(event, EpochFinished) and event.epoch == 4:
            break
    del running  # which ends the run
    whole = (out / "weights" / "02.tsv").read_bytes()
    (out / "weights" / "01.tsv").write_bytes(b"")
    (out / "weights" / "02.tsv").write_bytes(whole[: len(whole) // 2])
    assert isinstance(list(resume_tuning(out))[-1], RunFinished)
    assert (out / "weights" / "02.tsv").read_bytes() == whole
    assert (out / "weights" / "01.tsv").stat().st_size > 0


def test_the_settings_are_there_as_long_as_anything_of_a_run_is(
    files: CandidateFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill while an old run makes room must not leave what no run may replace."""
    out = tmp_path / "run"
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    list(tune("kbest-mira", out=out, epochs=1, **options))
    removed = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        removed(path, missing_ok)
        assert (out / "config.toml").exists(), path

    monkeypatch.setattr(Path, "unlink", unlink)
    assert isinstance(
        list(tune("kbest-mira", out=out, epochs=1, force=True, **options))[-1], RunFinished
    )
