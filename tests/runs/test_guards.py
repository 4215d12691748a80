"""What makes a run worthless or doubtful is found, explained, and never called a success."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from candidate_files import CandidateFiles, Change, write_candidates
from hopefear import tune_events as tune
from hopefear.errors import DataError
from hopefear.events import Event, Noted, RunFinished, Warned
from hopefear.forest import nbest_forest
from hopefear.formats import write_forests
from hopefear.learners import AnyLearner, KBestMira
from hopefear.types import Hypothesis, Vocabulary


def run(
    files: CandidateFiles, learner: str | AnyLearner | None = None, **options: Any
) -> list[Event]:
    chosen = {"epochs": 3} | options if learner is None else options
    data: dict[str, Any] = {"nbest": files.nbest, "refs": files.refs, "tokenize": "none"}
    return list(tune(learner or KBestMira(), **data, **chosen))


def warnings(events: list[Event]) -> list[str]:
    """Return the warnings but the one about held-out data, which most tests here have not."""
    messages = [event.message for event in events if isinstance(event, Warned)]
    return [message for message in messages if not message.startswith("no held-out data")]


def with_features(change: Callable[[int, int, dict[str, float]], None]) -> Change:
    def changed(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        features = dict(hypothesis.features)
        change(sentence, index, features)
        return replace(hypothesis, features=features)

    return changed


def test_good_data_gives_no_warning(tmp_path: Path) -> None:
    assert warnings(run(write_candidates(tmp_path))) == []


def test_without_held_out_data_the_scores_are_called_optimistic(tmp_path: Path) -> None:
    events = run(write_candidates(tmp_path))
    assert [e.message[:17] for e in events if isinstance(e, Noted)] == ["no held-out data:"]
    assert not any(isinstance(event, Warned) for event in events)


def test_sentences_without_candidates_are_named_and_do_no_harm(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=lambda s, i, h: None if s in (3, 7) else h)
    events = run(files)
    (message,) = warnings(events)
    assert message == "2 sentences of the tuning data have no hypotheses and are skipped: 3, 7"
    assert isinstance(events[-1], RunFinished)


def test_sentences_with_one_candidate_are_named(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=lambda s, i, h: None if s == 5 and i else h)
    (message,) = warnings(run(files))
    assert message == (
        "1 sentence of the tuning data has one hypothesis only and is not learned from: 5"
    )


def test_lists_of_one_candidate_each_are_an_error(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=lambda s, i, h: None if i else h)
    with pytest.raises(DataError, match="no sentence of the tuning data has more than one"):
        run(files)


def test_empty_hypotheses_are_named_and_do_no_harm(tmp_path: Path) -> None:
    files = write_candidates(
        tmp_path, change=lambda s, i, h: replace(h, text="") if s in (2, 4) and i == 1 else h
    )
    events = run(files)
    (message,) = warnings(events)
    assert message == (
        "2 hypotheses of the tuning data are empty, in sentences 2, 4; they count as empty texts"
    )
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.tuning_score is not None
    assert finished.tuning_score > 30


def test_hypotheses_that_are_equally_good_are_named(tmp_path: Path) -> None:
    files = write_candidates(
        tmp_path, change=lambda s, i, h: replace(h, text="the same") if s == 6 else h
    )
    (message,) = warnings(run(files))
    assert message == (
        "1 sentence of the tuning data has hypotheses that are all equally good by BLEU: 6"
    )


def test_references_that_do_not_distinguish_hypotheses_are_an_error(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=lambda s, i, h: replace(h, text="the same"))
    with pytest.raises(DataError, match=r"BLEU gives all hypotheses of each sentence .* the same"):
        run(files)


def test_constant_features_are_named_and_keep_their_weights(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features["bias"] = 0.1
        features["source length"] = 3.0 * sentence

    files = write_candidates(tmp_path, change=with_features(change), format="jsonl")
    events = run(files)
    (message,) = warnings(events)
    assert message.startswith("features with the same value in all hypotheses of a sentence")
    assert message.endswith("bias, source length")
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.weights["bias"] == pytest.approx(1.0, rel=1e-12)


def test_features_that_are_all_constant_are_an_error(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features.clear()
        features["bias"] = 1.0

    files = write_candidates(tmp_path, change=with_features(change))
    with pytest.raises(DataError, match="every feature of the tuning data has the same value"):
        run(files)


def test_hypotheses_without_features_are_an_error(tmp_path: Path) -> None:
    files = write_candidates(
        tmp_path, change=with_features(lambda s, i, features: features.clear()), format="jsonl"
    )
    with pytest.raises(DataError, match="hypotheses of the tuning data have no features"):
        run(files)


def test_a_feature_that_few_hypotheses_lack_is_named(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        if (sentence, index) == (4, 2):
            del features["tm"]

    (message,) = warnings(run(write_candidates(tmp_path, change=with_features(change))))
    assert message == (
        "1 hypothesis of the tuning data lacks these features, which all others have; absent "
        "ones count as 0: tm"
    )


def test_lists_of_different_systems_are_noticed(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        if sentence >= 10:
            features["TM"] = features.pop("tm")

    (message,) = warnings(run(write_candidates(tmp_path, change=with_features(change))))
    assert message.startswith("some lists of the tuning data have these features in every")
    assert message.endswith(": tm, TM")


def test_references_that_are_like_no_hypothesis_are_noticed(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    unlike = [" strange ".join(reference.split()) for reference in files.references]
    files.refs.write_text("".join(f"{reference}\n" for reference in unlike))
    (message, *_) = warnings(run(files, "lbfgs"))
    assert re.match(r"even the best candidates .* reach a BLEU of only \d\.\d\d", message)
    assert "check that the references are in the same order" in message


def test_references_that_are_like_no_derivation_are_noticed(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    made = ((s.sentence, nbest_forest(s.hypotheses)) for s in files.segments)
    write_forests(tmp_path / "all.forests", [(int(sentence), forest) for sentence, forest in made])
    files.refs.write_text("".join(" strange ".join(r.split()) + "\n" for r in files.references))
    events = list(tune("lbfgs", forests=tmp_path / "all.forests", refs=files.refs))
    assert warnings(events)[0].startswith("even the best candidates of the tuning data")


def test_a_name_that_differs_between_hypotheses_is_noticed(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        if index % 2:
            features["TM"] = features.pop("tm")
        if index % 3:
            features["number"] = 1.0

    (message,) = warnings(run(write_candidates(tmp_path, change=with_features(change))))
    assert message.startswith("many hypotheses of the tuning data have these features and many do")
    assert message.endswith("absent ones count as 0: tm, TM")


def test_sparse_features_are_not_taken_for_lacking_ones(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features[f"word_{sentence % 7}_{index % 3}"] = 1.0

    assert warnings(run(write_candidates(tmp_path, change=with_features(change)))) == []


def test_features_that_the_held_out_data_lacks_are_named(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    dev = write_candidates(
        tmp_path, "dev", seed=2, change=with_features(lambda s, i, features: _rename(features))
    )
    events = run(files, dev_nbest=dev.nbest, dev_refs=dev.refs)
    assert warnings(events)[-2:] == [
        "the dev data lacks features of the tuning data: noise",
        "the tuning data lacks features of the dev data: Noise",
    ]


def _rename(features: dict[str, float]) -> None:
    features["Noise"] = features.pop("noise")


def test_held_out_data_of_other_features_is_an_error(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        for name in list(features):
            features[name.upper()] = features.pop(name)

    files = write_candidates(tmp_path)
    dev = write_candidates(tmp_path, "dev", seed=2, change=with_features(change))
    with pytest.raises(DataError, match="tuning and the dev data have no feature in common"):
        run(files, dev_nbest=dev.nbest, dev_refs=dev.refs)


@pytest.mark.parametrize("role", ["tuning", "dev"])
@pytest.mark.parametrize("forests", [False, True])
def test_warnings_of_the_references_are_given_for_either_data(
    role: str, forests: bool, tmp_path: Path
) -> None:
    options: dict[str, Any] = {}
    for prefix, name, seed in (("", "tuning", 1), ("dev_", "dev", 2)):
        files = write_candidates(tmp_path, name, seed=seed)
        if name == role:
            files.refs.write_text("".join(f"{text}, they said.\n" for text in files.references))
        options[f"{prefix}refs"] = files.refs
        if forests:
            made = [(int(s.sentence), nbest_forest(s.hypotheses)) for s in files.segments]
            options[f"{prefix}forests"] = tmp_path / f"{name}.forests"
            write_forests(options[f"{prefix}forests"], made)
        else:
            options[f"{prefix}nbest"] = files.nbest
    found = warnings(list(tune("mert", tokenize="none", **options)))
    (message,) = [message for message in found if "not tokenized" in message]
    assert str(tmp_path / f"{role}.refs") in message


def test_unexpected_and_missing_features_are_an_error(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    names = ["lm", "tm", "reordering", "words", "noise"]
    assert isinstance(run(files, features=names)[-1], RunFinished)
    message = "the tuning data has unexpected features: noise; did you mean 'noyse'"
    with pytest.raises(DataError, match=message):
        run(files, features=[*names[:-1], "noyse"])
    with pytest.raises(DataError, match="the tuning data lacks expected features: comet"):
        run(files, features=[*names, "comet"])


def test_start_weights_of_other_features_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="start weights and the data have no feature in common"):
        run(write_candidates(tmp_path), start={"LM": 1.0})


def test_start_weights_of_some_other_features_are_a_warning(tmp_path: Path) -> None:
    events = run(write_candidates(tmp_path), start={"lm": 1.0, "LM": 1.0, "tm": 1.0})
    assert warnings(events) == [
        "start weights for features that no candidate has: LM",
        "features without a start weight start at 0: noise, reordering, words",
    ]


@pytest.mark.parametrize("value", [-2e12, 1e300])
@pytest.mark.parametrize("role", ["tuning", "dev"])
def test_a_huge_value_is_an_error_that_says_where_it_is(
    role: str, value: float, tmp_path: Path
) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        if (sentence, index) == (4, 2):
            features["tm"] = value

    files = write_candidates(tmp_path)
    bad = write_candidates(tmp_path, "bad", change=with_features(change))
    given, held_out = (bad, files) if role == "tuning" else (files, bad)
    with pytest.raises(DataError) as caught:
        run(given, dev_nbest=held_out.nbest, dev_refs=held_out.refs)
    start = f"{bad.nbest}: sentence 4: feature 'tm' of hypothesis 3 is {value:.6g}; "
    assert str(caught.value).startswith(start)
    assert str(caught.value).endswith("divide the feature by the same number everywhere")


@pytest.mark.parametrize("learner", ["moses-kbmira", "lbfgs", "mert", "structured-svm", "sgd"])
@pytest.mark.parametrize("factor", [1e15, 1e200])
def test_a_feature_in_a_tiny_unit_is_an_error_whatever_the_learner(
    learner: str, factor: float, tmp_path: Path
) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features["lm"] *= factor

    files = write_candidates(tmp_path, change=with_features(change))
    with pytest.raises(DataError, match=r"sentence 0: feature 'lm' of hypothesis 1 is -\d"):
        run(files, learner)


def test_a_huge_value_of_a_forest_is_an_error_that_says_where_it_is(tmp_path: Path) -> None:
    words, names = Vocabulary(), Vocabulary()
    for name in ("a", "b"):
        names.add(name)
    made = []
    for sentence in range(3):
        values = ({"a": 1.0, "b": 2.0}, {"b": 1e13 if sentence == 1 else 1.0})
        rows = [Hypothesis(text=f"text {i}", features=h) for i, h in enumerate(values)]
        made.append(nbest_forest(rows, words=words, feature_names=names))
    write_forests(tmp_path / "all.forests", enumerate(made))
    (tmp_path / "refs").write_text("text 0\n" * 3)
    with pytest.raises(DataError, match=r"all\.forests: sentence 1: feature 'b' of edge \d is 1e"):
        list(tune("mert", forests=tmp_path / "all.forests", refs=tmp_path / "refs"))


def numbered(first: int) -> Change:
    """Two values in place of one feature, numbered from `first`."""

    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features[f"tm_{first}"] = features.pop("tm")
        features[f"tm_{first + 1}"] = float(index)

    return with_features(change)


@pytest.mark.parametrize("given", [{"tm_0": 1.0, "tm_1": 1.0}, {"tm": 1.0}, {"tm_1": 1, "tm_2": 1}])
def test_values_of_a_feature_that_are_numbered_otherwise_are_an_error(
    tmp_path: Path, given: dict[str, float]
) -> None:
    files = write_candidates(tmp_path, change=numbered(0 if "tm_2" in given else 1))
    with pytest.raises(DataError, match=r"the start weights do not fit the data: 'tm' has tm_"):
        run(files, start={"lm": 1.0} | given)


def test_a_moses_ini_with_another_number_of_values_is_an_error(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, change=numbered(0))
    ini = tmp_path / "moses.ini"
    ini.write_text("[weight]\nlm= 1\ntm= 1 1 1\n")
    assert run(files, moses_ini=ini, start={"lm": 1.0, "tm_0": 1.0, "tm_1": 1.0})
    ini.write_text("[weight]\nlm= 1\ntm= 1\n")
    with pytest.raises(DataError, match=r"moses\.ini does not fit the data: 'tm' has tm_0 to"):
        run(files, moses_ini=ini, start={"lm": 1.0, "tm_0": 1.0, "tm_1": 1.0})


def test_sparse_features_with_numbers_may_lack_a_start_weight(tmp_path: Path) -> None:
    def change(sentence: int, index: int, features: dict[str, float]) -> None:
        features[f"word_{sentence + 3 * index}"] = 1.0

    start = {"lm": 1.0, "word_3": 1.0, "word_17": 0.5}
    assert run(write_candidates(tmp_path, change=with_features(change)), start=start)
