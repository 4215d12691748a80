"""Weights of other tools for a model of ours: names and units."""

import math
from pathlib import Path

import pytest

from hopefear import train, translate
from hopefear.errors import ConfigError, DataError
from hopefear.translation import ModelNames
from hopefear.translation.model import Model
from hopefear.translation.units import own_units
from hopefear.types import Weights

LM = r"""\data\
ngram 1=5
ngram 2=1

\1-grams:
-0.5	<unk>	0
-99	<s>	0
-1	</s>	0
-2	b	0
-1.5	c	0

\2-grams:
-0.25	c b

\end\
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Rules of Joshua with its glue, and a language model."""
    (tmp_path / "rules").write_text("[X] ||| a ||| b ||| 0.5 1\n")
    (tmp_path / "glue").write_text(
        "[GOAL] ||| <s> ||| <s> ||| 0\n"
        "[GOAL] ||| [GOAL,1] [X,2] ||| [GOAL,1] [X,2] ||| -1\n"
        "[GOAL] ||| [GOAL,1] </s> ||| [GOAL,1] </s> ||| 0\n"
    )
    (tmp_path / "lm.arpa").write_text(LM)
    return tmp_path


def joshua_model(files: Path) -> Model:
    return train(
        out=files / "model",
        rules=files / "rules",
        rules_format="joshua",
        glue=files / "glue",
        lm=files / "lm.arpa",
    )


def test_the_format_of_the_rules_is_that_of_the_glue_rules(files: Path) -> None:
    model = joshua_model(files)
    assert model.settings.names.goal == "GOAL"
    best = model.decoder().translate(["a"])
    assert best.text == "b"
    # Joshua changes the sign of values without a name.
    assert best.features["tm_pt_0"] == -0.5
    assert best.features["tm_glue_0"] == 1.0


def test_joshuas_weights_give_joshuas_score(files: Path) -> None:
    model = joshua_model(files)
    config = files / "joshua.config"
    config.write_text(
        "feature-function = WordPenalty\n"
        "lm_0 2\nWordPenalty -1.5\nOOVPenalty 0.25\ntm_pt_0 1\ntm_pt_1 0.5\ntm_glue_0 0.125\n"
    )
    (found,) = translate(model, ["a zork"], weights=config)
    assert found.text == "b zork"
    # Unigrams b, zork, </s> in log10; four words with <s> and </s>, -log10(e) each; one OOV, -100.
    lm, words = 2 * (-2 - 0.5 - 1), -1.5 * 4 * -math.log10(math.e)
    rules = 1 * -0.5 + 0.5 * -1 + 0.125 * 2
    assert found.best.score == pytest.approx(lm + words + 0.25 * -100 + rules, abs=1e-5)


def test_cdecs_weights_give_cdecs_score(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("[X] ||| a ||| b ||| EgivenFCoherent=0.5\n")
    (tmp_path / "lm.arpa").write_text(LM)
    model = train(out=tmp_path / "model", rules=tmp_path / "rules", lm=tmp_path / "lm.arpa")
    weights = tmp_path / "weights"
    weights.write_text(
        "LanguageModel 2\nWordPenalty -1.5\nPassThrough -3\nGlue 0.25\nEgivenFCoherent -1\n"
    )
    (found,) = translate(model, ["a zork"], weights=weights)
    lm, words = 2 * (-2 - 0.5 - 1), -1.5 * 4 * -math.log10(math.e)
    assert found.best.score == pytest.approx(lm + words - 3 + 2 * 0.25 - 0.5, abs=1e-5)
    own = train(
        out=tmp_path / "own", rules=tmp_path / "rules", lm=tmp_path / "lm.arpa", weights=weights
    )
    assert own.weights["UnknownWord"] == -3
    assert own.weights["LM0"] == pytest.approx(2 / math.log(10))


NAMES = ModelNames()


@pytest.mark.parametrize(
    ("weights", "format"),
    [
        ({"WordPenalty": 1.0, "p": 2.0}, "tsv"),
        ({"WordPenalty": 1.0, "LM0": 2.0}, "cdec"),
        ({"WordPenalty": 1.0, "UnknownWord": 2.0}, "cdec"),
        ({"Glue": 1.0, "p": 2.0}, "cdec"),
        ({"LanguageModel": 1.0, "WordPenalty": 2.0}, "tsv"),  # a model's own name, see below
    ],
)
def test_our_own_weights_stay(weights: dict[str, float], format: str) -> None:
    known = frozenset({"WordPenalty", "LanguageModel"})
    assert own_units(weights, NAMES, ["LM0"], known=known, format=format) == Weights(weights)


def test_weights_whose_units_are_not_known_are_refused() -> None:
    with pytest.raises(DataError, match="the units of the weight of 'WordPenalty' are not known"):
        own_units({"WordPenalty": 1.0, "p": 2.0}, NAMES, ["LM0"], format="cdec")


def test_weights_of_two_tools_are_refused() -> None:
    mixed = {"LanguageModel": 1.0, "OOVPenalty": 1.0}
    with pytest.raises(DataError, match="features of cdec and of joshua"):
        own_units(mixed, NAMES, ["LM0"])
    with pytest.raises(DataError, match="'lm_0' of joshua and 'LM0', which is the same"):
        own_units({"lm_0": 1.0, "LM0": 1.0}, NAMES, ["LM0"])


def test_several_language_models_of_joshua_have_their_numbers() -> None:
    found = own_units({"lm_0": 1.0, "lm_1": 2.0, "lm_2": 3.0}, NAMES, ["LM0", "LM1"])
    assert found.names == ("LM0", "LM1", "lm_2")


def test_the_label_of_sentences_is_that_of_the_glue_rules(files: Path) -> None:
    rules, glue = files / "rules", files / "glue"
    with pytest.raises(ConfigError, match="no label 'S' for whole sentences; they have GOAL"):
        train(out=files / "other", rules=rules, rules_format="joshua", glue=glue, goal="S")
    glue.write_text(glue.read_text() + "[TOP] ||| <s> [GOAL,1] ||| <s> [GOAL,1] ||| 0\n")
    with pytest.raises(ConfigError, match="no label 'S' for whole sentences; they have GOAL, TOP"):
        train(out=files / "other", rules=rules, rules_format="joshua", glue=glue)
    named = train(
        out=files / "other",
        rules=rules,
        rules_format="joshua",
        glue=glue,
        goal="[GOAL]",
        pass_through="OOV",
    )
    assert (named.settings.names.goal, named.settings.names.pass_through) == ("GOAL", "OOV")
    # The glue rules combine X only, so that a word that is copied as OOV is in no sentence.
    with pytest.raises(DataError, match="no parse as 'GOAL'; the glue rules make 'GOAL'"):
        list(translate(named, ["zork"]))
    glue.write_text(glue.read_text() + "[GOAL] ||| [GOAL,1] [OOV,2] ||| [GOAL,1] [OOV,2] ||| -1\n")
    again = train(
        out=files / "again",
        rules=rules,
        rules_format="joshua",
        glue=glue,
        goal="GOAL",
        pass_through="OOV",
    )
    assert [found.text for found in translate(again, ["a zork"])] == ["b zork"]
