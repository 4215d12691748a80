"""What is chosen by the data: the start, the scale, when to stop; and cross-validation."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import hopefear
from fitting.test_fit import Lists, make_lists, write_lists
from hopefear.candidates import ListSet
from hopefear.candidates.tabulate import tabulate
from hopefear.cli.program import run as run_command
from hopefear.errors import ConfigError
from hopefear.events import CrossValidated, EpochFinished, Noted, RunFinished
from hopefear.learners import KBestMira
from hopefear.metrics import Bleu, References
from hopefear.parallel import Serial
from hopefear.runs.course import Passes, plan
from hopefear.runs.folds import cross_validate, split_folds
from hopefear.runs.given import given_data, load_given
from hopefear.runs.regression import regression_weights


def list_set(lists: Lists, references: list[str]) -> ListSet:
    given = given_data(tabulate(lists), references)
    return cast(ListSet, load_given(given, Bleu(tokenize="none")).candidates)


def scaled_by(lists: Lists, factor: float) -> Lists:
    return [[one | {"quality": factor * one["quality"]} for one in found] for found in lists]


def test_the_start_is_the_regression_of_the_metric_within_lists() -> None:
    lists, references = make_lists(40)
    data = list_set(lists, references)
    rows, gains = [], []
    for i, found in enumerate(lists):
        own = References([[references[i]]])
        statistics = (
            Bleu(tokenize="none")
            .prepare(own)
            .statistics([one["text"] for one in found], np.zeros(len(found), dtype=np.int64))
        )
        gain = Bleu(tokenize="none").gains(statistics)
        features = np.array([[one["quality"], one["noise"]] for one in found])
        rows.append(features - features.mean(axis=0))
        gains.append(gain - gain.mean())
    expected = np.linalg.lstsq(np.concatenate(rows), np.concatenate(gains), rcond=None)[0]
    found_weights = regression_weights(data)
    names = list(data.feature_names)
    order = [names.index("quality"), names.index("noise")]
    assert found_weights[order] == pytest.approx(expected, rel=0.01)


def test_units_of_features_do_not_matter_to_auto() -> None:
    lists, references = make_lists(40)
    test, test_references = make_lists(40, seed=5)
    plain = hopefear.fit(lists, references, tokenize="none")
    large = hopefear.fit(scaled_by(lists, 2.0**14), references, tokenize="none")
    assert large.weights["noise"] == plain.weights["noise"]
    assert large.weights["quality"] * 2.0**14 == plain.weights["quality"]
    assert plain.score(test, test_references) == large.score(
        scaled_by(test, 2.0**14), test_references
    )


def test_units_of_a_column_of_scores_do_not_matter_to_auto() -> None:
    lists, _ = make_lists(40)
    for found in lists:
        for one in found:
            one["right"] = one["quality"] + 0.1 * one["noise"]
    plain = hopefear.fit(lists, metric="right")
    large = [[one | {"right": 1024 * one["right"]} for one in found] for found in lists]
    assert (1024 * plain.weights).array == pytest.approx(
        hopefear.fit(large, metric="right").weights.array, rel=1e-9
    )


def test_what_was_chosen_is_told_and_saved(tmp_path: Path) -> None:
    lists, references = make_lists(40)
    files = write_lists(scaled_by(lists, 1e4), references, tmp_path)
    result = hopefear.tune("auto", **files, out=tmp_path / "run", tokenize="none")
    notes = [event.message for event in result.events if isinstance(event, Noted)]
    told = [note for note in notes if note.startswith("auto: ")]
    assert len(told) == 1
    assert told[0].startswith("auto: kbest-mira for 2 features of 40 sentences; features scaled")
    again = hopefear.tune(tmp_path / "run" / "config.toml", tokenize="none")
    assert again.weights == result.weights
    assert "auto = false" in (tmp_path / "run" / "config.toml").read_text()


def test_many_features_are_cross_validated_unless_there_is_held_out_data() -> None:
    lists, references = make_lists(40)
    for found in lists:
        for one in found:
            one["features"] = {f"has {word}": 1.0 for word in one["text"].split()}
    fitted = hopefear.fit(lists, references, tokenize="none")
    assert fitted.settings.folds == 5
    assert fitted.folds_score is not None
    held_out = hopefear.fit(lists, references, dev=(lists, references), tokenize="none")
    assert held_out.settings.folds == 0
    assert held_out.folds_score is None


def test_the_tuning_data_choose_the_epoch_if_there_are_many_sentences_or_too_few_for_folds() -> (
    None
):
    for sentences, folds, reason in ((300, 0, "many"), (100, 5, "cross-"), (15, 0, "too few")):
        lists, references = make_lists(sentences, size=4)
        fitted = hopefear.fit(lists, references, tokenize="none")
        assert fitted.settings.folds == folds
        (note,) = [e.message for e in fitted.events if isinstance(e, Noted) and "auto" in e.message]
        assert reason in note


def test_folds_are_measured_on_sentences_they_were_not_learned_from() -> None:
    data = list_set(*make_lists(30))
    learner = KBestMira()
    start = np.array([0.1, 0.1])
    course = plan(data, learner, learner.rhythm, Serial(), origin=start, seed=3)
    found = cross_validate(cast(Passes, course), lambda lists: start, 3)
    totals = np.zeros((learner.rhythm.epochs, data.corpus_score.dimension))
    parts = split_folds(data, 3, 3)
    assert sorted(np.concatenate(parts).tolist()) == list(range(30))
    for part in parts:
        rest = data.subset([i for i in range(30) if i not in part])
        own = plan(rest, learner, learner.rhythm, Serial(), origin=start, seed=3)
        state = own.start(start)
        for epoch in range(own.epochs):
            after = own.epoch(state, epoch, lambda done, total: None)
            assert after is not None
            state = after[0]
            totals[epoch] += data.subset(part.tolist()).chosen(own.weights(state))
    scores = Bleu(tokenize="none").score(totals)
    assert found.epoch == 1 + int(scores.argmax())
    assert found.score == scores.max()


def test_the_epoch_of_cross_validation_is_the_last(tmp_path: Path) -> None:
    lists, references = make_lists(30)
    files = write_lists(lists, references, tmp_path)
    result = hopefear.tune(
        "kbest-mira", **files, folds=3, tokenize="none", start={"quality": 0.1, "noise": 0.1}
    )
    (validated,) = [event for event in result.events if isinstance(event, CrossValidated)]
    epochs = [event for event in result.events if isinstance(event, EpochFinished)]
    end = result.events[-1]
    assert isinstance(end, RunFinished)
    assert len(epochs) == end.best_epoch == validated.epoch
    assert end.weights == epochs[-1].weights


def test_a_learned_start_may_be_the_best() -> None:
    lists, references = make_lists(30)
    start = hopefear.fit(lists, references, start="regression", folds=2, tokenize="none")
    assert start.settings.regress_start
    single = [[one | {"noise": 0.0} for one in found] for found in lists]
    with pytest.warns(hopefear.HopefearWarning, match="same value in all hypotheses"):
        fitted = hopefear.fit(single, references, tokenize="none")
    assert fitted.weights["quality"] > 0


def test_what_does_not_go_with_auto_and_folds_is_refused(tmp_path: Path) -> None:
    lists, references = make_lists(10)
    data: dict[str, Any] = {"tokenize": "none"}
    with pytest.raises(ConfigError, match="auto chooses this itself"):
        hopefear.fit(lists, references, learner__max_step=0.1, **data)
    with pytest.raises(ConfigError, match="folds and dev"):
        hopefear.fit(lists, references, dev=(lists, references), folds=3, **data)
    with pytest.raises(ConfigError, match="at least 2; got 1"):
        hopefear.fit(lists, references, folds=1, **data)
    with pytest.raises(hopefear.HopefearError, match=r"10 sentences .* too few for 11 folds"):
        hopefear.fit(lists, references, folds=11, **data)
    (tmp_path / "refs").write_text("a\n")
    with pytest.raises(ConfigError, match="auto is for n-best lists, not for forests"):
        hopefear.tune("auto", forests=tmp_path, refs=tmp_path / "refs")


def test_rare_features_are_scaled_by_how_they_vary_where_they_are() -> None:
    lists: Lists = [[{"text": f"{i} a", "x": 1.0}, {"text": f"{i} b", "x": 3.0}] for i in range(10)]
    lists[0][0]["rare"] = 2.0
    given = given_data(tabulate(lists), [f"{i} a" for i in range(10)])
    data = cast(ListSet, load_given(given, Bleu()).candidates)
    unit = dict(zip(data.feature_names, data.feature_unit.tolist(), strict=True))
    assert unit == {"x": pytest.approx(1.0), "rare": pytest.approx(1.0)}


def test_lists_without_a_learner_are_tuned_by_auto(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_lists(*make_lists(30), tmp_path)
    arguments = ["tune", "--nbest", files["nbest"], "--refs", files["refs"], "--folds", "2"]
    assert run_command([*arguments, "--tokenize", "none", "--out", str(tmp_path / "run")]) == 0
    told = capsys.readouterr().err
    assert "auto: kbest-mira" in told
    assert "2-fold cross-validation: BLEU" in told
