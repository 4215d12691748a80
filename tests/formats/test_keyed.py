"""References and outputs whose lines begin with keys are recognized by their keys."""

import json
from pathlib import Path

import pytest

import hopefear
from command_line import Hopefear
from hopefear.errors import DataError
from hopefear.formats.keyed import aligned_texts, texts_by_key
from hopefear.formats.texts import read_references

TEXTS = {"utt_1": "the cat sat here", "utt_2": "a dog barks at night", "utt_3": "all is well"}
SPOKEN = {"utt_1": "a cat sat here", "utt_2": "a dog barks at a night", "utt_3": "all is well"}


def write_lists(path: Path, *, numbers: bool = False) -> str:
    lines = ["sentence\ttext\tam\tlm"]
    for number, key in enumerate(["utt_2", "utt_1", "utt_3"]):
        name = str(number) if numbers else key
        lines += [f"{name}\t{SPOKEN[key]}\t-1\t-2", f"{name}\t{TEXTS[key]}\t-2\t-1.5"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("order", [["utt_1", "utt_2", "utt_3"], ["utt_3", "utt_1", "utt_2"]])
def test_a_run_finds_references_by_the_keys_of_the_lists(
    tmp_path: Path, separator: str, order: list[str]
) -> None:
    (tmp_path / "text").write_text("".join(f"{key}{separator}{TEXTS[key]}\n" for key in order))
    found = hopefear.tune(
        "mert",
        nbest=[write_lists(tmp_path / "lists.tsv")],
        refs=[tmp_path / "text"],
        metric="wer",
        start={"am": 1.0, "lm": 0.0},
    )
    # 2 edits of 12 words; with the ids as words there would be 15
    assert found.start_tuning_score == pytest.approx(100 * 2 / 12)
    assert found.tuning_score == 0.0


def test_lists_with_numbers_take_references_with_ids_in_their_order(tmp_path: Path) -> None:
    order = ["utt_2", "utt_1", "utt_3"]
    (tmp_path / "text").write_text("".join(f"{key} {TEXTS[key]}\n" for key in order))
    found = hopefear.tune(
        "mert",
        nbest=[write_lists(tmp_path / "lists.tsv", numbers=True)],
        refs=[tmp_path / "text"],
        metric="wer",
        start={"am": 1.0, "lm": 0.0},
    )
    assert found.start_tuning_score == pytest.approx(100 * 2 / 12)


def test_references_may_begin_with_the_numbers_of_sentences(tmp_path: Path) -> None:
    order = ["utt_2", "utt_1", "utt_3"]
    lines = [f"{number}\t{TEXTS[key]}\n" for number, key in enumerate(order)]
    (tmp_path / "text").write_text("".join(reversed(lines)))
    found = hopefear.tune(
        "mert",
        nbest=[write_lists(tmp_path / "lists.tsv", numbers=True)],
        refs=[tmp_path / "text"],
        metric="wer",
        start={"am": 1.0, "lm": 0.0},
    )
    assert found.start_tuning_score == pytest.approx(100 * 2 / 12)


def test_a_reference_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("utt_1 a\nutt_2 b\n")
    with pytest.raises(DataError, match="text: no reference for 'utt_3'"):
        hopefear.tune(
            "mert",
            nbest=[write_lists(tmp_path / "lists.tsv")],
            refs=[tmp_path / "text"],
            metric="wer",
        )


def test_ids_of_other_utterances_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("spk-1 a\nspk-2 b\nspk-3 c\n")
    with pytest.raises(DataError, match="no reference for 'utt_2'"):
        hopefear.tune(
            "mert",
            nbest=[write_lists(tmp_path / "lists.tsv")],
            refs=[tmp_path / "text"],
            metric="wer",
        )


def test_evaluation_matches_outputs_and_references_by_keys(tmp_path: Path) -> None:
    ref, hyp, plain = tmp_path / "text", tmp_path / "hyp", tmp_path / "plain"
    ref.write_text("".join(f"{key} {text}\n" for key, text in TEXTS.items()))
    hyp.write_text("".join(f"{key}\t{SPOKEN[key]}\n" for key in reversed(SPOKEN)))
    plain.write_text("".join(f"{text}\n" for text in SPOKEN.values()))
    for system, order in ((hyp, "keys"), (plain, "lines")):
        found = hopefear.evaluate(hyp=[system], refs=[ref], metric=["wer"], resamples=0)
        assert found.systems[0].metrics["wer"].score == pytest.approx(100 * 2 / 12), order


def test_systems_are_called_by_the_names_of_their_files(tmp_path: Path) -> None:
    for name in ("a/out.txt", "b/out.txt", "c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a house\n")
    refs = [tmp_path / "c.txt"]
    found = hopefear.evaluate(hyp=[tmp_path / "a/out.txt", refs[0]], refs=refs, resamples=0)
    assert [system.name for system in found.systems] == ["out.txt", "c.txt"]
    both = [tmp_path / "a/out.txt", tmp_path / "b/out.txt"]
    found = hopefear.evaluate(hyp=both, refs=refs, resamples=0)
    assert [system.name for system in found.systems] == [str(path) for path in both]


@pytest.mark.parametrize(
    "lines",
    [
        ["the cat", "the dog"],
        ["2 cats", "3 dogs"],
        ["cats sleep", "dogs bark"],
        ["utt_1 only one line"],
        ["", "x"],
    ],
)
def test_words_are_not_mistaken_for_keys(lines: list[str]) -> None:
    assert aligned_texts([("hyp", lines), ("ref", list(lines))]) == [lines, lines]
    assert read_references([lines]).sentences == [[line] for line in lines]


def test_keys_that_one_text_lacks_are_named() -> None:
    with pytest.raises(DataError, match="ref: has no line for 'u2', which hyp has"):
        aligned_texts([("hyp", ["u1 a", "u2 b"]), ("ref", ["u1 a", "u3 b"])])


def test_the_header_of_a_table_is_no_sentence() -> None:
    assert texts_by_key(["id\ttext", "7\ta house", "9\tb"]) == {"7": "a house", "9": "b"}


def test_first_words_that_another_text_has_as_words_are_no_keys() -> None:
    lines, other = ["w1 a b", "w2 c d"], ["a w1 b", "w2 c"]
    assert aligned_texts([("hyp", other), ("ref", lines)]) == [other, lines]
    assert aligned_texts([("ref", lines)]) == [lines]
    assert aligned_texts([("hyp", ["a b", "c"]), ("ref", lines)]) == [
        ["a b", "c"],
        ["a b", "c d"],
    ]


@pytest.mark.parametrize("key", ["w", ""])
def test_references_of_lists_keep_first_words_that_candidates_have(
    tmp_path: Path, key: str
) -> None:
    lists, refs = tmp_path / "lists", tmp_path / "refs"
    refs.write_text("w1 a b\nw2 c d\n")
    first, second = (f"{key}1 ", f"{key}2 ") if key else ("", "")
    lists.write_text(
        f"0 ||| {first}a b ||| f= 1\n0 ||| a ||| f= 0\n"
        f"1 ||| {second}c d ||| f= 1\n1 ||| c ||| f= 0\n"
    )
    found = hopefear.tune("mert", nbest=lists, refs=refs, metric="wer", start={"f": -1.0})
    assert found.tuning_score == 0.0


def test_numbers_of_few_sentences_are_printed_as_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [{"id": i, "candidates": [["a b", 1.0], ["c", 2.0]]} for i in (4017, 4000)]
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    (tmp_path / "w.tsv").write_text("score\t1\n")
    files = ("--nbest", tmp_path / "n.jsonl", "--weights", tmp_path / "w.tsv")
    assert Hopefear(capsys)("rerank", *files).out == "4000 c\n4017 c\n"
    assert Hopefear(capsys)("rerank", *files, "--no-keys").out == "c\nc\n"
