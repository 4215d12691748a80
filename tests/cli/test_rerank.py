"""`hopefear rerank` and the function behind it."""

import json
from pathlib import Path

import pytest

from command_line import Hopefear
from hopefear import HopefearWarning, rerank
from hopefear.errors import DataError
from hopefear.formats import read_nbest

MOSES = """\
0 ||| a house ||| LM= -2 TM= -1 ||| -3
0 ||| the house ||| LM= -3 TM= -1 ||| -4
2 ||| a dog ||| LM= -2 TM= -4 ||| -6
2 ||| the dog ||| LM= -4 TM= -1 ||| -5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("lists").write_text(MOSES)
    Path("lm.tsv").write_text("LM\t1.0\nTM\t0.0\n")
    Path("tm.json").write_text('{"TM": 1, "LM": -0.1}')
    return tmp_path


def test_a_format_without_a_file_to_write_is_an_error(hopefear: Hopefear) -> None:
    found = hopefear("rerank", "--nbest", "a", "--weights", "b", "--to", "moses")
    assert (found.code, found.out) == (2, "")
    assert "--nbest-out" in found.err


def test_the_best_of_each_sentence_is_printed_in_order(folder: Path, hopefear: Hopefear) -> None:
    assert hopefear("rerank", "--nbest", "lists", "--weights", "lm.tsv").out == (
        "a house\n\na dog\n"
    )
    assert hopefear("rerank", "--nbest", "lists", "--weights", "tm.json").out == (
        "the house\n\nthe dog\n"
    )


def test_further_sentences_are_empty_lines(folder: Path, hopefear: Hopefear) -> None:
    found = hopefear("rerank", "--nbest", "lists", "--weights", "lm.tsv", "--sentences", "5")
    assert found.out == "a house\n\na dog\n\n\n"


def test_several_lists_are_merged(folder: Path, hopefear: Hopefear) -> None:
    Path("more").write_text("1 ||| a cat ||| LM= -1 TM= 0 ||| -1\n" + MOSES)
    found = hopefear("rerank", "--nbest", "lists", "--nbest", "more", "--weights", "lm.tsv")
    assert found.out == "a house\na cat\na dog\n"


def test_lists_are_sorted_anew_with_their_scores(folder: Path, hopefear: Hopefear) -> None:
    options = ["--nbest", "lists", "--weights", "tm.json", "--nbest-out", "sorted"]
    assert hopefear("rerank", *options).out == ""
    assert Path("sorted").read_text() == (
        "0 ||| the house ||| LM= -3.0 TM= -1.0 ||| -0.7\n"
        "0 ||| a house ||| LM= -2.0 TM= -1.0 ||| -0.8\n"
        "2 ||| the dog ||| LM= -4.0 TM= -1.0 ||| -0.6\n"
        "2 ||| a dog ||| LM= -2.0 TM= -4.0 ||| -3.8\n"
    )


def test_lists_are_not_replaced_by_what_is_read_from_them(folder: Path, hopefear: Hopefear) -> None:
    found = hopefear("rerank", "--nbest", "lists", "--weights", "lm.tsv", "--nbest-out", "./lists")
    assert (found.code, Path("lists").read_text()) == (2, MOSES)
    assert "choose another output file" in found.err


def test_lists_go_to_another_format_and_to_standard_output(
    folder: Path, hopefear: Hopefear
) -> None:
    options = ["--nbest", "lists", "--weights", "lm.tsv", "--nbest-out", "-", "--to", "jsonl"]
    lines = hopefear("rerank", *options).out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == [
        *["a house", "the house", "a dog", "the dog"]
    ]


def test_keys_of_sentences_are_kept(folder: Path) -> None:
    Path("keyed.tsv").write_text("sentence\ttext\tlm\nutt-b\tx\t1\nutt-a\ty\t2\nutt-b\tz\t3\n")
    found = rerank(nbest="keyed.tsv", weights={"lm": 1.0})
    assert list(found) == ["z", "y"]
    assert [segment.sentence for segment in found.segments()] == ["utt-b", "utt-a"]


def test_a_text_of_several_lines_is_printed_on_one(folder: Path, hopefear: Hopefear) -> None:
    Path("lists.jsonl").write_text(r'{"sentence": 0, "text": "a\nb", "features": {"LM": 1}}' "\n")
    assert hopefear("rerank", "--nbest", "lists.jsonl", "--weights", "lm.tsv").out == "a b\n"


def test_the_weights_of_a_run_are_its_final_ones(folder: Path, hopefear: Hopefear) -> None:
    run = folder / "run"
    run.mkdir()
    found = hopefear("rerank", "--nbest", "lists", "--weights", run)
    assert (found.code, "no weights.tsv" in found.err) == (1, True)
    (run / "weights.tsv").write_text("TM\t1.0\nLM\t-0.1\n")
    assert hopefear("rerank", "--nbest", "lists", "--weights", run).out.startswith("the house\n")


def test_a_feature_without_a_weight_is_a_warning(folder: Path) -> None:
    with pytest.warns(HopefearWarning, match="without a weight count nothing: TM"):
        assert next(iter(rerank(nbest="lists", weights={"LM": 1.0}))) == "a house"


def test_a_weight_of_no_feature_is_a_warning(folder: Path, hopefear: Hopefear) -> None:
    Path("typo.tsv").write_text("LM\t1.0\nTm\t0.5\nsparse\t0.0\n")
    found = hopefear("rerank", "--nbest", "lists", "--weights", "typo.tsv")
    assert (found.code, found.err) == (
        0,
        "hopefear: warning: weights of features that are in no list: Tm\n"
        "hopefear: warning: features of the lists without a weight count nothing: TM\n",
    )


def test_weights_that_are_all_zero_are_a_warning(folder: Path, hopefear: Hopefear) -> None:
    Path("zero.tsv").write_text("LM\t0.0\nTM\t0\n")
    found = hopefear("rerank", "--nbest", "lists", "--weights", "zero.tsv")
    assert found.out == "a house\n\na dog\n"
    assert found.err == (
        "hopefear: warning: all weights of features of the lists are zero, so that no candidate is "
        "better than another and the first one is taken\n"
    )


def test_a_value_too_large_for_scores_is_an_error(folder: Path, hopefear: Hopefear) -> None:
    Path("huge").write_text(MOSES.replace("LM= -4", "LM= -4e300"))
    found = hopefear("rerank", "--nbest", "huge", "--weights", "lm.tsv")
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith("hopefear: huge: sentence 2: feature 'LM' of hypothesis 2 is -4e+")


def test_weights_of_other_features_altogether_are_an_error(folder: Path) -> None:
    message = "no feature in common: the lists have LM, TM, the weights have lm"
    with pytest.raises(DataError, match=message):
        rerank(nbest="lists", weights={"lm": 1.0})


def test_equal_scores_leave_the_order(folder: Path) -> None:
    with pytest.warns(HopefearWarning, match="all weights of features of the lists are zero"):
        found = rerank(nbest="lists", weights={"TM": 0.0, "LM": 0.0})
    texts = [h.text for segment in found.segments() for h in segment.hypotheses]
    assert texts == [h.text for segment in read_nbest("lists") for h in segment.hypotheses]


def test_sentences_with_keys_keep_them(tmp_path: Path, hopefear: Hopefear) -> None:
    (tmp_path / "lists.tsv").write_text("sentence\ttext\tlm\nu-2\tb\t1\nu-1\ta\t2\nu-2\tc\t3\n")
    (tmp_path / "weights.tsv").write_text("lm\t1\n")
    files = {"--nbest": tmp_path / "lists.tsv", "--weights": tmp_path / "weights.tsv"}
    options = [str(word) for pair in files.items() for word in pair]
    assert hopefear("rerank", *options).out == "u-2 c\nu-1 a\n"
    assert hopefear("rerank", *options, "--no-keys").out == "c\na\n"
