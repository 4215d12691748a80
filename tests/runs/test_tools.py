"""Runs around stand-ins for Moses, cdec and Joshua, which are called by their names."""

import gzip
import os
import re
import shlex
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopefear import TuneResult, tune
from hopefear.cli.program import run
from hopefear.errors import ConfigError, DataError, DecoderError
from hopefear.events import EpochFinished, RunStarted, Warned
from hopefear.formats import read_weights
from hopefear.formats.texts import read_references
from hopefear.learners import KBestMira
from hopefear.metrics import Bleu
from hopefear.runs import loop
from stand_in_tools import Tools, make_tools

TOOLS = ["moses", "cdec", "joshua"]
WRITTEN = {"moses": "moses.ini", "cdec": "weights.cdec", "joshua": "joshua.config"}
START = {"moses": "moses.ini", "cdec": "weights.init", "joshua": "joshua.config"}


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return make_tools(tmp_path)


def tuned(tools: Tools, tool: str, learner: str = "moses-kbmira", **options: Any) -> TuneResult:
    program, config = tools.named(tool)
    data: dict[str, Any] = {"source": tools.source, "refs": tools.references}
    return tune(learner, decoder=str(program), config=config, **(data | options))


def translated(tools: Tools, tool: str, weights: Path) -> list[str]:
    """What the tool itself translates with a file of weights, without any option of ours."""
    program, config = tools.named(tool)
    options = {
        "moses": f"-config {weights}",
        "cdec": f"-c {config} -w {weights}",
        "joshua": f"-c {weights} -mark-oovs false",
    }[tool]
    command = [str(program), *options.split()]
    with tools.source.open("rb") as source:
        found = subprocess.run(command, stdin=source, capture_output=True, check=True)
    return found.stdout.decode().splitlines()


@pytest.mark.parametrize("tool", TOOLS)
def test_the_weights_of_a_run_reproduce_its_score_in_the_tool_itself(
    tools: Tools, tool: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    result = tuned(tools, tool, out=out, decodings=4, list_size=50)
    assert result.tuning_score is not None
    assert result.start_tuning_score is not None
    assert result.tuning_score > result.start_tuning_score + 10
    for weights, score in (
        (out / WRITTEN[tool], result.tuning_score),
        (tmp_path / START[tool], result.start_tuning_score),
    ):
        texts = translated(tools, tool, weights)
        judge = Bleu(tokenize="none")
        statistics = judge.prepare(read_references([tools.references])).statistics(texts)
        assert judge.score(statistics.sum(axis=0)) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("tool", "learner"),
    [
        ("moses", "moses-mert"),
        ("moses", "moses-kbmira"),
        ("moses", "moses-pro"),
        ("moses", "gimpel2012-rampion"),
        ("cdec", "moses-mert"),
        ("joshua", "moses-pro"),
    ],
)
def test_a_beam_in_units_of_the_score_does_no_harm_over_ten_decodings(
    tools: Tools, tool: str, learner: str
) -> None:
    result = tuned(tools, tool, learner, decodings=10, set=["stopping.window=0"])
    epochs = [event for event in result.events if isinstance(event, EpochFinished)]
    assert result.start_tuning_score is not None
    assert all((event.tuning_score or 0) > result.start_tuning_score for event in epochs)
    # All that is learned has the norm of the start, beside what is not learned.
    start = read_weights(tools.source.parent / START[tool])
    norms = [event.weights.norm(1) for event in epochs]
    np.testing.assert_allclose(norms, start.norm(1), rtol=1e-9)


def test_features_that_moses_does_not_tune_keep_their_weights(tools: Tools, tmp_path: Path) -> None:
    for learner in ("moses-pro", "lbfgs"):
        tuned(tools, "moses", learner, out=tmp_path / learner, decodings=2)
        found = read_weights(tmp_path / learner / "moses.ini")
        assert found["UnknownWordPenalty0"] == 1.0
        assert found["LM1"] == 0.7
        text = (tmp_path / learner / "moses.ini").read_text()
        assert text.count("PhraseDictionary0=") == 1
        assert "KENLM name=LM1 tuneable=false" in text


def test_a_run_says_what_a_name_stands_for(tools: Tools, tmp_path: Path) -> None:
    out = tmp_path / "run"
    tuned(tools, "moses", out=out, decodings=1, threads=1)
    config = tomllib.loads((out / "config.toml").read_text())
    decoder = config["decoder"]
    expected = f"{tools.moses} -config {{weights}} -n-best-list - {{size}} distinct"
    assert decoder["command"].startswith(expected)
    assert (decoder["weights_format"], decoder["nbest_format"]) == ("moses", "moses")
    assert decoder["template"] == config["start_file"] == str(tools.moses_ini)
    assert config["metric"]["tokenize"] == "none"
    again = tune(out / "config.toml", out=tmp_path / "again", force=True)
    assert again.weights == read_weights(out / "weights.tsv")


def test_further_options_of_the_decoder_stay(tools: Tools, tmp_path: Path) -> None:
    result = tune(
        "moses-kbmira",
        decoder=f"{shlex.quote(str(tools.moses))} -v 0",
        config=tools.moses_ini,
        source=tools.source,
        refs=tools.references,
        decodings=1,
    )
    assert result.tuning_score is not None


def test_nothing_is_decoded_twice(tools: Tools, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = tools.moses.read_text()
    noting = (
        f'\nopen({str(log)!r}, "a").write(open(config).read().partition("[weight]")[2] + "%")\n'
    )
    tools.moses.write_text(program.replace("section, features", noting + "section, features", 1))
    result = tuned(tools, "moses", decodings=3, replicas=2)
    decoded = log.read_text().split("%")[:-1]
    assert len(set(decoded)) == len(decoded)
    epochs = sum(isinstance(event, EpochFinished) for event in result.events)
    assert len(decoded) == epochs + 1


def test_a_moses_ini_to_start_from_is_the_template_of_a_command(
    tools: Tools, tmp_path: Path
) -> None:
    command = f"{tools.moses} -config {{weights}} -n-best-list - {{size}} distinct"
    out = tmp_path / "run"
    data: dict[str, Any] = {"source": tools.source, "refs": tools.references, "tokenize": "none"}
    tune("moses-kbmira", decoder=command, start=str(tools.moses_ini), out=out, decodings=1, **data)
    assert (out / "moses.ini").read_text().count("tuneable=false") == 2


def test_a_start_that_lacks_features_has_the_others_from_the_template(tools: Tools) -> None:
    result = tuned(tools, "moses", start="LM0=1", decodings=1)
    whole = read_weights(tools.moses_ini)
    (started,) = [event for event in result.events if isinstance(event, RunStarted)]
    assert dict(started.weights) == dict(whole) | {"LM0": 1.0}


def test_the_weights_of_cdec_have_to_be_named_somewhere(tools: Tools) -> None:
    tools.cdec_ini.write_text(tools.cdec_ini.read_text().replace("weights=weights.init\n", ""))
    with pytest.raises(DataError, match=r"cdec\.ini: names no weights to start from") as error:
        tuned(tools, "cdec")
    assert error.value.settings == ("start_file",)
    start = tools.source.parent / "weights.init"
    assert tuned(tools, "cdec", start=str(start), decodings=1).tuning_score


def test_a_name_needs_a_configuration_and_other_commands_need_none(tools: Tools) -> None:
    data: dict[str, Any] = {"source": tools.source, "refs": tools.references}
    with pytest.raises(ConfigError, match="has no place for the weights"):
        tune("moses-mert", decoder="moses", **data)
    with pytest.raises(ConfigError, match="is for a decoder that is called by its name"):
        tune("moses-mert", decoder="moses -f {weights}", config=tools.moses_ini, **data)


def test_the_errors_of_a_tool_are_shown_as_lines(tools: Tools) -> None:
    text = tools.moses_ini.read_text()
    tools.moses_ini.write_text(text.replace("PhraseDictionary0= 0.2 0.2", "PhraseDictionary0= 1"))
    with pytest.raises(DecoderError) as error:
        tuned(tools, "moses")
    assert str(error.value).endswith(
        "  Exception: moses/StaticData.cpp:1 threw util::Exception\n"
        "  Number of weights for PhraseDictionary0 is wrong"
    )


def test_tokenized_references_are_told_of(tools: Tools, tmp_path: Path) -> None:
    references = tools.references.read_text().replace(" zork", " , zork .")
    tools.references.write_text(references)
    command = f"{tools.moses} -config {{weights}} -n-best-list - {{size}} distinct"
    result = tune(
        "moses-kbmira",
        decoder=command,
        start=str(tools.moses_ini),
        source=tools.source,
        refs=tools.references,
        decodings=1,
    )
    told = [event.message for event in result.events if isinstance(event, Warned)]
    assert any("tokenize" in message for message in told)


PAGE = Path(__file__).parents[2] / "docs" / "online.md"
COMMANDS = [
    found.replace("\\\n", " ")
    for found in re.findall(r"^```text\nhopefear (.*?)\n```", PAGE.read_text(), re.M | re.S)
    if "my-decoder" not in found
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_page_work(
    tools: Tools, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in ("dev.cs", "test.cs"):
        shutil.copy(tools.source, name)
    for name in ("dev.en", "dev.en.0", "dev.en.1", "test.en"):
        shutil.copy(tools.references, name)
    shutil.copy(tools.moses, tmp_path / "bin" / "moses_chart")
    words = shlex.split(command.replace("mosesdecoder/bin", str(tmp_path / "bin")))
    assert run([*words, "--decodings", "1"]) == 0
    written = "moses.ini" if "moses.ini" in words else "joshua.config"
    assert (tmp_path / "run" / ("weights.cdec" if "cdec" in words else written)).is_file()


def test_cdec_runs_as_several_copies(tools: Tools, tmp_path: Path) -> None:
    out = tmp_path / "run"
    several = tuned(tools, "cdec", decodings=2, threads=3, out=out)
    assert several.weights == tuned(tools, "cdec", decodings=2, threads=1).weights
    parts = [(out / "decoder/tuning" / f"source.{i}").read_text() for i in range(3)]
    assert "".join(parts).count("<seg id=") == 25
    assert all(parts)
    tools.cdec.write_text(tools.cdec.read_text() + "\nif number > 10: fail('out of memory')\n")
    with pytest.raises(DecoderError, match="out of memory"):
        tuned(tools, "cdec", decodings=1, threads=3)


def test_a_compressed_source_reaches_the_decoder_as_text(tools: Tools, tmp_path: Path) -> None:
    packed = tmp_path / "source.gz"
    packed.write_bytes(gzip.compress(tools.source.read_bytes()))
    plain = tuned(tools, "moses", decodings=1)
    assert tuned(tools, "moses", decodings=1, source=packed).weights == plain.weights


def test_start_weights_that_number_values_otherwise_are_refused(tools: Tools) -> None:
    start = tools.source.parent / "weights.init"
    renamed = start.read_text().replace("PhraseModel_1", "PhraseModel_2")
    start.write_text(renamed.replace("PhraseModel_0", "PhraseModel_1"))
    with pytest.raises(DataError, match="'PhraseModel' has PhraseModel_0 to PhraseModel_1 as feat"):
        tuned(tools, "cdec")


def test_held_out_sentences_are_decoded_while_the_next_epoch_is_learned(
    tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each of the two waits for the other: the decoder to be learned beside, the learner to begin.
    log, met = tmp_path / "log", tmp_path / "met"
    log.touch()
    waits = f"""
if "decoder/dev" in config:
    import os, time
    number = open({str(log)!r}).read().count("begun")
    open({str(log)!r}, "a").write("begun ")
    until = time.time() + (30 if number in (1, 2) else 0)
    while time.time() < until and not os.path.exists({str(met)!r} + str(number)):
        time.sleep(0.01)
section, features"""
    tools.moses.write_text(tools.moses.read_text().replace("section, features", waits, 1))
    learn, calls = KBestMira.learn, list[int]()

    def meeting(self: KBestMira, *arguments: Any, **options: Any) -> Any:
        epoch, first = divmod(len(calls), self.rhythm.epochs)
        calls.append(1)
        until = time.time() + (30 if epoch and not first else 0)
        while time.time() < until and log.read_text().count("begun") <= epoch:
            time.sleep(0.01)
        if epoch and not first and log.read_text().count("begun") == epoch + 1:
            Path(f"{met}{epoch}").touch()
        return learn(self, *arguments, **options)

    monkeypatch.setattr(KBestMira, "learn", meeting)
    data: dict[str, Any] = {"dev_source": tools.source, "dev_refs": tools.references}
    beside = tuned(tools, "moses", decodings=3, **data)
    assert Path(f"{met}1").exists()
    assert Path(f"{met}2").exists()
    monkeypatch.setattr(KBestMira, "learn", learn)
    monkeypatch.setattr(loop, "Aside", type("Nothing", (), {}))
    apart = tuned(tools, "moses", decodings=3, **data)
    assert apart.weights == beside.weights
    assert (apart.tuning_score, apart.dev_score) == (beside.tuning_score, beside.dev_score)


def test_a_decoder_is_ended_with_the_run_that_began_it(
    tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    slow = f"""
import os, time
if "decoder/dev" in config and os.path.exists({str(started)!r}):
    open({str(started)!r}, "w").write(str(os.getpid()))
    time.sleep(60)
elif "decoder/dev" in config:
    open({str(started)!r}, "w").close()
"""
    tools.moses.write_text(tools.moses.read_text() + slow)
    learn, calls = KBestMira.learn, list[int]()

    def interrupted(self: KBestMira, *arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if started.exists() and len(calls) > 60:
            while not started.read_text():
                time.sleep(0.01)
            raise KeyboardInterrupt
        return learn(self, *arguments, **options)

    monkeypatch.setattr(KBestMira, "learn", interrupted)
    data: dict[str, Any] = {"dev_source": tools.source, "dev_refs": tools.references}
    with pytest.raises(KeyboardInterrupt):
        tuned(tools, "moses", decodings=3, **data)
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
