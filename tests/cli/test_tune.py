"""`hopefear tune` and `hopefear presets`."""

import io
import os
import pty
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hopefear as package
from candidate_files import CandidateFiles, write_candidates
from command_line import Hopefear, program
from hopefear import tune_events as tune
from hopefear.events import EpochFinished, Event, RunFinished, read_log
from hopefear.formats import read_lines
from hopefear.metrics import Bleu, References, evaluate
from hopefear.presets import load_presets
from stand_in_tools import make_tools

FAST = ["kbest-mira", "--set", "rhythm.epochs=3"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CandidateFiles:
    monkeypatch.chdir(tmp_path)
    write_candidates(tmp_path, "dev", seed=9)
    return write_candidates(tmp_path)


DATA = ["--nbest", "tune.nbest", "--refs", "tune.refs", "--tokenize", "none"]
DEV = ["--dev-nbest", "dev.nbest", "--dev-refs", "dev.refs"]


def test_tuning_and_reranking_give_the_score_that_was_told(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    assert hopefear("tune", *FAST, *DATA, "-o", "run").code == 0
    *_, finished = read_log("run/events.jsonl")
    assert isinstance(finished, RunFinished)
    texts = hopefear("rerank", "--nbest", "tune.nbest", "--weights", "run").out.splitlines()
    references = References([[text] for text in read_lines("tune.refs")])
    expected = evaluate(Bleu(tokenize="none"), texts, references).value
    assert finished.tuning_score == pytest.approx(expected, rel=1e-12)


def test_the_table_has_start_tuned_and_best(files: CandidateFiles, hopefear: Hopefear) -> None:
    found = hopefear("tune", *FAST, *DATA, *DEV, "-o", "run")
    lines = [line.split() for line in found.out.splitlines() if line.strip()]
    assert lines[0] == ["BLEU,", "tuning", "BLEU,", "dev"]
    assert [line[0] for line in lines[2:5]] == ["start", "tuned,", "best"]
    assert all(len(line) >= 3 for line in lines[2:5])
    assert found.out.splitlines()[-1] == "weights: run/weights.tsv, run/weights.moses"
    assert "BLEU|nrefs:1|case:mixed|eff:no|tok:none" in found.out
    assert all(line.startswith("epoch ") for line in found.err.splitlines())
    assert hopefear("tune", *FAST, *DATA, *DEV, "-o", "again", "--quiet").err == ""


def test_replicas_are_told_with_mean_and_deviation(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    found = hopefear("tune", *FAST, *DATA, *DEV, "-o", "run", "--replicas", "2", "--average")
    titles = [line.strip()[:12] for line in found.out.splitlines()]
    assert {"mean of 2 re", "deviation   ", "mean of the "} <= set(titles)


def test_warnings_are_lines_on_standard_error(files: CandidateFiles, hopefear: Hopefear) -> None:
    found = hopefear("tune", *FAST, *DATA, "-o", "run")
    assert found.err.startswith("hopefear: note: no held-out data:")
    told = [line for line in found.err.splitlines() if not line.startswith("epoch ")]
    assert len(told) == 1


def test_a_configuration_is_a_run(files: CandidateFiles, hopefear: Hopefear) -> None:
    hopefear("tune", *FAST, *DATA, "-o", "first", "--lowercase", "--seed", "3")
    assert hopefear("tune", "first/config.toml", "-o", "second").code == 0
    assert Path("first/weights.tsv").read_bytes() == Path("second/weights.tsv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["mret", *DATA, "-o", "run"], 2, "unknown preset or learner 'mret'; did"),
        ([*FAST, *DATA, "-o", "run", "--set", "x=1"], 2, "x: unknown key"),
        (
            [*FAST, "--refs", "tune.refs", "-o", "run"],
            2,
            "give either nbest, or forests, or a source",
        ),
        ([*FAST, *DATA], 2, "Missing option '--out' / '-o'."),
        ([*FAST, *DATA, "-o", "run", "--metric", "belu"], 2, "unknown metric 'belu'; did you mean"),
        ([*FAST, *DATA, "-o", "run", "--memory-limit", "x"], 2, "'x' is not a size"),
        (
            [*FAST, *DATA, "--dev-nbest", "no", "--dev-refs", "no", "-o", "run"],
            1,
            "no: cannot be r",
        ),
        (
            [*FAST, "--nbest", "tune.nbest", "--refs", "tune.nbest", "-o", "run"],
            1,
            "has n-best lis",
        ),
        (["mert", *DATA, "-o", "tune.refs"], 2, "tune.refs: exists and is not a directory"),
    ],
)
def test_mistakes_are_one_line(
    files: CandidateFiles, hopefear: Hopefear, arguments: list[str], code: int, message: str
) -> None:
    found = hopefear("tune", *arguments)
    assert found.code == code
    assert message in found.err
    assert found.err.startswith("hopefear: ")
    assert found.err.count("\n") == 1
    assert not Path("run").exists()


def test_a_learner_that_fails_is_one_line_and_exit_code_1(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    options = ["--set", "learner.regularizer={name = 'l1', strength = 1e9}"]
    found = hopefear("tune", "lbfgs", *DATA, *DEV, "-o", "run", *options)
    assert found.code == 1
    assert found.out == ""
    assert found.err.startswith("hopefear: epoch 1: all weights became zero")


def test_a_run_is_not_overwritten_unless_forced(files: CandidateFiles, hopefear: Hopefear) -> None:
    assert hopefear("tune", *FAST, *DATA, "-o", "run").code == 0
    found = hopefear("tune", *FAST, *DATA, "-o", "run")
    assert (found.code, "holds a run already" in found.err) == (2, True)
    assert hopefear("tune", *FAST, *DATA, "-o", "run", "--force").code == 0


@pytest.mark.parametrize("options", [[], ["--replicas", "2"]])
def test_a_run_that_goes_on_tells_what_an_undisturbed_one_does(
    files: CandidateFiles, hopefear: Hopefear, options: list[str]
) -> None:
    arguments = [*FAST, *DATA, *DEV, *options]
    whole = hopefear("tune", *arguments, "-o", "whole")
    _stop(tune("kbest-mira", out="run", **_OPTIONS, replicas=2 if options else 1), after=2)
    found = hopefear("tune", "--resume", "-o", "run")
    assert found.code == 0
    first, *others = found.err.splitlines()
    assert first == "resuming with epoch 2"
    assert all(line.startswith("epoch ") for line in others)
    kept = [line.replace("whole/", "run/") for line in whole.out.splitlines()]
    told = found.out.splitlines()
    assert [line for line in told if "ended after" not in line] == [
        line for line in kept if "ended after" not in line
    ]


@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        (["mert"], "a learner"),
        (["--seed", "2"], "--seed"),
        (["--set", "rhythm.epochs=9"], "--set"),
        (["--no-scale-features"], "--scale-features"),
        (["--force"], "--force"),
    ],
)
def test_a_run_that_goes_on_takes_no_other_settings(
    files: CandidateFiles, hopefear: Hopefear, beside: list[str], shown: str
) -> None:
    _stop(tune("kbest-mira", out="run", **_OPTIONS), after=1)
    found = hopefear("tune", "--resume", "-o", "run", *beside)
    message = f"--resume keeps the settings of run; omit {shown}"
    assert (found.code, found.err) == (2, f"hopefear: {message}\n")
    assert hopefear("tune", "--resume", "-o", "run", "--no-report").code == 0


def test_replicas_that_had_all_ended_are_told_when_the_run_goes_on(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    ended = 0
    for event in tune("kbest-mira", out="run", **_OPTIONS, replicas=2):
        ended += isinstance(event, RunFinished)
        if ended == 2:
            break
    found = hopefear("tune", "--resume", "-o", "run")
    assert "mean of 2 replicas" in found.out
    assert found.out.splitlines()[-1] == "weights: run/weights.tsv, run/weights.moses"


_OPTIONS: dict[str, Any] = {
    "nbest": "tune.nbest",
    "refs": "tune.refs",
    "dev_nbest": "dev.nbest",
    "dev_refs": "dev.refs",
    "tokenize": "none",
    "set": ["rhythm.epochs=3"],
}


def _stop(events: Iterator[Event], *, after: int) -> None:
    """Stop a run in an epoch: the checkpoint is that of the epoch before."""
    for event in events:
        if isinstance(event, EpochFinished) and event.epoch == after:
            break


@pytest.mark.parametrize(("epoch", "resumable"), [(0, False), (2, True)])
def test_an_interrupted_run_tells_how_it_goes_on_if_it_can(
    files: CandidateFiles,
    hopefear: Hopefear,
    monkeypatch: pytest.MonkeyPatch,
    epoch: int,
    resumable: bool,
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Iterator[Event]:
        for event in tune(*arguments, **options):
            yield event
            if isinstance(event, EpochFinished) and event.epoch > epoch:
                raise KeyboardInterrupt

    monkeypatch.setattr(package, "tune_events", interrupted, raising=False)
    found = hopefear("tune", *FAST, *DATA, *DEV, "-o", "a run")
    hint = "; resume with 'hopefear tune --resume -o 'a run''" if resumable else ""
    *epochs, last = found.err.splitlines()
    assert (found.code, last) == (130, f"hopefear: interrupted{hint}")
    assert all(line.startswith("epoch ") for line in epochs)
    monkeypatch.undo()
    monkeypatch.chdir(files.nbest.parent)
    assert hopefear("tune", "--resume", "-o", "a run").code == 0


def test_an_interruption_while_parsing_tells_that_parses_are_kept(
    files: CandidateFiles, hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Iterator[Event]:
        (files.nbest.parent / "run" / "parses").mkdir(parents=True)
        yield from ()
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "tune_events", interrupted, raising=False)
    monkeypatch.chdir(files.nbest.parent)
    found = hopefear("tune", *FAST, *DATA, *DEV, "-o", "run")
    assert found.code == 130
    assert "parses are kept: the same command goes on" in found.err


def test_lists_from_standard_input_are_told_to_be_there_once(files: CandidateFiles) -> None:
    options = ["--refs", "tune.refs", "--tokenize", "none", "-o", "run"]
    words = program(["tune", *FAST, "--nbest", "-", *options])
    with files.nbest.open("rb") as lists:
        done = subprocess.run(words, stdin=lists, capture_output=True, text=True, check=True)
    assert "tuning.nbest is read from standard input, so this run can be neither" in done.stderr
    assert done.stdout.splitlines()[-1] == "weights: run/weights.tsv, run/weights.moses"
    assert not Path("run/checkpoint").exists()


def test_a_run_on_standard_input_cannot_go_on(
    files: CandidateFiles, hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Input:
        buffer = io.BytesIO(files.nbest.read_bytes())

    monkeypatch.setattr("sys.stdin", Input)
    _stop(tune("kbest-mira", out="run", **(_OPTIONS | {"nbest": "-"})), after=2)
    found = hopefear("tune", "--resume", "-o", "run")
    assert found.code == 2
    assert "run: cannot be resumed: tuning.nbest was read from standard input, which is gone" in (
        found.err
    )


def test_the_presets_are_listed_one_a_line(hopefear: Hopefear) -> None:
    title, *lines = hopefear("presets").out.splitlines()
    assert title.split() == ["preset", "learns", "from", "what", "it", "is"]
    assert [line.split()[0] for line in lines] == list(load_presets())


def test_the_list_of_presets_says_what_each_of_them_learns_from(hopefear: Hopefear) -> None:
    title, *lines = hopefear("presets").out.splitlines()
    columns = slice(title.index("learns"), title.index("what"))
    found = {line.split()[0]: line[columns].strip() for line in lines}
    assert found["moses-mert"] == found["chiang2012-mert-small"] == "lists, forests, model, decoder"
    assert found["annealed-mira"] == found["chiang2012-arow-large"] == "forests, model"
    for name in (name for name in found if "lists" not in found[name]):
        assert hopefear("tune", name, *DATA, "-o", "run").code == 2, name
    shown = hopefear("presets", "annealed-mira").out
    assert "# learns from: forests, model\n" in shown


def test_a_preset_is_shown_as_toml(hopefear: Hopefear) -> None:
    found = hopefear("presets", "moses-mert").out
    assert '[learner]\nname = "mert"\nrestarts = 20\n' in found
    assert hopefear("presets", "moses-mret").code == 2


def test_a_terminal_shows_a_bar_and_a_pipe_does_not(files: CandidateFiles) -> None:
    arguments = program(["tune", *FAST, *DATA, *DEV, "-o", "run"])
    master, slave = pty.openpty()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=slave) as process:
        os.close(slave)
        shown = b""
        while piece := _read(master):
            shown += piece
        process.communicate()
    os.close(master)
    assert process.returncode == 0
    assert "━".encode() in shown
    assert b"left:" in shown
    piped = subprocess.run([*arguments, "--force"], capture_output=True, check=True)
    assert piped.stderr
    assert all(line.startswith(b"epoch ") for line in piped.stderr.splitlines())


def _read(terminal: int) -> bytes:
    """Read from a terminal; the end of the program is an error there."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_a_mean_of_small_numbers_is_shown_with_digits_that_tell_it_from_another(
    files: CandidateFiles, hopefear: Hopefear
) -> None:
    count = sum(len(segment.hypotheses) for segment in files.segments)
    Path("scores").write_text("".join(f"{0.5 + i % 7 / 1000}\n" for i in range(count)))
    found = hopefear("tune", "mert", "--nbest", str(files.nbest), "--scores", "scores", "-o", "run")
    assert re.search(r"^ start +0\.50\d\d $", found.out, re.MULTILINE)
    assert re.search(r"^ best in the lists +0\.5060 $", found.out, re.MULTILINE)


def test_a_decoder_by_its_name_needs_no_learner_and_no_further_option(
    tmp_path: Path, hopefear: Hopefear
) -> None:
    tools = make_tools(tmp_path)
    data = [*("--source", str(tools.source)), *("--refs", str(tools.references))]
    data += ["-o", str(tmp_path / "run")]
    named = ["--decoder", str(tools.moses), "--config", str(tools.moses_ini)]
    found = hopefear("tune", *named, *data, "--decodings", "2")
    assert found.code == 0
    assert str(tmp_path / "run" / "moses.ini") in found.out
    assert "kbest-mira" in (tmp_path / "run" / "config.toml").read_text()
    assert hopefear("tune", "--decoder", "x {weights}", *data).code == 2


def test_the_last_lines_of_a_decoder_that_fails_are_shown_as_lines(
    tmp_path: Path, hopefear: Hopefear
) -> None:
    tools = make_tools(tmp_path)
    tools.moses_ini.write_text(tools.moses_ini.read_text().replace("LM1= 0.7\n", ""))
    data = [*("--source", str(tools.source)), *("--refs", str(tools.references))]
    data += ["-o", str(tmp_path / "run")]
    found = hopefear("tune", "--decoder", tools.moses, "--config", tools.moses_ini, *data)
    assert found.code == 1
    first, _, *last = found.err.splitlines()
    assert first.startswith("hopefear: the decoder failed with exit code 1: ")
    assert last == ["  Can't find weights for feature function LM1"]
