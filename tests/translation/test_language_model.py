"""Language models through KenLM: scores, perplexity, files that cannot be loaded."""

import gzip
import struct
from pathlib import Path

import pytest

from hopefear.errors import DataError, FormatError
from hopefear.translation.language_model import LanguageModel, load_language_model, perplexity
from hopefear.translation.training.estimate import write_kenlm_binary

# Probabilities and back-off weights are powers of two, exact in single precision.
ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>
0\t<s>\t-0.25
-0.5\t</s>
-0.75\thope\t-0.125
-1\tfear\t-0.5

\\2-grams:
-0.25\t<s> hope
-0.375\thope fear
-0.0625\tfear </s>

\\end\\
"""


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    path = tmp_path / "toy.arpa"
    path.write_text(ARPA)
    return LanguageModel(str(path))


def test_a_model_knows_its_order_and_words(model: LanguageModel) -> None:
    assert model.order == 2
    assert "hope" in model
    assert "joy" not in model


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hope", "fear"], -0.25 - 0.375 - 0.0625),  # all bigrams are listed
        (["fear"], (-0.25 - 1.0) - 0.0625),  # <s> fear backs off
        (["hope"], -0.25 + (-0.125 - 0.5)),  # hope </s> backs off
        (["joy"], (-0.25 - 1.5) - 0.5),  # an unknown word has no back-off of its own
        ([], -0.25 - 0.5),
    ],
)
def test_sentences_score_as_the_back_off_formula_says(
    model: LanguageModel, words: list[str], expected: float
) -> None:
    assert model.score(words) == expected


def test_a_fragment_can_be_scored_without_its_ends(model: LanguageModel) -> None:
    assert model.score(["hope", "fear"], begin=False, end=False) == -0.75 - 0.375


def test_an_error_names_a_file_that_is_not_a_language_model(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a model\n")
    with pytest.raises(FormatError, match=r"notes\.txt: not a language model that KenLM can read"):
        LanguageModel(str(path))


def test_an_error_quotes_invalid_bytes_without_kenlm_internals(tmp_path: Path) -> None:
    path = tmp_path / "toy.arpa"
    path.write_bytes(ARPA.encode().replace(b"hope fear", b"hope f\xffar"))
    with pytest.raises(FormatError, match=r"can read: Word f\\xffar was not seen in the unigrams"):
        LanguageModel(str(path))


@pytest.mark.parametrize("size", [0, 10, 60, 150, len(ARPA) - 10])
def test_a_truncated_file_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "toy.arpa"
    path.write_text(ARPA[:size])
    with pytest.raises(FormatError, match=r"toy\.arpa: not a language model"):
        LanguageModel(str(path))


def test_an_error_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.arpa"):
        LanguageModel(str(tmp_path / "nowhere.arpa"))


def test_a_gzipped_model_is_loaded_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "toy.arpa"  # its name does not end in .gz
    path.write_bytes(gzip.compress(ARPA.encode()))
    assert load_language_model(path).score(["hope", "fear"]) == -0.25 - 0.375 - 0.0625
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [gzip.compress(ARPA.encode())[:-20], b"\x1f\x8bnonsense"])
def test_an_error_names_a_file_with_corrupt_gzip_data(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "toy.arpa.gz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"toy\.arpa\.gz: the gzip data is corrupt"):
        load_language_model(path)


def test_an_error_names_a_gzipped_file_that_is_not_a_language_model(tmp_path: Path) -> None:
    path = tmp_path / "notes.gz"
    path.write_bytes(gzip.compress(b"not a model\n"))
    with pytest.raises(FormatError, match=r"notes\.gz: not a language model") as raised:
        load_language_model(path)
    assert "/proc/" not in str(raised.value)


@pytest.mark.parametrize(
    "count", ["-12", "1e9", "999999999999", "99999999999999999999999", "", "3 4", "0x3"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_counts_that_cannot_be_are_refused_before_kenlm_sees_them(
    tmp_path: Path, count: str, packed: bool
) -> None:
    text = ARPA.replace("ngram 2=3", f"ngram 2={count}").encode()
    path = tmp_path / "counts.arpa"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(FormatError, match=r"counts\.arpa:3: expected 'ngram 2=COUNT'"):
        load_language_model(path)


@pytest.mark.parametrize("before", ["#\n" * 2000, " \t\n" * 2000, "# \\1-grams:\n"])
def test_counts_are_checked_wherever_kenlm_finds_them(tmp_path: Path, before: str) -> None:
    path = tmp_path / "counts.arpa"
    path.write_text(before + ARPA)
    assert load_language_model(path).order == 2
    path.write_text(before + ARPA.replace("ngram 2=3", "ngram 2=999999999999"))
    with pytest.raises(FormatError, match=r"counts\.arpa:\d+: expected 'ngram 2=COUNT'"):
        load_language_model(path)


def test_a_header_without_line_ends_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.arpa"
    path.write_bytes(b"#" * 100_000 + b"\n" + ARPA.encode())
    with pytest.raises(FormatError, match=r"long\.arpa:1: has 65536 bytes and more"):
        load_language_model(path)


def test_what_grows_without_measure_is_not_decompressed(tmp_path: Path) -> None:
    path = tmp_path / "bomb.arpa.gz"
    path.write_bytes(gzip.compress(ARPA.encode() + b" " * 50_000_000))
    with pytest.raises(FormatError, match=r"bomb\.arpa\.gz: becomes more than 100 times as large"):
        load_language_model(path)
    with pytest.raises(FormatError, match="becomes more than 100 times as large") as caught:
        write_kenlm_binary(path, tmp_path / "binary")
    assert caught.value.settings == ("language_model.max_growth",)
    assert load_language_model(path, max_growth=2000).order == 2


def test_counts_are_checked_before_a_binary_is_made(tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    path.write_text(ARPA.replace("ngram 2=3", "ngram 2=-12"))
    with pytest.raises(FormatError, match=r"bad\.arpa:3: expected 'ngram 2=COUNT'"):
        write_kenlm_binary(path, tmp_path / "binary")
    assert [item.name for item in tmp_path.iterdir()] == ["bad.arpa"]


@pytest.mark.parametrize(
    "value", ["-inf", "inf", "NaN", "nan", "-nan", "-1e39", "-1e999", "  -inf"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_log_probabilities_that_are_not_finite_are_refused(
    tmp_path: Path, value: str, packed: bool
) -> None:
    path = tmp_path / "bad.arpa"
    text = ARPA.replace("-0.375\thope fear", f"{value}\thope fear").encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    found = rf"bad\.arpa:14: the log probability must be finite, got {value.strip()}; write -99"
    with pytest.raises(FormatError, match=found):
        load_language_model(path)
    with pytest.raises(FormatError, match=found):
        write_kenlm_binary(path, tmp_path / "binary")


def test_words_may_look_like_numbers_and_log_0_may_be_minus_99(tmp_path: Path) -> None:
    path = tmp_path / "odd.arpa"
    path.write_text(
        ARPA.replace("0\t<s>", "-inf\t<s>").replace("fear", "-inf").replace("-0.375", "-99")
    )
    assert load_language_model(path).score(["hope", "-inf"]) == -0.25 - 99 - 0.0625


def test_the_loader_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.arpa: .*No such file"):
        load_language_model(tmp_path / "nowhere.arpa")


def test_perplexity_is_the_mean_over_words_and_ends_with_and_without_unknown_words(
    model: LanguageModel,
) -> None:
    found = perplexity(model, ["hope\tfear\n", "joy\r\n", ""])
    known = (-0.25 - 0.375 - 0.0625) + -0.5 + (-0.25 - 0.5)
    assert (found.tokens, found.unknown) == (6, 1)
    assert found.with_unknown == pytest.approx(10 ** -((known - 0.25 - 1.5) / 6), rel=1e-12)
    assert found.without_unknown == pytest.approx(10 ** -(known / 5), rel=1e-12)


def test_the_perplexity_of_an_empty_text_is_an_error(model: LanguageModel) -> None:
    with pytest.raises(DataError, match="empty text"):
        perplexity(model, [])


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    arpa, path = tmp_path / "toy.arpa", tmp_path / "toy.kenlm"
    arpa.write_text(ARPA)
    write_kenlm_binary(arpa, path)
    return path


@pytest.mark.parametrize(
    ("place", "content", "message"),
    [
        (88, b"\x00", "its order is 0"),
        (88, b"\xff", "its order is 255"),
        (92, struct.pack("<f", 1e30), "hash tables cannot have"),
        (92, struct.pack("<f", float("nan")), "hash tables cannot have"),
        (96, struct.pack("<i", -1), "no data structure -1"),
        (96, struct.pack("<i", 77), "no data structure 77"),
        (108, struct.pack("<Q", 1 << 62), "cannot hold 4611686018427387904 1-grams"),
        (116, struct.pack("<Q", 1 << 61), "cannot hold 2305843009213693952 2-grams"),
    ],
)
def test_the_header_of_a_binary_is_checked_before_kenlm_uses_it(
    binary: Path, place: int, content: bytes, message: str
) -> None:
    assert load_language_model(binary).score(["hope", "fear"]) == -0.25 - 0.375 - 0.0625
    damaged = bytearray(binary.read_bytes())
    damaged[place : place + len(content)] = content
    binary.write_bytes(damaged)
    with pytest.raises(FormatError, match=rf"toy\.kenlm: not a language model .*{message}"):
        load_language_model(binary)


@pytest.mark.parametrize("size", [60, 100, 115])
def test_a_binary_without_a_whole_header_is_refused(binary: Path, size: int) -> None:
    binary.write_bytes(binary.read_bytes()[:size])
    with pytest.raises(FormatError, match=rf"toy\.kenlm: .* {size} bytes, fewer than a header"):
        load_language_model(binary)
