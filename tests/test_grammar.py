"""Grammars: rules are stored and found, and a damaged file is an error, never a crash."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError, FormatError, HopefearError
from hopefear.grammar import (
    FeatureKind,
    Grammar,
    GrammarBuilder,
    Nonterminal,
    Rule,
    score_of,
)
from hopefear.translation import Decoder
from hopefear.types import Weights

X = Nonterminal()
WORDS = ["a", "b", "c", "das", "ß", "[X]"]


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    known: list[str | Nonterminal] = [*WORDS, X, Nonterminal("S")]
    symbols = st.sampled_from(known)
    source = draw(st.lists(symbols, min_size=1, max_size=5))
    words = draw(st.lists(st.sampled_from(WORDS), max_size=5))
    arity = sum(isinstance(symbol, Nonterminal) for symbol in source)
    parts: list[str | int] = [*words, *range(arity)]
    target = draw(st.permutations(parts))
    places = [
        (i, j)
        for i, s in enumerate(source)
        for j, t in enumerate(target)
        if isinstance(s, str) and isinstance(t, str)
    ]
    links = draw(st.sets(st.sampled_from(places))) if places else set()
    names = draw(st.sets(st.sampled_from(["p", "q", "r", "s"])))
    values = st.floats(width=32, allow_nan=False, allow_infinity=False)
    return Rule(
        lhs=draw(st.sampled_from(["X", "S"])),
        source=tuple(source),
        target=tuple(target),
        features={name: draw(values) for name in sorted(names)},
        alignment=tuple(sorted(links)),
    )


def built(rules: list[Rule]) -> Grammar:
    builder = GrammarBuilder()
    for rule in rules:
        builder.add(rule)
    return builder.build()


def filled(rule: Rule, dense: list[str]) -> Rule:
    """Return the rule with the features that every rule of its grammar has."""
    features = {name: 0.0 for name in dense} | dict(rule.features)
    return Rule(
        lhs=rule.lhs,
        source=rule.source,
        target=rule.target,
        features=features,
        alignment=rule.alignment,
    )


@given(st.lists(rules(), max_size=15))
def test_every_rule_is_found_under_its_source_side_in_order(added: list[Rule]) -> None:
    grammar = built(added)
    dense = list(added[0].features) if added else []
    for source in {rule.source for rule in added}:
        expected = [filled(rule, dense) for rule in added if rule.source == source]
        assert grammar.find(source) == expected
    assert len(grammar) == len(added)
    assert grammar.source_count == len({rule.source for rule in added})


@given(st.lists(rules(), max_size=15))
def test_iteration_yields_each_rule_once_grouped_by_source_side(added: list[Rule]) -> None:
    grammar = built(added)
    dense = list(added[0].features) if added else []
    listed = list(grammar)
    assert sorted(map(str, listed)) == sorted(str(filled(rule, dense)) for rule in added)
    sources = [rule.source for rule in listed]
    runs = [s for i, s in enumerate(sources) if i == 0 or sources[i - 1] != s]
    assert len(runs) == len(set(runs))


@given(st.lists(rules(), min_size=1, max_size=15))
def test_the_trie_holds_exactly_the_prefixes_of_source_sides(added: list[Rule]) -> None:
    grammar = built(added)
    beginnings = {rule.source[:i] for rule in added for i in range(len(rule.source) + 1)}
    assert grammar.core.state_count == len(beginnings)
    assert grammar.find(["nowhere"]) == []
    for beginning in beginnings - {rule.source for rule in added}:
        assert grammar.find(beginning) == []


def test_rules_can_be_read_again_by_their_ids() -> None:
    added = [Rule(source=("a", X), target=("b", 0)), Rule(source=("a",), target=("b", "c"))]
    core = built(added).core
    state = core.child(core.root, 0)
    assert state is not None
    (rule,) = core.rules(state)
    assert core.read(rule.id).target == rule.target == [0, 1]


def test_a_grammar_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    builder = GrammarBuilder()
    added = [
        Rule(source=("a", X, "b"), target=(0, "c"), features={"p": 0.5}, alignment=((0, 1),)),
        Rule(source=("a",), target=(), features={"p": 0.25, "seldom": -3.0}),
    ]
    for rule in added:
        builder.add(rule, {"p": FeatureKind.probability})
    builder.write(tmp_path / "rules", notes="made by hand")
    grammar = Grammar(tmp_path / "rules")
    assert list(grammar) == [added[1], added[0]]
    assert grammar.notes == "made by hand"
    assert grammar.features == {"p": FeatureKind.probability, "seldom": FeatureKind.score}
    assert list(grammar.labels) == ["X"]
    assert grammar.nbytes == (tmp_path / "rules").stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["rules"]


def resident(path: Path) -> int:
    """Return how many bytes of a mapped file are in the memory of this process."""
    pages = Path("/proc/self/smaps").read_text().split(f"{path}\n")[1:]
    return sum(int(page.split("Rss:")[1].split()[0]) for page in pages) * 1024


def test_bytes_that_only_their_checksum_needs_stay_out_of_memory(tmp_path: Path) -> None:
    builder = GrammarBuilder()
    builder.add(Rule(source=("a",), target=("b",)))
    size = 50_000_000
    builder.write(tmp_path / "rules", notes="x" * size)
    grammar = Grammar(tmp_path / "rules")
    assert grammar.nbytes > size
    assert 0 < resident(tmp_path / "rules") < size / 10
    with (tmp_path / "rules").open("r+b") as file:
        file.seek(size // 2)
        file.write(b"y")
    with pytest.raises(FormatError, match="damaged"):
        Grammar(tmp_path / "rules")


def test_pages_that_are_forgotten_come_back(tmp_path: Path) -> None:
    builder = GrammarBuilder()
    for i in range(20_000):
        builder.add(Rule(source=(f"a{i}",), target=(f"b{i}",)))
    builder.write(tmp_path / "rules")
    decoder = Decoder(Grammar(tmp_path / "rules"), {}, Weights({}))
    sentence = [f"a{i}" for i in range(0, 20_000, 20)]
    decoder.parse(sentence)
    assert resident(tmp_path / "rules") > 100_000
    decoder.forget_pages()
    assert resident(tmp_path / "rules") == 0
    decoder.parse(sentence)
    assert resident(tmp_path / "rules") > 0
    assert len(list(decoder.parse_all([sentence], threads=1))) == 1
    assert resident(tmp_path / "rules") == 0
    again = Decoder(Grammar(tmp_path / "rules"), {}, Weights({}))
    again.forget_pages()
    assert again.translate(sentence).text == " ".join(sentence).replace("a", "b")


def test_a_missing_probability_is_one() -> None:
    builder = GrammarBuilder()
    kinds = {"p": FeatureKind.probability, "n": FeatureKind.count}
    builder.add(Rule(source=("a",), target=("b",), features={"p": 0.5, "n": 7}), kinds)
    builder.add(Rule(source=("a",), target=("c",)), kinds)
    assert [rule.features for rule in builder.build().find(["a"])] == [
        {"p": 0.5, "n": 7.0},
        {"p": 1.0, "n": 0.0},
    ]


def test_the_model_sees_the_logarithm_of_a_probability_above_a_floor() -> None:
    assert score_of(FeatureKind.probability, 0.25) == math.log(0.25)
    assert score_of(FeatureKind.probability, 0.0) == -100
    assert score_of(FeatureKind.score, -7.5) == -7.5
    assert score_of(FeatureKind.count, 3.0) == 3.0


def test_the_floor_is_minus_one_hundred() -> None:
    smallest = float(np.float32(1e-45))
    assert math.log(smallest) < -100
    assert score_of(FeatureKind.probability, smallest) == -100


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Rule(source=(), target=("a",)), "0 source"),
        (Rule(source=("a", X), target=("b",)), "1 nonterminals and the target side 0"),
        (Rule(source=("a",), target=("b", 0)), "nonterminal 1 .* not on the source side"),
        (Rule(source=(X, X, "a"), target=(0, 0)), "nonterminal 1 .* used twice"),
        (Rule(source=("a",), target=("b",), alignment=((0, 1),)), "link 0-1 is outside"),
        (Rule(source=("a", X), target=("b", 0), alignment=((1, 0),)), "not between two words"),
        (Rule(source=("a",), target=("b",), features={"p": math.nan}), "'p' is nan"),
        (Rule(source=("a",), target=("b",), features={"p": 1e300}), "'p' is inf"),
    ],
)
def test_invalid_rules_are_refused(wrong: Rule, message: str) -> None:
    with pytest.raises(DataError, match=message):
        GrammarBuilder().add(wrong)


def test_a_feature_keeps_its_kind() -> None:
    builder = GrammarBuilder()
    builder.add(Rule(source=("a",), target=("b",), features={"p": 1}))
    with pytest.raises(DataError, match="'p' was used with another kind"):
        builder.add(Rule(source=("a",), target=("b",), features={"p": 1}), {"p": FeatureKind.count})


def example(path: Path) -> bytes:
    builder = GrammarBuilder()
    for i in range(20):
        source = ("a", X, WORDS[i % 5]) if i % 3 else ("b", WORDS[i % 4])
        target = ("c", 0, "d") if i % 3 else (WORDS[i % 5],)
        extra = {"seldom": 1.0} if i % 4 == 0 else {}
        builder.add(
            Rule(source=source, target=target, features={"p": i / 7, **extra}, alignment=((0, 0),))
        )
    builder.write(path)
    return path.read_bytes()


def walk(path: Path, *, verify: bool) -> None:
    grammar = Grammar(path, verify=verify)
    for _ in grammar:
        pass
    for number in range(len(grammar.labels)):
        assert isinstance(grammar.labels[number], str)


def test_verification_detects_every_damaged_byte(tmp_path: Path) -> None:
    whole, path = example(tmp_path / "rules"), tmp_path / "damaged"
    unnoticed = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            Grammar(path)
        except FormatError:
            continue
        unnoticed += 1
        assert whole[place] == 0
    assert unnoticed <= 9 * 7  # the filling between sections


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    whole, path = example(tmp_path / "rules"), tmp_path / "cut"
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError, match="cut: damaged grammar"):
            Grammar(path)


def test_an_unverified_damaged_file_never_crashes(tmp_path: Path) -> None:
    whole, path = example(tmp_path / "rules"), tmp_path / "damaged"
    random, outcomes = np.random.default_rng(1), set()
    for _ in range(500):
        damaged = np.frombuffer(whole, dtype=np.uint8).copy()
        places = random.integers(350, len(whole), size=random.integers(1, 6))
        damaged[places] = random.integers(0, 256, size=len(places))
        path.write_bytes(damaged.tobytes())
        try:
            walk(path, verify=False)
            outcomes.add("read")
        except (HopefearError, UnicodeDecodeError):
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "damaged grammar: it has 0 bytes"),
        (b"x" * 1000, "not a hopefear grammar"),
    ],
)
def test_an_error_names_a_file_that_is_not_a_grammar(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "something"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=f"something: {message}"):
        Grammar(path)


def test_the_error_for_another_version_says_what_to_do(tmp_path: Path) -> None:
    damaged = bytearray(example(tmp_path / "rules"))
    damaged[8] = 2
    (tmp_path / "rules").write_bytes(damaged)
    with pytest.raises(FormatError, match="has version 2; this program reads version 1"):
        Grammar(tmp_path / "rules")


def test_an_error_names_a_missing_file_or_a_directory(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="nowhere: cannot be read"):
        Grammar(tmp_path / "nowhere")
    with pytest.raises(FormatError, match="is not a file"):
        Grammar(tmp_path)


def test_an_error_names_an_unwritable_file(tmp_path: Path) -> None:
    with pytest.raises(HopefearError, match=r"rules: cannot be written"):
        GrammarBuilder().write(tmp_path / "nowhere" / "rules")


def test_a_state_out_of_range_is_an_error() -> None:
    grammar = built([Rule(source=("a",), target=("b",))])
    for call in grammar.core.rules, grammar.core.symbols, grammar.core.first_child:
        with pytest.raises(FormatError, match="no state 2"):
            call(2)
    with pytest.raises(FormatError, match="outside"):
        grammar.core.read(1000)
