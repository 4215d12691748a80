"""Every preset, on made-up lists."""

from dataclasses import replace
from pathlib import Path

import pytest

from candidate_files import write_candidates
from hopefear import tune_events as tune
from hopefear.candidates import ListSet
from hopefear.errors import ConfigError
from hopefear.events import EpochFinished, RunFinished, RunStarted
from hopefear.learners import Mira, learners
from hopefear.presets import describe_preset
from hopefear.runs import presets
from hopefear.runs.options import build_settings
from hopefear.search import Hope, Local

OF_LISTS = [name for name in presets if ListSet in presets[name].learner.learns_from]


@pytest.mark.parametrize("name", OF_LISTS)
def test_every_preset_of_lists_raises_the_score(name: str, tmp_path: Path) -> None:
    files = write_candidates(tmp_path, sentences=40, size=15)
    events = list(tune(name, nbest=files.nbest, refs=files.refs, tokenize="none"))
    started = next(event for event in events if isinstance(event, RunStarted))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert started.tuning_score is not None
    assert finished.tuning_score is not None
    assert finished.tuning_score > started.tuning_score + 1.0
    epochs = [event for event in events if isinstance(event, EpochFinished)]
    assert finished.weights == epochs[finished.best_epoch - 1].weights


@pytest.mark.parametrize("name", presets)
def test_the_settings_of_a_preset_give_that_preset(name: str, tmp_path: Path) -> None:
    path = tmp_path / "preset.toml"
    of_lists = ListSet in presets[name].learner.learns_from
    kind, value = ("nbest", ["lists"]) if of_lists else ("forests", "some")
    data = f'\n[tuning]\n{kind} = {value!r}\nreferences = ["refs"]\n'
    path.write_text(describe_preset(name) + data, encoding="utf-8")
    settings = build_settings(path, {})
    assert settings.learner == presets[name].learner
    assert settings.start_patterns == presets[name].start
    named = build_settings(name, {f"tuning.{kind}": value, "tuning.references": ["refs"]})
    assert named.start_patterns == presets[name].start
    assert settings.scale_features == named.scale_features == presets[name].scale_features


@pytest.mark.parametrize("name", learners)
def test_the_settings_of_a_learner_are_those_that_it_has_without_any(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "learner.toml"
    data = '\n[tuning]\nforests = "some"\nreferences = ["refs"]\n'
    path.write_text(describe_preset(name) + data, encoding="utf-8")
    assert build_settings(path, {}).learner == learners[name]()


def test_what_a_preset_says_of_features_can_be_changed() -> None:
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    assert build_settings("annealed-mira", data).scale_features
    assert not build_settings("annealed-mira", {**data, "scale_features": False}).scale_features


@pytest.mark.parametrize("learner", ["mira", "chiang2012-mira-small"])
def test_a_part_of_a_learner_can_be_changed_without_its_name(learner: str) -> None:
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    plain = build_settings(learner, data).learner
    changed = build_settings(learner, data, assignments=["learner.reference.mu=-0.5"]).learner
    assert isinstance(plain, Mira)
    assert changed == replace(plain, reference=Hope(mu=-0.5))
    other = build_settings(learner, data, assignments=["learner.reference.name=local"]).learner
    assert other == replace(plain, reference=Local())
    wrong = ["learner.reference.name=local", "learner.reference.mu=-0.5"]
    with pytest.raises(ConfigError, match=r"learner\.reference\.mu"):
        build_settings(learner, data, assignments=wrong)


def test_every_preset_is_explained_in_a_line() -> None:
    for preset in presets.values():
        assert 10 < len(preset.explanation) < 80
        assert "\n" not in preset.explanation


def test_an_unknown_preset_is_named_with_the_nearest_known() -> None:
    with pytest.raises(ConfigError, match="unknown preset 'moses-mret'; did you mean 'moses-mert'"):
        describe_preset("moses-mret")


def test_around_a_decoder_a_preset_takes_the_rounds_of_one_list() -> None:
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    around = presets["gimpel2012-rampion"].on_forests
    assert build_settings("gimpel2012-rampion", data).learner == around
    changed = build_settings("gimpel2012-rampion", data, assignments=["rhythm.epochs=3"])
    assert changed.learner.epochs == 3
    # Forest MIRA needs forests that stay; around a decoder its list form learns.
    learner = presets["moses-kbmira"].learner
    assert build_settings("moses-kbmira", data).learner == learner
