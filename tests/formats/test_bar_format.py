import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopefear.errors import FormatError
from hopefear.nbest import BarLayout, NBest, NBestBuilder, format_number, parse_hypothesis

MOSES = BarLayout()
TRAVATAR = BarLayout(total=2, features=3)
MARIAN = BarLayout(features=-2, total=-1, ignored=["WordScores"])


def features(field: str, layout: BarLayout = MOSES) -> list[tuple[str, float]]:
    line = parse_hypothesis(f"0 ||| x ||| {field} ||| 1", layout)
    return list(zip(line.names, line.values, strict=True))


def read(text: str | bytes, layout: BarLayout = MOSES, size: int = 1 << 20) -> NBest:
    content = text.encode() if isinstance(text, str) else text
    builder = NBestBuilder()
    builder.parse([content[i : i + size] for i in range(0, len(content), size)], layout, "f.gz")
    return builder.finish()


def test_the_fields_of_a_moses_line_are_separated() -> None:
    line = parse_hypothesis("7 ||| a  house  |||  LM= -1.5 TM= 1 2e-3 ||| -4.25 ||| 0-0 1-1", MOSES)
    assert (line.sentence, line.text, line.total) == (7, "a  house", -4.25)
    assert line.names == ["LM", "TM_0", "TM_1"]
    assert line.values == [-1.5, 1.0, 0.002]
    assert line.others == ["0-0 1-1"]


def test_fields_can_be_counted_from_the_end() -> None:
    line = parse_hypothesis("0 ||| x ||| 0-0 ||| WordScores= -1 -2 ||| F0= -3 ||| -3", MARIAN)
    assert (line.names, line.values, line.total) == (["F0"], [-3.0], -3.0)
    assert line.others == ["0-0", "WordScores= -1 -2"]


def test_labels_can_be_ignored() -> None:
    assert features("F0= -1 WordScores= -1 -2 F1= 2", MARIAN) == [("F0", -1.0), ("F1", 2.0)]


def test_the_features_of_travatar_come_after_the_score() -> None:
    line = parse_hypothesis("2 ||| x y ||| -0.5 ||| log-prob=-1 len=2", TRAVATAR)
    assert (line.names, line.values, line.total) == (["log-prob", "len"], [-1.0, 2.0], -0.5)


def test_a_layout_may_have_no_features() -> None:
    line = parse_hypothesis("2 ||| x y", BarLayout(features=None, total=None))
    assert (line.text, line.names, line.total) == ("x y", [], None)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("", []),
        ("1 -2.5", [("F0", 1.0), ("F1", -2.5)]),
        ("3", [("F0", 3.0)]),
        ("d: 0 -1 lm: -2", [("d_0", 0.0), ("d_1", -1.0), ("lm", -2.0)]),
        ("F0=-1.7", [("F0", -1.7)]),
        ("a=b=1", [("a=b", 1.0)]),
        ("lex_=_=_x= 1", [("lex_=_=_x", 1.0)]),
        ("1-gram= 3 -x=4", [("1-gram", 3.0), ("-x", 4.0)]),
        ("inf= 1 n= 2 i=3", [("inf", 1.0), ("n", 2.0), ("i", 3.0)]),
        ("none= lm= +1.5", [("lm", 1.5)]),
        ("tab=\t1", [("tab", 1.0)]),
    ],
)
def test_features_are_read_in_every_syntax(field: str, expected: list[tuple[str, float]]) -> None:
    assert features(field) == expected


def test_semicolons_separate_features_only_in_layouts_with_semicolons() -> None:
    assert features("a=1;b=2 c=3", BarLayout(semicolons=True)) == [("a", 1), ("b", 2), ("c", 3)]
    assert features("lex_;= 1 x;y=2") == [("lex_;", 1.0), ("x;y", 2.0)]
    assert features("a=b;c=2 =1;d=3") == [("a=b;c", 2.0), ("=1;d", 3.0)]


@pytest.mark.parametrize("token", ["a=1;b=2", "a;b=1;c=2", "x=y=-1.5e3;z=0", "a=1;=2"])
def test_features_joined_by_semicolons_are_not_read_as_one_feature(token: str) -> None:
    with pytest.raises(FormatError, match="use the format cdec:semicolons=true"):
        features(token)


@pytest.mark.parametrize(
    "line", ["3||| x ||| 1 ||| 2", "3 |||x|||1|||2", " 3  |||  x  ||| 1|||2\r"]
)
def test_spaces_around_bars_are_ignored(line: str) -> None:
    parsed = parse_hypothesis(line, MOSES)
    assert (parsed.sentence, parsed.text, parsed.values, parsed.total) == (3, "x", [1.0], 2.0)


def test_a_line_may_end_before_the_total() -> None:
    assert parse_hypothesis("3 ||| x ||| a=1", MOSES).total is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 ||| x", "expected at least 3 fields separated by '|||', found 2"),
        ("x ||| x ||| a=1", "expected the number of a sentence (0, 1, ...) as the first field, "),
        ("-1 ||| x ||| a=1", "found '-1'"),
        ("99999999999999999999 ||| x ||| a=1", "found '99999999999999999999'"),
        ("||| x ||| a=1", "found ''"),
        ("0 ||| x ||| a", "expected a number, 'NAME=' or 'NAME=number' among the features, found"),
        ("0 ||| x ||| a=b", "found 'a=b'"),
        ("0 ||| x ||| =1", "found '=1'"),
        ("0 ||| x ||| a= 1.5.2", "found '1.5.2'"),
        ("0 ||| x ||| a=1 a=2", "feature 'a' occurs twice"),
        ("0 ||| x ||| a= 1 2 a_1=2", "feature 'a_1' occurs twice"),
    ],
)
def test_an_invalid_line_is_an_error_with_place_and_problem(line: str, message: str) -> None:
    with pytest.raises(FormatError, match=re.escape("list:17: ") + ".*" + re.escape(message)):
        parse_hypothesis(line, MOSES, "list:17")
    with pytest.raises(FormatError, match=re.escape("f.gz:3: ") + ".*" + re.escape(message)):
        read(f"0 ||| y ||| ||| 1\n\n{line}\n1 ||| x ||| a=1\n")


def test_an_invalid_total_is_an_error() -> None:
    with pytest.raises(FormatError, match="expected a number as the total score, found 'x'"):
        parse_hypothesis("0 ||| x ||| a=1 ||| x", MOSES)


def test_bytes_that_are_not_utf8_are_an_error_in_a_line() -> None:
    with pytest.raises(FormatError, match=r"f\.gz:1: byte 8 of the line is not UTF-8"):
        read(b"0 ||| x\xff ||| a=1\n")


@given(st.binary(max_size=12))
@example(b"\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xc0\x80")
@example(b"\xe0\x9f\xbf")
def test_the_text_of_a_line_is_decoded_as_in_python(content: bytes) -> None:
    text = content.replace(b"\n", b"").replace(b"|", b"")
    line = b"0 ||| a" + text + b"a ||| "
    try:
        expected = "a" + text.decode() + "a"
    except UnicodeDecodeError as error:
        with pytest.raises(FormatError, match=f"byte {error.start + 8} of the line"):
            read(line)
    else:
        assert read(line).text(0) == expected


@pytest.mark.parametrize("value", ["nan", "-inf", "1e999"])
def test_a_value_that_is_not_finite_is_an_error_with_line_and_feature(value: str) -> None:
    text = f"0 ||| x ||| LM= 1\n4 ||| a house ||| LM= {value}\n"
    with pytest.raises(FormatError, match=r"f\.gz:2: sentence 4, hypothesis 'a house': feature"):
        read(text)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("TM= 1 2", "TM= 1", "label 'TM' has 1 value, but 2 on an earlier line"),
        ("TM= 1", "TM= 1 2", "label 'TM' has 2 values, but 1 on an earlier line"),
        ("TM= 1 2", "TM= 1 2 3", "label 'TM' has 3 values, but 2 on an earlier line"),
    ],
)
def test_a_label_must_always_have_the_same_number_of_values(
    first: str, second: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read(f"0 ||| x ||| {first} ||| 1\n0 ||| y ||| a=1 {second} ||| 1\n")


def test_labels_with_several_values_are_reported() -> None:
    builder = NBestBuilder()
    labels = builder.parse([b"0 ||| x ||| LM= 1 TM= 1 2 D_0=1 ||| 0"], MOSES, "f")
    assert labels == [("TM", 2)]
    assert builder.finish().features_of(0) == {"LM": 1, "TM_0": 1, "TM_1": 2, "D_0": 1}


TEXT = """\
0 ||| the house  |||  LM= -1.25 TM= 1 2 ||| -3
0 ||| a  house  |||  LM= -1.5 TM= 1 2 ||| -3

1 ||| ein Häuschen |||  LM= -1.25 TM= 1 2.5 w_ü= 1 ||| -3
0 ||| the house  |||  LM= -1.25 TM= 1.0 2 ||| -3
3 ||| |||  LM= -1.25 TM= 1 2 ||| -3\r
1 ||| last ||| w_x= 2 LM= -1 TM= 0 0 ||| 0"""


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_a_file_can_be_split_into_any_pieces(size: int) -> None:
    lists = read(TEXT, size=size)
    contents = [(lists.text(row), lists.features_of(row)) for row in range(len(lists))]
    assert contents == [
        ("the house", {"LM": -1.25, "TM_0": 1.0, "TM_1": 2.0}),
        ("a  house", {"LM": -1.5, "TM_0": 1.0, "TM_1": 2.0}),
        ("ein Häuschen", {"LM": -1.25, "TM_0": 1.0, "TM_1": 2.5, "w_ü": 1.0}),
        ("last", {"LM": -1.0, "TM_0": 0.0, "TM_1": 0.0, "w_x": 2.0}),
        ("", {"LM": -1.25, "TM_0": 1.0, "TM_1": 2.0}),
    ]
    assert lists.offsets.tolist() == [0, 2, 4, 4, 5]


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
@example(123456789012345.6)
@example(0.1 + 0.2)
def test_numbers_are_read_and_written_exactly(value: float) -> None:
    assert features(f"x= {value!r}") == [("x", value)]
    written = format_number(value)
    assert float(written) == value
    assert math.copysign(1, float(written)) == math.copysign(1, value)
    assert len(written) <= len(repr(value))


@given(st.from_regex(r"\A[-+]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,3})?\Z"))
@example("9007199254740993")
@example("0.000000000000000000000000000001")
@example("1e-400")
@example("-1e-400")
def test_decimal_numbers_are_read_as_in_python(text: str) -> None:
    expected = float(text)
    if math.isfinite(expected):
        ((_, value),) = features(f"x= {text}")
        assert (value, math.copysign(1, value)) == (expected, math.copysign(1, expected))
