"""Weights in all formats."""

import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hopefear.errors import ConfigError, FormatError
from hopefear.formats import detect_weights, read_weights, weights_formats, write_weights
from hopefear.types import Weights

EXTREMES = [5e-324, 1e308, -1.7976931348623157e308, -0.0, 0.0, 0.1, 1 / 3, 2.0**-1074, 1e22]


values = st.sampled_from(EXTREMES) | st.floats(allow_nan=False, allow_infinity=False)


letters = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r#\ufeff")


pieces = st.sampled_from(
    ["lm", "tm", "_", "0", "1", "=", "-", "10", "é", "[", "]", "//", '"', "\xa0"]
)


names = st.lists(pieces, min_size=1, max_size=4).map("".join) | st.text(letters, min_size=1)


tables = st.dictionaries(names, values, max_size=12).map(Weights)


components = st.lists(
    st.tuples(names, st.integers(2, 4)), max_size=3, unique_by=lambda pair: pair[0]
).flatmap(
    lambda groups: st.fixed_dictionaries(
        {f"{name}_{i}": values for name, count in groups for i in range(count)}
    )
)


def bits(weights: Weights) -> dict[str, str]:
    return {name: float.hex(value) for name, value in weights.items()}


@pytest.mark.parametrize("name", list(weights_formats))
@given(weights=tables | components.map(Weights))
def test_weights_read_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, name: str, weights: Weights
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{name}.weights"
    assume(name != "joshua" or not any(n.startswith("//") or n.endswith("=") for n in weights))
    write_weights(path, weights, name)
    assert bits(read_weights(path, name)) == bits(weights)


# Joshua's files of weights look like cdec's.
@pytest.mark.parametrize("name", [name for name in weights_formats if name != "joshua"])
@pytest.mark.parametrize("file", ["weights", "weights.gz"])
def test_the_format_is_recognized_by_content(tmp_path: Path, name: str, file: str) -> None:
    weights = Weights({"lm": 0.5, "tm_0": -0.25, "tm_1": 1e-9, "word=x": 2.0})
    write_weights(tmp_path / file, weights, name)
    assert detect_weights(tmp_path / file) == name
    assert read_weights(tmp_path / file) == weights


@pytest.mark.parametrize("name", [name for name in weights_formats if name != "json"])
def test_a_name_that_a_format_cannot_represent_is_an_error_and_leaves_no_file(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(FormatError, match=f"w: the {name} format cannot represent the feature"):
        write_weights(tmp_path / "w", Weights({"a": 1.0, "b\tc": 1.0}), name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tsv", "a\t1\nb 2\n", r"w:2: expected a name, a tab and a value, found 'b 2'"),
        ("tsv", "a\t1\na\t2\n", r"w:2: feature 'a' already has a weight \(line 1\)"),
        ("tsv", "a\t1\nb\tnan\n", r"w:2: the weight of feature 'b': 'nan' is not finite"),
        ("tsv", "a\t1e999\n", r"w:1: the weight of feature 'a': '1e999' is too large"),
        ("tsv", "a\t1_0\n", r"w:1: the weight of feature 'a': '1_0' is not a number"),
        ("tsv", "a\t٣\n", r"w:1: the weight of feature 'a': '٣' is not a number"),
        ("tsv", "a\t 1\n", r"w:1: the weight of feature 'a': ' 1' is not a number"),
        ("tsv", "a\t1\t2\n", r"w:1: the weight of feature 'a': .* is not a number"),
        ("json", '{"a": 1,\n"b" 2}', r"w:2: not JSON"),
        ("json", '{"a": 1, "a": 2}', r"w:1: the key 'a' appears twice"),
        ("json", '{"a": NaN}', r"w:1: 'NaN' is not finite"),
        ("json", '{"a": 1e999}', r"w: feature 'a' is too large for a double"),
        ("json", '{"a": 1' + 400 * "0" + "}", r"w: feature 'a' is too large for a double"),
        ("json", '{"a": true}', r"w: feature 'a' must be a number, got True"),
        ("json", '{"a": {"b": 1}}', r"w: feature 'a' must be a number"),
        ("json", "[1]", r"w: expected an object of weights"),
        ("json", 100000 * "[", r"w:1: maximum recursion"),
        ("cdec", "a 1\nb\n", r"w:2: expected NAME VALUE, found 'b'"),
        ("cdec", " a 1\n", r"w:1: expected NAME VALUE, found ' a 1'"),
        ("cdec", "a b 1\n", r"w:1: expected NAME VALUE, found 'a b 1'"),
        ("cdec", "a 1\n# x\na 1\n", r"w:3: feature 'a' already has a weight \(line 1\)"),
        ("cdec", "a NaN\n", r"w:1: the weight of feature 'a': 'NaN' is not finite"),
        ("travatar", "a=1 b\n", r"w:1: expected NAME=VALUE, found 'b'"),
        ("travatar", "a=1 =2\n", r"w:1: expected NAME=VALUE, found '=2'"),
        ("travatar", "a=1 b=2\na=3\n", r"w:2: feature 'a' already has a weight \(line 1\)"),
        ("travatar", "a=inf\n", r"w:1: the weight of feature 'a': 'inf' is not finite"),
        ("moses", "[weight]\na 1\n", r"w:2: expected NAME= and values, found 'a 1'"),
        ("moses", "[weight]\na=\n", r"w:2: expected NAME= and values, found 'a='"),
        ("moses", "[weight]\na= 1\na= 2\n", r"w:3: 'a' already has weights"),
        ("moses", "[weight]\na= 1 2\na_1= 2\n", r"w:3: feature 'a_1' already has a weight"),
        ("moses", "[weight]\na= 1 -nan\n", r"w:2: the weight of feature 'a_1': '-nan' is not fin"),
        ("moses", "[weight-file]\nnowhere\n", r"the \[weight-file\] does not exist: .*nowhere"),
    ],
)
def test_a_broken_file_is_an_error_with_file_and_line(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    path = tmp_path / "w"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        read_weights(path, name)


def test_an_unrecognized_file_is_an_error_that_lists_the_formats(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_text("what is this supposed to be\n")
    with pytest.raises(
        FormatError, match=r"w: the weights format is not recognized; .*; known: cdec, .*, tsv"
    ):
        read_weights(path)


def test_an_empty_file_needs_the_name_of_its_format(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_text("")
    with pytest.raises(FormatError, match="w: the file is empty"):
        read_weights(path)
    assert read_weights(path, "tsv") == Weights()


def test_an_unknown_format_is_an_error_that_lists_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown weights format 'mose'; did you mean 'moses'\?"):
        write_weights(tmp_path / "w", Weights(), "mose")


def test_cdec_weights_may_be_separated_by_tab_or_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_text("# comment\nA=B 1\nC=2.5\nD\t-3\n\nE   4  \n")
    assert dict(read_weights(path, "cdec")) == {"A=B": 1, "C": 2.5, "D": -3, "E": 4}


def test_travatar_ini_has_its_weights_in_a_section(tmp_path: Path) -> None:
    path = tmp_path / "travatar.ini"
    path.write_text("[tm_file]\na.gz\n\n[weight_vals]\nlm=0.5\nparse=-1\n\n[nbest]\nx=3\n")
    assert dict(read_weights(path)) == {"lm": 0.5, "parse": -1.0}


def test_an_infinite_weight_is_never_written() -> None:
    with pytest.raises(ValueError, match="must be finite"):
        Weights({"a": math.inf})


def test_the_output_of_show_weights_is_read_without_untuneable_features(tmp_path: Path) -> None:
    path = tmp_path / "shown"
    path.write_text("UnknownWordPenalty0 UNTUNEABLE\nLM0= 0.5\nTM0= 0.2 UNTUNEABLECOMPONENT 0.1\n")
    assert detect_weights(path) == "moses"
    assert dict(read_weights(path)) == {"LM0": 0.5, "TM0_0": 0.2, "TM0_1": 0.1}
    path.write_text("TM0= UNTUNEABLECOMPONENT\n")
    with pytest.raises(FormatError, match=r"shown:1: expected NAME= and values, found 'TM0='"):
        read_weights(path)


def test_parameters_of_zmert_are_read_fixed_or_not(tmp_path: Path) -> None:
    path = tmp_path / "params.txt"
    path.write_text(
        "lm_0   |||  1.5   Opt  -Inf +Inf  -1 +1\n\nwords ||| -2.8 Fix -5 0 -5 0\n"
        "normalization = absval 1 lm_0\n"
    )
    assert detect_weights(path) == "zmert"
    assert dict(read_weights(path)) == {"lm_0": 1.5, "words": -2.8}
    path.write_text("lm_0 ||| 1.5 Opt -Inf +Inf -1 +1\nwords ||| -2.8\n")
    with pytest.raises(FormatError, match=r"params.txt:2: expected NAME \|\|\| VALUE Opt\|Fix"):
        read_weights(path, "zmert")


INI = """\
# MERT optimized configuration
[input-factors]
0

[feature]
UnknownWordPenalty
TranslationModel name=TM0 path=a.gz num-features=4

[weight]
LM0= 0.5
# a comment
TM0= 0.2 0.2 0.3 0.4   # four of them
UnknownWordPenalty0= 1

[other]
LM0= 7
"""


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    path = tmp_path / "moses.ini"
    path.write_text(INI)
    return path


def test_labels_with_several_values_are_numbered_from_0(ini: Path) -> None:
    assert detect_weights(ini) == "moses"
    assert dict(read_weights(ini)) == {
        "LM0": 0.5,
        "TM0_0": 0.2,
        "TM0_1": 0.2,
        "TM0_2": 0.3,
        "TM0_3": 0.4,
        "UnknownWordPenalty0": 1.0,
    }


def test_the_section_is_found_after_many_others(ini: Path) -> None:
    ini.write_text("[mapping]\n" + 300 * "0 T 0\n" + INI)
    assert detect_weights(ini) == "moses"


def test_a_file_without_sections_may_repeat_a_label(tmp_path: Path) -> None:
    path = tmp_path / "run1.dense"
    path.write_text("LM0= 0.5\nTM0= 0.1\nTM0= 0.2\n")
    assert dict(read_weights(path)) == {"LM0": 0.5, "TM0_0": 0.1, "TM0_1": 0.2}


def test_the_sparse_weights_of_the_weight_file_are_read_too(ini: Path) -> None:
    ini.write_text(INI + "[weight-file]\nsparse.weights\n")
    (ini.parent / "sparse.weights").write_text("# sparse\nwt_a~b 0.25\nwt_#~c -1\n")
    weights = read_weights(ini)
    assert weights["wt_a~b"] == 0.25
    assert weights["wt_#~c"] == -1.0
    assert len(weights) == 8


def test_a_feature_in_both_files_is_an_error(ini: Path) -> None:
    ini.write_text(INI + "[weight-file]\nsparse.weights\n")
    (ini.parent / "sparse.weights").write_text("TM0_1 0.25\n")
    with pytest.raises(
        FormatError, match=r"moses.ini:12: .*'TM0_1' is also in the \[weight-file\]"
    ):
        read_weights(ini)


def test_writing_to_a_template_changes_only_the_values(ini: Path) -> None:
    weights = Weights({"LM0": 1 / 3, "TM0_0": 1.0, "TM0_1": 2.0, "TM0_2": 3.0, "TM0_3": -0.0})
    target = ini.parent / "tuned.ini"
    write_weights(target, weights, "moses", template=ini)
    expected = INI.replace("LM0= 0.5", "LM0= 0.3333333333333333").replace(
        "TM0= 0.2 0.2 0.3 0.4 ", "TM0= 1.0 2.0 3.0 -0.0 "
    )
    assert target.read_text() == expected
    assert read_weights(target) == weights + Weights({"UnknownWordPenalty0": 1.0})


def test_line_ends_of_the_template_are_kept(ini: Path) -> None:
    ini.write_bytes(INI.replace("\n", "\r\n").encode())
    target = ini.parent / "tuned.ini"
    write_weights(target, Weights({"LM0": 2.0}), "moses", template=ini)
    expected = INI.replace("LM0= 0.5", "LM0= 2.0").replace("\n", "\r\n")
    assert target.read_bytes() == expected.encode()


@pytest.mark.parametrize("more", ["", "[weight-file]\nsparse.weights\n"])
def test_new_lines_have_the_line_ends_of_the_template(ini: Path, more: str) -> None:
    ini.write_bytes((INI + more).replace("\n", "\r\n").encode())
    (ini.parent / "sparse.weights").write_text("wt_old 1\n")
    target = ini.parent / "tuned.ini"
    write_weights(target, Weights({"wt_a~b": 0.25}), "moses", template=ini)
    lines = target.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\r\n") for line in lines)
    assert read_weights(target)["wt_a~b"] == 0.25


def test_sparse_features_get_lines_at_the_end_of_the_section(ini: Path) -> None:
    target = ini.parent / "tuned.ini"
    write_weights(target, Weights({"wt_a~b": 0.25}), "moses", template=ini)
    assert target.read_text() == INI.replace(
        "UnknownWordPenalty0= 1\n", "UnknownWordPenalty0= 1\nwt_a~b= 0.25\n"
    )


def test_sparse_features_go_to_a_new_weight_file_if_the_template_has_one(ini: Path) -> None:
    ini.write_text(INI + "[weight-file]\nsparse.weights\n")
    (ini.parent / "sparse.weights").write_text("wt_old 1\nwt_a~b 3\n")
    target = ini.parent / "tuned.ini"
    write_weights(target, Weights({"LM0": 2.0, "wt_a~b": 0.25}), "moses", template=ini)
    written = ini.parent / "tuned.ini.sparse"
    assert written.read_text() == "wt_old 1.0\nwt_a~b 0.25\n"
    assert (ini.parent / "sparse.weights").read_text() == "wt_old 1\nwt_a~b 3\n"
    weights = read_weights(target)
    assert (weights["LM0"], weights["wt_a~b"], weights["wt_old"]) == (2.0, 0.25, 1.0)


def test_a_moses_ini_that_cannot_be_written_leaves_no_sparse_weights(ini: Path) -> None:
    ini.write_text(INI + "[weight-file]\nsparse.weights\n")
    (ini.parent / "sparse.weights").write_text("wt_old 1\n")
    target = ini.parent / "a directory"
    target.mkdir()
    with pytest.raises(FormatError, match="a directory: cannot be written"):
        write_weights(target, Weights({"wt_a~b": 0.25}), "moses", template=ini)
    names = {path.name for path in ini.parent.iterdir()}
    assert names == {ini.name, "sparse.weights", "a directory"}


def test_a_template_without_a_weight_section_is_an_error(tmp_path: Path) -> None:
    template = tmp_path / "moses.ini"
    template.write_text("[feature]\nLM\n")
    with pytest.raises(FormatError, match=r"moses.ini: the section \[weight\] is missing"):
        write_weights(tmp_path / "out", Weights({"a": 1.0}), "moses", template=template)


def test_a_template_is_only_for_moses(ini: Path) -> None:
    with pytest.raises(ConfigError, match="the format is 'cdec'"):
        write_weights(ini, Weights(), "cdec", template=ini)


def test_components_are_not_joined_if_their_label_is_a_feature(tmp_path: Path) -> None:
    weights = Weights({"a_0": 1.0, "a_1": 2.0, "a": 3.0, "b_0": 4.0, "b_2": 5.0})
    path = tmp_path / "w"
    write_weights(path, weights, "moses")
    assert path.read_text() == "[weight]\na_0= 1.0\na_1= 2.0\na= 3.0\nb_0= 4.0\nb_2= 5.0\n"
    assert read_weights(path) == weights


def test_a_joshua_config_is_copied_with_each_weight_once(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("lm_0 0.25\nsparse_a 3\n")
    config, new = tmp_path / "joshua.config", tmp_path / "new.config"
    config.write_text(
        "# made by the pipeline\ntm = thrax -owner pt -path grammar.gz\nweights_file = more\n"
        "feature-function = OOVPenalty\nlm_0 0.5\ntm_pt_0 1\ntm_pt_0 2\nOOVPenalty 1\n"
    )
    assert read_weights(config)["lm_0"] == 0.75
    write_weights(new, Weights({"lm_0": -1.0, "tm_pt_0": 4.0, "b": 2.0}), "joshua", template=config)
    assert new.read_text() == (
        "# made by the pipeline\ntm = thrax -owner pt -path grammar.gz\n"
        "feature-function = OOVPenalty\n"
        "lm_0 -1.0\nsparse_a 3.0\ntm_pt_0 4.0\nOOVPenalty 1.0\nb 2.0\n"
    )
    with pytest.raises(ConfigError, match="only used by the formats moses and joshua"):
        write_weights(new, Weights({"a": 1.0}), "cdec", template=config)


def test_a_weight_file_outside_of_the_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "secret"
    inside.mkdir()
    monkeypatch.chdir(inside)
    outside.write_text("w 1\n")
    for written in (str(outside), "../secret"):
        (inside / "moses.ini").write_text(INI + f"[weight-file]\n{written}\n")
        with pytest.raises(FormatError, match="neither in its folder nor in the current one; copy"):
            read_weights(inside / "moses.ini")
    (inside / "link").symlink_to(outside)
    (inside / "joshua.config").write_text("weights-file = link\n")
    with pytest.raises(FormatError, match="neither in its folder"):
        read_weights(inside / "joshua.config", "joshua")
    (inside / "sparse").write_text("w 1\n")
    (inside / "moses.ini").write_text(INI + f"[weight-file]\n{inside / 'sparse'}\n")
    assert read_weights(inside / "moses.ini")["w"] == 1.0
