from pathlib import Path

import pytest

from hopefear.errors import ConfigError, FormatError
from hopefear.formats import detect_weights, read_weights, write_weights
from hopefear.types import Weights

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


def test_the_section_is_found_behind_many_others(ini: Path) -> None:
    ini.write_text("[mapping]\n" + 300 * "0 T 0\n" + INI)
    assert detect_weights(ini) == "moses"


def test_a_file_of_lines_alone_may_repeat_a_label_for_its_components(tmp_path: Path) -> None:
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


def test_writing_into_a_template_changes_the_values_and_nothing_else(ini: Path) -> None:
    weights = Weights({"LM0": 1 / 3, "TM0_0": 1.0, "TM0_1": 2.0, "TM0_2": 3.0, "TM0_3": -0.0})
    target = ini.parent / "tuned.ini"
    write_weights(target, weights, "moses", template=ini)
    expected = INI.replace("LM0= 0.5", "LM0= 0.3333333333333333").replace(
        "TM0= 0.2 0.2 0.3 0.4 ", "TM0= 1.0 2.0 3.0 -0.0 "
    )
    assert target.read_text() == expected
    assert read_weights(target) == weights + Weights({"UnknownWordPenalty0": 1.0})


def test_line_ends_of_the_template_stay(ini: Path) -> None:
    ini.write_bytes(INI.replace("\n", "\r\n").encode())
    target = ini.parent / "tuned.ini"
    write_weights(target, Weights({"LM0": 2.0}), "moses", template=ini)
    expected = INI.replace("LM0= 0.5", "LM0= 2.0").replace("\n", "\r\n")
    assert target.read_bytes() == expected.encode()


@pytest.mark.parametrize("more", ["", "[weight-file]\nsparse.weights\n"])
def test_new_lines_end_as_those_of_the_template(ini: Path, more: str) -> None:
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


def test_without_a_weight_section_there_is_nothing_to_write_into(tmp_path: Path) -> None:
    template = tmp_path / "moses.ini"
    template.write_text("[feature]\nLM\n")
    with pytest.raises(FormatError, match=r"moses.ini: the section \[weight\] is missing"):
        write_weights(tmp_path / "out", Weights({"a": 1.0}), "moses", template=template)


def test_a_template_is_for_moses_only(ini: Path) -> None:
    with pytest.raises(ConfigError, match="the format is 'cdec'"):
        write_weights(ini, Weights(), "cdec", template=ini)


def test_components_beside_a_feature_of_their_label_stay_apart(tmp_path: Path) -> None:
    weights = Weights({"a_0": 1.0, "a_1": 2.0, "a": 3.0, "b_0": 4.0, "b_2": 5.0})
    path = tmp_path / "w"
    write_weights(path, weights, "moses")
    assert path.read_text() == "[weight]\na_0= 1.0\na_1= 2.0\na= 3.0\nb_0= 4.0\nb_2= 5.0\n"
    assert read_weights(path) == weights
