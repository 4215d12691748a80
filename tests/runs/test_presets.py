"""Every preset, on made-up lists."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from candidate_files import write_candidates
from hopefear import tune_events as tune
from hopefear.errors import ConfigError
from hopefear.events import EpochFinished, RunFinished, RunStarted
from hopefear.learners import Mira, learners
from hopefear.presets import load_presets
from hopefear.runs.kinds import learns_from
from hopefear.runs.options import build_settings, learner_of, table_of
from hopefear.search import Hope, Local
from hopefear.settings.config import format_table

OF_LISTS = [name for name in load_presets() if "lists" in learns_from(learner_of(name))]


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


@pytest.mark.parametrize("name", load_presets())
def test_the_settings_of_a_preset_give_that_preset(name: str, tmp_path: Path) -> None:
    path = tmp_path / "preset.toml"
    kind = {"nbest": ["lists"]} if name in OF_LISTS else {"forests": "some"}
    table = table_of(name) | {"tuning": {**kind, "references": ["refs"]}}
    path.write_text(format_table(table), encoding="utf-8")
    options = {f"tuning.{key}": value for key, value in kind.items()}
    named = build_settings(name, {**options, "tuning.references": ["refs"]})
    assert build_settings(path, {}) == named
    preset = load_presets()[name].settings
    assert named.start_patterns == preset.get("start_patterns", {})
    assert named.scale_features == preset.get("scale_features", False)


@pytest.mark.parametrize("name", learners)
def test_the_settings_of_a_learner_are_those_that_it_has_without_any(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "learner.toml"
    table = table_of(name) | {"tuning": {"forests": "some", "references": ["refs"]}}
    path.write_text(format_table(table), encoding="utf-8")
    found = build_settings(path, {})
    assert found.learner == learners[name]()
    assert found.rhythm == found.learner.rhythm


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


def numbers(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a preset, with its dotted name."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from numbers(value, f"{prefix}{key}.")
        elif isinstance(value, bool | int | float):
            yield f"{prefix}{key}", value


def cited_numbers() -> list[tuple[str, str, str, float, list[str]]]:
    """The rows of the table in docs/papers.md: paper, place, setting, value, presets."""
    page = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
    table = page.split("## Every number of the presets")[1].split("## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| ") and "---" not in line
    ]
    return [
        (paper, place, setting.strip("`"), tomllib.loads(f"v = {value}")["v"], names)
        for paper, place, setting, value, presets in rows[1:]
        if (names := re.findall("`(.*?)`", presets))
    ]


def test_every_number_of_a_preset_is_that_of_its_paper() -> None:
    rows, used = cited_numbers(), set()
    papers = {paper for paper, *_ in rows}
    assert papers >= {"chiang2012", "gimpel2012", "watanabe2012"}
    for preset in load_presets().values():
        if preset.paper not in papers:
            continue
        for name, value in numbers({**preset.settings, **preset.variants}):
            fitting = [
                (i, row)
                for i, row in enumerate(rows)
                if row[0] == preset.paper
                and fnmatchcase(name, row[2])
                and any(fnmatchcase(preset.name, pattern) for pattern in row[4])
            ]
            # A setting with a row of its own is not covered by a pattern.
            named = [one for one in fitting if one[1][2] == name] or fitting
            assert len(named) == 1, f"{preset.name} {name} is in {len(named)} rows"
            i, row = named[0]
            assert (row[3], type(row[3])) == (value, type(value)), f"{preset.name} {name}"
            used.add(i)
    assert [row for i, row in enumerate(rows) if i not in used] == []


def test_every_row_and_curve_of_the_papers_is_a_configuration() -> None:
    page = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
    table = page.split("## Every row and curve of the papers")[1].split("## ")[0]
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    commands = re.findall(r"`((?:[a-z]+20\d\d-|rampion ).*?)`", table)
    assert len(commands) > 30
    for command in commands:
        name, *words = command.split()
        options: dict[str, Any] = dict(data)
        assignments = []
        for option, value in zip(words[::2], words[1::2], strict=True):
            if option == "--set":
                assignments.append(value)
            else:
                key = option.removeprefix("--").replace("-", "_")
                options[key] = value if key == "start" else float(value)
        plain = build_settings(name, data)
        assert (build_settings(name, options, assignments=assignments) == plain) == (not words)


def test_every_preset_is_explained_in_a_line() -> None:
    for preset in load_presets().values():
        assert 10 < len(preset.explanation) < 80
        assert "\n" not in preset.explanation


def test_an_unknown_preset_is_named_with_the_nearest_known() -> None:
    with pytest.raises(ConfigError, match="'moses-mret'; did you mean 'moses-mert'"):
        table_of("moses-mret")


def test_around_a_decoder_a_preset_takes_the_rounds_of_one_list() -> None:
    data = {"tuning.source": "s", "tuning.references": ["r"], "model": "m"}
    lists = {"tuning.nbest": ["n"], "tuning.references": ["r"]}
    around = build_settings("gimpel2012-rampion", data)
    assert around.rhythm.epochs * around.rhythm.decodings == 200
    assert build_settings("gimpel2012-rampion", lists).rhythm.epochs == 200
    changed = build_settings("gimpel2012-rampion", data, assignments=["rhythm.epochs=3"])
    assert changed == replace(around, rhythm=replace(around.rhythm, epochs=3))
    # Forest MIRA needs forests that stay; around a decoder its list form learns.
    assert build_settings("moses-kbmira", data).learner == learner_of("moses-kbmira")
