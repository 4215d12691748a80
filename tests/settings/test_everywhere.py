"""A setting that is declared once is found everywhere that people look for it."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import hopefear as package
from candidate_files import write_candidates
from command_line import Hopefear
from hopefear.cli.commands import COMMANDS, make_command
from hopefear.cli.program import app
from hopefear.learners import KBestMira, learners
from hopefear.reference import reference
from hopefear.runs import TuneSettings
from hopefear.settings import config, setting, settings
from hopefear.settings.tree import walk

ROOT = Path(__file__).parents[2]


@pytest.fixture
def toy() -> Iterator[None]:
    """A learner with one new setting of each kind."""

    @learners.register("toy")
    @settings
    class Toy(KBestMira):
        """A learner that only exists in a test."""

        zeal: float = setting(0.25, "How eagerly it learns.", above=0, most=1)
        mood: Literal["calm", "wild"] = setting("calm", "How it feels.")

    yield
    del learners._factories["toy"]


@pytest.fixture
def hopefear(capsys: pytest.CaptureFixture[str]) -> Hopefear:
    return Hopefear(capsys)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    write_candidates(tmp_path, sentences=5, size=5)
    return ["--nbest", "tune.nbest", "--refs", "tune.refs", "--tokenize", "none"]


def completions(*words: str, incomplete: str) -> list[str]:
    """Return what a shell would offer."""
    from click.shell_completion import ShellComplete

    shell = ShellComplete(app, {}, "hopefear", "_HOPEFEAR_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


@pytest.mark.usefixtures("toy")
def test_a_new_setting_is_in_the_help_of_its_learner(hopefear: Hopefear) -> None:
    found = hopefear("tune", "toy", "--help").out
    group = found[found.index("\nLearner:") : found.index("\nRhythm:")]
    assert "--learner.zeal X" in group
    assert "How eagerly it learns. [0.25]" in group
    assert "--learner.zeal" not in hopefear("tune", "mert", "--help").out
    assert "--learner.zeal" not in hopefear("tune", "--help").out


@pytest.mark.usefixtures("toy")
def test_a_new_setting_is_completed() -> None:
    assert completions("tune", incomplete="--learner.z") == ["--learner.zeal"]
    assert completions("tune", "--learner.mood", incomplete="w") == ["wild"]
    assert "toy" in completions("tune", incomplete="to")


@pytest.mark.usefixtures("toy")
def test_a_new_setting_is_an_option_a_key_and_a_keyword(
    hopefear: Hopefear, data: list[str]
) -> None:
    for number, option in enumerate(
        [
            ["--learner.zeal", "0.5", "--learner.mood", "wild"],
            ["--learner.zeal=0.5", "--set", "learner.mood=wild"],
        ]
    ):
        out = f"run{number}"
        assert hopefear("tune", *option, *data, "-o", out, "toy", "--epochs", "1").code == 0
        learner = config.read_table(Path(out) / "config.toml")["learner"]
        assert (learner["zeal"], learner["mood"]) == (0.5, "wild")
    again = hopefear("tune", "run0/config.toml", "-o", "again")
    assert again.code == 0
    keywords: dict[str, Any] = {
        "nbest": "tune.nbest",
        "refs": "tune.refs",
        "tokenize": "none",
        "epochs": 1,
    }
    package.tune("toy", out="three", **keywords, learner__zeal=0.5)
    package.tune("toy", out="four", **keywords, learner={"zeal": 0.5})
    for out in ("three", "four"):
        learner = config.read_table(Path(out) / "config.toml")["learner"]
        assert (learner["zeal"], learner["mood"]) == (0.5, "calm")


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--learner.zeal", "2"], "learner.zeal must be a finite number <= 1 and > 0, got 2.0"),
        (["--learner.zeal", "high"], "learner.zeal: expected a number, got 'high'"),
        (["--learner.mood", "wald"], "learner.mood: unknown value 'wald'; did you mean 'wild'?"),
    ],
)
def test_a_wrong_value_of_a_new_setting_is_refused_by_its_option(
    hopefear: Hopefear, data: list[str], option: list[str], message: str
) -> None:
    found = hopefear("tune", "toy", *data, *option, "-o", "run")
    assert found.code == 2
    assert message.replace("<= 1 and > 0", "> 0 and <= 1") in found.err
    assert found.err.endswith(f"({option[0]})\n")


@pytest.mark.usefixtures("toy")
def test_a_new_setting_is_in_the_reference() -> None:
    assert "### learner `toy`\nA learner that only exists in a test." in reference()
    assert "| `zeal` X | 0.25 | How eagerly it learns. |" in reference()


def test_the_reference_page_is_up_to_date() -> None:
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    # In a process of its own: other tests register learners and features in this one.
    command = [sys.executable, "-m", "hopefear.reference"]
    found = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    assert page == found, "run 'python -m hopefear.reference > docs/reference.md'"


@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_options_are_unique_and_every_option_has_help(name: str) -> None:
    keys: dict[str, str] = {}
    for kind in make_command(name).kinds:
        for option in walk(kind):
            assert option.declared.help, option.key
            if not option.is_table and not (name == "tune" and option.key == "learner"):
                assert keys.setdefault(option.name, option.key) == option.key


def test_options_may_stand_before_and_after_the_learner(
    hopefear: Hopefear, data: list[str]
) -> None:
    assert hopefear("tune", *data, "--epochs", "1", "kbest-mira", "-o", "run").code == 0


def test_a_flag_of_the_learner_needs_no_value(hopefear: Hopefear, data: list[str]) -> None:
    sgd = ["tune", "sgd", *data, "--epochs", "1", "--no-report", "-o"]
    for flag, expected in (("learner.averaged", True), ("no-learner.averaged", False)):
        assert hopefear(*sgd, flag, f"--{flag}").code == 0
        learner = config.read_table(Path(flag) / "config.toml")["learner"]
        assert learner["averaged"] is expected


def test_python_functions_have_the_signatures_of_their_settings() -> None:
    parameters = inspect.signature(package.tune).parameters
    assert {"nbest", "dev_refs", "epochs", "metric", "tokenize", "start"} <= parameters.keys()
    assert parameters["seed"].default == 1
    assert inspect.signature(package.rerank).parameters["memory_limit"].annotation is int


def test_a_preset_can_be_printed_saved_edited_and_run(hopefear: Hopefear, data: list[str]) -> None:
    text = hopefear("presets", "moses-kbmira").out
    Path("mine.toml").write_text(text.replace("epochs = 60", "epochs = 2"))
    assert hopefear("tune", "mine.toml", *data, "-o", "run").code == 0
    table = config.read_table(Path("run/config.toml"))
    assert (table["rhythm"]["epochs"], table["learner"]["name"]) == (2, "kbest-mira")
    found = config.load(TuneSettings, "run/config.toml")
    assert found.learner == KBestMira(line_search=0)
