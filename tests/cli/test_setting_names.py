"""Errors name settings as files of settings do, and the command line adds its options."""

from pathlib import Path

import pytest

from candidate_files import write_candidates
from command_line import Hopefear
from hopefear.cli.program import explain
from hopefear.errors import ConfigError, OptionError
from hopefear.runs import build_settings
from hopefear.translation import DecoderOptions

DATA = ["--nbest", "tune.nbest", "--refs", "tune.refs"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_candidates(tmp_path, sentences=10, size=5)
    Path("more.refs").write_text(Path("tune.refs").read_text() + "one more\n")
    Path("empty").touch()
    Path("junk").write_text("what is this\n")
    Path("few").write_text("0 ||| a ||| LM= -1\n0 ||| b\n")
    Path("refs.toml").write_text('learner = "mert"\n[tuning]\nnbest = ["x"]\nrefs = ["y"]\n')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--nbest", "tune.nbest", "--refs", "more.refs"],
            "say so with tuning.sentences = 11 (--sentences)",
        ),
        (
            [*DATA, "--dev-nbest", "tune.nbest", "--dev-refs", "more.refs"],
            "say so with dev.sentences = 11 (--dev-sentences)\n",
        ),
        (
            [*DATA, "--threads", "-1"],
            "tune mert: threads must be a whole number >= 0, got -1 (--threads)",
        ),
        (
            [*DATA, "--set", "rhythm.epochs=0"],
            "tune mert: rhythm.epochs must be a whole number >= 1, got 0 (--epochs)\n",
        ),
        (
            [],
            "tune mert: tuning: give either nbest, or forests, or a source to translate; found "
            "none of them (--nbest, --forests, --source)",
        ),
        (
            ["--nbest", "tune.nbest"],
            "found none of them (--refs, --scores, --score-feature)",
        ),
        (
            [*DATA, "--dev-nbest", "tune.nbest"],
            "dev: give either references, or scores, or score_feature; found none of them "
            "(--dev-refs, --dev-scores, --dev-score-feature)",
        ),
        ([*DATA, "--tokenize", "13b"], "metric.tokenize: unknown value '13b'; did you mean '13a'?"),
        (
            [*DATA, "--metric", "ter", "--tokenize", "none"],
            "metric.tokenize: unknown key of the metric 'ter'; known: asian_support, ",
        ),
        (["--nbest", "empty", "--refs", "tune.refs"], "empty: the file is empty"),
        (["--nbest", "junk", "--refs", "tune.refs"], "travatar, tsv (--format)\n"),
    ],
)
def test_an_error_names_the_setting_and_its_option(
    arguments: list[str], message: str, hopefear: Hopefear
) -> None:
    found = hopefear("tune", "mert", *arguments, "-o", "run")
    assert found.code != 0
    assert message in found.err


def test_a_run_that_is_there_is_replaced_by_an_option(hopefear: Hopefear) -> None:
    assert hopefear("tune", "mert", *DATA, "-o", "run", "--no-report").code == 0
    found = hopefear("tune", "mert", *DATA, "-o", "run")
    assert found.err.endswith("name another directory, or force it to be replaced (--force)\n")


def test_a_short_name_of_a_setting_is_understood(hopefear: Hopefear) -> None:
    found = hopefear("tune", "refs.toml", "-o", "run")
    assert "refs.toml: tuning.refs: unknown key; did you mean 'references'?" in found.err


def test_a_file_of_settings_may_name_presets_and_is_told_so(hopefear: Hopefear) -> None:
    Path("run.toml").write_text('learner = "moses-kbmirra"\n')
    found = hopefear("tune", "run.toml", *DATA, "-o", "run")
    message = "run.toml: learner.name: unknown preset or learner 'moses-kbmirra'; did you mean"
    assert f"{message} 'moses-kbmira'?" in found.err


def test_conversions_and_trainings_have_options_of_their_own(hopefear: Hopefear) -> None:
    assert "(--from)" in hopefear("convert", "junk", "o", "--to", "jsonl").err
    assert hopefear("convert", "few", "o", "--to", "jsonl").err.startswith("hopefear: few:2: ")
    assert "(--source, --target)" in hopefear("train", "-s", "junk", "-o", "model").err


def test_options_of_the_decoder_are_called_as_the_command_calls_them() -> None:
    with pytest.raises(OptionError, match=r"DecoderOptions\.max_span must be ") as error:
        DecoderOptions(max_span=-1)
    assert explain(error.value, ["translate"]).startswith("--max-span must be ")
    assert explain(error.value, ["demo"]).startswith("max_span must be ")


def test_python_has_the_names_of_the_settings_alone() -> None:
    with pytest.raises(ConfigError) as error:
        build_settings("mert", {"threads": -1, "tuning.nbest": ["a"], "tuning.references": ["b"]})
    assert str(error.value) == "tune mert: threads must be a whole number >= 0, got -1"
    assert error.value.settings == ("threads",)
