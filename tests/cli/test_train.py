"""`hopefear train`."""

from pathlib import Path

import pytest

from command_line import Hopefear
from hopefear import Model
from small_models import write_bitext


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_bitext(tmp_path, every=7)
    return tmp_path


def test_a_bitext_becomes_a_model_and_every_stage_is_told(folder: Path, hopefear: Hopefear) -> None:
    given = ("train", "-s", "train.f", "-t", "train.e", "-o", "model", "--aligner", "diagonal")
    found = hopefear(*given, "--lm-order", "3", "--memory", "64M")
    assert found.code == 0
    for stage in ("align: aligner diagonal", "extract: sentences 58, rules ", "lm0: order 3"):
        assert stage in found.err
    assert Model("model").language_models["LM0"].order == 3
    again = hopefear(*given, "--lm-order", "4")
    assert again.err.count("(done before)") == 2


def test_what_is_wrong_is_told_in_a_line(folder: Path, hopefear: Hopefear) -> None:
    found = hopefear("train", "-s", "train.f", "-o", "model")
    assert found.code == 2
    assert "the target side is missing" in found.err
    assert found.err.endswith("(--source, --target)\n")
    found = hopefear("train", "-s", "none", "-t", "train.e", "-o", "model")
    assert (found.code, found.err) == (1, "hopefear: none: file not found\n")


def test_several_rule_tables_and_inputs_can_be_named(folder: Path, hopefear: Hopefear) -> None:
    Path("one").write_text("[X] ||| a ||| b ||| p=1\n")
    Path("two").write_text("[X] ||| c ||| d ||| p=1\n")
    found = hopefear("train", "--rules", "one", "--rules", "two", "-o", "model")
    assert found.code == 0
    assert "rules: rules 2" in found.err
    assert Model("model").decoder().translate(["a", "c", "e"]).text == "b d e"
