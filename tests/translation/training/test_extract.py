"""Rule extraction equals its definition for any number of threads, memory and filter."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction_reference import Links, Pair, RuleKey, can_match, count_rules, scored_rules
from hopefear.cluster.tasks import Share
from hopefear.errors import ConfigError, FormatError, HopefearError
from hopefear.grammar import FeatureKind, Grammar, Nonterminal, Rule
from hopefear.translation.training.align import read_alignments
from hopefear.translation.training.extract import (
    CHIANG,
    MOSES,
    ExtractionTexts,
    RuleExtraction,
    rarity,
)

X = Nonterminal()


@st.composite
def sentence_pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from("abc"), max_size=7))
    target = draw(st.lists(st.sampled_from("uvw"), max_size=7))
    cells = [(s, t) for s in range(len(source)) for t in range(len(target))]
    links = draw(st.sets(st.sampled_from(cells), max_size=8)) if cells else set()
    return source, target, frozenset(links)


@st.composite
def extractions(draw: st.DrawFn) -> RuleExtraction:
    return RuleExtraction(
        max_phrase_length=draw(st.integers(1, 8)),
        max_source_symbols=draw(st.integers(1, 8)),
        max_nonterminals=draw(st.integers(0, 2)),
        min_nonterminal_span=draw(st.integers(1, 3)),
        adjacent_nonterminals=draw(st.booleans()),
        tight=draw(st.booleans()),
        fractional_counts=draw(st.booleans()),
        memory=draw(st.sampled_from([1 << 20, 1 << 30])),
        threads=draw(st.integers(1, 3)),
    )


def write_bitext(directory: Path, bitext: Sequence[Pair]) -> tuple[Path, Path, Path]:
    paths = directory / "f", directory / "e", directory / "links"
    paths[0].write_text("".join(" ".join(source) + "\n" for source, _, _ in bitext))
    paths[1].write_text("".join(" ".join(target) + "\n" for _, target, _ in bitext))
    lines = [" ".join(f"{s}-{t}" for s, t in sorted(links)) for _, _, links in bitext]
    paths[2].write_text("".join(line + "\n" for line in lines))
    return paths


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("extract")


def extracted(
    directory: Path,
    bitext: Sequence[Pair],
    extraction: RuleExtraction,
    inputs: Sequence[Path] = (),
    max_span: int | None = None,
) -> dict[RuleKey, Rule]:
    files = write_bitext(directory, bitext)
    path = directory / "grammar"
    summary = extraction.extract(*files, path, inputs=inputs, max_span=max_span)
    rules = list(Grammar(path))
    assert summary.rules == len(rules)
    assert summary.sentences == len(bitext)
    by_key = {(rule.source, rule.target): rule for rule in rules}
    assert len(by_key) == len(rules)
    return by_key


def assert_scored_as(
    found: dict[RuleKey, Rule], expected: dict[RuleKey, tuple[dict[str, float], Links]]
) -> None:
    assert found.keys() == expected.keys()
    for key, (features, links) in expected.items():
        # Features are stored in single precision, as are the word weights that lexical weights
        # are products of.
        assert found[key].features == pytest.approx(features, rel=1e-6)
        assert found[key].alignment == tuple(sorted(links))


@settings(max_examples=60)
@given(bitext=st.lists(sentence_pairs(), max_size=4), extraction=extractions())
def test_extraction_equals_its_definition(
    directory: Path, bitext: list[Pair], extraction: RuleExtraction
) -> None:
    found = extracted(directory, bitext, extraction)
    assert_scored_as(found, scored_rules(bitext, extraction))


@settings(max_examples=60)
@given(
    bitext=st.lists(sentence_pairs(), min_size=1, max_size=3),
    extraction=extractions(),
    sentences=st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=1, max_size=3),
    max_span=st.none() | st.integers(1, 9),
)
def test_only_rules_that_match_an_input_are_written_with_the_same_scores(
    directory: Path,
    bitext: list[Pair],
    extraction: RuleExtraction,
    sentences: list[list[str]],
    max_span: int | None,
) -> None:
    inputs = directory / "inputs"
    inputs.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences))
    found = extracted(directory, bitext, extraction, [inputs], max_span)
    expected = {
        key: rule
        for key, rule in scored_rules(bitext, extraction).items()
        if any(can_match(key[0], sentence, max_span) for sentence in sentences)
    }
    assert_scored_as(found, expected)


def random_bitext(size: int) -> list[Pair]:
    state = 1
    bitext: list[Pair] = []

    def draw(below: int) -> int:
        nonlocal state
        state = state * 6364136223846793005 % 2**64 + 1442695040888963407
        return (state >> 33) % below

    for _ in range(size):
        source = [f"f{draw(30) * draw(30) // 30}" for _ in range(draw(12))]
        target = [f"e{draw(30) * draw(30) // 30}" for _ in range(draw(12))]
        cells = [(i, min(len(target) - 1, max(0, i + draw(3) - 1))) for i in range(len(source))]
        links = frozenset(cell for cell in cells if target and draw(5))
        bitext.append((source, target, links))
    return bitext


def test_the_grammar_does_not_depend_on_threads_or_memory(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(400))
    contents = set()
    for threads, memory in (1, 1 << 30), (3, 1 << 30), (1, 1 << 20), (2, 1 << 20):
        extraction = RuleExtraction(tight=False, threads=threads, memory=memory)
        summary = extraction.extract(*files, tmp_path / "grammar")
        assert summary.instances * 56 > 4 << 20  # more than the smallest memory
        contents.add((tmp_path / "grammar").read_bytes())
    assert len(contents) == 1


def test_a_filtered_grammar_does_not_depend_on_threads(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(200))
    contents = set()
    for threads in 1, 3:
        extraction = RuleExtraction(threads=threads, smoothing="good-turing")
        extraction.extract(*files, tmp_path / "grammar", inputs=[files[0]])
        contents.add((tmp_path / "grammar").read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("smoothing", ["none", "good-turing"])
@pytest.mark.parametrize("filtered", [False, True])
def test_the_grammar_does_not_depend_on_how_machines_share_the_work(
    filtered: bool,
    smoothing: Literal["none", "good-turing"],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, target, alignments = write_bitext(tmp_path, random_bitext(200))
    inputs = (source,) if filtered else ()
    extraction = RuleExtraction(tight=False, smoothing=smoothing, memory=1 << 20)
    expected = extraction.extract(source, target, alignments, tmp_path / "one", inputs=inputs)
    texts = ExtractionTexts(source=source, target=target, alignments=alignments, inputs=inputs)
    for machines in 1, 3, 90:  # more than ranges of source sides

        def share_out(
            count: int, work: Callable[[Share], Any], machines: int = machines
        ) -> Iterator[Any]:
            ends = [count * k // machines for k in range(machines + 1)]
            for begin, end in pairwise(ends):
                yield work(Share(begin=begin, end=end, threads=2))

        monkeypatch.setattr(
            "hopefear.translation.training.extract.sharing", lambda cluster: nullcontext(share_out)
        )
        found = extraction.extract_on(
            "", texts, tmp_path / "many", tmp_path / "shards", lambda stage, done, total: None
        )
        assert (tmp_path / "many").read_bytes() == (tmp_path / "one").read_bytes()
        assert (found.instances, found.phrase_pairs) == (expected.instances, expected.phrase_pairs)
        assert not (tmp_path / "shards").exists()


def good_turing(count: float, n: dict[int, int]) -> float:
    """Discount a count as Moses does: n[r] rules have counts that round up to r."""
    factors = [0.01]
    for r in range(1, 10):
        factor = (r + 1) / r * (n.get(r + 1, 0) + 0.1) / (n.get(r, 0) + 0.1)
        factors.append(max(min(factor, 1.0), factors[-1]))
    return count * factors[int(count + 0.99998)] if count + 0.99999 < 9 else count


@pytest.mark.parametrize("filtered", [False, True])
def test_good_turing_discounts_the_joint_counts_by_the_counts_of_all_rules(
    filtered: bool, tmp_path: Path
) -> None:
    bitext, extraction = random_bitext(60), RuleExtraction(smoothing="good-turing")
    inputs = [tmp_path / "inputs"] if filtered else []
    (tmp_path / "inputs").write_text("f0 f1\nf3\n")
    found = extracted(tmp_path, bitext, extraction, inputs)
    plain = scored_rules(bitext, extraction)
    assert (len(found) < len(plain)) == filtered
    n: dict[int, int] = {}
    for features, _ in plain.values():
        r = int(features["count_f_e"] + 0.99999)
        n[r] = n.get(r, 0) + 1
    for key, rule in found.items():
        features = plain[key][0]
        adjusted = good_turing(features["count_f_e"], n)
        assert rule.features["p_f_given_e"] == pytest.approx(
            adjusted / features["count_e"], rel=3e-7
        )
        assert rule.features["p_e_given_f"] == pytest.approx(
            adjusted / features["count_f"], rel=3e-7
        )
        assert rule.features["count_f_e"] == pytest.approx(features["count_f_e"], rel=2e-7)


def test_the_example_of_the_paper_gives_the_rules_of_the_paper(tmp_path: Path) -> None:
    # Chiang (2007), figure 1 and section 2: 30 duonianlai / [X,1] duonianlai -> over the last ...
    source = ["30", "duonianlai", "de", "youhao", "hezuo"]
    target = ["friendly", "cooperation", "over", "the", "last", "30", "years"]
    links = frozenset({(0, 5), (1, 2), (1, 3), (1, 4), (1, 6), (3, 0), (4, 1)})
    extraction = RuleExtraction(min_nonterminal_span=1)
    found = extracted(tmp_path, [(source, target, links)], extraction)
    assert ((X, "duonianlai"), ("over", "the", "last", 0, "years")) in found
    assert ((X, "de", X), (1, 0)) not in found  # it has no aligned words
    assert ((X, "duonianlai", "de", X), (1, "over", "the", "last", 0, "years")) in found


def test_shares_of_one_count_add_up_to_the_number_of_phrase_pairs(tmp_path: Path) -> None:
    bitext = random_bitext(50)
    counts = count_rules(bitext, CHIANG)
    files = write_bitext(tmp_path, bitext)
    summary = CHIANG.extract(*files, tmp_path / "grammar")
    total = sum(rule.features["count_f_e"] for rule in Grammar(tmp_path / "grammar"))
    with_rules = sum(sum(c.values()) for c in counts.values()) / 2**32
    assert total == pytest.approx(with_rules, rel=1e-6)
    assert total <= summary.phrase_pairs
    assert total == pytest.approx(round(total), abs=1e-4)


def test_the_grammar_records_settings_and_kinds_of_features(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, [(["a"], ["b"], frozenset({(0, 0)}))])
    MOSES.extract(*files, tmp_path / "grammar")
    grammar = Grammar(tmp_path / "grammar")
    settings = json.loads(grammar.notes)["extraction"]
    assert settings["tight"] is False
    assert settings["smoothing"] == "good-turing"
    assert grammar.features["p_f_given_e"] is FeatureKind.probability
    assert grammar.features["count_e"] is FeatureKind.count
    assert next(iter(grammar)).alignment == ((0, 0),)


def test_alignments_can_be_given_as_an_object(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(5))
    links = read_alignments(files[2])
    CHIANG.extract(*files, tmp_path / "one")
    CHIANG.extract(files[0], files[1], links, tmp_path / "two")
    CHIANG.extract(files[0], files[1], links, tmp_path / "three")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()


def test_progress_is_reported_stage_by_stage(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(100))
    told: list[tuple[str, int, int]] = []
    CHIANG.extract(*files, tmp_path / "grammar", tell=lambda *what: told.append(what))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages == ["reading", "extracting", "scoring", "writing"]
    for stage in stages:
        done = [count for name, count, _ in told if name == stage]
        assert done[0] == 0
        assert done == sorted(done)


def test_an_interrupt_stops_the_extraction_and_leaves_no_file(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(50))

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "scoring":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CHIANG.extract(*files, tmp_path / "grammar", tell=interrupt)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e", "f", "links"]


@pytest.mark.parametrize(
    ("source", "target", "links", "message"),
    [
        ("a\nb\n", "c\n", "0-0\n", r"e: has 1 lines, but .*f has 2"),
        ("a\n", "c\n", "0-0\n\n", r"links: has 2 lines, but .*f has 1"),
        ("a\nb\n", "c\nd\n", "0-0\n0-1\n", r"links:2: link 0-1 is outside: .* 1 and 1 words"),
        ("a\n", "\n", "0-0\n", r"links:1: link 0-0 is outside: .* 1 and 0 words"),
        ("a\n\udcff\n", "c\nd\n", "0-0\n\n", r"f:2: byte 1 of the line is not UTF-8"),
    ],
)
def test_errors_name_files_that_do_not_fit_together(
    source: str, target: str, links: str, message: str, tmp_path: Path
) -> None:
    for name, text in ("f", source), ("e", target), ("links", links):
        (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(FormatError, match=message):
        CHIANG.extract(tmp_path / "f", tmp_path / "e", tmp_path / "links", tmp_path / "grammar")


def test_an_unwritable_grammar_is_an_error_before_extraction(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, random_bitext(1))
    stages = []
    with pytest.raises(HopefearError, match="cannot be written"):
        CHIANG.extract(
            *files, tmp_path / "nowhere" / "grammar", tell=lambda s, *_: stages.append(s)
        )
    assert set(stages) == {"reading"}


def test_rules_with_too_many_symbols_are_refused(tmp_path: Path) -> None:
    source = [f"w{i}" for i in range(100)]
    files = write_bitext(tmp_path, [(source, ["e"], frozenset())])
    with pytest.raises(ConfigError, match="at most 18 symbols"):
        RuleExtraction(max_source_symbols=19).extract(*files, tmp_path / "grammar")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_phrase_length", 0),
        ("max_phrase_length", 256),
        ("max_source_symbols", 0),
        ("max_nonterminals", 3),
        ("min_nonterminal_span", 0),
        ("smoothing", "good"),
        ("memory", 1000),
        ("threads", -1),
    ],
)
def test_invalid_options_are_refused(option: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=option):
        RuleExtraction(**{option: value})


def test_a_rule_with_count_one_has_rarity_one() -> None:
    assert rarity(1) == 1
    assert rarity(3) == pytest.approx(0.1353352832366127, rel=1e-12)
