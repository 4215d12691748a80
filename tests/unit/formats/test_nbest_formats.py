"""All formats of n-best lists that can be written: round trips, detection, errors."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import ConfigError, FormatError
from hopefear.formats import (
    SentenceKeys,
    WritableNBestFormat,
    detect_nbest,
    load_nbest,
    nbest_formats,
    read_nbest,
    write_nbest,
)
from hopefear.types import Hypothesis, Segment

WRITABLE = [n for n in nbest_formats if isinstance(nbest_formats[n](), WritableNBestFormat)]
ANY_TEXT = ["jsonl", "tsv"]  # these keep every blank
values = st.sampled_from([5e-324, 1e308, -0.0, 0.1]) | st.floats(
    allow_nan=False, allow_infinity=False
)
words = st.sampled_from(["a=b", "LM0=", "1.5", "||", "|", "||||", "é", "\u2028", "[X]"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r|\ufeff"), min_size=1
)
texts = st.lists(words, max_size=5).map(" ".join)
pieces = st.sampled_from(["lm", "tm", "_", "0", "1", "=", "-", "10", "é", "\xa0", "x"])
names = st.lists(pieces, min_size=1, max_size=4).map("".join)
hypotheses = st.builds(
    Hypothesis, text=texts, features=st.dictionaries(names, values, max_size=5), score=values
)


@st.composite
def lists(draw: st.DrawFn) -> list[Segment]:
    runs = draw(st.lists(st.lists(hypotheses, min_size=1, max_size=3), max_size=4))
    numbers = draw(st.lists(st.integers(0, 5), min_size=len(runs), max_size=len(runs), unique=True))
    return [
        Segment(sentence=number, hypotheses=tuple(run))
        for number, run in zip(numbers, runs, strict=True)
    ]


def bits(segments: list[Segment]) -> list[object]:
    return [
        (s.sentence, h.text, {n: v.hex() for n, v in h.features.items()}, h.score and h.score.hex())
        for s in segments
        for h in s.hypotheses
    ]


@pytest.mark.parametrize("name", WRITABLE)
@given(segments=lists())
def test_hypotheses_read_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, name: str, segments: list[Segment]
) -> None:
    path = tmp_path_factory.mktemp("nbest") / "n"
    write_nbest(path, segments, name)
    read = list(read_nbest(path, name))
    assert bits(read) == bits(segments)
    assert read == segments


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("file", ["nbest", "nbest.gz"])
def test_the_format_is_recognized_by_content(tmp_path: Path, name: str, file: str) -> None:
    features = {"lm": -2.5, "tm_0": 1.0, "tm_1": 0.25}
    best = Hypothesis(text="the house", features=features, score=-1.25)
    segments = [Segment(sentence=0, hypotheses=(best, best))]
    write_nbest(tmp_path / file, segments, name)
    assert detect_nbest(tmp_path / file) == name
    assert list(read_nbest(tmp_path / file)) == segments


@pytest.mark.parametrize("name", ANY_TEXT)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r")))
def test_blanks_and_bars_in_a_text_stay(
    tmp_path_factory: pytest.TempPathFactory, name: str, text: str
) -> None:
    path = tmp_path_factory.mktemp("nbest") / "n"
    segments = [Segment(sentence=0, hypotheses=(Hypothesis(text=text),))]
    write_nbest(path, segments, name)
    assert list(read_nbest(path)) == segments


@pytest.mark.parametrize("name", ANY_TEXT)
def test_sentences_may_have_keys_and_hypotheses_no_score(tmp_path: Path, name: str) -> None:
    segments = [
        Segment(sentence="utt-é", hypotheses=(Hypothesis(text="a"),)),
        Segment(sentence="007", hypotheses=(Hypothesis(text="", features={"x": 1.0}, score=2.0),)),
        Segment(sentence="utt-é", hypotheses=(Hypothesis(text="b"),)),
    ]
    write_nbest(tmp_path / "n", segments, name)
    assert list(read_nbest(tmp_path / "n")) == segments
    keys = SentenceKeys()
    loaded = load_nbest(tmp_path / "n", keys=keys)
    assert keys.names == ["utt-é", "007"]
    assert [loaded.text(row) for row in loaded.rows(0)] == ["a", "b"]


def test_several_files_are_merged_by_the_keys_of_their_sentences(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"sentence": "x", "text": "1"}\n{"sentence": "y", "text": "2"}\n')
    (tmp_path / "b").write_text('{"sentence": "y", "text": "3"}\n{"sentence": "y", "text": "2"}\n')
    keys = SentenceKeys()
    loaded = load_nbest([tmp_path / "a", tmp_path / "b"], keys=keys, sentences=3)
    assert loaded.sentence_count == 3
    assert [loaded.text(row) for row in loaded.rows(1)] == ["2", "3"]


@pytest.mark.parametrize("first", ["1", '"1"'])
def test_numbers_and_keys_do_not_mix(tmp_path: Path, first: str) -> None:
    second = '"2"' if first == "1" else "2"
    content = "".join(f'{{"sentence": {s}, "text": ""}}\n' for s in (first, second))
    (tmp_path / "n").write_text(content)
    with pytest.raises(FormatError, match="some sentences have a number and others a key"):
        load_nbest(tmp_path / "n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("jsonl", '{"sentence": 0, "text": ""}\n{', r"n:2: not JSON: .*column 2"),
        ("jsonl", "3", r"n:1: expected an object, got 3"),
        ("jsonl", '{"text": ""}', r"n:1: the key 'sentence' is missing"),
        ("jsonl", '{"sentence": 0}', r"n:1: the key 'text' is missing"),
        (
            "jsonl",
            '{"sentence": 0, "text": "", "feature": {}}',
            r"n:1: unknown key 'feature'; did you mean 'features'\?",
        ),
        ("jsonl", '{"sentence": -1, "text": ""}', r"n:1: a sentence is a number from 0 or a str"),
        ("jsonl", '{"sentence": 9876543210, "text": ""}', r"n:1: a sentence is a number from 0"),
        ("jsonl", '{"sentence": true, "text": ""}', r"n:1: a sentence is a number from 0 or a str"),
        ("jsonl", '{"sentence": "", "text": ""}', r"n:1: a sentence is a number from 0 or a str"),
        ("jsonl", '{"sentence": 0, "text": 1}', r"n:1: 'text' must be a string, got 1"),
        ("jsonl", '{"sentence": 0, "text": "", "features": [1]}', r"n:1: 'features' must be an ob"),
        (
            "jsonl",
            '{"sentence": 0, "text": "", "features": {"a": "1"}}',
            r"n:1: feature 'a' must be a number, got '1'",
        ),
        (
            "jsonl",
            '{"sentence": 0, "text": "", "features": {"a": 1, "a": 1}}',
            r"n:1: 'a' comes twice",
        ),
        (
            "jsonl",
            '{"sentence": 0, "text": "", "features": {"a": 1e999}}',
            r"n:1: feature 'a' is too large",
        ),
        ("jsonl", '{"sentence": 0, "text": "", "score": NaN}', r"n:1: 'NaN' is not finite"),
        ("jsonl", '{"sentence": 1' + 5000 * "0" + ', "text": ""}', r"n:1: .*4300 digits"),
        ("jsonl", 100000 * "[", r"n:1: maximum recursion"),
        ("tsv", "sentence\tlm\n", r"n:1: expected a header with the columns 'sentence' and 'text'"),
        ("tsv", "sentence\ttext\tlm\tlm\n", r"n:1: .*; column 'lm' comes twice"),
        ("tsv", "sentence\ttext\tlm\n0\ta\n", r"n:2: expected 3 columns, found 2"),
        ("tsv", "sentence\ttext\tlm\n0\ta\tb\n", r"n:2: column 'lm': 'b' is not a number"),
        ("tsv", "sentence\ttext\tlm\n0\ta\tnan\n", r"n:2: column 'lm': 'nan' is not finite"),
        ("tsv", "sentence\ttext\n\ta\n", r"n:2: a sentence is a number from 0 or a string, got ''"),
    ],
)
def test_a_broken_file_is_an_error_with_file_and_line(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / "n"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        list(read_nbest(path, name))


@pytest.mark.parametrize(
    ("name", "segment", "message"),
    [
        ("tsv", Segment(sentence=0, hypotheses=(Hypothesis(text="a\tb"),)), r"carry '\\t' in a te"),
        ("tsv", Segment(sentence="a\nb", hypotheses=(Hypothesis(text=""),)), r"carry '\\n' in a s"),
        ("tsv", Segment(sentence="12", hypotheses=(Hypothesis(text=""),)), r"key '12' as a number"),
        (
            "tsv",
            Segment(sentence=0, hypotheses=(Hypothesis(text="", features={"score": 1.0}),)),
            r"has a column 'score' for other things",
        ),
        (
            "tsv",
            Segment(sentence=0, hypotheses=(Hypothesis(text="", features={"a\tb": 1.0}),)),
            r"cannot carry the feature 'a\\tb'",
        ),
    ],
)
def test_what_a_format_cannot_carry_is_an_error_and_leaves_no_file(
    tmp_path: Path, name: str, segment: Segment, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        write_nbest(tmp_path / "n", [segment], name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_no_format_is_an_error_that_lists_them(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("what is this\n")
    with pytest.raises(FormatError, match=r"n: is in no known format; .*Known: .*jsonl, "):
        detect_nbest(tmp_path / "n")


def test_an_unknown_format_is_an_error_that_lists_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown n-best format 'json'; did you mean 'jsonl'\?"):
        write_nbest(tmp_path / "n", [], "json")
