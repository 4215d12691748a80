"""What callers from Python give that cannot be: errors of our own, in words of our own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear import Weights
from hopefear.errors import ConfigError, DataError, ForestError, FormatError
from hopefear.forest import ForestBuilder
from hopefear.nbest import NBestBuilder

tune: Callable[..., object] = hopefear.tune
rerank: Callable[..., object] = hopefear.rerank
evaluate: Callable[..., object] = hopefear.evaluate


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, "a", {"x": 1.0}), "a sentence number must be a whole number >= 0, got -1"),
        ((1.5, "a", {"x": 1.0}), r"a sentence number must be a whole number >= 0, got 1\.5"),
        ((2**70, "a", {"x": 1.0}), "a sentence number must be a whole number >= 0, got 1180"),
        ((3, None, {"x": 1.0}), "sentence 3: the text must be a string, got None"),
        ((3, "a\ud800", {"x": 1.0}), r"sentence 3: the text contains '\\ud800'"),
        ((3, "a", {"x": "1"}), "sentence 3: feature 'x' must be a number, got '1'"),
        ((3, "a", {1: 1.0}), "sentence 3: the name of a feature must be a string, got 1"),
        ((3, "a", None), "sentence 3: expected a mapping from features to numbers, got None"),
        ((3, "a", ["x"]), r"sentence 3: expected a mapping from features to numbers, got \['x'\]"),
    ],
)
def test_a_hypothesis_that_cannot_be_is_told(arguments: tuple[Any, ...], message: str) -> None:
    builder = NBestBuilder()
    with pytest.raises(DataError, match=message):
        builder.add(*arguments)
    assert len(builder) == 0


def test_numbers_of_numpy_will_do() -> None:
    builder = NBestBuilder()
    sentence: Any = np.int64(1)
    features: Any = {"x": np.float32(0.5), "y": np.int64(2)}
    assert builder.add(sentence, "a", features)
    assert Weights(features) == Weights({"x": 0.5, "y": 2.0})


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"head": "a"}, ForestError, "a node must be a whole number >= 0, got 'a'"),
        ({"head": 0, "tails": [1.5]}, ForestError, r"a node must be a whole number >= 0, got 1\.5"),
        ({"head": 0, "target": [None]}, DataError, "not a tail must be a string, got None"),
        ({"head": 0, "features": {"x": "1"}}, DataError, "feature 'x' must be a number, got '1'"),
    ],
)
def test_an_edge_that_cannot_be_is_told(
    arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        ForestBuilder().add_edge(**arguments)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"a": "1"}, "the weight of feature 'a' must be a number, got '1'"),
        ({"a": None}, "the weight of feature 'a' must be a number, got None"),
        ({"a": True}, "the weight of feature 'a' must be a number, got True"),
        ({1: 2}, "the name of a feature must be a string, got 1"),
        ({"a": 10**400}, "weights must be numbers that fit a double"),
        (5, "weights: expected a mapping from names to numbers, or pairs of them, got 5"),
        ("lm", "weights: expected a mapping from names to numbers, or pairs of them, got 'lm'"),
    ],
)
def test_weights_that_cannot_be_are_told(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Weights(weights)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tune("mert", nbest="n", refs=[["the first line " * 50, "another"]]),
            r"refs\[0\]: expected the name of a file, got ",
        ),
        (
            lambda: tune("mert", nbest="n", refs="r", dev_nbest=[1]),
            r"dev_nbest\[0\]: expected",
        ),
        (lambda: tune("mert", nbest=3, refs="r"), "nbest: expected an array, got 3"),
        (lambda: tune("mert", nbest="n", refs="r", start=5), "start: expected a table, got 5"),
        (
            lambda: tune("mert", nbest="n", refs="r", start=["w"]),
            "start: expected a table",
        ),
        (
            lambda: tune("mert", nbest="n", refs="r", features=3),
            "features: expected an array, got 3",
        ),
        (lambda: tune("mert", nbst="n", refs="r"), "unknown setting 'nbst'; did you mean 'nbest'"),
        (
            lambda: tune("mert", nbest="n", refs="r", set=[3]),
            r"set\[0\]: expected text, got 3",
        ),
        (
            lambda: rerank(nbest="n", weights=None),
            "weights: is missing",
        ),
    ],
)
def test_what_is_no_file_or_list_is_told_by_its_argument(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        call()


def test_texts_where_a_file_is_expected_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0 ||| a ||| x= 1\n0 ||| b ||| x= 2\n")
    with pytest.raises(FormatError, match=r"a very long line .*: cannot be read: File name too lo"):
        list(hopefear.tune_events("mert", nbest=tmp_path / "n", refs=["a very long line " * 50]))


def test_an_output_that_is_no_list_of_texts_is_told() -> None:
    with pytest.raises(ConfigError, match=r"hyp\[0\]: expected the name of a file or an array"):
        evaluate(hyp=[None], refs=[["a"]])
