"""Hypergraphs of Moses and cdec are read and written."""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

import brute_force
import strategies
from hopefear import _core
from hopefear.errors import ConfigError, FormatError
from hopefear.forest import Forest, ForestBuilder, without_boundaries
from hopefear.formats import read_lines, read_weights
from hopefear.formats.base import forest_formats, named_format
from hopefear.formats.forests import detect_forests, read_forests, write_forests
from hopefear.formats.forests.files import Suffix
from hopefear.formats.forests.moses import MosesHypergraphs
from hopefear.types import Vocabulary

# As Moses' phrase-based decoder writes it: the weights of a file of its own, a comment before each
# vertex, an edge without features at the beginning and at the end.
MOSES = """\
# target ||| features ||| source-covered
4 5
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the house ||| LM0=-2.5 WordPenalty0=-2 TranslationModel0_1=-0.25 ||| 2
[0] home ||| LM0=-3 WordPenalty0=-1 sparse=a=b=1 ||| 2
1
[1] is small ||| LM0=-1.5e0 ||| 4
1
[2] </s> |||  ||| 4
"""
CDEC = """\
3 3
1
maison ||| f=1.5
1
la ||| f=0.5 g=2
1
[1] [0] ||| Glue=1
"""


def parse(text: str) -> Forest:
    return Forest(
        _core.parse_moses_hypergraph(text.encode(), "dir/0.txt", Vocabulary(), Vocabulary())
    )


def test_a_hypergraph_of_moses_is_read() -> None:
    forest = parse(MOSES)
    assert [forest.covered(node) for node in range(4)] == [0, 2, 4, 4]
    texts = [brute_force.words(forest, d) for d in brute_force.derivations(forest)]
    assert [" ".join(words) for words in texts] == [
        "<s> the house is small </s>",
        "<s> home is small </s>",
    ]
    assert forest.features(1) == {"LM0": -2.5, "WordPenalty0": -2, "TranslationModel0_1": -0.25}
    assert forest.features(2) == {"LM0": -3, "WordPenalty0": -1, "sparse=a=b": 1}
    assert forest.features(3) == {"LM0": -1.5}


def test_a_hypergraph_of_cdec_is_read() -> None:
    forest = parse(CDEC)
    assert forest.tails(2).tolist() == [1, 0]
    (derivation,) = brute_force.derivations(forest)
    assert brute_force.words(forest, derivation) == ("la", "maison")
    assert brute_force.features(forest, derivation) == {"f": 2.0, "g": 2.0, "Glue": 1.0}


def test_comments_spaces_and_line_ends_are_ignored() -> None:
    text = MOSES.replace("# node 1\n", "# node 1\n#\n").replace(" ", "  ").replace("\n", "\r\n")
    text = text.replace("#  target  |||  features  |||  source-covered", MOSES.split("\n")[0])
    assert shape(parse(text + "\r\n\r\n")) == shape(parse(MOSES))


def test_a_word_that_begins_like_a_comment_is_a_word() -> None:
    forest = parse("1 2\n2\n# hash ||| \n#1 |||\n")
    assert [forest.target(edge) for edge in (0, 1)] == [("#", "hash"), ("#1",)]


# Dense features are in all edges that have any, sparse ones are not.
NUMBERED = """\
# target ||| features ||| source-covered
3 4
1
<s> |||  ||| 0
2
[0] the house ||| LM0=-2.5 TM0_1=-0.25 TM0_2=0.000 TM0_3=-1 PP_1=1 PP_2=1 ||| 2
[0] home ||| LM0=-3 TM0_1=-0.5 TM0_2=-2 TM0_3=-3 PP_1=1 ||| 2
1
[1] </s> |||  ||| 2
"""


def test_the_values_of_a_feature_are_numbered_as_in_lists_and_weights(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    for number in range(2):
        (tmp_path / "h" / f"{number}.txt").write_text(NUMBERED)
    names = Vocabulary()
    forests = dict(read_forests(tmp_path / "h", feature_names=names))
    dense = {"LM0": -2.5, "TM0_0": -0.25, "TM0_1": 0.0, "TM0_2": -1.0}
    for forest in forests.values():
        assert forest.features(1) == dense | {"PP_1": 1.0, "PP_2": 1.0}
    assert sorted(names) == ["LM0", "PP_1", "PP_2", "TM0_0", "TM0_1", "TM0_2"]
    weights = read_weights(text_file(tmp_path, "[weight]\nLM0= 1\nTM0= 1 1 1\n"))
    assert forests[0].viterbi(weights).score == -3.75
    write_forests(tmp_path / "again", forests.items(), MosesHypergraphs(suffix="txt"))
    assert "TM0_1=-0.25 TM0_2=0 TM0_3=-1 PP_1=1" in (tmp_path / "again/0.txt").read_text()
    assert [shape(f) for _, f in read_forests(tmp_path / "again")] == [
        shape(f) for f in forests.values()
    ]


def text_file(folder: Path, text: str) -> Path:
    (folder / "moses.ini").write_text(text)
    return folder / "moses.ini"


def test_the_numbers_of_cdec_stay(tmp_path: Path) -> None:
    (tmp_path / "0.txt").write_text("1 2\n2\na ||| P_1=1 P_2=2\nb ||| P_1=3 P_2=4\n")
    ((_, forest),) = read_forests(tmp_path)
    assert forest.features(0) == {"P_1": 1.0, "P_2": 2.0}


def test_dense_values_numbered_from_1_cannot_be_written_as_those_of_moses(tmp_path: Path) -> None:
    forest = parse("1 2\n2\na ||| P_1=1 P_2=2\nb ||| P_1=3 P_2=4\n")
    with pytest.raises(FormatError, match="numbered from 0 and written from 1, but of 'P_1'"):
        write_forests(tmp_path / "h", [(0, forest)], "moses-hypergraph")
    write_forests(tmp_path / "h", [(0, forest)], "moses-hypergraph:covered=false")


def test_the_best_derivations_are_what_moses_translates(shared_data: Path) -> None:
    folder = shared_data / "moses-hypergraphs"
    weights = read_weights(folder / "moses.ini")
    found = [
        without_boundaries(forest).viterbi(weights).text for _, forest in read_forests(folder / "h")
    ]
    assert found == [line.strip() for line in read_lines(folder / "moses.1best")]


def shape(forest: Forest) -> list[object]:
    """Nodes and edges with the tails of each in the order of its target side."""
    edges = []
    for edge in range(forest.edge_count):
        tails = forest.tails(edge).tolist()
        target = [
            symbol if isinstance(symbol, str) else tails[symbol] for symbol in forest.target(edge)
        ]
        edges.append((forest.head(edge), target, forest.features(edge)))
    return [[forest.covered(node) for node in range(forest.node_count)], edges]


@given(forest=strategies.forests())
def test_a_forest_goes_through_text_unchanged(forest: Forest) -> None:
    assert shape(parse(_core.format_moses_hypergraph(forest.core, True).decode())) == shape(forest)


@given(forest=strategies.forests())
def test_a_forest_goes_through_the_text_of_cdec_unchanged(forest: Forest) -> None:
    text = _core.format_moses_hypergraph(forest.core, False)
    assert shape(parse(text.decode()))[1] == shape(forest)[1]


def test_the_text_equals_that_of_moses() -> None:
    builder = ForestBuilder()
    leaf, root = builder.add_node(), builder.add_node(covered=3)
    builder.add_edge(leaf)
    builder.add_edge(root, tails=[leaf], target=["a", 0], features={"f": 1.0, "g": -0.1})
    builder.set_root(root)
    assert _core.format_moses_hypergraph(builder.build().core, True) == (
        b"# target ||| features ||| source-covered\n"
        b"2 2\n1\n |||  ||| 0\n1\na [0] ||| f=1 g=-0.1 ||| 3\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "dir/0.txt:0: no line 'VERTICES EDGES' was found"),
        ("# only a comment\n", "dir/0.txt:1: no line 'VERTICES EDGES' was found"),
        ("1\n", "dir/0.txt:1: expected the numbers of vertices and of edges, found '1'"),
        ("1 -1\n", "dir/0.txt:1: expected the numbers of vertices and of edges, found '1 -1'"),
        ("0 0\n", "dir/0.txt:1: expected one vertex or more, found 0"),
        ("1 1 1\n", "dir/0.txt:1: expected the end of the line, found '1 1 1'"),
        ("9999999999 1\n", "dir/0.txt:1: expected the numbers of vertices"),
        ("1 1\nx\n", "dir/0.txt:2: expected the number of edges of a vertex, found 'x'"),
        ("1 1\n1\nword\n", "dir/0.txt:3: expected '|||' after the target side"),
        ("1 1\n1\nword ||| f\n", "dir/0.txt:3: expected a feature as NAME=VALUE, found 'f'"),
        ("1 1\n1\nword ||| =1\n", "dir/0.txt:3: expected a feature as NAME=VALUE, found '=1'"),
        ("1 1\n1\nword ||| f=x\n", "dir/0.txt:3: expected a finite number as the value of"),
        ("1 1\n1\nword ||| f=nan\n", "of feature 'f', found 'nan'"),
        ("1 1\n1\nword ||| f=1 ||| 3\n", "dir/0.txt:3: expected 2 fields separated by '|||'"),
        ("1 1\n1\n[0] |||\n", "dir/0.txt:3: an edge of vertex 0 has the tail [0]; expected"),
        ("1 1\n1\n[99999999999] |||\n", "an edge of vertex 0 has the tail [99999999999]"),
        ("1 2\n2\nword |||\n", "dir/0.txt:3: the file ends after vertex 0 of 1, with 1 of its"),
        ("2 1\n1\nword |||\n", "dir/0.txt:3: the file ends after vertex 0 of 2"),
        ("1 2\n1\nword |||\n", "dir/0.txt:3: the file has 1 edges, but says it has 2"),
        ("1 1\n1\nword |||\n1\n", "dir/0.txt:4: expected the end after 1 vertices, found '1'"),
        ("1 0\n0\n", "dir/0.txt:2: node 0 is the root and has no derivation"),
        (
            "# target ||| features ||| source-covered\n1 1\n1\nword ||| f=1\n",
            "dir/0.txt:4: expected 3 fields separated by '|||', as the first line says",
        ),
        (
            "# target ||| features ||| source-covered\n1 1\n1\nword ||| f=1 ||| x\n",
            "dir/0.txt:4: expected the number of source words covered as the third field",
        ),
        (
            "# target ||| features ||| source-covered\n1 1\n1\nword ||| f=1 ||| 1 ||| 2\n",
            "dir/0.txt:4: expected the number of source words covered as the third field",
        ),
    ],
)
def test_invalid_text_is_an_error_with_file_and_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=re.escape(message)):
        parse(text)


def test_text_that_is_not_utf8_is_an_error() -> None:
    with pytest.raises(FormatError, match="f:3: byte 3 of the line is not UTF-8"):
        _core.parse_moses_hypergraph(b"1 1\n1\nab\xff |||\n", "f", Vocabulary(), Vocabulary())


@pytest.mark.parametrize("word", ["two words", "|||", "", "[7]", "tab\t", "line\n"])
def test_a_word_that_the_format_cannot_represent_is_an_error(word: str) -> None:
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    builder.add_edge(0, target=[word])
    with pytest.raises(FormatError, match="cannot be written in Moses' format"):
        _core.format_moses_hypergraph(builder.build().core, True)


def test_a_feature_name_that_the_format_cannot_represent_is_an_error() -> None:
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    builder.add_edge(0, features={"two words": 1.0})
    with pytest.raises(FormatError, match="the feature name 'two words' cannot be written"):
        _core.format_moses_hypergraph(builder.build().core, True)


def test_a_directory_is_read_sentence_by_sentence_with_any_compression(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("LM0 0.5\n")
    (tmp_path / "0.txt").write_text(MOSES)
    (tmp_path / "1.gz").write_bytes(gzip.compress(CDEC.encode()))
    (tmp_path / "2.bz2").write_bytes(bz2.compress(MOSES.encode()))
    assert detect_forests(tmp_path) == "moses-hypergraph"
    read = dict(read_forests(tmp_path))
    assert list(read) == [0, 1, 2]
    assert shape(read[0]) == shape(read[2]) == shape(parse(MOSES))
    assert shape(read[1]) == shape(parse(CDEC))
    assert read[0].words is read[1].words


@pytest.mark.parametrize("suffix", ["txt", "gz", "bz2"])
def test_a_written_directory_is_read_back(tmp_path: Path, suffix: Suffix) -> None:
    path = tmp_path / "hypergraph"
    forests = [parse(MOSES), parse(CDEC)]
    write_forests(path, enumerate(forests), MosesHypergraphs(suffix=suffix))
    assert sorted(file.name for file in path.iterdir()) == [f"0.{suffix}", f"1.{suffix}"]
    assert [shape(f) for _, f in read_forests(path)] == [shape(f) for f in forests]


def test_sentences_with_a_gap_are_an_error_that_names_it(tmp_path: Path) -> None:
    for sentence in (0, 1, 3):
        (tmp_path / f"{sentence}.txt").write_text(CDEC)
    with pytest.raises(FormatError, match=r"the file of sentence 2 is missing, but 3\.txt"):
        list(read_forests(tmp_path, "moses-hypergraph"))
    with pytest.raises(FormatError, match="expected sentence 1, got 5"):
        write_forests(tmp_path / "new", [(0, parse(CDEC)), (5, parse(CDEC))], "moses-hypergraph")
    assert not any(path.is_dir() for path in tmp_path.iterdir())


def test_a_sentence_with_two_files_is_an_error(tmp_path: Path) -> None:
    for name in "0.gz", "0.txt":
        (tmp_path / name).write_text(CDEC)
    with pytest.raises(FormatError, match=r"0\.txt: 0\.gz has the same sentence number"):
        list(read_forests(tmp_path, "moses-hypergraph"))


def test_a_file_name_without_a_sentence_number_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "first.txt").write_text(CDEC)
    with pytest.raises(FormatError, match=r"first\.txt: expected a file whose name is"):
        list(read_forests(tmp_path, "moses-hypergraph"))


def test_a_directory_without_sentences_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no files named by sentence numbers"):
        list(read_forests(tmp_path, "moses-hypergraph"))


def test_a_file_in_place_of_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "0.txt").write_text(CDEC)
    with pytest.raises(FormatError, match=r"0\.txt: expected a directory"):
        list(read_forests(tmp_path / "0.txt", "moses-hypergraph"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_corrupt_compressed_data_is_an_error(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "0").write_bytes(pack(CDEC.encode() * 100)[:-20])
    with pytest.raises(FormatError, match="0: the compressed data is corrupt"):
        list(read_forests(tmp_path, "moses-hypergraph"))


def test_an_existing_directory_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="already exists"):
        write_forests(tmp_path, [(0, parse(CDEC))], "moses-hypergraph")


def test_an_unknown_suffix_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"suffix: unknown value 'zip'; known: bz2, gz"):
        named_format("moses-hypergraph:suffix=zip", forest_formats)
