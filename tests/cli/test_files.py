"""Files that cannot be written, or read, are named in a sentence; nothing half-written is left."""

import resource
import subprocess
from pathlib import Path

import pytest

from candidate_files import write_candidates
from command_line import Hopefear, Outcome, program
from hopefear import tune_events as tune
from hopefear.errors import HopefearError
from hopefear.events import Event, EventLog, RunFailed, RunFinished, read_log
from hopefear.formats import write_forests
from hopefear.learners import KBestMira
from tuning_sets import garbled_forests

DATA = ["--nbest", "tune.nbest", "--refs", "tune.refs", "--tokenize", "none", "--start", "ones"]
TOO_LARGE = "cannot be written: File too large; raise the limit ('ulimit -f'), or choose another"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_candidates(tmp_path)
    return tmp_path


def limited(bytes_: int, *arguments: str) -> Outcome:
    """Run ``hopefear`` where no file may become larger than this: a stand-in for a full disk."""
    done = subprocess.run(
        program(arguments),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_)),
    )
    return Outcome(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["convert", "tune.nbest", "x.jsonl", "--to", "jsonl"], "x.jsonl"),
        (["convert", "tune.nbest", "x.jsonl.gz", "--to", "jsonl"], "x.jsonl.gz"),
        (["rerank", "--nbest", "tune.nbest", "--weights", "w", "--nbest-out", "x"], "x"),
        (["convert", "some.forests", "x", "--to", "cdec-forest"], "x"),
        (["convert", "some.forests", "x.forests", "--to", "hopefear"], "x.forests"),
        (["demo", "--candidates", "--output", "d", "--sentences", "50"], "d/dev.nbest.gz"),
    ],
)
def test_a_file_that_there_is_no_room_for_is_named_and_not_left(
    folder: Path, arguments: list[str], file: str
) -> None:
    (folder / "w").write_text("lm\t1\ntm\t1\nreordering\t1\nwords\t1\nnoise\t1\n")
    forests, _ = garbled_forests(sentences=4)
    write_forests("some.forests", enumerate(forests))
    found = limited(1000, *arguments)
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith(f"hopefear: {file}: {TOO_LARGE}")
    assert found.err.count("\n") == 1
    assert not Path(file).exists()
    assert not list(folder.rglob("*.part"))


def test_a_run_that_there_is_no_room_for_has_no_weights_and_can_go_on(folder: Path) -> None:
    arguments = ["tune", "kbest-mira", *DATA, "--set", "rhythm.epochs=30"]
    found = limited(9000, *arguments, "-o", "run")
    assert (found.code, found.out) == (1, "")
    last = found.err.splitlines()[-1]
    assert last.startswith(f"hopefear: run/events.jsonl: {TOO_LARGE}")
    assert last.endswith("When that is done, resume with 'hopefear tune --resume -o run'")
    assert not list(Path("run").glob("weights.*"))
    assert limited(1 << 20, "tune", "--resume", "-o", "run").code == 0
    assert limited(1 << 20, *arguments, "-o", "whole").code == 0
    assert Path("run/weights.tsv").read_bytes() == Path("whole/weights.tsv").read_bytes()


def test_a_run_without_room_for_its_report_tells_its_result(folder: Path) -> None:
    found = limited(9000, "tune", "kbest-mira", *DATA, "--set", "rhythm.epochs=3", "-o", "run")
    assert found.code == 1
    assert found.out.splitlines()[-1] == "weights: run/weights.tsv, run/weights.moses"
    message = found.err.splitlines()[-1]
    assert message.startswith(
        "hopefear: the run is over and its weights are in run/weights.tsv, but there is no "
        f"report: run/report.html: {TOO_LARGE}"
    )
    assert Path("run/weights.tsv").is_file()
    assert not Path("run/report.html").exists()
    assert limited(9000, "report", "run").err.startswith(f"hopefear: run/report.html: {TOO_LARGE}")


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_run_whose_end_cannot_be_logged_has_no_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch, replicas: int
) -> None:
    def write(log: EventLog, event: Event) -> None:
        if isinstance(event, RunFinished):
            raise OSError(28, "No space left on device", str(log.path))
        original(log, event)

    original = EventLog.write
    monkeypatch.setattr(EventLog, "write", write)
    events = tune(
        KBestMira(),
        epochs=3,
        nbest="tune.nbest",
        refs="tune.refs",
        tokenize="none",
        out="run",
        replicas=replicas,
    )
    with pytest.raises(OSError, match="No space left"):
        list(events)
    assert not list(Path("run").rglob("weights.*"))
    *_, last = read_log("run/events.jsonl" if replicas == 1 else "run/replica-1/events.jsonl")
    assert isinstance(last, RunFailed)
    assert last.message.endswith(
        "No space left on device; free some space, or choose another location"
    )


def test_without_a_report_nothing_is_said_of_it(folder: Path) -> None:
    options = ["--set", "rhythm.epochs=3", "--no-report"]
    assert limited(9000, "tune", "kbest-mira", *DATA, *options, "-o", "run").code == 0


def test_a_report_that_fails_is_an_error_in_python_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "run/report.html")

    monkeypatch.setattr("hopefear.reporting.write_report", full)
    events = tune(
        KBestMira(), epochs=3, nbest="tune.nbest", refs="tune.refs", tokenize="none", out="run"
    )
    with pytest.raises(HopefearError, match=r"its weights are in .*weights\.tsv"):
        list(events)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("lines", [1, 20_000])
def test_standard_output_without_room_is_named(folder: Path, lines: int) -> None:
    rows = (f"{i}\tsentence {i}\t1\n" for i in range(lines))
    (folder / "lists.tsv").write_text("sentence\ttext\tlm\n" + "".join(rows))
    (folder / "w").write_text("lm\t1.0\n")
    words = program(["rerank", "--nbest", "lists.tsv", "--weights", "w"])
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "hopefear: standard output: cannot be written: No space left on device; free some "
        "space, or choose another location\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "tune.nbest", ".", "--to", "jsonl"], ".: cannot be written: Is a directory; "),
        (["tune", "no.toml", "-o", "run"], "no.toml: cannot be read: No such file or directory\n"),
        (["inspect", ".", "-s", "1"], ".: is not the directory of a run: it has no config.toml\n"),
    ],
)
def test_a_wrong_name_is_a_sentence(hopefear: Hopefear, arguments: list[str], message: str) -> None:
    found = hopefear(*arguments)
    assert found.code in (1, 2)
    assert found.err.startswith(f"hopefear: {message}")
    assert "Errno" not in found.err


def test_what_the_system_refuses_is_a_sentence(
    hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refused)
    for arguments in (
        ["demo", "--candidates", "--output", "d"],
        ["tune", "kbest-mira", *DATA, "-o", "d"],
    ):
        assert hopefear(*arguments).err.splitlines()[-1] == (
            "hopefear: d: cannot be read or written: Permission denied; change its permissions, or "
            "choose another location"
        )
