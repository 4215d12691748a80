"""`hopefear convert` and the function behind it."""

from pathlib import Path

import pytest

from command_line import Hopefear
from hopefear import convert
from hopefear.errors import ConfigError, FormatError
from hopefear.forest import Arc, ForestBuilder, lattice_forest
from hopefear.formats import (
    forest_formats,
    nbest_formats,
    read_forests,
    read_nbest,
    read_weights,
    weights_formats,
    write_forests,
)
from hopefear.formats.base import WritableNBestFormat
from hopefear.types import Weights

LISTS = "0 ||| a house ||| LM= -2.0 TM= -1.0 -0.5 ||| -3.0\n"
WEIGHTS = "[weight]\nLM= 0.5\nTM= 0.25 -0.125\n"
LATTICES = ["jlf", "kaldi-lattice", "plf"]
WRITABLE = [n for n in nbest_formats if isinstance(nbest_formats[n](), WritableNBestFormat)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("lists").write_text(LISTS)
    Path("weights").write_text(WEIGHTS)
    return tmp_path


@pytest.mark.parametrize("format", WRITABLE)
def test_lists_survive_every_format_that_can_be_written(format: str, hopefear: Hopefear) -> None:
    assert hopefear("convert", "lists", "there", "--to", format).code == 0
    back = ["convert", "there", "back", "--from", format, "--to", "moses", "--kind", "nbest"]
    assert hopefear(*back).code == 0
    assert list(read_nbest("back")) == list(read_nbest("lists"))


@pytest.mark.parametrize("format", list(weights_formats))
def test_weights_survive_every_format(format: str, hopefear: Hopefear) -> None:
    assert hopefear("convert", "weights", "there", "--to", format).code == 0
    assert read_weights("there", format) == read_weights("weights")


@pytest.mark.parametrize("format", [f for f in forest_formats if f not in LATTICES])
def test_forests_survive_every_format(format: str, hopefear: Hopefear) -> None:
    builder = ForestBuilder()
    node, root = builder.add_node(begin=1, covered=1), builder.add_node(begin=0, covered=2)
    builder.add_edge(node, target=["house"], features={"lm": -2.0})
    builder.add_edge(node, target=["home"], features={"lm": -2.5})
    builder.add_edge(root, tails=[node], target=["the", 0], features={"glue": 1.0})
    builder.set_root(root)
    write_forests("forests", [(0, builder.build())])
    assert hopefear("convert", "forests", "there", "--to", format).code == 0
    assert hopefear("convert", "there", "back", "--to", "hopefear").code == 0
    ((sentence, forest),) = read_forests("back")
    weights = Weights({"lm": 1.0, "glue": 0.5})
    texts = [(d.text, d.score) for d in forest.derivations(weights)]
    assert (sentence, texts) == (0, [("the house", -1.5), ("the home", -2.0)])


def test_json_lines_are_not_taken_for_weights(hopefear: Hopefear) -> None:
    assert hopefear("convert", "lists", "lists.jsonl", "--to", "jsonl").code == 0
    assert hopefear("convert", "lists.jsonl", "-", "--to", "moses").out == LISTS
    Path("weights.json").write_text('{"a{b": 1,\n"c[": -2.5}')
    assert hopefear("convert", "weights.json", "-", "--to", "tsv").out == "a{b\t1.0\nc[\t-2.5\n"


@pytest.mark.parametrize("to", list(forest_formats))
@pytest.mark.parametrize("format", LATTICES)
def test_lattices_go_from_every_format_to_every_other(
    format: str, to: str, hopefear: Hopefear
) -> None:
    arcs = [Arc(source=0, target=1, words=[word]) for word in ("hope", "fear")]
    write_forests("lattices", [(0, lattice_forest(arcs, final={1: {}}))], format)
    assert hopefear("convert", "lattices", "there", "--to", to).code == 0
    ((_, forest),) = read_forests("there")
    texts = sorted(d.text for d in forest.derivations(Weights()))
    assert texts == ["fear", "hope"]


def test_the_kind_is_told_by_content_if_the_formats_are_of_both() -> None:
    convert("lists", "lists.tsv", to="tsv")
    convert("weights", "weights.tsv", to="tsv")
    assert Path("lists.tsv").read_text().startswith("sentence\ttext")
    assert Path("weights.tsv").read_text().startswith("LM\t0.5\n")
    convert("lists.tsv", "again", from_="tsv", to="moses")
    assert Path("again").read_text() == LISTS


def test_standard_output_is_a_file_too(hopefear: Hopefear) -> None:
    found = hopefear("convert", "weights", "-", "--to", "travatar")
    assert found.out == "LM=0.5 TM_0=0.25 TM_1=-0.125\n"


def test_formats_with_options_are_named_with_them() -> None:
    Path("beams").write_text("a house\t-1.5\nthe house\t-2.5\n")
    convert("beams", "lists.jsonl", from_="nemo:beam_size=2", to="jsonl")
    assert [len(segment.hypotheses) for segment in read_nbest("lists.jsonl")] == [2]


def test_what_cannot_be_told_is_asked_for() -> None:
    Path("prose").write_text("once upon a time\n")
    with pytest.raises(FormatError, match="prose: the content is not recognized; choose the kind"):
        convert("prose", "there", to="tsv")


def test_formats_of_different_kinds_do_not_meet() -> None:
    with pytest.raises(ConfigError, match="cannot convert 'jsonl' to 'json'"):
        convert("lists", "there", from_="jsonl", to="json")


def test_unknown_formats_and_kinds_are_named_with_the_nearest_known(hopefear: Hopefear) -> None:
    with pytest.raises(ConfigError, match="unknown format 'mosse'; did you mean 'moses'"):
        convert("lists", "there", to="mosse")
    found = hopefear("convert", "lists", "there", "--to", "moses", "--kind", "list")
    assert found.code == 2


def test_nothing_half_written_stays(folder: Path) -> None:
    Path("lists").write_text(LISTS + "1 ||| a\tdog ||| LM= -2.0 ||| -3.0\n")
    with pytest.raises(FormatError, match="cannot represent"):
        convert("lists", "there.tsv", to="tsv")
    assert sorted(path.name for path in folder.iterdir()) == ["lists", "weights"]


def test_a_file_is_not_converted_into_itself(hopefear: Hopefear) -> None:
    Path("link").symlink_to("lists")
    for target in ("lists", "link"):
        done = hopefear("convert", "lists", target, "--to", "jsonl")
        assert done.code == 2
        assert f"{target}: cannot replace the input file" in done.err
    assert Path("lists").read_text() == LISTS


def test_weights_of_a_named_tool_are_known_for_weights_by_what_they_look_like(
    hopefear: Hopefear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weights").write_text("lm_0 0.5\ntm_pt_0 1\ntm_pt_0 2\n")
    found = hopefear("convert", "weights", "-", "--from", "joshua", "--to", "tsv")
    assert found.out == "lm_0\t0.5\ntm_pt_0\t3.0\n"
