from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hopefear import _core
from hopefear.errors import ConfigError, DataError
from hopefear.metrics import Bleu, References, evaluate
from hopefear.text.tokenizers import TokenizerName
from metric_corpora import Corpus, corpora, read_bible, read_wmt22, split, texts


@given(corpora, st.sampled_from(["none", "13a", "intl", "zh", "char"]), st.booleans())
def test_corpus_bleu_and_its_signature_equal_those_of_sacrebleu(
    corpus: Corpus, tokenize: TokenizerName, lowercase: bool
) -> None:
    hypotheses, references, streams = split(corpus)
    judge = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    score = evaluate(Bleu(tokenize=tokenize, lowercase=lowercase), hypotheses, references)
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-9)
    assert score.signature == judge.get_signature().format()


@pytest.mark.parametrize(("tokenize", "end"), [("13a", "-\n"), ("intl", "1,\xa0")])
def test_trailing_spaces_are_not_part_of_the_last_word(tokenize: TokenizerName, end: str) -> None:
    text = f"a b c d{end}"
    judge = sacrebleu.BLEU(tokenize=tokenize, force=True)
    assert judge.corpus_score([text], [[text.rstrip()]]).score == pytest.approx(100.0)
    score = evaluate(Bleu(tokenize=tokenize), [text], References([[text.rstrip()]]))
    assert score.value == pytest.approx(100.0)


@given(
    corpora,
    st.sampled_from(["none", "floor", "add-k", "exp"]),
    st.booleans(),
    st.integers(1, 6),
    st.floats(0.01, 3),
)
def test_every_smoothing_equals_that_of_sacrebleu(
    corpus: Corpus, smoothing: Any, effective_order: bool, order: int, value: float
) -> None:
    hypotheses, references, streams = split(corpus)
    given_value = value if smoothing in ("floor", "add-k") else None
    judge = sacrebleu.BLEU(
        tokenize="none",
        smooth_method=smoothing,
        smooth_value=given_value,
        effective_order=effective_order,
        max_ngram_order=order,
        force=True,
    )
    metric = Bleu(
        tokenize="none",
        smoothing=smoothing,
        smoothing_value=given_value,
        effective_order=effective_order,
        order=order,
    )
    score = evaluate(metric, hypotheses, references)
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-9)
    ours = set(score.signature.split("|")) - {f"order:{order}"}
    assert ours == set(judge.get_signature().format().split("|"))


@given(texts, st.lists(texts, min_size=1, max_size=4), st.integers(1, 5))
def test_statistics_are_clipped_counts_of_ngrams(
    hypothesis: str, references: list[str], order: int
) -> None:
    def ngrams(text: str, k: int) -> Counter[tuple[str, ...]]:
        tokens = text.split()
        return Counter(tuple(tokens[i : i + k]) for i in range(len(tokens) - k + 1))

    expected: list[float] = []
    for k in range(1, order + 1):
        union: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            union |= ngrams(reference, k)
        expected.append((ngrams(hypothesis, k) & union).total())
    expected += [ngrams(hypothesis, k).total() for k in range(1, order + 1)]
    lengths = sorted(len(reference.split()) for reference in references)
    rho = {
        "closest": min(lengths, key=lambda length: abs(length - len(hypothesis.split()))),
        "shortest": lengths[0],
        "average": sum(lengths) / len(lengths),
    }
    rules: list[Any] = list(rho)
    for rule in rules:
        metric = Bleu(tokenize="none", order=order, reference_length=rule)
        prepared = metric.prepare(References([references]))
        assert prepared.statistics([hypothesis]).tolist() == [[*expected, rho[rule]]]


def test_the_shorter_of_two_equally_close_references_counts() -> None:
    prepared = Bleu(tokenize="none").prepare(References([["a b c d e", "a b c"]]))
    assert prepared.statistics(["a b c d"])[0, -1] == 3


def test_the_sentences_of_hypotheses_may_come_in_any_order_and_number() -> None:
    prepared = Bleu(tokenize="none").prepare(References([["a b c"], ["d e"], ["f"]]))
    rows = prepared.statistics(["d e", "a b", "d", "a b c"], np.array([1, 0, 1, 0]))
    assert rows[:, 0].tolist() == [2, 2, 1, 3]
    assert rows[:, -1].tolist() == [2, 3, 2, 3]


def test_any_number_of_threads_gives_the_same_bits(shared_data: Path) -> None:
    hypotheses, streams = read_wmt22(shared_data, "de-en", "Online-W")
    prepared = Bleu(tokenize="none").prepare(References.from_streams(streams))
    one = prepared.statistics(hypotheses, threads=1)
    assert (one == prepared.statistics(hypotheses, threads=7)).all()


@pytest.mark.parametrize(("pair", "system"), [("de-en", "PROMT"), ("zh-en", "Online-W")])
@pytest.mark.parametrize("tokenize", ["13a", "none"])
def test_wmt22_systems_score_as_in_sacrebleu(
    shared_data: Path, pair: str, system: str, tokenize: TokenizerName
) -> None:
    hypotheses, streams = read_wmt22(shared_data, pair, system)
    hypotheses, streams = hypotheses[1300:1700], [stream[1300:1700] for stream in streams]
    references = References.from_streams(streams)
    judge = sacrebleu.BLEU(tokenize=tokenize, force=True)
    score = evaluate(Bleu(tokenize=tokenize), hypotheses, references)
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-12)


@pytest.mark.parametrize("left_out", ["bbe", "web"])
def test_six_references_score_as_in_sacrebleu(shared_data: Path, left_out: str) -> None:
    hypotheses, streams = read_bible(shared_data, left_out)
    hypotheses, streams = hypotheses[:300], [stream[:300] for stream in streams]
    judge = sacrebleu.BLEU(tokenize="none", force=True)
    score = evaluate(Bleu(tokenize="none"), hypotheses, References.from_streams(streams))
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-12)


def test_scores_keep_the_leading_axes_of_the_statistics() -> None:
    metric = Bleu(tokenize="none")
    rows = metric.prepare(References([["a b c d e"], ["b c"]])).statistics(["a b c d", "c b"])
    stack = np.stack([rows, 2 * rows, rows + rows[::-1]])
    scores = metric.score(stack)
    assert scores.shape == (3, 2)
    assert scores[2, 1] == metric.score(rows[0] + rows[1])
    assert metric.score(rows[0]).shape == ()


@given(corpora)
def test_bleu_plus_one_adds_one_to_all_counts_of_orders_above_one(corpus: Corpus) -> None:
    hypotheses, references, _ = split(corpus)
    metric = Bleu(tokenize="none")
    rows = metric.prepare(references).statistics(hypotheses)
    added = np.array([0, 1, 1, 1])
    for gain, row in zip(metric.gains(rows), rows, strict=True):
        m, n, rho = row[:4] + added, row[4:8] + added, row[8]
        if m[0] == 0:
            assert gain == 0
        else:
            brevity = min(0.0, 1 - rho / n[0])
            assert_allclose(gain, np.exp(np.log(m / n).mean() + brevity), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tokenize": "13b"},
            r"Bleu.tokenize: unknown '13b'; did you mean '13a'\? Known: 13a,",
        ),
        ({"smoothing": "expo"}, r"Bleu.smoothing: unknown 'expo'; did you mean 'exp'\?"),
        ({"smoothing_value": 0.5}, r"Bleu.smoothing_value: smoothing 'exp' takes no constant"),
        ({"smoothing": "floor", "smoothing_value": -1}, r"smoothing_value must be .* >= 0, got -1"),
        ({"order": 0}, r"Bleu.order must be .* >= 1 and <= 16, got 0"),
        ({"reference_length": "longest"}, r"Bleu.reference_length: unknown 'longest'"),
    ],
)
def test_invalid_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Bleu(**options)


def test_a_different_number_of_hypotheses_is_an_error_that_names_both() -> None:
    references = References.from_streams([["a", "b", "c"]], names=["dev.en"])
    message = "dev.en: .*2 hypotheses, .*3 sentences"
    with pytest.raises(DataError, match=message):
        evaluate(Bleu(), ["a", "b"], references)


def test_a_sentence_without_references_is_an_error_that_names_it() -> None:
    prepared = Bleu().prepare(References.from_streams([["a", "b"]], names=["dev.en"]))
    message = "dev.en: .*2 sentences, .* sentence 2"
    with pytest.raises(DataError, match=message):
        prepared.statistics(["a", "b"], np.array([0, 2]))
    with pytest.raises(DataError, match="sentence 1 \\(from 0\\) has no reference"):
        References([["a"], []])
    with pytest.raises(DataError, match="sentence 0, reference: expected a list of strings"):
        References(["a"])


def test_reference_files_of_different_length_are_an_error_that_names_both() -> None:
    message = "dev.en.a has 2 sentences, but dev.en.b has 1"
    with pytest.raises(DataError, match=message):
        References.from_streams([["a", "b"], ["a"]], names=["dev.en.a", "dev.en.b"])


def test_hypotheses_of_sentences_without_references_are_errors() -> None:
    first, second = _core.ReferenceWords([["a"]]), _core.ReferenceWords([["b"]])
    hypotheses = _core.text_hypotheses(first, ["a"], np.array([0]))
    with pytest.raises(DataError, match="prepared for other references"):
        _core.BleuReferences(second).statistics(hypotheses)


def test_statistics_of_another_dimension_are_an_error() -> None:
    with pytest.raises(DataError, match=r"rows of 9 statistics, got .* \(2, 7\)"):
        Bleu().score(np.zeros((2, 7)))
    with pytest.raises(DataError, match="expected rows of 9 statistics, got 8"):
        _core.BleuScore().rows(np.zeros((2, 8)))


@pytest.mark.parametrize("order", [2, 4])
def test_the_length_ratio_is_of_hypotheses_to_references(order: int) -> None:
    metric = Bleu(tokenize="none", order=order)
    prepared = metric.prepare(References([["a b c d"], ["a b c d e f"]]))
    rows = prepared.statistics(["a b", "c d e"])
    assert metric.length_ratio(rows) == 5 / 10
    assert metric.length_ratio(rows.sum(axis=0)) == 5 / 10
    assert metric.length_ratio(np.zeros(2 * order + 1)) == 0.0
