"""Learners and data that do not go together: told from the settings, before anything is read."""

from pathlib import Path
from typing import Any

import pytest

from command_line import Hopefear
from hopefear import tune_events as tune
from hopefear.errors import ConfigError
from hopefear.learners import learners
from hopefear.presets import load_presets
from hopefear.runs import build_settings
from hopefear.runs.kinds import FOR_ALL
from hopefear.runs.kinds import FORESTS as FORESTS_GIVEN
from hopefear.runs.options import learner_of

# Nothing of this is there: what is refused is refused without a look at files.
REFS = {"refs": "r"}
NBEST = {"nbest": "n", "tokenize": "none", **REFS}
FORESTS = {"forests": "d", **REFS}
MODEL = {"model": "m", "source": "f", **REFS}
COMMAND = {"decoder": "x {weights}", "source": "f", "tokenize": "none", **REFS}

ONLINE = ["arow", "min-risk", "mira", "online-sgd", "perceptron"]
OF_FORESTS = ("tuning.forests", "model", "tuning.source")
BOUNDED = {**NBEST, "scale_features": True, "set": ["learner.bounds={lm=[0.0,1.0]}"]}


@pytest.mark.parametrize(
    ("learner", "options", "settings"),
    [
        *((name, NBEST, OF_FORESTS) for name in ONLINE),
        *((name, COMMAND, OF_FORESTS) for name in ONLINE),
        ("annealed-sgd", NBEST, OF_FORESTS),
        ("chiang2012-risk-small", COMMAND, OF_FORESTS),
        ("forest-mira", NBEST, ("tuning.forests",)),
        ("forest-mira", MODEL, ("tuning.forests",)),
        ("forest-mira", COMMAND, ("tuning.forests",)),
    ],
)
def test_learners_that_do_not_learn_from_the_data_are_refused(
    learner: str, options: dict[str, Any], settings: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        tune(learner, out=tmp_path / "run", **options)
    assert caught.value.settings == settings
    words = str(caught.value)
    assert words.startswith(f"tune {learner}: {learners.name_of(type(learner_of(learner)))} ")
    assert words.endswith(f"such as {FOR_ALL}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("learner", "options", "settings"),
    [
        ("mira", {**MODEL, "metric": "chrf"}, ("metric", "metric.tokenize")),
        ("mira", {**FORESTS, "tokenize": "13a"}, ("metric", "metric.tokenize")),
        ("mert", BOUNDED, ("learner.bounds", "scale_features")),
        ("pro", {**MODEL, "lists": "forests"}, ("rhythm.lists",)),
        ("mert", {**COMMAND, "lists": "forests"}, ("rhythm.lists", "model")),
        ("mert", {**MODEL, "dev_nbest": "n", "dev_refs": "r"}, ("tuning.source",)),
        ("mert", {**COMMAND, "dev_forests": "d", "dev_refs": "r"}, ("tuning.source",)),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    learner: str, options: dict[str, Any], settings: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        tune(learner, out=tmp_path / "run", **options)
    assert caught.value.settings == settings
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [*learners, *load_presets()])
def test_every_learner_learns_from_forests(name: str) -> None:
    settings = build_settings(name, {"tuning.forests": "d", "tuning.references": ["r"]})
    assert settings.kind is FORESTS_GIVEN


@pytest.mark.parametrize("options", [NBEST, FORESTS, MODEL, COMMAND])
def test_what_is_suggested_learns_from_every_kind_of_data(options: dict[str, Any]) -> None:
    tune(FOR_ALL, **options)


def test_a_file_of_settings_is_refused_in_the_same_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hopefear = Hopefear(capsys)
    file, out = tmp_path / "run.toml", tmp_path / "run"
    file.write_text(
        'learner = "annealed-mira"\n[tuning]\nnbest = ["n"]\nreferences = ["r"]\n'
        '[metric]\nname = "bleu"\ntokenize = "none"\n'
    )
    told = hopefear("tune", file, "-o", out)
    typed = hopefear("tune", "annealed-mira", "--nbest", "n", "--refs", "r", "-o", out)
    assert (told.code, typed.code) == (2, 2)
    of_file, of_options = (" ".join(said.err.split()) for said in (told, typed))
    assert f"{file}: mira " in of_file
    assert of_file.split(": mira ")[1] == of_options.split("tune annealed-mira: mira ")[1]
    assert not out.exists()
