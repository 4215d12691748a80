"""Rule tables of Moses, cdec and Joshua: read, written, and refused with file and line."""

import gzip
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import ConfigError, FormatError
from hopefear.formats.rules import (
    InputSegment,
    JoshuaRules,
    detect_rules,
    read_rules,
    read_segments,
    write_rules,
)
from hopefear.grammar import (
    FeatureKind,
    Grammar,
    GrammarBuilder,
    Nonterminal,
    Rule,
    score_of,
)

ROOT = Path(__file__).parents[2]
X, S = Nonterminal(), Nonterminal("S")

MOSES = """\
[X][X] , [X][X] [X] ||| , [X][X] [X][X] [X] ||| 0.25 0.5 1 0.125 ||| 0-2 1-0 2-1 ||| 4 8 2 ||| |||
das haus [X] ||| the house [X] ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| 1 2 1 ||| dom_x 1 ||| {{Tree x}}
nein [X] ||| no [X] ||| 0 1 1 1 ||| 0-0 ||| 1 1 1
"""

GLUE = """\
<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
"""

CDEC = """\
[X] ||| [X,1] , [X,2] ||| , [2] [1] ||| EgivenF=-0.5 Coherent=1 ||| 1-0
[S] ||| [S] [X] ||| [1] [2] ||| Glue=1
[X] ||| das [X] ||| the [X,1] ||| -1.5 -2;Name=3 ||| 0-0
"""


def grammar_of(tmp_path: Path, text: str, format: str | None = None) -> Grammar:
    path = tmp_path / "rules.gz"
    path.write_bytes(gzip.compress(text.encode()))
    return read_rules(path, format).build()


def test_moses_rules_have_probabilities_counts_and_paired_nonterminals(tmp_path: Path) -> None:
    grammar = grammar_of(tmp_path, MOSES)
    (rule,) = grammar.find([X, ",", X])
    assert rule.target == (",", 1, 0)
    assert rule.alignment == ((1, 0),)
    scores = {f"TranslationModel0_{i}": p for i, p in enumerate([0.25, 0.5, 1.0, 0.125])}
    assert rule.features == {**scores, "count_e": 4.0, "count_f": 8.0, "count_f_e": 2.0}
    assert grammar.features["TranslationModel0_3"] is FeatureKind.probability
    assert grammar.features["count_f"] is FeatureKind.count
    (house,) = grammar.find(["das", "haus"])
    assert house.features["dom_x"] == 1
    assert grammar.features["dom_x"] is FeatureKind.score


def test_a_probability_of_zero_is_seen_as_minus_one_hundred(tmp_path: Path) -> None:
    grammar = grammar_of(tmp_path, MOSES)
    (rule,) = grammar.find(["nein"])
    name = "TranslationModel0_0"
    assert score_of(grammar.features[name], rule.features[name]) == -100


def test_a_glue_grammar_keeps_its_labels_and_one_score_is_the_label_itself(tmp_path: Path) -> None:
    grammar = grammar_of(tmp_path, GLUE, "moses:label=Glue")
    assert list(grammar.features) == ["Glue"]
    (glue,) = grammar.find([S, X])
    assert (glue.lhs, glue.target) == ("S", (0, 1))
    assert glue.features == {"Glue": pytest.approx(2.718)}
    (begin,) = grammar.find(["<s>"])
    assert (begin.lhs, begin.target, begin.alignment) == ("S", ("<s>",), ((0, 0),))


def test_cdec_rules_have_scores_as_they_are(tmp_path: Path) -> None:
    grammar = grammar_of(tmp_path, CDEC)
    (rule,) = grammar.find([X, ",", X])
    assert (rule.lhs, rule.target, rule.alignment) == ("X", (",", 1, 0), ((1, 0),))
    assert rule.features == {"EgivenF": -0.5, "Coherent": 1.0}
    (glue,) = grammar.find([S, X])
    assert (glue.lhs, glue.target) == ("S", (0, 1))
    assert glue.features == {"EgivenF": 0.0, "Coherent": 0.0, "Glue": 1.0}
    (das,) = grammar.find(["das", X])
    assert das.features["PhraseModel_0"] == -1.5
    assert das.features["PhraseModel_1"] == -2
    assert das.features["Name"] == 3


def test_joshua_changes_the_sign_of_numbers_without_a_name_and_of_no_others(
    tmp_path: Path,
) -> None:
    text = "[X] ||| das [X,1] ||| the [X,1] ||| 1.5 -2 tm_pt_7=3 OOV=1 ||| 0-0\n"
    (rule,) = grammar_of(tmp_path, text, "joshua")
    assert rule.features == {"tm_pt_0": -1.5, "tm_pt_1": 2.0, "tm_pt_7": 3.0, "OOV": 1.0}
    (glue,) = grammar_of(tmp_path, "[S] ||| a ||| b ||| 1\n", "joshua:owner=glue")
    assert glue.features == {"tm_glue_0": -1.0}
    assert JoshuaRules(owner="glue").owner == "glue"


@pytest.mark.parametrize(("text", "name"), [(MOSES, "moses"), (GLUE, "moses"), (CDEC, "cdec")])
def test_formats_are_detected_from_content(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(text)
    assert detect_rules(tmp_path / "rules") == name


def test_several_files_make_one_grammar(tmp_path: Path) -> None:
    for name, text in ("one", CDEC), ("two", "[X] ||| neu ||| new ||| EgivenF=-1\n"):
        (tmp_path / name).write_text(text)
    grammar = read_rules([tmp_path / "one", tmp_path / "two"]).build()
    assert len(grammar) == 4
    assert grammar.find(["neu"])[0].features["EgivenF"] == -1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a [X] ||| b [X]", "expected SOURCE .* found 2 fields"),
        ("a ||| b [X] ||| 1", r"must end with its label, such as \[X\], found 'a'"),
        ("a [X][X] ||| b [X] ||| 1", "must end with its label"),
        ("[X] a [X] ||| b [X] ||| 1", r"pairs such as \[X\]\[X\], found '\[X\]'"),
        ("[NP][X] a [X] ||| [NP][X] b [X] ||| 1 ||| 0-0", "labels on the source side"),
        ("[X][X] a [X] ||| b [X][X] [X] ||| 1 |||", "no link says .* number 1"),
        ("[X][X] a [X] ||| b [X][X] [X] ||| 1 ||| 1-1", "no link says"),
        ("[X][X] a [X] ||| b [X] ||| 1 |||", "1 nonterminals and the target side 0"),
        ("[X][X] a [X] ||| b [X][S] [X] ||| 1 ||| 0-1", "different labels"),
        ("[X][X] a [X] ||| b [X][X] [X] ||| 1 ||| 0-1 1-1", "between a word and a nonterminal"),
        ("a [X] ||| b [X] ||| 1 ||| 0-5", "link 0-5 is outside"),
        ("a [X] ||| b [X] ||| 1 ||| 0:0", "expected links"),
        ("a [X] ||| b [X] ||| x", "expected a number, found 'x'"),
        ("a [X] ||| b [X] ||| nan", "is nan"),
        ("a [X] ||| b [X] |||", "has 0 scores"),
        ("a [X] ||| b [X] ||| 1 1", "has 2 scores; earlier lines have another number"),
        ("a [X] ||| b [X] ||| 1 ||| ||| ||| name", "'name' has no value"),
        ("[X] ||| b [X] ||| 1", "0 source"),
    ],
)
def test_an_invalid_moses_rule_is_an_error_with_file_and_line(
    line: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "rules"
    first = "a [X] ||| b [X] ||| 1 ||| 0-0\n" if line != "a [X] ||| b [X] |||" else "\n"
    path.write_text(f"{first}{line}\n")
    with pytest.raises(FormatError, match=rf"rules:2: .*{message}"):
        read_rules(path, "moses")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[X] ||| a", "found 2 fields"),
        (" [X] ||| a ||| b |||", "coarse-to-fine"),
        ("X ||| a ||| b |||", "left-hand side such as"),
        ("||| a ||| b |||", "left-hand side such as"),
        ("[X] [Y] ||| a ||| b |||", "left-hand side such as"),
        ("[X] ||| [X,2] a ||| b |||", r"in order, found '\[X,2\]' as number 1"),
        ("[X] ||| [1] a ||| b |||", r"in order, found '\[1\]'"),
        ("[X] ||| [X,1] a ||| b [X] |||", r"up to 1, found '\[X\]'"),
        ("[X] ||| [X,1] a ||| b [2] |||", r"up to 1, found '\[2\]'"),
        ("[X] ||| [X,1] a ||| b [1] [1] |||", "used twice"),
        ("[X] ||| [X,1] a ||| b |||", "target side 0"),
        ("[X] ||| ||| b |||", "0 source"),
        ("[X] ||| a ||| b ||| name=x", "found 'name=x'"),
        ("[X] ||| a ||| b ||| =1", "found '=1'"),
        ("[X] ||| a ||| b ||| n=1 n=2", "'n' occurs twice"),
        ("[X] ||| a ||| b ||| n=1e99", "'n' is"),
        ("[X] ||| a ||| b ||| n=1 ||| 1-0", "link 1-0 is outside"),
    ],
)
def test_an_invalid_hiero_rule_is_an_error_with_file_and_line(
    line: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "rules"
    path.write_text(f"[X] ||| a ||| b ||| n=1\n{line}\n")
    with pytest.raises(FormatError, match=rf"rules:2: .*{message}"):
        read_rules(path, "cdec")


def test_bytes_of_rules_that_are_not_utf8_are_an_error_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(b"[X] ||| a ||| \xff |||\n")
    with pytest.raises(FormatError, match="rules:1: byte 15 of the line is not UTF-8"):
        read_rules(tmp_path / "rules", "cdec")


WORDS = ["a", "ß", "|", "||", "[", "]", "[]", "<s>", "=", ";", "1"]


@st.composite
def grammars(draw: st.DrawFn, kind: FeatureKind) -> list[Rule]:
    values = st.floats(0.125, 1, width=32)
    if kind is FeatureKind.score:
        values = st.floats(-50, 50, width=32)
    rules = []
    for _ in range(draw(st.integers(1, 6))):
        known: list[str | Nonterminal] = [*WORDS, X, S]
        source = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
        arity = sum(isinstance(symbol, Nonterminal) for symbol in source)
        parts: list[str | int] = [
            *draw(st.lists(st.sampled_from(WORDS), max_size=4)),
            *range(arity),
        ]
        target = draw(st.permutations(parts))
        links = [
            (i, j)
            for i, s in enumerate(source)
            for j, t in enumerate(target)
            if isinstance(s, str) and isinstance(t, str) and draw(st.booleans())
        ]
        rules.append(
            Rule(
                lhs=draw(st.sampled_from(["X", "S"])),
                source=tuple(source),
                target=tuple(target),
                features={"M_0": draw(values), "M_1": draw(values)},
                alignment=tuple(links),
            )
        )
    return rules


def built(rules: list[Rule], kind: FeatureKind) -> Grammar:
    builder = GrammarBuilder()
    for rule in rules:
        builder.add(rule, {"M_0": kind, "M_1": kind})
    return builder.build()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rules")


def sorted_rules(rules: list[Rule]) -> list[str]:
    return sorted(f"{rule} {rule.features} {rule.alignment}" for rule in rules)


@given(rules=grammars(FeatureKind.probability))
def test_a_grammar_written_for_moses_reads_back_the_same(
    directory: Path, rules: list[Rule]
) -> None:
    path = directory / "rules.gz"
    write_rules(path, built(rules, FeatureKind.probability), "moses")
    again = read_rules(path, "moses:label=M").build()
    assert sorted_rules(list(again)) == sorted_rules(rules)


@given(rules=grammars(FeatureKind.score))
def test_a_grammar_written_for_cdec_reads_back_the_same(directory: Path, rules: list[Rule]) -> None:
    path = directory / "rules"
    write_rules(path, built(rules, FeatureKind.score), "cdec")
    again = read_rules(path, "cdec").build()
    assert sorted_rules(list(again)) == sorted_rules(rules)


def test_counts_and_sparse_features_survive_the_way_through_moses(tmp_path: Path) -> None:
    grammar = grammar_of(tmp_path, MOSES)
    write_rules(tmp_path / "again", grammar, "moses")
    again = read_rules(tmp_path / "again").build()
    assert sorted_rules(list(again)) == sorted_rules(list(grammar))


def test_scores_become_probabilities_for_moses_and_back_for_cdec(tmp_path: Path) -> None:
    rule = Rule(source=("a",), target=("b",), features={"M_0": -1.0, "M_1": 0.0})
    write_rules(tmp_path / "moses", built([rule], FeatureKind.score), "moses")
    assert "||| 0.36787944117144233 1 |||" in (tmp_path / "moses").read_text()
    half = Rule(source=("a",), target=("b",), features={"M_0": 0.5, "M_1": 0.0})
    write_rules(tmp_path / "cdec", built([half], FeatureKind.probability), "cdec")
    assert (tmp_path / "cdec").read_text() == (
        "[X] ||| a ||| b ||| M_0=-0.6931471805599453 M_1=-100\n"
    )


@pytest.mark.parametrize("word", ["|||", "[X]", "[X,1]", "a b", ""])
def test_words_that_the_rule_format_cannot_represent_are_errors(word: str, tmp_path: Path) -> None:
    grammar = built([Rule(source=("a",), target=(word,))], FeatureKind.score)
    for format in "moses", "cdec":
        with pytest.raises(FormatError, match="cannot be written"):
            write_rules(tmp_path / "rules", grammar, format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("label", ["X,1", "X Y", "12", ""])
def test_labels_that_the_rule_format_cannot_represent_are_errors(
    label: str, tmp_path: Path
) -> None:
    grammar = built([Rule(lhs=label, source=("a",), target=("b",))], FeatureKind.score)
    with pytest.raises(FormatError, match=r"label .* cannot be written"):
        write_rules(tmp_path / "rules", grammar, "cdec")


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(CDEC)
    with pytest.raises(ConfigError, match="unknown rule format 'hiero'"):
        read_rules(tmp_path / "rules", "hiero")


def test_segments_of_cdec_have_their_own_grammars(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_text(
        '<seg id="0" grammar="grammars/0.gz">das haus</seg> ||| the house ||| a house\n'
        "plain text |||\n"
        "<seg>x</seg>\n"
    )
    assert list(read_segments(path)) == [
        InputSegment(
            id="0",
            grammar="grammars/0.gz",
            source="das haus",
            references=("the house", "a house"),
        ),
        InputSegment(source="plain text", references=("",)),
        InputSegment(source="x"),
    ]
    path.write_text("fine\n<seg id=0>x</seg>\n")
    with pytest.raises(FormatError, match=r"input:2: expected <seg"):
        list(read_segments(path))


def documented() -> list[tuple[str, str]]:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    return re.findall(r"```rules:(\S+)\n(.*?)```", text, re.DOTALL)


def test_the_documented_examples_are_read(tmp_path: Path) -> None:
    examples = documented()
    assert sorted(name for name, _ in examples) == ["cdec", "joshua", "moses"]
    for name, text in examples:
        (tmp_path / "rules").write_text(text)
        assert len(read_rules(tmp_path / "rules", name)) == text.count("\n")


def test_a_grammar_of_cdec_is_read_as_it_is(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "cdec-nc-wmt11-de-en" / "grammar.gz"
    grammar = read_rules(path).build()
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert len(grammar) == len(lines) == 72745
    write_rules(tmp_path / "again", grammar, "cdec")
    again = read_rules(tmp_path / "again").build()
    assert sorted_rules(list(again)) == sorted_rules(list(grammar))


def moses_rules(rules: int, size: int) -> str:
    side = "[X][X] " * size + "[X]"
    links = " ".join(f"{i}-{i}" for i in range(size))
    return f"{side} ||| {side} ||| 0.5 ||| {links} ||| 1 1 1\n" * rules


def cdec_rules(rules: int, size: int) -> str:
    return "".join(
        f"[X] ||| a ||| b{rule} ||| "
        + " ".join(f"f{i}=1" for i in range(rule * size, (rule + 1) * size))
        + "\n"
        for rule in range(rules)
    )


@pytest.mark.parametrize(
    ("text", "format", "size"), [(moses_rules, "moses", 60_000), (cdec_rules, "cdec", 200_000)]
)
def test_a_long_rule_is_read_as_fast_as_short_ones(
    tmp_path: Path, text: Callable[[int, int], str], format: str, size: int
) -> None:
    """To look through all links, or features, for each of them takes a hundred times as long."""
    seconds = []
    for rules in (200, 1):
        path = tmp_path / f"{rules}"
        path.write_text(text(rules, size // rules))
        begin = time.process_time()
        assert len(read_rules(path, format).build()) == rules
        seconds.append(time.process_time() - begin)
    assert seconds[1] < 5 * seconds[0] + 0.05
