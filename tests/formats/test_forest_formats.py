"""Forests and lattices of cdec, Travatar, cicada, Kaldi and Moses are read and written."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
import strategies
from hopefear.errors import FormatError, HopefearError
from hopefear.forest import Arc, Forest, ForestBuilder, lattice_forest
from hopefear.formats import detect_forests, forest_formats, read_forests, write_forests

GRAPHS = ["cdec-forest", "cicada-forest", "travatar-forest"]
LATTICES = ["jlf", "kaldi-lattice", "plf"]
DIRECTORIES = ["cdec-forest", "moses-hypergraph"]

CDEC = (
    '{"rules":[1,"[X] ||| maison ||| house",2,"[X] ||| la [X,1] ||| the [1] ||| f=1 ||| 0-0",'
    '7,"[X] ||| home"],"features":["f","g"],'
    '"edges":[{"tail":null,"spans":[1,2,-1,-1],"feats":[0,1.5,"h",2],"rule":1},'
    '{"tail":[],"feats":[],"rule":7}],"node":{"in_edges":[0,1],"cat":"X","node_hash":"0A"},'
    '"edges":[{"tail":[0],"spans":[0,2],"feats":[1,-1],"rule":2}],"node":{"in_edges":[2]},'
    '"is_sorted":true}\n'
)
TRAVATAR = (
    '{"nodes": [{"sym": "S", "span": [0, 2], "id": 0, "edges": [0], "viterbi": -1}, '
    '{"sym": null, "span": [1, 2], "id": 1, "edges": [1, 2], "trg_span": [0]}], '
    '"edges": [{"id": 0, "head": 0, "tails": [1], "trg": [{"words": ["the", -1]}], '
    '"features": {"g": -1}}, '
    '{"id": 1, "head": 1, "trg": [{"words": ["house"], "syms": []}], "features": '
    '{"f": 1.5, "h": 2}, "score": 3}, {"id": 2, "head": 1, "trg": [{"words": ["<unk>"]}]}], '
    '"words": ["la", "home"]}\n'
)
CICADA = (
    '0 ||| {"rules": ["[x] ||| house", "[s] ||| the [x,1]", "[x] ||| home"], "nodes": '
    '[[{"tail": [], "feature": {"f": 1.5, "h": 2}, "attribute": {"a": "b"}, "rule": 1}, '
    '{"rule": 3}], [{"tail": [0], "feature": {"g": -1}, "rule": 2}]], "goal": 1}\n'
)
JLF = '[[["the", {"g": -1}, 1]], [["house", {"f": 1.5, "h": 2}, {"a": 1}, 1], ["home", {}, 1]]]\n'
PLF = "((('the',{'g':-1},1),),(('house',{'f': 1.5, 'h': 2},1),(\"home\",{},1),),)\n"
SAMPLES = {
    "cdec-forest": CDEC,
    "cicada-forest": CICADA,
    "jlf": JLF,
    "plf": PLF,
    "travatar-forest": TRAVATAR,
}
KALDI = "\n".join(
    [
        "utt-a ",
        *("0 1 the 2.5,-3,1_1_2", "1 2 house 0.5,1,", "1 2 <eps>", "1 3 home 1,1,3"),
        *("2 0.25,0,", "3", ""),
        *("utt-empty ", ""),
        *("utt-b ", "7 3 12 the 1,2", "3 5 0 0 3,4", "5 0,0", ""),
    ]
)


def write(path: Path, format: str, text: str) -> Path:
    """Make the file, or the directory with the file of sentence 0."""
    target = path / "0.json" if format == "cdec-forest" else path
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return path


def check_that_it_names(path: Path, error: HopefearError) -> None:
    assert path.name in str(error)


def meanings(forest: Forest) -> Counter[object]:
    """Words and features of all derivations."""
    found = []
    for derivation in brute_force.derivations(forest):
        features = brute_force.features(forest, derivation)
        pairs = sorted((name, float(value)) for name, value in features.items() if value)
        found.append((brute_force.words(forest, derivation), tuple(pairs)))
    return Counter(found)


EXPECTED = Counter(
    [
        (("the", "house"), (("f", 1.5), ("g", -1.0), ("h", 2.0))),
        (("the", "home"), (("g", -1.0),)),
    ]
)


@pytest.mark.parametrize("format", sorted(SAMPLES))
def test_forests_of_other_tools_are_read(format: str, tmp_path: Path) -> None:
    path = write(tmp_path / "forests", format, SAMPLES[format])
    assert detect_forests(path) == format
    ((sentence, forest),) = read_forests(path)
    assert (sentence, meanings(forest)) == (0, EXPECTED)


def test_a_single_file_of_cdec_is_one_forest(tmp_path: Path) -> None:
    (tmp_path / "perro.hg").write_bytes(gzip.compress(CDEC.encode()))
    ((sentence, forest),) = read_forests(tmp_path / "perro.hg")
    assert (sentence, meanings(forest)) == (0, EXPECTED)
    assert [forest.source_begin(node) for node in (0, 1)] == [1, 0]
    assert [forest.covered(node) for node in (0, 1)] == [1, 2]


def test_repeated_features_of_a_cdec_edge_are_added_up(tmp_path: Path) -> None:
    path = write(tmp_path / "0.json", "", CDEC.replace('"h",2]', '"h",2,0,0.25,"g",1,1,-4]'))
    ((_, forest),) = read_forests(path)
    assert (("the", "house"), (("f", 1.75), ("g", -4.0), ("h", 2.0))) in meanings(forest)


def test_a_directory_of_cicada_is_read_in_the_order_of_its_file_numbers(tmp_path: Path) -> None:
    for number in (1, 0):
        (tmp_path / f"{number}.gz").write_bytes(gzip.compress(CICADA.encode()))
    assert detect_forests(tmp_path) == "cicada-forest"
    assert [sentence for sentence, _ in read_forests(tmp_path)] == [0, 1]


def test_kaldi_lattices_are_read_compact_or_not_and_numbered_in_order(tmp_path: Path) -> None:
    (tmp_path / "lat").write_text(KALDI)
    assert detect_forests(tmp_path / "lat") == "kaldi-lattice"
    (first, a), (second, b) = read_forests(tmp_path / "lat")
    assert (first, second) == (0, 2)
    assert meanings(a) == Counter(
        [
            (("the", "house"), (("acwt", 2.0), ("lmwt", -3.25))),
            (("the",), (("acwt", 3.0), ("lmwt", -2.75))),
            (("the", "home"), (("acwt", 2.0), ("lmwt", -3.5))),
        ]
    )
    assert meanings(b) == Counter([(("the",), (("acwt", -6.0), ("lmwt", -4.0)))])


def test_kaldi_words_are_read_and_written_through_a_table(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("<eps> 0\nthe 1\nhouse 2\n")
    (tmp_path / "lat").write_text("utt\n0 1 1 0,0\n1 2 2 1,0\n2 3 0 0,0\n3\n\n")
    format = f"kaldi-lattice:words={tmp_path / 'words.txt'}"
    forests = list(read_forests(tmp_path / "lat", format))
    assert meanings(forests[0][1]) == Counter([(("the", "house"), (("lmwt", -1.0),))])
    write_forests(tmp_path / "new", forests, format)
    assert "0 1 1 0.0,0.0,\n1 2 2 1.0,0.0,\n" in (tmp_path / "new").read_text()
    (tmp_path / "lat").write_text("utt\n0 1 9 0,0\n1\n\n")
    with pytest.raises(FormatError, match=r"lat:2: word 9 is not in .*words\.txt"):
        list(read_forests(tmp_path / "lat", format))


# As cdec's own tests have them: no spans were set, the first node has no edges, a quote at the end.
CDEC_LATTICE = (
    '{"rules":[1,"[X] ||| [X] le ||| [1] the",2,"[X] ||| [X] maison ||| [1] house"],'
    '"features":["f"],'
    '"edges":[],"node":{"in_edges":[]},'
    '"edges":[{"tail":[0],"spans":[SPAN,32767,-7,32767],"feats":[0,0.5],"rule":1}],'
    '"node":{"in_edges":[0]},'
    '"edges":[{"tail":[1],"spans":[SPAN,32767,-7,32767],"feats":[0,0.25],"rule":2},'
    '{"tail":[0],"feats":[],"rule":2}],"node":{"in_edges":[1,2],"cat":"Goal"}}"\n'
)


@pytest.mark.parametrize("span", ["24568", "-8200"])
def test_forests_of_the_tests_of_cdec_are_read(tmp_path: Path, span: str) -> None:
    (tmp_path / "0.json").write_text(CDEC_LATTICE.replace("SPAN", span))
    ((_, forest),) = read_forests(tmp_path)
    assert meanings(forest) == Counter([(("the", "house"), (("f", 0.75),)), (("house",), ())])
    assert [forest.covered(node) for node in range(3)] == [0, 0, 0]
    assert [forest.source_begin(node) for node in range(3)] == [None, None, None]


def test_a_goal_without_edges_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text('{"edges":[],"node":{"in_edges":[]}}')
    with pytest.raises(FormatError, match="node 0 is the root and has no derivation"):
        list(read_forests(tmp_path))


def test_numbers_of_arcs_are_named_by_the_label(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("((('a',0.5,1),('*EPS*',1,1),),(('b\\'s',1,2,1),),)\n\n()\n")
    ((sentence, forest),) = read_forests(tmp_path / "a", "plf:label=Cost")
    assert sentence == 0
    assert meanings(forest) == Counter(
        [
            (("a", "b's"), (("Cost", 0.5), ("Cost_0", 1.0), ("Cost_1", 2.0))),
            (("b's",), (("Cost", 1.0), ("Cost_0", 1.0), ("Cost_1", 2.0))),
        ]
    )


def test_a_lattice_is_read_as_cdec_reads_it(tmp_path: Path) -> None:
    """A single number is the length, and the cost without a name is LatticeCost_0."""
    (tmp_path / "a").write_text("((('a',2),('b',0.25,1),),(('c',0.5,3,1),),)\n")
    ((_, forest),) = read_forests(tmp_path / "a")
    costs = (("LatticeCost_0", 0.75), ("LatticeCost_1", 3.0))
    assert meanings(forest) == Counter([(("a",), ()), (("b", "c"), costs)])
    (tmp_path / "a").write_text("((('a',0.5),),)\n")
    with pytest.raises(
        FormatError, match=r"a:1: the length of an arc must be a whole number.*0\.5"
    ):
        list(read_forests(tmp_path / "a"))


@pytest.mark.parametrize("format", GRAPHS)
@given(forest=strategies.forests(strategies.whole))
def test_any_forest_survives_the_formats_of_forests(
    format: str, forest: Forest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("forests") / "new"
    write_forests(path, [(0, forest)], format)
    assert detect_forests(path) == format
    ((_, back),) = read_forests(path)
    assert meanings(back) == meanings(forest)
    if format != "travatar-forest":  # whose nodes come in another order
        assert all_edges(back) == all_edges(forest)


def all_edges(forest: Forest) -> list[object]:
    """All that an edge has, with its head and its tails."""
    return [
        (forest.head(e), forest.tails(e).tolist(), forest.target(e), forest.features(e))
        for e in range(forest.edge_count)
    ]


def random_lattice(seed: int) -> Forest:
    """States in order, words or none, several final states."""
    random = Random(seed)
    states = random.randint(1, 6)
    arcs = [
        Arc(
            source=source,
            target=random.randint(source + 1, states),
            words=random.choices(["a", "b'c", "d\\\\", "é"], k=random.choice([0, 1, 1, 1, 3])),
            features={"lmwt": float(random.randint(-3, 3)), "acwt": 0.5} if source % 2 else {},
        )
        for source in range(states)
        for _ in range(random.randint(1, 3))
    ]
    final = {states: {"acwt": -2.0} if random.random() < 0.5 else {}}
    if random.random() < 0.3:
        final[random.randint(0, states)] = {}
    return lattice_forest(arcs, final=final)


@pytest.mark.parametrize("format", [*LATTICES, *GRAPHS])
@given(seed=st.integers(0, 2**32))
def test_any_lattice_survives_every_format(
    format: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    forest = random_lattice(seed)
    path = tmp_path_factory.mktemp("lattices") / "new"
    write_forests(path, [(0, forest)], format)
    ((_, back),) = read_forests(path, format)
    assert meanings(back) == meanings(forest)


@pytest.mark.parametrize("format", LATTICES)
def test_a_lattice_may_begin_with_its_words(format: str, tmp_path: Path) -> None:
    """Without a node for the beginning, as grammars that only append words have it."""
    builder = ForestBuilder()
    first, root = builder.add_node(), builder.add_node()
    builder.add_edge(first, target=["a"], features={"acwt": 1.0})
    builder.add_edge(first, target=["b", "c"], features={"lmwt": 2.0})
    builder.add_edge(root, tails=[first], target=[0, "d"], features={"acwt": 0.5})
    builder.add_edge(root, target=["e"])
    builder.set_root(root)
    forest = builder.build()
    write_forests(tmp_path / "new", [(0, forest)], format)
    ((_, back),) = read_forests(tmp_path / "new", format)
    assert meanings(back) == meanings(forest)


def test_unknown_words_of_travatar_become_their_tails_or_source_words(tmp_path: Path) -> None:
    tree = (
        '{"nodes": [{"id": 0, "span": [0, 3]}, {"id": 1, "span": [0, 1]}, {"id": 2}], "edges": ['
        '{"head": 0, "tails": [1, 2], "trg": [{"words": ["<unk>"]}]}, '
        '{"head": 1, "trg": [{"words": ["<unk>"]}]}, {"head": 2, "trg": [{"words": ["<unk>"]}]}], '
        '"words": ["la", "petite", "maison"]}\n'
    )
    path = write(tmp_path / "forests", "travatar-forest", tree)
    ((_, forest),) = read_forests(path)
    assert list(meanings(forest)) == [(("la", "<unk>"), ())]


def test_a_lattice_that_was_read_is_written_as_it_was(tmp_path: Path) -> None:
    text = '[[["the", {"g": -1.0}, 1], ["a", {}, 2]], [["<epsilon>", {"f": 0.1}, 1]]]\n'
    (tmp_path / "old").write_text(text)
    write_forests(tmp_path / "new", read_forests(tmp_path / "old"), "jlf")
    assert (tmp_path / "new").read_text() == text


def test_sentences_without_a_forest_are_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("\n" + PLF + "()\n" + PLF)
    for format in ("jlf", "plf", "travatar-forest"):
        write_forests(tmp_path / format, read_forests(tmp_path / "old", "plf"), format)
        assert [number for number, _ in read_forests(tmp_path / format, format)] == [1, 3]


@pytest.mark.parametrize("format", LATTICES)
def test_a_forest_that_is_not_a_lattice_is_an_error_that_names_the_sentence(
    format: str, tmp_path: Path
) -> None:
    builder = ForestBuilder()
    leaf, root = builder.add_node(), builder.add_node()
    builder.add_edge(leaf, target=["a"])
    builder.add_edge(root, tails=[leaf, leaf], target=[0, 1])
    builder.set_root(root)
    with pytest.raises(
        FormatError, match=r"new: sentence 3: the .* format can only represent lattices"
    ):
        write_forests(tmp_path / "new", [(3, builder.build())], format)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", [*GRAPHS, *LATTICES])
def test_a_word_that_a_format_cannot_represent_is_an_error(format: str, tmp_path: Path) -> None:
    words = {
        "cdec-forest": "[X,1]",
        "cicada-forest": "|||",
        "jlf": "<epsilon>",
        "kaldi-lattice": "<eps>",
        "plf": "*EPS*",
        "travatar-forest": "<unk>",
    }
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    builder.add_edge(0, target=[words[format]])
    with pytest.raises(FormatError, match=r"new: sentence 0: .*cannot represent the word"):
        write_forests(tmp_path / "new", [(0, builder.build())], format)


@pytest.mark.parametrize(
    ("format", "old", "new", "message"),
    [
        ("cdec-forest", '"feats":[1,-1]', '"feats":[9,-1]', "edge 2: a feature must be from 0"),
        (
            "cdec-forest",
            '"feats":[1,-1]',
            '"feats":[1]',
            "edge 2: feats must alternate",
        ),
        ("cdec-forest", '"rule":2}', '"rule":3}', "edge 2: rule 3 does not exist"),
        ("cdec-forest", '"tail":[0]', '"tail":[1]', "edge 2: its tail 1 is not an earlier node"),
        ("cdec-forest", "[2]}", "[0]}", "node 1: edge 0 already has a head"),
        ("cdec-forest", "[2]}", "[3]}", "node 1: edge 3 does not exist yet"),
        ("cdec-forest", "the [1]", "the [2]", "edge"),
        ("cdec-forest", '"is_sorted"', '"sorted"', "unknown key 'sorted'"),
        ("cdec-forest", "1.5", "NaN", "'NaN' is not finite"),
        ("cicada-forest", '"goal": 1', '"goal": 2', "the goal must be from 0 to 1, got 2"),
        ("cicada-forest", ', "goal": 1', "", "the forest has no goal"),
        ("cicada-forest", '"rule": 2', '"rule": 0', "node 1, edge 0: its rule must be from 1"),
        ("cicada-forest", "[x] ||| house", "house", "rule 1 must be '[x] ||| words'"),
        ("cicada-forest", '"tail": [0]', '"tail": [1]', "node 1"),
        ("cicada-forest", "1.5", '"1.5"', "node 0, edge 0: feature 'f' must be a number"),
        (
            "jlf",
            '"home", {}, 1',
            '"home", {}, 2',
            "state 1: the length of an arc",
        ),
        ("jlf", '"home", {}, 1', '"home", {}, 0', "an arc: its length must be from 1"),
        ("jlf", '"home", {}, 1', '"home"', "an arc: expected word, features and length"),
        ("jlf", "house", "\\ud800", "a string is not valid Unicode"),
        ("plf", "'the',", "'the'", "column 9: expected ',' or ')' in an arc, found '{'"),
        ("plf", "'the'", "'the", "column"),
        ("plf", "-1}", "nan}", "'nan' is not finite"),
        ("plf", "},1),(", "},1.5),(", "the length of an arc must be a whole number, got 1.5"),
        ("travatar-forest", '"id": 1, "edges"', '"id": 3, "edges"', "node 1: its id is 3"),
        (
            "travatar-forest",
            '"head": 1, "trg": [{"words": ["ho',
            '"head": 5, "trg": [{"words": ["ho',
            "edge 1: its head must be from 0 to 1, got 5",
        ),
        ("travatar-forest", "-1]}]", "-2]}]", "edge"),
        (
            "travatar-forest",
            '"span": [1, 2]',
            '"span": [2, 1]',
            "its span must be a begin",
        ),
    ],
)
def test_an_invalid_forest_is_an_error_with_file_line_and_place(
    format: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert SAMPLES[format].count(old) == 1
    path = write(tmp_path / "broken", format, SAMPLES[format].replace(old, new))
    with pytest.raises(FormatError, match=rf"broken(/0\.json)?:1: .*{re.escape(message)}"):
        list(read_forests(path, format))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("utt\n0 1 a 1\n1\n", ":2: expected costs like 'GRAPH,ACOUSTIC,FRAMES', found '1'"),
        ("utt\n0 x a 1,1\n1\n", ":2: expected the number of a state, found 'x'"),
        ("utt\n0 1 a 1,inf\n1\n", ":2: 'inf' is not finite"),
        ("utt\n0 1 a b c d\n", ":2: expected an arc or a final state, found 6 fields"),
        ("utt\n0 1 a 1,1\n", ":1: 'utt': the lattice has no final state"),
        ("utt\n0 1 a 1,1\n1\n1\n", ":4: state 1 is already final"),
        ("utt\n0 1 a 1,1\n1 0 b 1,1\n1\n", ":1: 'utt': "),
        ("utt\n0 1 a 1,1\n1\n\nutt\n0\n", ":5: the utterance 'utt' appears twice"),
        ("utt more\n0 1 a 1,1\n1\n", ":1: expected the key of an utterance, found 'utt more'"),
        ("utt \0BCompactLattice", ":1: the archive is binary; convert it to text"),
    ],
)
def test_an_invalid_kaldi_lattice_is_an_error_with_file_and_line(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "lat").write_text(text)
    with pytest.raises(FormatError, match=re.escape(f"lat{message}")):
        list(read_forests(tmp_path / "lat", "kaldi-lattice"))


TEXTS = {**SAMPLES, "kaldi-lattice": KALDI}
JUNK = ["", "0", "-1", "9999999999", "1e999", "nan", "[", "]", "{", "}", "(", ")", '"', "'", ","]
JUNK += [":", "null", "\\", "\n", " ", "|||", "é", "\0", "true", "[X,1]", "-2147483649"]


@pytest.mark.parametrize("format", sorted(TEXTS))
@given(data=st.data())
def test_garbled_and_truncated_files_are_forests_or_an_error_that_names_the_file(
    format: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = TEXTS[format]
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 6)) | st.just(len(text)))
    junk = "".join(data.draw(st.lists(st.sampled_from(JUNK), max_size=4)))
    path = write(
        tmp_path_factory.getbasetemp() / f"{format}.broken",
        format,
        text[:begin] + junk + text[end:],
    )
    try:
        forests = list(read_forests(path, format))
    except FormatError as error:
        check_that_it_names(path, error)
    else:
        assert all(forest.edge_count for _, forest in forests)


@pytest.mark.parametrize("format", list(forest_formats))
@given(content=st.binary())
def test_any_bytes_are_forests_or_an_error_that_names_the_file(
    format: str, content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{format}.bytes"
    if format in DIRECTORIES:
        path.mkdir(exist_ok=True)
    (path / "0" if format in DIRECTORIES else path).write_bytes(content)
    for chosen in (format, None):
        try:
            list(read_forests(path, chosen))
        except HopefearError as error:
            check_that_it_names(path, error)


def test_lattices_of_a_speech_recognizer_are_read(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "fisher-callhome-es-en" / "dev.plf.gz"
    lattices = dict(read_forests(path))
    assert len(lattices) > 3900
    write_forests(tmp_path / "dev.jlf.gz", list(lattices.items())[:50], "jlf")
    for sentence, forest in read_forests(tmp_path / "dev.jlf.gz"):
        assert forest.count() == lattices[sentence].count()
