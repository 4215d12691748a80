import gzip
import math
import random
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hopefear._core import LanguageModelEstimator
from hopefear.errors import ConfigError, DataError, FormatError, HopefearError
from hopefear.formats.files import read_lines
from hopefear.translation.language_model import load_language_model, perplexity
from hopefear.translation.training.estimate import KneserNey, Structure, write_kenlm_binary
from kneser_ney_reference import Arpa, Reference, back_off, read_arpa

DATA = Path(__file__).parents[2] / "data"
FALLBACK = (0.5, 1.0, 1.5)

# Files hold single precision: half a unit in the last place of numbers up to 8 is 2.4e-7.
PRECISION = 1e-6

sentences = st.lists(st.lists(st.sampled_from("abcd"), max_size=7), min_size=1, max_size=25)
thresholds = st.sampled_from([(), (0, 1), (0, 0, 1), (0, 1, 2)])


def zipf_text(seed: int, tokens: int, words: int) -> list[list[str]]:
    """Return sentences whose word frequencies resemble those of a language."""
    draw = random.Random(seed)
    text = draw.choices(
        [f"w{i}" for i in range(words)], [1 / (i + 1) for i in range(words)], k=tokens
    )
    cuts = [0, *sorted(draw.sample(range(tokens), tokens // 12)), tokens]
    return [text[begin:end] for begin, end in pairwise(cuts)]


def write(path: Path, text: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in text))
    return path


def estimate(options: KneserNey, text: list[list[str]]) -> Arpa:
    with tempfile.TemporaryDirectory() as directory:
        arpa = Path(directory, "arpa")
        options.estimate([write(Path(directory, "text"), text)], arpa)
        return read_arpa(arpa)


def assert_same_model(found: Arpa, expected: Arpa, tolerance: float = PRECISION) -> None:
    assert found.keys() == expected.keys()
    worst = max(
        max(abs(found[gram][0] - expected[gram][0]), abs(found[gram][1] - expected[gram][1]))
        for gram in expected
    )
    assert worst < tolerance


@given(text=sentences, order=st.integers(1, 6), prune=thresholds)
def test_a_model_equals_the_slow_reference(
    text: list[list[str]], order: int, prune: tuple[int, ...]
) -> None:
    options = KneserNey(order=order, prune=prune[:order], discount_fallback=FALLBACK)
    reference = Reference(text, order, prune[:order], FALLBACK)
    assert_same_model(estimate(options, text), reference.arpa())


@pytest.mark.parametrize("order", [1, 3])
def test_a_model_is_the_same_if_others_count_sentences(tmp_path: Path, order: int) -> None:
    text, options = zipf_text(3, 60_000, 3000), KneserNey(order=order, memory=1 << 20)
    texts = [write(tmp_path / "first", text[:700]), write(tmp_path / "second", text[700:])]
    counts = [tmp_path / name for name in ("some", "more", "rest")]
    for path, (begin, end) in zip(counts, ((0, 1), (1, 5), (5, 7)), strict=True):
        options.count(texts, path, begin, end, of=7)
    alone, shared, fewer = (
        options.estimate(texts, tmp_path / f"{len(some)}", counts=some)
        for some in ([], counts, counts[:2])
    )
    assert (shared.sentences, shared.tokens) == (alone.sentences, alone.tokens)
    assert (tmp_path / "3").read_bytes() == (tmp_path / "0").read_bytes()
    assert [one.discounts for one in shared.orders] == [one.discounts for one in alone.orders]
    assert fewer.orders[-1].ngrams < alone.orders[-1].ngrams


@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_discounts_are_estimated_from_counts_of_counts(
    tmp_path: Path, prune: tuple[int, ...]
) -> None:
    text = zipf_text(1, 6000, 200)
    source, arpa = write(tmp_path / "text", text), tmp_path / "arpa"
    summary = KneserNey(order=3, prune=prune).estimate([source], arpa)
    reference = Reference(text, 3, prune)
    assert_same_model(read_arpa(arpa), reference.arpa())
    for order, expected in zip(summary.orders, reference.discounts, strict=True):
        assert order.discounts == pytest.approx(expected[1:], rel=1e-12)
    assert (summary.sentences, summary.tokens) == (len(text), sum(map(len, text)))
    assert sum(order.pruned for order in summary.orders) == len(reference.pruned)


@given(text=sentences, order=st.integers(2, 4), prune=thresholds)
def test_probabilities_after_every_context_sum_to_one(
    text: list[list[str]], order: int, prune: tuple[int, ...]
) -> None:
    options = KneserNey(order=order, prune=prune[:order], discount_fallback=FALLBACK)
    entries = estimate(options, text)
    words = [gram[0] for gram in entries if len(gram) == 1 and gram != ("<s>",)]
    contexts = [gram for gram in entries if len(gram) < order and gram[-1] != "</s>"]
    for context in [(), *contexts, ("a", "never", "b")[: order - 1]]:
        total = sum(10 ** back_off(entries, word, context) for word in words)
        assert total == pytest.approx(1.0, abs=PRECISION)


@given(
    text=sentences,
    order=st.integers(2, 6),
    queries=st.lists(st.lists(st.sampled_from(["a", "b", "d", "joy"]), max_size=8), max_size=5),
)
def test_kenlm_scores_sentences_as_the_slow_reference_does(
    text: list[list[str]], order: int, queries: list[list[str]]
) -> None:
    reference = Reference(text, order, (0, 1), FALLBACK)
    with tempfile.TemporaryDirectory() as directory:
        arpa = Path(directory, "arpa")
        options = KneserNey(order=order, prune=(0, 1), discount_fallback=FALLBACK)
        options.estimate([write(Path(directory, "text"), text)], arpa)
        model = load_language_model(arpa)
    for words in queries:
        # A word has two rounded numbers, and more if it backs off.
        expected = reference.sentence_log10(words)
        assert model.score(words) == pytest.approx(expected, abs=10 * PRECISION)


@pytest.mark.parametrize("structure", ["probing", "trie"])
def test_a_kenlm_binary_scores_as_its_arpa_file(tmp_path: Path, structure: Structure) -> None:
    text = zipf_text(2, 3000, 100)
    arpa, binary = tmp_path / "arpa.gz", tmp_path / "binary"
    KneserNey(order=4, discount_fallback=FALLBACK).estimate([write(tmp_path / "text", text)], arpa)
    write_kenlm_binary(arpa, binary, structure=structure)
    assert binary.read_bytes().startswith(b"mmap lm")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arpa.gz", "binary", "text"]
    other = zipf_text(3, 300, 150)
    expected, found = load_language_model(arpa), load_language_model(binary)
    assert found.order == 4
    assert [found.score(s) for s in other] == [expected.score(s) for s in other]


@pytest.mark.parametrize("order", [2, 6])
def test_a_text_larger_than_memory_gives_the_same_bytes(tmp_path: Path, order: int) -> None:
    source = write(tmp_path / "text", zipf_text(4, 120_000, 3000))
    options = KneserNey(order=order, prune=(0, 0, 1)[:order], discount_fallback=FALLBACK)
    options.estimate([source], tmp_path / "all")
    small = KneserNey(order=order, prune=options.prune, discount_fallback=FALLBACK, memory=1 << 20)
    small.estimate([source], tmp_path / "pieces")
    assert (tmp_path / "all").read_bytes() == (tmp_path / "pieces").read_bytes()


def test_temporary_files_appear_only_if_memory_is_exceeded(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    source = write(tmp_path / "text", zipf_text(5, 60_000, 1000))
    large = KneserNey(discount_fallback=FALLBACK, temporary_directory=nowhere)
    large.estimate([source], tmp_path / "arpa")
    small = KneserNey(discount_fallback=FALLBACK, temporary_directory=nowhere, memory=1 << 20)
    with pytest.raises(HopefearError, match=r"cannot create a temporary file in '.*nowhere'"):
        small.estimate([source], tmp_path / "small")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arpa", "text"]


def test_a_model_equals_that_of_lmplz() -> None:
    # KenLM's lmplz made the file; the README beside it has the command.
    folder = DATA / "lmplz"
    text = [line.split(" ") if line else [] for line in (folder / "text").read_text().split("\n")]
    options = KneserNey(order=4, prune=(0, 0, 1), discount_fallback=FALLBACK)
    assert_same_model(estimate(options, text[:-1]), read_arpa(folder / "o4.prune-0-0-1.arpa"))


def columns(content: bytes) -> tuple[list[bytes], NDArray[np.float64]]:
    """Return the n-grams of an ARPA file and their numbers; 0 without a back-off weight."""
    rows = [line.split(b"\t") for line in content.split(b"\n") if b"\t" in line]
    numbers = [(float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows]
    return [row[1] for row in rows], np.array(numbers)


def test_the_model_of_29000_captions_equals_that_of_lmplz(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "multi30k-cs-en"
    KneserNey(order=5).estimate([folder / "train.en.gz"], tmp_path / "arpa")
    peer = gzip.decompress((folder / "peers/train.en.5gram.lmplz.arpa.gz").read_bytes())
    expected_ngrams, expected = columns(peer)
    ngrams, found = columns((tmp_path / "arpa").read_bytes())
    assert ngrams == expected_ngrams
    assert np.abs(found - expected).max() < PRECISION


def test_the_perplexity_of_captions_equals_that_of_lmplz_and_query(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "multi30k-cs-en"
    KneserNey(order=5).estimate([folder / "train.en.gz"], tmp_path / "arpa")
    result = perplexity(load_language_model(tmp_path / "arpa"), read_lines(folder / "val.en.gz"))
    # Printed by KenLM's query for the model of lmplz.
    assert result.with_unknown == pytest.approx(36.12060843804739, rel=1e-6)
    assert result.without_unknown == pytest.approx(32.29835875551751, rel=1e-6)
    assert (result.tokens, result.unknown) == (14322, 168)


TINY = KneserNey(order=2, discount_fallback=FALLBACK)


@pytest.mark.parametrize(
    ("content", "same"),
    [
        (b"a b\r\n\r\na\r\n", b"a b\n\na\n"),  # Windows line ends
        (b"a b\n\na", b"a b\n\na\n"),  # no newline at the end
        (b" a \t b \n \na\x00\n", b"a b\n\na\n"),  # other white space
        (b"\xef\xbb\xbfa b\n\na\n", b"a b\n\na\n"),  # a byte order mark
    ],
)
def test_lines_are_sentences_and_blanks_separate_words(
    tmp_path: Path, content: bytes, same: bytes
) -> None:
    for name, text in [("one", content), ("two", same)]:
        (tmp_path / name).write_bytes(text)
        summary = TINY.estimate([tmp_path / name], tmp_path / f"{name}.arpa")
        assert (summary.sentences, summary.tokens) == (3, 3)
    assert (tmp_path / "one.arpa").read_bytes() == (tmp_path / "two.arpa").read_bytes()


def test_an_empty_line_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a\n\n\n")
    TINY.estimate([tmp_path / "text"], tmp_path / "arpa")
    assert ("<s>", "</s>") in read_arpa(tmp_path / "arpa")


def test_no_break_spaces_and_bytes_outside_utf8_are_parts_of_words(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("a\u00a0b ".encode() + b"\xff\xfe c\n")
    summary = TINY.estimate([tmp_path / "text"], tmp_path / "arpa")
    assert summary.tokens == 3
    words = (tmp_path / "arpa").read_bytes().split(b"\\2-grams:")[0]
    assert b"\t\xff\xfe\t" in words
    assert "\ta\u00a0b\t".encode() in words


def test_several_files_are_one_text_and_a_sentence_ends_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a b")
    (tmp_path / "two").write_text("c\n")
    (tmp_path / "both").write_text("a b\nc\n")
    TINY.estimate([tmp_path / "one", tmp_path / "two"], tmp_path / "arpa")
    TINY.estimate(tmp_path / "both", tmp_path / "expected")  # a single text need not be in a list
    assert (tmp_path / "arpa").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_compressed_text_gives_the_same_compressed_model(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b\nc\n")
    (tmp_path / "packed").write_bytes(gzip.compress(b"a b\nc\n"))
    TINY.estimate([tmp_path / "text"], tmp_path / "arpa")
    TINY.estimate([tmp_path / "packed"], tmp_path / "arpa.gz")
    content = (tmp_path / "arpa.gz").read_bytes()
    assert gzip.decompress(content) == (tmp_path / "arpa").read_bytes()


def test_a_text_may_arrive_in_pieces_of_any_size(tmp_path: Path) -> None:
    content = b"hope  and\tfear\n\nfear and hope\r\nhope"
    outputs = set()
    for size in (1, 2, 5, len(content)):
        estimator = LanguageModelEstimator(
            order=3,
            prune=[],
            discount_fallback=list(FALLBACK),
            skip_special_words=False,
            memory=1 << 20,
            directory=str(tmp_path),
        )
        estimator.begin_file("text")
        for begin in range(0, len(content), size):
            estimator.add(content[begin : begin + size])
        estimator.end_file()
        estimator.write_arpa(str(tmp_path / "arpa"), lambda *_: None)
        outputs.add((tmp_path / "arpa").read_bytes())
    assert len(outputs) == 1


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "<UNK>"])
def test_a_special_word_in_the_text_is_an_error_that_names_file_and_line(
    tmp_path: Path, word: str
) -> None:
    (tmp_path / "one").write_text("a\nb\n")
    (tmp_path / "two").write_text(f"a\nb {word} c\n")
    with pytest.raises(DataError, match=rf"two:2: the text contains the word {word}"):
        TINY.estimate([tmp_path / "one", tmp_path / "two"], tmp_path / "arpa")
    assert not (tmp_path / "arpa").exists()


def test_special_words_can_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a <s> b\n<unk> </s>\n<UNK> c\n")
    (tmp_path / "clean").write_text("a b\n\nc\n")
    options = KneserNey(order=2, discount_fallback=FALLBACK, special_words="skip")
    options.estimate([tmp_path / "text"], tmp_path / "arpa")
    TINY.estimate([tmp_path / "clean"], tmp_path / "expected")
    assert (tmp_path / "arpa").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_binary_file_is_not_a_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\n" + b"x" * 100_000)
    with pytest.raises(DataError, match=r"text:2: no blank in more than 65536 bytes"):
        TINY.estimate([tmp_path / "text"], tmp_path / "arpa")


def test_a_text_without_sentences_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("")
    with pytest.raises(DataError, match="the text has no sentence"):
        TINY.estimate([tmp_path / "text"], tmp_path / "arpa")


def test_a_text_too_small_for_discounts_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b c\n")
    with pytest.raises(
        DataError, match=r"1-grams cannot be estimated: none has .* count 2.*fallback"
    ):
        KneserNey(order=2).estimate([tmp_path / "text"], tmp_path / "arpa")


def test_a_discount_out_of_range_is_refused_with_its_value(tmp_path: Path) -> None:
    # n₁ = 155, n₂ = n₃ = 1: D₂ = 2 − 3 · 155/157 · 1/1 is below 0.
    pairs = [f"{first}{word} w{word}" for word in range(40) for first in "abcd"[: min(4, word + 1)]]
    (tmp_path / "text").write_text("\n".join(pairs) + "\n")
    with pytest.raises(DataError, match=r"1-grams .*: that of count 2 is -0\.961783, not"):
        KneserNey(order=2).estimate([tmp_path / "text"], tmp_path / "arpa")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order must be a whole number >= 1 and <= 6, got 0"),
        ({"order": 7}, "order must be a whole number >= 1 and <= 6, got 7"),
        ({"order": 2, "prune": (0, 0, 1)}, "3 pruning thresholds for a model of order 2"),
        ({"prune": (1,)}, "first pruning threshold must be 0"),
        ({"prune": (0, 2, 1)}, "must not decrease"),
        ({"prune": (0, -1)}, r"whole numbers >= 0, got \(0, -1\)"),
        ({"discount_fallback": (0.5, 1)}, "must be three numbers"),
        ({"discount_fallback": (0.5, 2.5, 1)}, "discount of count 2 must be above 0 and at most 2"),
        ({"discount_fallback": (0, 1, 1)}, "discount of count 1 must be above 0 and at most 1"),
        ({"discount_fallback": (math.nan, 1, 1)}, "discount of count 1 .* got nan"),
        ({"memory": 1000}, "memory must be a whole number >= 1048576, got 1000"),
        ({"special_words": "keep"}, "unknown 'keep'"),
    ],
)
def test_invalid_options_are_refused_at_construction(
    options: dict[str, object], message: str
) -> None:
    make: type = KneserNey
    with pytest.raises(ConfigError, match=message):
        make(**options)


def test_an_interrupted_estimation_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    source = write(tmp_path / "text", zipf_text(6, 3000, 100))
    (tmp_path / "arpa").write_text("the old one")

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "estimating":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TINY.estimate([source], tmp_path / "arpa", tell=interrupt)
    assert (tmp_path / "arpa").read_text() == "the old one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arpa", "text"]


def test_progress_reaches_the_end_of_every_stage(tmp_path: Path) -> None:
    told: dict[str, list[tuple[int, int]]] = {}
    source = write(tmp_path / "text", zipf_text(7, 100_000, 1000))
    KneserNey(order=3, discount_fallback=FALLBACK).estimate(
        [source, source],
        tmp_path / "arpa",
        tell=lambda stage, done, total: told.setdefault(stage, []).append((done, total)),
    )
    assert list(told) == ["counting", "adjusting counts", "estimating"]
    for steps in told.values():
        assert steps == sorted(steps)
        assert steps[-1][0] == steps[-1][1] == steps[0][1]


def test_errors_name_unreadable_input_files(tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03nonsense")
    with pytest.raises(FormatError, match=r"text\.gz: the compressed data is corrupt"):
        TINY.estimate([tmp_path / "text.gz"], tmp_path / "arpa")
    with pytest.raises(FormatError, match=r"nowhere: cannot be read"):
        TINY.estimate([tmp_path / "nowhere"], tmp_path / "arpa")


def test_converting_a_file_that_is_not_arpa_fails_and_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no model\n")
    with pytest.raises(FormatError, match=r"text: cannot be converted to a KenLM binary"):
        write_kenlm_binary(tmp_path / "text", tmp_path / "binary")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_an_unknown_structure_is_refused_with_a_list_of_the_known_ones(tmp_path: Path) -> None:
    write_any: Callable[..., None] = write_kenlm_binary
    (tmp_path / "arpa").touch()
    with pytest.raises(ConfigError, match="unknown structure 'hash'; known: probing, trie"):
        write_any(tmp_path / "arpa", tmp_path / "binary", structure="hash")


@pytest.mark.parametrize("structure", ["probing", "trie"])
def test_a_truncated_binary_is_refused(tmp_path: Path, structure: Structure) -> None:
    text, arpa, binary = tmp_path / "text", tmp_path / "arpa", tmp_path / "binary"
    TINY.estimate(write(text, zipf_text(8, 500, 50)), arpa)
    write_kenlm_binary(arpa, binary, structure=structure)
    content = binary.read_bytes()
    # Queries do not need the words themselves, which are at the end.
    for size in (0, 20, 90, len(content) // 4, len(content) // 2):
        binary.write_bytes(content[:size])
        with pytest.raises(FormatError, match="binary: not a language model"):
            load_language_model(binary)
