"""Damaged and changing files of a model: the same translations or an error, never a crash."""

import os
import random
import shutil
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hopefear import Model, Weights
from hopefear.errors import FormatError, HopefearError
from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule
from hopefear.translation import Decoder
from hopefear.translation.features import FeatureSet, RuleTemplate
from hopefear.translation.language_model import load_language_model

SENTENCES = [["velký", "pes", "vidí", "dům"], ["starý", "muž", "hledá", "vlak"]]
BINARIES = ["grammar.bin", "lm0.kenlm"]
FLIPS = int(os.environ.get("HOPEFEAR_FLIPS", "120"))

X = Nonterminal()


def translations(model: Path) -> list[tuple[str, float]]:
    decoder = Model(model).decoder()
    found = [decoder.translate(words) for words in SENTENCES]
    return [(derivation.text, derivation.score) for derivation in found]


@pytest.mark.parametrize("name", BINARIES)
def test_flipped_bits_change_no_translation_silently(copy: Path, name: str) -> None:
    whole, right = (copy / name).read_bytes(), translations(copy)
    draw, outcomes = random.Random(1), Counter[str]()
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 1, 1, 4])):
            place = draw.randrange(len(whole))
            damaged[place] = draw.choice([damaged[place] ^ 1 << draw.randrange(8), 0, 255])
        (copy / name).write_bytes(damaged)
        try:
            same = translations(copy) == right
        except HopefearError as error:
            outcomes["error" if name in str(error) else "error without the file"] += 1
            continue
        outcomes["the same" if damaged == whole else f"unnoticed, same: {same}"] += 1
    print(name, dict(outcomes))
    # Only the filling between the sections of a grammar is not covered by a checksum.
    allowed = {"error", "the same", *(["unnoticed, same: True"] if name == "grammar.bin" else [])}
    assert set(outcomes) <= allowed
    assert outcomes["error"] > FLIPS // 2


def test_a_language_model_that_was_replaced_on_purpose_needs_no_checksum(copy: Path) -> None:
    settings, right = copy / "model.toml", translations(copy)
    assert "checksum = " in settings.read_text()
    settings.write_text(settings.read_text().replace("checksum = ", "checksum = #"))
    with pytest.raises(FormatError, match=r"model\.toml"):
        Model(copy)
    lines = settings.read_text().split("\n")
    kept = [line.split(", checksum")[0] + " }," if "lm0.kenlm" in line else line for line in lines]
    settings.write_text("\n".join(kept))
    assert translations(copy) == right


def cut(path: Path) -> None:
    os.truncate(path, 0)


def overwrite(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    with path.open("r+b") as file:
        file.write(content)


def fill(path: Path) -> None:
    """Leave no empty bucket in KenLM's hash tables, where a search for a word would end."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(b"\x5a" * size)


def copy_shorter_over(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes()[:100])
    shutil.copyfile(other, path)


def mapped(copy: Path, *templates: RuleTemplate) -> Decoder:
    """Return a decoder that maps its language model as if it were a large one."""
    model = Model(copy)
    model.features = FeatureSet(templates=templates)
    (use,) = model.settings.language_models
    path = copy / use.file
    model.language_models = {use.feature: load_language_model(path, use.checksum_number, copied=0)}
    return model.decoder()


@pytest.mark.parametrize("name", BINARIES)
@pytest.mark.parametrize("change", [cut, overwrite, fill, copy_shorter_over])
def test_a_mapped_file_that_changes_in_use_is_an_error(
    copy: Path, name: str, change: Callable[[Path], None]
) -> None:
    decoder = mapped(copy)
    decoder.translate(SENTENCES[0])
    change(copy / name)
    for words in SENTENCES:  # for good
        with pytest.raises(HopefearError, match=name) as caught:
            decoder.translate(words)
        assert "changed while it was in use" in str(caught.value) or "damaged" in str(caught.value)


@pytest.mark.parametrize("name", BINARIES)
@pytest.mark.parametrize("change", [cut, copy_shorter_over])
def test_a_file_that_is_truncated_in_the_middle_of_a_sentence_is_an_error(
    copy: Path, name: str, change: Callable[[Path], None]
) -> None:
    seen: list[object] = []

    def feature(rule: Rule) -> dict[str, float]:
        if not seen:
            change(copy / name)  # before the language model is asked and other rules are read
        seen.append(rule.target)
        return {}

    decoder = mapped(copy, feature)
    with pytest.raises(HopefearError, match=rf"{name}: (the file was changed|damaged grammar)"):
        decoder.translate(SENTENCES[0])
    assert seen


@pytest.mark.parametrize("change", [cut, overwrite, copy_shorter_over])
def test_a_small_language_model_may_change_in_use(
    copy: Path, change: Callable[[Path], None]
) -> None:
    right, decoder = translations(copy), Model(copy).decoder()
    change(copy / "lm0.kenlm")
    assert [decoder.translate(words).score for words in SENTENCES] == [s for _, s in right]


@pytest.mark.parametrize("name", BINARIES)
def test_new_times_and_renamed_files_do_not_matter(copy: Path, name: str) -> None:
    right, decoder = translations(copy), mapped(copy)
    os.utime(copy / name, (1, 1))
    other = copy / "other"
    other.write_bytes(b"anything")
    assert [decoder.translate(words).score for words in SENTENCES] == [s for _, s in right]
    other.rename(copy / name)
    assert [decoder.translate(words).score for words in SENTENCES] == [s for _, s in right]


def two_rules(path: Path) -> bytearray:
    builder = GrammarBuilder()
    builder.add(Rule(source=("a", X), target=(0, "b"), features={"p": 1}))
    builder.add(Rule(source=("a", X), target=(0, "c"), features={"p": 2}))
    builder.add(Rule(source=("e",), target=("f",), features={"p": 1}))
    builder.write(path)
    return bytearray(path.read_bytes())


def place_of(content: bytearray, section: int) -> int:
    """Return where a section begins; the table of sections follows 56 bytes."""
    place: int = struct.unpack_from("<Q", content, 56 + 24 * section)[0]
    return place


def test_rules_with_more_nonterminals_than_their_source_side_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.bin"
    content = two_rules(path)
    blocks = place_of(content, 3)
    offsets = struct.unpack_from("<4I", content, blocks)
    rules = {offset for offset in offsets if offset != 0xFFFFFFFF}
    assert len(rules) == 2
    swapped = [sum(rules) - offset if offset in rules else offset for offset in offsets]
    struct.pack_into("<4I", content, blocks, *swapped)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"the bytes from \d+ to \d+ are damaged"):
        Grammar(path)
    decoder = Decoder(Grammar(path, verify=False), {}, Weights({}))
    for words in (["e"], ["a", "e"]):
        with pytest.raises(FormatError, match=r"rules\.bin: damaged grammar: .* nonterminals"):
            decoder.translate(words)


def test_rules_of_one_source_side_have_the_same_number_of_nonterminals(tmp_path: Path) -> None:
    path = tmp_path / "rules.bin"
    content = two_rules(path)
    record = struct.pack("<f", 2) + bytes([2, 1])  # a feature, two symbols, one nonterminal
    place = content.index(record)
    content[place : place + len(record)] = struct.pack("<f", 2) + bytes([2, 0])
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"rules\.bin: damaged grammar: .* nonterminals"):
        Decoder(Grammar(path, verify=False), {}, Weights({})).translate(["a", "e"])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("sparse", [False, True])
def test_rules_with_values_that_are_not_finite_are_refused(
    tmp_path: Path, value: float, sparse: bool
) -> None:
    path, content = tmp_path / "rules.bin", two_rules(tmp_path / "rules.bin")
    place = content.index(struct.pack("<f", 2) + bytes([2, 1]))
    if sparse:
        builder = GrammarBuilder()
        builder.add(Rule(source=("e",), target=("f",), features={"p": 1}))
        builder.add(Rule(source=("a", X), target=(0, "b"), features={"p": 1, "q": 2.5}))
        builder.write(path)
        content = bytearray(path.read_bytes())
        place = content.index(struct.pack("<f", 2.5))
    struct.pack_into("<f", content, place, value)
    path.write_bytes(content)
    grammar = Grammar(path, verify=False)
    for read in (
        lambda: list(grammar),
        lambda: Decoder(grammar, {}, Weights({})).parse(["a", "e"]),
    ):
        with pytest.raises(FormatError, match=r"rules\.bin: damaged grammar: .*the rule at"):
            read()


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_each_value_of_a_rule_is_finite(tmp_path: Path, place: int, value: float) -> None:
    path = tmp_path / "rules.bin"
    builder = GrammarBuilder()
    values = [3.4e38, -3.4e38, 1e-45, 0.0, -1.5]  # far from others, but finite
    features = {f"p{i}": values[i] for i in range(len(values))}
    builder.add(Rule(source=("a",), target=("b",), features=features))
    builder.write(path)
    decoder = Decoder(Grammar(path), {}, Weights({"p4": 1.0}))
    assert decoder.translate(["a"]).text == "b"
    content = bytearray(path.read_bytes())
    begin = content.index(struct.pack("<5f", *values))
    struct.pack_into("<f", content, begin + 4 * place, value)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"rules\.bin: damaged grammar: .*is not finite"):
        Decoder(Grammar(path, verify=False), {}, Weights({})).translate(["a"])


@pytest.mark.parametrize(("text", "found"), [(b"wort", "string 0"), (b"note", "its notes")])
def test_texts_of_a_grammar_are_utf_8(tmp_path: Path, text: bytes, found: str) -> None:
    path = tmp_path / "rules.bin"
    builder = GrammarBuilder()
    builder.add(Rule(source=("wort",), target=("f",), features={}))
    builder.write(path, notes="note")
    path.write_bytes(path.read_bytes().replace(text, b"\x90" + text[1:]))
    with pytest.raises(
        FormatError, match=rf"rules\.bin: damaged grammar: {found} (is|are) not UTF-8"
    ):
        print(Grammar(path, verify=False).notes)


def test_scores_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.bin"
    builder = GrammarBuilder()
    builder.add(Rule(source=("e",), target=("f",), features={"p": 1e30, "q": -1e30}))
    builder.write(path)
    with pytest.raises(HopefearError, match="the score of a rule is not a number"):
        Decoder(Grammar(path), {}, Weights({"p": 1e300, "q": 1e300})).translate(["e"])
