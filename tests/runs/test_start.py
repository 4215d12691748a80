"""Where a run starts if nobody says so."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from candidate_files import CandidateFiles, write_candidates
from hopefear.errors import ConfigError, DataError
from hopefear.events import Noted, RunFinished, RunStarted, Warned
from hopefear.formats import load_nbest
from hopefear.runs import DataSettings, TuneSettings
from hopefear.runs import start as starts
from hopefear.runs.options import build_settings
from hopefear.runs.start import infer_weights
from hopefear.types import Hypothesis, Weights

TRUE = Weights({"lm": 0.5, "tm": -0.25, "words": 2.0, "reordering": 0.125, "noise": 0.0})


def scored(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
    """Add the total score with few digits, and a penalty that is no feature."""
    total = sum(TRUE[name] * value for name, value in hypothesis.features.items())
    return replace(hypothesis, score=float(f"{total - 100 * sentence:.3f}"))


def scored_anyhow(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
    return replace(hypothesis, score=float((index * 7919) % 13))


def settings(files: CandidateFiles) -> DataSettings:
    return DataSettings(nbest=(files.nbest,), references=(files.refs,))


def tune(files: CandidateFiles, start: str | None = None) -> tuple[list[str], RunStarted]:
    events = list(
        hopefear.tune_events(
            "pro", nbest=files.nbest, refs=files.refs, tokenize="none", start=start
        )
    )
    assert isinstance(events[-1], RunFinished)
    warnings = [event.message for event in events if isinstance(event, Warned | Noted)]
    return warnings, next(event for event in events if isinstance(event, RunStarted))


def test_weights_are_told_from_total_scores_whatever_all_hypotheses_share(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=scored)
    inferred, reason = infer_weights(settings(files), list(TRUE))
    assert inferred is not None
    assert "% of how the total scores vary within lists" in reason
    for name in TRUE:
        assert inferred[name] == pytest.approx(TRUE[name], abs=2e-3)


def late(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
    """Add a feature that does not differ in the first lists, with a weight of 3."""
    value = 0.1 * sentence + (index % 3 if sentence >= 10 else 0)
    known = scored(sentence, index, hypothesis)
    features = {**hypothesis.features, "late": value}
    return replace(known, features=features, score=(known.score or 0.0) + 3 * value)


@pytest.mark.parametrize(("most", "weight"), [(100_000, 3.0), (30, 0.0)])
def test_lists_are_read_until_each_feature_has_differed_or_enough_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, weight: float
) -> None:
    monkeypatch.setattr(starts, "SAMPLE", 10)
    monkeypatch.setattr(starts, "MOST_HYPOTHESES", most)
    warnings, started = tune(write_candidates(tmp_path, change=late))
    assert started.weights["late"] == pytest.approx(weight, abs=2e-3)
    (message,) = [message for message in warnings if "inferred from the lists" in message]
    unknown = "unknown, and 0, is that of late: no difference in 30 hypotheses"
    assert (unknown in message) == (weight == 0.0)


def test_a_run_starts_there_and_says_so(tmp_path: Path) -> None:
    warnings, started = tune(write_candidates(tmp_path, change=scored))
    assert started.weights["words"] == pytest.approx(2.0, abs=2e-3)
    assert any("start weights are inferred from the lists" in message for message in warnings)


def test_scores_that_are_no_weighted_sum_are_a_warning_and_the_start_is_ones(
    tmp_path: Path,
) -> None:
    warnings, started = tune(write_candidates(tmp_path, change=scored_anyhow))
    assert set(started.weights.values()) == {1.0}
    (message,) = [message for message in warnings if "starts at 1" in message]
    assert "no weights of the features explain more than" in message


def test_merged_lists_of_two_systems_are_not_taken_for_one(tmp_path: Path) -> None:
    def change(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        other = -sum(hypothesis.features.values())
        return (
            replace(hypothesis, score=other) if index % 2 else scored(sentence, index, hypothesis)
        )

    assert infer_weights(settings(write_candidates(tmp_path, change=change)), list(TRUE))[0] is None


@pytest.mark.parametrize("size", [1e200, 1.7e308])
def test_scores_that_no_sum_can_be_made_of_are_not_explained(tmp_path: Path, size: float) -> None:
    """Some tools write such numbers for what cannot be; squared, or subtracted, they overflow."""

    def change(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        return replace(hypothesis, score=size if index % 2 else -size)

    inferred, reason = infer_weights(
        settings(write_candidates(tmp_path, change=change)), list(TRUE)
    )
    assert inferred is None
    assert "nan" not in reason


def test_lists_without_total_scores_start_at_ones_without_a_word(tmp_path: Path) -> None:
    warnings, started = tune(write_candidates(tmp_path))
    assert set(started.weights.values()) == {1.0}
    assert not any("start" in message for message in warnings)


def test_features_of_at_least_half_of_the_hypotheses_start_at_one(tmp_path: Path) -> None:
    def change(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        half = {"half": 1.0 + index} if index % 2 else {}
        fewer = {"fewer": 1.0 + index} if index % 2 and sentence else {}
        return replace(hypothesis, features={**hypothesis.features, **half, **fewer})

    weights = tune(write_candidates(tmp_path, change=change))[1].weights
    assert (weights["half"], weights["fewer"]) == (1.0, 0.0)


def test_inferred_is_an_error_where_nothing_can_be_inferred_and_ones_does_not_try(
    tmp_path: Path,
) -> None:
    files = write_candidates(tmp_path)
    with pytest.raises(DataError, match="cannot be inferred from the lists: they have no total"):
        tune(files, start="inferred")
    files = write_candidates(tmp_path, change=scored)
    assert set(tune(files, start="ones")[1].weights.values()) == {1.0}
    assert tune(files, start="inferred")[1].weights["words"] == pytest.approx(2.0, abs=2e-3)


def test_weights_longer_than_the_name_of_a_file_can_be_are_weights(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    written = " ".join(f"{name}=0.1{'0' * 80}" for name in TRUE)
    assert set(tune(files, start=written)[1].weights.values()) == {0.1}


def test_the_rule_can_be_set_in_a_file_and_goes_with_no_other_start(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    path = tmp_path / "run.toml"
    path.write_text(
        'learner = "pro"\ninfer_start = true\n[tuning]\n'
        f'nbest = ["{files.nbest}"]\nreferences = ["{files.refs}"]\n'
    )
    assert build_settings(path, {}).infer_start is True
    assert build_settings(path, {"start": {"lm": 1.0}}).infer_start is None
    with pytest.raises(ConfigError, match="infer_start, but start weights are given"):
        TuneSettings(
            learner=build_settings(path, {}).learner,
            tuning=settings(files),
            start=Weights({"lm": 1.0}),
            infer_start=True,
        )


def test_features_of_the_dev_data_alone_have_no_start_weight(tmp_path: Path) -> None:
    def change(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        return replace(hypothesis, features={**hypothesis.features, "other": float(index)})

    files, dev = write_candidates(tmp_path), write_candidates(tmp_path, "dev", change=change)
    events = hopefear.tune_events(
        "pro",
        nbest=files.nbest,
        refs=files.refs,
        dev_nbest=dev.nbest,
        dev_refs=dev.refs,
        tokenize="none",
    )
    messages = [event.message for event in events if isinstance(event, Warned)]
    assert messages == ["the tuning data lacks features of the dev data: other"]


def test_moses_lists_of_one_run_give_the_weights_of_that_run(shared_data: Path) -> None:
    folder = shared_data / "nbest-moses" / "it-en-5sent-14runs-3refs"
    data = DataSettings(nbest=(folder / "run1.nbest.gz",), references=(folder / "reference.0.gz",))
    names = load_nbest(data.nbest[0]).feature_names
    inferred, _ = infer_weights(data, list(names))
    assert inferred is not None
    # Moses' defaults: d 0.3 and six times 0.3/7..., lm 0.5, w -1, tm 0.2, all divided by their sum
    ratios = {"lm": 0.5, "w": -1.0, "tm_0": 0.2, "tm_4": 0.2}
    unit = inferred["lm"] / 0.5
    for name, value in ratios.items():
        assert inferred[name] / unit == pytest.approx(value, rel=5e-3)
    assert np.isfinite(list(inferred.values())).all()


def test_random_models_have_the_mean_and_the_deviation_of_the_paper() -> None:
    """Gimpel and Smith (2012), footnote 13: N(μ, σ²) with σ = |μ/2|."""
    drawn = [starts.random_weights(Weights({"lm": 0.5, "words": -1.0}), n) for n in range(2000)]
    for name, mean in (("lm", 0.5), ("words", -1.0)):
        values = np.array([weights[name] for weights in drawn])
        assert values.mean() == pytest.approx(mean, abs=0.05 * abs(mean))
        assert values.std() == pytest.approx(abs(mean / 2), rel=0.05)
        assert len(set(values)) == len(values)


def test_a_random_weight_depends_on_its_name_and_the_seed_alone() -> None:
    one = starts.random_weights(Weights({"lm": 0.5, "words": -1.0}), 3)
    other = starts.random_weights(Weights({"new": 0.0, "words": -1.0, "lm": 0.5}), 3)
    assert (one["lm"], one["words"]) == (other["lm"], other["words"])
    assert other["new"] == 0.0


def test_every_replica_starts_from_a_random_model_of_its_own_and_pulls_to_it(
    tmp_path: Path,
) -> None:
    files = write_candidates(tmp_path)
    options: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    events = list(
        hopefear.tune_events("rampion", **options, start="random", replicas=2, seed=5, epochs=1)
    )
    first, second = (event.weights for event in events if isinstance(event, RunStarted))
    usual = Weights(dict.fromkeys(first, 1.0))
    assert first == starts.random_weights(usual, 5)
    assert second == starts.random_weights(usual, 6)
    given = list(hopefear.tune_events("rampion", **options, start=second, seed=6, epochs=1))
    (ended,) = [event for event in given if isinstance(event, RunFinished)]
    assert ended.weights == [e for e in events if isinstance(e, RunFinished)][1].weights


def test_random_models_are_drawn_around_weights_that_are_given(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    given = {"lm": 0.5, "tm": -0.25}
    settings = build_settings(
        "pro",
        {"tuning.nbest": [files.nbest], "tuning.references": [files.refs], "start": given}
        | {"random_start": True},
    )
    assert settings.start == Weights(given)
    assert settings.random_start
