"""All formats of n-best lists that can be written: round trips, detection, errors."""

import re
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats import (
    SentenceKeys,
    WritableNBestFormat,
    detect_nbest,
    load_nbest,
    nbest_formats,
    read_nbest,
    write_nbest,
)
from hopefear.formats.nbest.bars import CdecNBest
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import Hypothesis, Segment

WRITABLE = [n for n in nbest_formats if isinstance(nbest_formats[n](), WritableNBestFormat)]
BARS = ["cdec", "moses", "travatar"]
ANY_TEXT = ["jsonl", "tsv"]  # these keep every blank
values = st.sampled_from([5e-324, 1e308, -0.0, 0.1]) | st.floats(
    allow_nan=False, allow_infinity=False
)
words = st.sampled_from(["a=b", "LM0=", "1.5", "||", "|", "é", "\u2028", "[X]"]) | st.text(
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


def rows(nbest: NBest) -> list[object]:
    return [
        (sentence, nbest.text(row), nbest.features_of(row))
        for sentence in range(nbest.sentence_count)
        for row in nbest.rows(sentence)
    ]


@pytest.mark.parametrize("name", WRITABLE)
@given(segments=lists())
def test_hypotheses_read_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, name: str, segments: list[Segment]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{name}.nbest"
    try:
        write_nbest(path, segments, name)
    except FormatError as error:
        if "beside" not in str(error):  # a feature 'x' after 'x_0', 'x_1' in Moses' form
            raise
        reject()
    read = list(read_nbest(path, name))
    assert bits(read) == bits(segments)
    assert read == segments
    loaded, expected = load_nbest(path, name), NBestBuilder()
    for segment in segments:
        for hypothesis in segment.hypotheses:
            expected.add(int(segment.sentence), hypothesis.text, hypothesis.features)
    assert rows(loaded) == rows(expected.finish())


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
def test_spaces_and_bars_in_a_text_are_kept(
    tmp_path_factory: pytest.TempPathFactory, name: str, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{name}.nbest"
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
def test_numbers_and_keys_cannot_be_mixed(tmp_path: Path, first: str) -> None:
    second = '"2"' if first == "1" else "2"
    content = "".join(f'{{"sentence": {s}, "text": ""}}\n' for s in (first, second))
    (tmp_path / "n").write_text(content)
    with pytest.raises(FormatError, match="must all have numbers or all have keys"):
        load_nbest(tmp_path / "n")


def test_lists_with_numbers_and_lists_with_keys_cannot_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text('{"sentence": "x", "text": "1"}\n')
    (tmp_path / "numbers").write_text("0 ||| a ||| x= 1\n")
    with pytest.raises(FormatError, match="numbers: sentences must all have numbers"):
        load_nbest([tmp_path / "keys", tmp_path / "numbers"])
    with pytest.raises(FormatError, match="keys: sentences must all have numbers"):
        load_nbest([tmp_path / "numbers", tmp_path / "keys"])


def test_lines_with_very_many_features_are_recognized(tmp_path: Path) -> None:
    features = " ".join(f"sparse_feature_{i}= 1" for i in range(10_000))
    (tmp_path / "n").write_text(f"0 ||| a ||| {features} ||| 1\n")
    assert detect_nbest(tmp_path / "n") == "moses"


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
        (
            "jsonl",
            '{"sentence": -1, "text": ""}',
            r"n:1: expected a sentence number",
        ),
        (
            "jsonl",
            '{"sentence": 9876543210, "text": ""}',
            r"n:1: .*sentence.* 9876543210",
        ),
        (
            "jsonl",
            '{"sentence": true, "text": ""}',
            r"n:1: expected a sentence number",
        ),
        (
            "jsonl",
            '{"sentence": "", "text": ""}',
            r"n:1: expected a sentence number",
        ),
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
            r"n:1: the key 'a' appears twice",
        ),
        (
            "jsonl",
            '{"sentence": 0, "text": "", "features": {"a": 1e999}}',
            r"n:1: feature 'a' is too large",
        ),
        ("jsonl", '{"sentence": 0, "text": "", "score": NaN}', r"n:1: 'NaN' is not finite"),
        ("jsonl", '{"sentence": 1' + 5000 * "0" + ', "text": ""}', r"n:1: .*4300 digits"),
        ("jsonl", 100000 * "[", r"n:1: maximum recursion"),
        ("moses", "0 ||| a ||| x= 1\n0 ||| a\n", r"n:2: expected at least 3 fields"),
        ("moses", "0 ||| a ||| x= nan\n", r"n:1: feature 'x' must be finite, got nan"),
        ("moses", "0 ||| a ||| x= 1 ||| -inf\n", r"n:1: the score must be finite, got -inf"),
        ("moses", "9876543210 ||| a ||| x= 1\n", r"n:1: .*sentence.* 9876543210"),
        ("cdec", "0 ||| a ||| x=1 y\n", r"n:1: expected a number, 'NAME=' or 'NAME=number'"),
        ("travatar", "0 ||| a ||| x=1 ||| 1\n", r"n:1: expected a number as the total score"),
        ("tsv", "sentence\tlm\n", r"n:1: expected a header with the columns 'sentence', 'text'"),
        ("tsv", "sentence\ttext\tlm\tlm\n", r"n:1: .*; column 'lm' appears twice"),
        ("tsv", "sentence\ttext\tlm\n0\ta\n", r"n:2: expected 3 columns, found 2"),
        ("tsv", "sentence\ttext\tlm\n0\ta\tb\n", r"n:2: column 'lm': 'b' is not a number"),
        ("tsv", "sentence\ttext\tlm\n0\ta\tnan\n", r"n:2: column 'lm': 'nan' is not finite"),
        (
            "tsv",
            "sentence\ttext\n\ta\n",
            r"n:2: expected a sentence number .* got ''",
        ),
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
        *(
            (name, Segment(sentence=0, hypotheses=(Hypothesis(text=text, score=1.0),)), message)
            for name in BARS
            for text, message in [
                ("a ||| b", r"represent '\|\|\|' in a"),
                ("a\nb", r"represent '\\n' in"),
            ]
        ),
        *(
            (
                name,
                Segment(sentence="k", hypotheses=(Hypothesis(text=""),)),
                "needs sentence numbers",
            )
            for name in BARS
        ),
        *(
            (
                name,
                Segment(
                    sentence=0,
                    hypotheses=(Hypothesis(text="", features={feature: 1.0}, score=1.0),),
                ),
                re.escape(f"the {name} format cannot represent the feature '{feature}'"),
            )
            for name in BARS
            for feature in ("a b", "a|||b")
        ),
        (
            "travatar",
            Segment(sentence=0, hypotheses=(Hypothesis(text="a"),)),
            r"needs a score, but",
        ),
        (
            "tsv",
            Segment(sentence=0, hypotheses=(Hypothesis(text="a\tb"),)),
            r"'\\t' in a text",
        ),
        (
            "tsv",
            Segment(sentence="a\nb", hypotheses=(Hypothesis(text=""),)),
            r"'\\n' in a sent",
        ),
        (
            "tsv",
            Segment(sentence="12", hypotheses=(Hypothesis(text=""),)),
            r"key '12' from a",
        ),
        (
            "tsv",
            Segment(sentence=0, hypotheses=(Hypothesis(text="", features={"score": 1.0}),)),
            r"reserves the column 'score'",
        ),
        (
            "tsv",
            Segment(sentence=0, hypotheses=(Hypothesis(text="", features={"a\tb": 1.0}),)),
            r"cannot represent the feature 'a\\tb'",
        ),
    ],
)
def test_unrepresentable_data_is_an_error_and_leaves_no_file(
    tmp_path: Path, name: str, segment: Segment, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        write_nbest(tmp_path / "n", [segment], name)
    assert list(tmp_path.iterdir()) == []


def test_an_unrecognized_file_is_an_error_with_its_first_line_and_the_formats(
    tmp_path: Path,
) -> None:
    (tmp_path / "n").write_text("\nwhat is this\n")
    looks = "n: the n-best format is not recognized; its first line is 'what is this'"
    with pytest.raises(FormatError, match=rf"{looks}; .*: cdec, .*jsonl, "):
        detect_nbest(tmp_path / "n")


LISTS = {
    "moses": "{} ||| a b ||| LM= -1 TM= -2 -3 ||| -4",
    "cdec": "{} ||| a b ||| LM=-1 TM=-2 ||| -4",
    "travatar": "{} ||| a b ||| -4 ||| LM=-1 TM=-2",
    "jsonl": '{{"sentence": {}, "text": "a b", "features": {{"LM": -1}}}}',
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("broken", [1, 3, 20])
@pytest.mark.parametrize("junk", ["what is this", "0 ||| a b"])
def test_a_broken_line_is_reported_by_its_number(
    name: str, broken: int, junk: str, tmp_path: Path
) -> None:
    lines = [LISTS[name].format(i // 5) for i in range(20)]
    lines[broken - 1] = junk
    (tmp_path / "n").write_text("\n".join(lines) + "\n")
    assert detect_nbest(tmp_path / "n") == name
    with pytest.raises(FormatError, match=rf"n:{broken}: (expected|not JSON)"):
        load_nbest(tmp_path / "n")


@pytest.mark.parametrize("sentence", ["-1", "1.5", "abc", ""])
def test_a_sentence_without_a_number_is_an_error_that_names_the_line(
    sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "n").write_text(LISTS["moses"].format(sentence) + "\n")
    with pytest.raises(FormatError, match=f"n:1: expected the number of .* found '{sentence}'"):
        load_nbest(tmp_path / "n")


def test_a_huge_sentence_number_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "n").write_text(LISTS["moses"].format(4_000_000_000) + "\n")
    with pytest.raises(FormatError, match=r"n:1: .*sentence.* 4000000000"):
        load_nbest(tmp_path / "n")
    (tmp_path / "n").write_text(LISTS["moses"].format(50_000_000) + "\n")
    with pytest.raises(DataError, match="n: sentence 50000000: the number is too large"):
        load_nbest(tmp_path / "n")


@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("moses", "{} ||| a ||| x= 1"),
        ("jsonl", '{{"sentence": {}, "text": "a"}}'),
        ("tsv", "{}\ta"),
    ],
)
def test_a_huge_sentence_number_is_an_error_that_names_the_line(
    format: str, line: str, tmp_path: Path
) -> None:
    header = "sentence\ttext\n" if format == "tsv" else ""
    content = header + "\n".join(line.format(number) for number in (0, 2_000_000_000))
    (tmp_path / "n").write_text(content)
    place = content.count("\n") + 1
    with pytest.raises(FormatError, match=rf"n:{place}: .*sentence.* 2000000000"):
        load_nbest(tmp_path / "n", format)


def test_an_error_during_conversion_names_only_the_broken_list(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0 ||| a ||| LM= -1\n0 ||| b\n")
    with pytest.raises(FormatError) as error:
        write_nbest(tmp_path / "o", read_nbest(tmp_path / "n"), "jsonl")
    assert str(error.value).startswith(f"{tmp_path / 'n'}:2: ")
    assert not (tmp_path / "o").exists()


def test_an_unknown_format_is_an_error_that_lists_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown n-best format 'json'; did you mean 'jsonl'\?"):
        write_nbest(tmp_path / "n", [], "json")


def test_a_hypothesis_without_score_has_no_field_for_it(tmp_path: Path) -> None:
    features = {"lm": 1.0, "tm_0": 2.0, "tm_1": 3.0}
    segments = [Segment(sentence=7, hypotheses=(Hypothesis(text=" a b ", features=features),))]
    write_nbest(tmp_path / "moses", segments, "moses")
    write_nbest(tmp_path / "cdec", segments, "cdec")
    assert (tmp_path / "moses").read_text() == "7 ||| a b ||| lm= 1.0 tm= 2.0 3.0\n"
    assert (tmp_path / "cdec").read_text() == "7 ||| a b ||| lm=1.0 tm_0=2.0 tm_1=3.0\n"


def test_a_label_keeps_its_number_of_values_on_all_lines(tmp_path: Path) -> None:
    two, three = {"tm_0": 1.0, "tm_1": 2.0}, {"tm_0": 1.0, "tm_1": 2.0, "tm_2": 3.0}
    hypotheses = tuple(Hypothesis(text=str(f), features=f) for f in (two, three, two))
    path = tmp_path / "n"
    write_nbest(path, [Segment(sentence=0, hypotheses=hypotheses)], "moses")
    lines = [line.split("|||")[2].strip() for line in path.read_text().splitlines()]
    assert lines == ["tm= 1.0 2.0", "tm_0= 1.0 tm_1= 2.0 tm_2= 3.0", "tm= 1.0 2.0"]
    loaded = load_nbest(path)
    assert [loaded.features_of(row) for row in range(2)] == [two, three]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("0||| a ||| d: 0 -1 lm: -2 ||| -3", "moses"),
        ("0 ||| a  |||  LM0= -1 ||| -3 ||| 0-0 1-1 ||| 0=0", "moses"),
        ("0 ||| a ||| -1 2 3 ||| -3", "moses"),
        ("0 ||| a ||| ||| -3", "moses"),
        ("0 ||| a ||| LM0= -1", "moses"),
        ("0 ||| a ||| F0=-1.7 ||| -1.7", "cdec"),
        ("0 ||| a ||| lm_0=-12.345 tm_pt_0=1.000 ||| -34.200", "cdec"),
        ("0 ||| a ||| x=1 ||| -3 ||| 0.25", "cdec"),
        ("0 ||| a ||| -3 ||| logprob=-1 mbart-prediction=2", "travatar"),
        ("0 ||| a ||| -3 ||| ", "travatar"),
    ],
)
def test_formats_with_bars_are_distinguished_by_their_features(
    tmp_path: Path, line: str, name: str
) -> None:
    (tmp_path / "n").write_text(f"{line}\n\n{line}\n")
    assert detect_nbest(tmp_path / "n") == name
    assert len(list(read_nbest(tmp_path / "n"))) == 1


def test_a_name_that_would_be_read_as_several_features_is_an_error(tmp_path: Path) -> None:
    joined = [Segment(sentence=0, hypotheses=(Hypothesis(text="a", features={"a=1;b": 2.0}),))]
    with pytest.raises(FormatError, match="would read 'a=1;b' as several features"):
        write_nbest(tmp_path / "n", joined, "cdec")
    write_nbest(tmp_path / "n", joined, "moses")
    assert list(read_nbest(tmp_path / "n")) == joined


def test_semicolons_separate_features_if_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0 ||| a ||| x=1;y=2 z=3 ||| 1\n")
    ((hypothesis,),) = [
        s.hypotheses for s in read_nbest(tmp_path / "n", CdecNBest(semicolons=True))
    ]
    assert hypothesis.features == {"x": 1.0, "y": 2.0, "z": 3.0}


def test_a_byte_order_mark_does_not_disturb_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "n").write_bytes("\ufeff0 ||| a ||| x= 1\n".encode())
    assert len(load_nbest(tmp_path / "n")) == 1
    assert len(list(read_nbest(tmp_path / "n"))) == 1


@pytest.mark.parametrize(
    "file", ["multi30k-cs-en/peers/val.nbest.moses.gz", "nbest-moses/europarl100.nbest.gz"]
)
def test_a_list_of_moses_reads_the_same_at_once_and_line_by_line(
    shared_data: Path, file: str
) -> None:
    builder = NBestBuilder()
    for segment in islice(read_nbest(shared_data / file), 20):
        for hypothesis in segment.hypotheses:
            builder.add(int(segment.sentence), hypothesis.text, hypothesis.features)
    some, all_of_it = rows(builder.finish()), rows(load_nbest(shared_data / file))
    assert len(some) > 1000
    assert some == all_of_it[: len(some)]
