"""What people meet when they use the command line for the first time."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hopefear as package
from candidate_files import write_candidates
from command_line import Hopefear
from hopefear.cli.commands import COMMANDS, EXAMPLES, TUNE_GROUPS
from hopefear.cli.generate import SettingsCommand
from hopefear.cli.program import app
from hopefear.events import EpochFinished
from hopefear.metrics import References, Wer
from hopefear.runs.stopping import Stopping, Track
from hopefear.types import Weights


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    files = write_candidates(tmp_path)
    return ["--nbest", str(files.nbest), "--refs", str(files.refs), "--tokenize", "none"]


def test_help_is_no_error(hopefear: Hopefear) -> None:
    for words in ([], ["help"], ["-h"], ["--help"]):
        found = hopefear(*words)
        assert (found.code, found.err) == (0, "")
        assert "Commands:" in found.out
    assert hopefear("-V").out == hopefear("--version").out
    assert "--nbest" in hopefear("help", "tune").out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_every_command_have_options_that_it_has(
    name: str, hopefear: Hopefear
) -> None:
    shown = hopefear(name, "--help").out
    options = shown[shown.index(EXAMPLES[name][-1]) + len(EXAMPLES[name][-1]) :]
    text = "\n".join(EXAMPLES[name]).replace("\\\n", " ")
    for line in text.split("\n"):
        assert line.startswith(f"hopefear {name}")
        assert [word for word in line.split() if word[:2] == "--" and word not in options] == []
    assert f"Examples:\n  {EXAMPLES[name][0]}\n" in shown


def test_the_help_of_tune_begins_with_what_everybody_needs(hopefear: Hopefear) -> None:
    shown = hopefear("tune", "--help").out
    headings = re.findall(r"^([A-Z].*):$", shown, re.MULTILINE)
    assert headings == ["Examples", "Arguments", *TUNE_GROUPS, "Other"]
    needed = ("--nbest", "--refs", "--metric", "-o,", "--dev-nbest", "--block")
    places = [shown.index(f"\n  {option} ") for option in needed]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        (["tune"], "moses-", "moses-kbmira"),
        (["tune"], "rampi", "rampion"),
        (["tune", "mert", "--metric"], "ch", "chrf"),
        (["tune", "mert", "--features"], "+ag", "+agreement:chrf"),
        (["tune", "mert", "--format"], "c", "csv"),
        (["evaluate", "--metric"], "", "wer"),
    ],
)
def test_a_shell_completes_names(words: list[str], incomplete: str, expected: str) -> None:
    environment = {
        "_HOPEFEAR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["hopefear", *words, incomplete]),
        "COMP_CWORD": str(len(words) + 1),
    }
    found = CliRunner().invoke(
        app, [], env=environment, prog_name="hopefear", complete_var="_HOPEFEAR_COMPLETE"
    )
    assert f"plain,{expected}" in found.output.split("\n")


def test_without_a_terminal_epochs_are_lines(data: list[str], hopefear: Hopefear) -> None:
    found = hopefear("tune", "rampion", *data, "-o", "run", "--epochs", "3", "--verbose")
    lines = [line for line in found.err.split("\n") if line.startswith("epoch ")]
    assert [line.split(":")[0] for line in lines] == [f"epoch {i} of 3" for i in (1, 2, 3)]
    assert all("BLEU" in line for line in lines)
    found = hopefear("tune", "rampion", *data, "-o", "again", "--epochs", "3")
    assert "epoch 1 of 3: BLEU" in found.err
    assert "epoch 3 of 3: BLEU" in found.err


def test_quiet_runs_print_their_result_only(data: list[str], hopefear: Hopefear) -> None:
    loud = hopefear("tune", "mert", *data, "-o", "loud")
    assert "hopefear: note: no held-out data" in loud.err
    quiet = hopefear("tune", "mert", *data, "-o", "quiet", "-q")
    assert quiet.err == ""
    assert "tuned, epoch 1 of 1" in quiet.out
    assert hopefear("--quiet", "tune", "mert", *data, "-o", "before").err == ""


def test_results_as_json_are_for_scripts(data: list[str], hopefear: Hopefear) -> None:
    found = hopefear("tune", "mert", *data, "-o", "run", "--json", "--normalize")
    result = json.loads(found.out)
    assert result["tuning_score"] > result["start"]["tuning_score"]
    assert sum(map(abs, result["weights"].values())) == pytest.approx(1.0)
    lines = Path("run/weights.tsv").read_text().splitlines()
    written = {name: float(value) for name, value in (line.split("\t") for line in lines)}
    assert written == result["weights"]


def test_the_weights_are_shown_by_their_influence(data: list[str], hopefear: Hopefear) -> None:
    out = hopefear("tune", "mert", *data, "-o", "run", "--json").out
    weights = json.loads(out)["weights"]
    told = map(json.loads, Path("run/events.jsonl").read_text().splitlines())
    started = next(event for event in told if event["event"] == "run_started")
    effects = {name: weights[name] * started["spread"][name] for name in weights}
    shown = hopefear("tune", "mert", *data, "-o", "again").out
    first = max(effects, key=lambda name: abs(effects[name]))
    table = shown[shown.index("weight × spread") :].split("\n")[2:]
    assert table[0].split()[:3] == [first, f"{weights[first]:.4g}", f"{effects[first]:.4g}"]


def test_metrics_are_known_in_any_case(data: list[str], hopefear: Hopefear) -> None:
    assert hopefear("tune", "mert", *data, "--metric", "BLEU", "-o", "run").code == 0


def test_a_learner_of_another_name_is_suggested(data: list[str], hopefear: Hopefear) -> None:
    found = hopefear("tune", "kbmira", *data, "-o", "run")
    assert "did you mean 'moses-kbmira'?" in found.err
    assert len(found.err) < 200
    assert hopefear("tune", "moses-kbmira", *data, "-o", "run", "--epochs", "2").code == 0


def test_the_reason_for_stopping_does_not_contradict_the_best_epoch() -> None:
    for higher in (True, False):
        track = Track(Stopping(window=3), higher_is_better=higher)
        wanted = "upward" if higher else "downward"
        scores = [3.0, 9.0, 3.0] if higher else [9.0, 3.0, 9.0]
        for epoch, score in enumerate(scores, 1):
            track.add(
                EpochFinished(
                    epoch=epoch, metric="m", weights=Weights(), seconds=0, dev_score=score
                )
            )
        assert track.best is not None
        assert track.best.epoch == 2
        assert track.reason == f"the held-out score had no {wanted} trend in the last 3 epochs"


def test_word_errors_have_three_parts(tmp_path: Path, hopefear: Hopefear) -> None:
    (tmp_path / "ref").write_text("a b c d\ne f\n")
    (tmp_path / "hyp").write_text("a x c d y z\ne\n")
    words = ["evaluate", "--hyp", tmp_path / "hyp", "--refs", tmp_path / "ref", "--metric", "wer"]
    found = hopefear(*map(str, words), "--resamples", "0")
    row = next(line for line in found.out.split("\n") if line.split()[:1] == ["hyp"])
    assert row.split()[1:] == ["66.67", "33.33", "16.67", "16.67"]


def test_the_parts_of_word_errors_add_up() -> None:
    random = np.random.default_rng(4)
    texts = [" ".join(random.choice(list("abcd"), random.integers(0, 9))) for _ in range(400)]
    hypotheses, references = texts[:200], References([[text] for text in texts[200:]])
    metric = Wer()
    statistics = metric.prepare(references).statistics(hypotheses).sum(axis=0)
    parts = metric.parts(references, hypotheses)
    assert sum(parts.values()) == pytest.approx(metric.score(statistics[None, :])[0], abs=0.02)
    lengths = [
        len(h.split()) - len(r[0].split())
        for h, r in zip(hypotheses, references.sentences, strict=True)
    ]
    growth = 100 * sum(lengths) / statistics[1]
    assert parts["insertions"] - parts["deletions"] == pytest.approx(growth, abs=0.02)


def test_scores_may_be_the_file_that_comet_writes(tmp_path: Path, hopefear: Hopefear) -> None:
    rows = ["sentence\ttext\tlm"]
    segments = []
    for sentence in range(5):
        for place, text in enumerate(("good", "bad")):
            rows.append(f"{sentence}\t{text}\t{place + sentence % 2}")
            segments.append({"src": "s", "mt": text, "COMET": 0.9 - 0.5 * place})
    (tmp_path / "n.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "comet.json").write_text(json.dumps({"hyp.txt": segments}))
    data = ["--nbest", str(tmp_path / "n.tsv"), "--scores", str(tmp_path / "comet.json")]
    found = hopefear("tune", "mert", *data, "-o", str(tmp_path / "run"), "--json")
    assert json.loads(found.out)["tuning_score"] == pytest.approx(0.9)
    (tmp_path / "comet.json").write_text("x" * 10_000)
    found = hopefear("tune", "mert", *data, "-o", str(tmp_path / "new"))
    assert found.code == 1
    assert len(found.err) < 300
    (tmp_path / "comet.json").write_text(json.dumps([{"a": 1, "b": 2}]))
    found = hopefear("tune", "mert", *data, "-o", str(tmp_path / "new"))
    assert "which number is the score? Found a, b" in found.err


def test_every_command_takes_the_common_options() -> None:
    for name in COMMANDS:
        command = app.get_command(
            app.make_context("hopefear", ["-h"], resilient_parsing=True), name
        )
        assert isinstance(command, SettingsCommand)
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"--quiet", "--verbose", "--debug"} <= options


def test_the_most_interesting_sentence_has_a_hope_that_differs(
    data: list[str], hopefear: Hopefear
) -> None:
    assert hopefear("tune", "mert", *data, "-o", "run", "--no-report").code == 0
    clouds = [package.inspect("run", sentence=number) for number in range(20)]
    losses = [cloud.hope.gain - cloud.best.gain for cloud in clouds]
    found = package.inspect("run", most_interesting=True)
    assert found.sentence == str(int(np.argmax(losses)))
    # Weights of MERT have a scale at which hope and fear differ.
    differing = [cloud.hope.point.text != cloud.fear.point.text for cloud in clouds]
    assert sum(differing) > 15
    assert f"sentence {found.sentence}:" in hopefear("inspect", "run", "--most-interesting").out
    assert Path(f"run/clouds/{found.sentence}.html").exists()
    for options in ([], ["--most-interesting", "-s", "3"]):
        refused = hopefear("inspect", "run", *options)
        assert refused.code == 2
        assert "--sentence" in refused.err
