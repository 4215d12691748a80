"""Learners and data that do not go together: told from the settings, before anything is read."""

import re
from pathlib import Path
from typing import Any

import pytest

from command_line import Hopefear
from hopefear import tune_events as tune
from hopefear.errors import ConfigError
from hopefear.learners import Mira, learners, suited
from hopefear.runs import build_settings, learn, presets
from hopefear.runs.kinds import FOR_ALL
from hopefear.runs.kinds import FORESTS as FORESTS_GIVEN
from hopefear.types import Weights
from tuning_sets import synthetic_set

# Nothing of this is there: what is refused is refused without a look at files.
REFS = {"refs": "r"}
NBEST = {"nbest": "n", "tokenize": "none", **REFS}
FORESTS = {"forests": "d", **REFS}
MODEL = {"model": "m", "source": "f", **REFS}
COMMAND = {"decoder": "x {weights}", "source": "f", "tokenize": "none", **REFS}

ONLINE = ["arow", "min-risk", "mira", "online-sgd", "perceptron"]
OF_FORESTS = (
    " learns from forests or from a model's translations, not from {}: give forests, or a model "
    "and a source; or choose another learner, such as moses-kbmira"
)
OF_GIVEN_FORESTS = (
    "forest-mira learns from forests, not from {}: give forests; or choose another learner, such "
    "as moses-kbmira"
)
LISTS = "n-best lists"
TRANSLATIONS = "a model's translations"
LISTED = "the lists of a decoder's command"


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        *((name, NBEST, name + OF_FORESTS.format(LISTS)) for name in ONLINE),
        *((name, COMMAND, name + OF_FORESTS.format(LISTED)) for name in ONLINE),
        ("annealed-sgd", NBEST, "tune annealed-sgd: online-sgd" + OF_FORESTS.format(LISTS)),
        ("chiang2012-risk-small", COMMAND, "min-risk" + OF_FORESTS.format(LISTED)),
        ("forest-mira", NBEST, OF_GIVEN_FORESTS.format(LISTS)),
        ("forest-mira", MODEL, OF_GIVEN_FORESTS.format(TRANSLATIONS)),
        ("forest-mira", COMMAND, OF_GIVEN_FORESTS.format(LISTED)),
        ("mira", {**MODEL, "metric": "chrf"}, "searched for by BLEU with tokenize = 'none', not"),
        ("mira", {**FORESTS, "tokenize": "13a"}, "not by BLEU with tokenize = '13a'"),
        ("mert", {**COMMAND, "scale_features": True}, "cannot be scaled"),
        (
            "mert",
            {**NBEST, "scale_features": True, "set": ["learner.bounds={lm=[0.0,1.0]}"]},
            "bounds of weights are in the units",
        ),
        ("mert", {**MODEL, "dev_nbest": "n", "dev_refs": "r"}, "dev: .* a source, not nbest"),
        ("mert", {**COMMAND, "dev_forests": "d", "dev_refs": "r"}, "dev: .* a source, not forests"),
    ],
)
def test_learners_that_do_not_learn_from_the_data_are_refused(
    learner: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    pattern = message if ".*" in message else re.escape(message)
    with pytest.raises(ConfigError, match=pattern):
        tune(learner, out=tmp_path / "run", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [*learners, *presets])
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
    assert told.code == 2
    assert f"{file}: mira{OF_FORESTS.format(LISTS)}" in " ".join(told.err.split())
    typed = hopefear("tune", "annealed-mira", "--nbest", "n", "--refs", "r", "-o", out)
    assert f"tune annealed-mira: mira{OF_FORESTS.format(LISTS)}" in " ".join(typed.err.split())
    assert not out.exists()


def test_data_in_hand_are_refused_in_plain_words_too() -> None:
    data, learner = synthetic_set(), Mira()
    message = "learns from forests, not from n-best lists"
    with pytest.raises(ConfigError, match=f"the learner {message}"):
        suited(learner, data)
    with pytest.raises(ConfigError, match=f"mine {message}"):
        list(learn(data, learner, start=Weights({}), name="mine"))
