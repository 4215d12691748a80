"""`hopefear.fit`: the same weights as `hopefear.tune` on the same candidates in files."""

import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear import HopefearWarning
from hopefear.candidates.tabulate import tabulate
from hopefear.errors import ConfigError, DataError, LearningError
from hopefear.metrics import Column

WORDS = ["the", "a", "cat", "dog", "sat", "barks", "on", "at", "mat", "moon"]
Lists = list[list[dict[str, Any]]]


def make_lists(sentences: int, size: int = 8, seed: int = 1) -> tuple[Lists, list[str]]:
    """Return candidates that are better the more words they have right, and references."""
    random = np.random.default_rng(seed)
    lists, references = [], []
    for _ in range(sentences):
        reference = [str(word) for word in random.choice(WORDS, 8)]
        references.append(" ".join(reference))
        found = []
        for _ in range(size):
            wrong = random.random(8) < random.random()
            words = [
                str(random.choice(WORDS)) if w else r for w, r in zip(wrong, reference, strict=True)
            ]
            found.append(
                {
                    "text": " ".join(words),
                    "quality": float(-0.1 * wrong.sum() + 0.1 * random.standard_normal()),
                    "noise": float(random.standard_normal()),
                }
            )
        lists.append(found)
    return lists, references


def write_lists(lists: Lists, references: list[str], folder: Path) -> dict[str, Any]:
    lines = [
        json.dumps({"sentence": i, "text": one.pop("text"), "features": one})
        for i, found in enumerate(lists)
        for one in (dict(candidate) for candidate in found)
    ]
    (folder / "nbest.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "refs").write_text("\n".join(references) + "\n")
    return {"nbest": str(folder / "nbest.jsonl"), "refs": str(folder / "refs")}


def test_candidates_in_memory_teach_what_the_same_candidates_in_files_do(tmp_path: Path) -> None:
    lists, references = make_lists(30)
    options: dict[str, Any] = {"scale_features": True, "epochs": 5, "tokenize": "none"}
    fitted = hopefear.fit(lists, references, learner="kbest-mira", **options)
    tuned = hopefear.tune("kbest-mira", **write_lists(lists, references, tmp_path), **options)
    assert fitted.weights == tuned.weights
    assert fitted.tuning_score == tuned.tuning_score


def test_what_is_predicted_are_the_best_texts_under_the_weights() -> None:
    lists, references = make_lists(30)
    fitted = hopefear.fit(lists, references, learner="kbest-mira", scale_features=True)
    new, new_references = make_lists(20, seed=2)
    best = [max(found, key=lambda one: fitted.weights.dot(_features(one))) for found in new]
    assert fitted.predict(new) == [one["text"] for one in best]
    found = hopefear.evaluate(hyp={"": fitted.predict(new)}, refs=[new_references], metric=["bleu"])
    assert fitted.score(new, new_references) == found.systems[0].metrics["bleu"].score


def _features(one: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in one.items() if name != "text"}


def test_held_out_candidates_choose_the_epoch() -> None:
    lists, references = make_lists(30)
    held_out = make_lists(20, seed=3)
    fitted = hopefear.fit(lists, references, dev=held_out, learner="kbest-mira", epochs=5)
    assert fitted.dev_score == fitted.score(*held_out)


def test_a_metric_can_be_a_column_or_a_function() -> None:
    lists, references = make_lists(30)

    def exact(text: str, given: Any) -> float:
        pairs = zip(text.split(), str(given[0]).split(), strict=True)
        return sum(a == b for a, b in pairs) / 8

    by_function = hopefear.fit(
        lists, references, metric=exact, learner="kbest-mira", scale_features=True
    )
    for found, reference in zip(lists, references, strict=True):
        for one in found:
            one["right"] = exact(one["text"], [reference])
    for metric in ("right", Column(label="right")):
        by_column = hopefear.fit(lists, metric=metric, learner="kbest-mira", scale_features=True)
        assert by_column.weights == by_function.weights
        assert set(by_column.weights) == {"quality", "noise"}
        assert by_column.score(lists) == by_column.tuning_score
    assert by_function.metric == "exact"


def test_equal_candidates_count_once_and_all_get_their_scores() -> None:
    records = [
        {"sentence": 1, "text": "b", "x": 2.0},
        {"sentence": 0, "text": "a", "x": 1.0},
        {"sentence": 1, "text": "b", "x": 2.0},
        {"sentence": 1, "text": "c", "x": 3.0},
    ]
    lists = tabulate(records).lists()
    assert len(lists.nbest) == 3
    assert lists.rows.tolist() == [1, 0, 1, 2]
    assert lists.first.tolist() == [1, 0, 3]
    assert [lists.nbest.text(row) for row in lists.rows.tolist()] == ["b", "a", "b", "c"]


def test_warnings_of_a_run_are_warnings() -> None:
    lists, references = make_lists(10)
    lists[0] = lists[0][:1]
    with pytest.warns(HopefearWarning, match="one hypothesis only"):
        hopefear.fit(lists, references, learner="mert", learner__restarts=1)


def test_what_cannot_be_read_is_named_with_an_example() -> None:
    lists, references = make_lists(3)
    with pytest.raises(DataError, match="got 3"):
        hopefear.fit(3, references)
    with pytest.raises(DataError, match=r"there are references for 2 sentences, but .* of 3"):
        hopefear.fit(lists, references[:2])
    with pytest.raises(DataError, match="no column has their texts; the columns are words"):
        hopefear.fit([[{"words": "a"}]], ["a"])
    with pytest.raises(DataError, match="no column says which sentence"):
        hopefear.fit([{"text": "a"}], ["a"])
    with pytest.raises(ConfigError, match="'blue' is neither a metric nor a column"):
        hopefear.fit(lists, references, metric="blue")


def test_tune_takes_candidates_in_memory(tmp_path: Path) -> None:
    lists, references = make_lists(30)
    held_out, held_out_references = make_lists(10, seed=2)
    fitted = hopefear.fit(
        lists, references, dev=(held_out, held_out_references), learner="kbest-mira", epochs=5
    )
    tuned = hopefear.tune(
        "kbest-mira",
        nbest=lists,
        refs=references,
        dev_nbest=held_out,
        dev_refs=held_out_references,
        epochs=5,
        out=tmp_path / "run",
    )
    assert tuned.weights == fitted.weights
    assert tuned.dev_score == fitted.dev_score
    (tmp_path / "run" / "events.jsonl").unlink()
    with pytest.raises(ConfigError, match="its candidates were in memory"):
        hopefear.resume_tuning(tmp_path / "run")


@pytest.mark.parametrize(
    ("learner", "settings", "warns"),
    [
        ("kbest-mira", {}, True),
        ("rampion", {}, True),
        ("kbest-mira", {"scale_features": True}, False),
        ("mert", {}, False),
        ("pro", {}, False),
        ("auto", {}, False),
    ],
)
def test_features_of_different_units_are_warned_about_where_they_matter(
    learner: str, settings: dict[str, Any], warns: bool
) -> None:
    lists, references = make_lists(30)
    for record in (record for records in lists for record in records):
        record["noise"] *= 1000
    with warnings.catch_warnings(record=True) as told, suppress(LearningError):
        warnings.simplefilter("always")
        hopefear.fit(lists, references, learner=learner, tokenize="none", **settings)
    found = [str(one.message) for one in told if "scale_features" in str(one.message)]
    assert len(found) == warns
    assert all("'noise' varies" in text and "'quality'" in text for text in found)


@pytest.mark.filterwarnings("ignore:the result is no better")
def test_features_are_derived_in_memory_as_from_files(tmp_path: Path) -> None:
    lists, references = make_lists(30)
    options: dict[str, Any] = {"scale_features": True, "epochs": 5, "tokenize": "none"}
    derived = ["+characters,+agreement:chrf", "+rank"]
    fitted = hopefear.fit(lists, references, learner="kbest-mira", features=derived, **options)
    files = write_lists(lists, references, tmp_path)
    tuned = hopefear.tune("kbest-mira", **files, features=derived, **options)
    assert fitted.weights == tuned.weights
    assert set(fitted.weights) >= {"quality", "noise", "+characters", "+agreement:chrf", "+rank"}
    assert fitted.predict(lists) == list(
        hopefear.rerank(nbest=files["nbest"], weights=tuned.weights)
    )
    named = hopefear.fit(
        lists, references, learner="kbest-mira", features=["quality", "+characters"], **options
    )
    assert set(named.weights) == {"quality", "+characters"}


def test_lists_without_a_choice_are_told_to_auto() -> None:
    lists, references = make_lists(5)
    with pytest.raises(DataError, match="more than one hypothesis"):
        hopefear.fit([found[:1] for found in lists], references, tokenize="none")
