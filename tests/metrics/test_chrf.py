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
from hopefear.metrics import Chrf, ChrfPlusPlus, References, evaluate
from metric_corpora import Corpus, corpora, read_bible, read_wmt22, split


@given(
    corpora,
    st.fixed_dictionaries(
        {
            "character_order": st.integers(1, 7),
            "word_order": st.integers(0, 3),
            "beta": st.integers(1, 3),
            "lowercase": st.booleans(),
            "whitespace": st.booleans(),
            "epsilon_smoothing": st.booleans(),
        }
    ),
)
def test_chrf_and_its_signature_equal_those_of_sacrebleu(
    corpus: Corpus, options: dict[str, Any]
) -> None:
    hypotheses, references, streams = split(corpus)
    names = {"character_order": "char_order", "epsilon_smoothing": "eps_smoothing"}
    judge = sacrebleu.CHRF(**{names.get(name, name): value for name, value in options.items()})
    metric = Chrf(**options)
    score = evaluate(metric, hypotheses, references)
    expected = judge.corpus_score(hypotheses, streams)
    assert_allclose(score.value, expected.score, rtol=1e-9)
    assert (score.name, score.signature) == (expected.name, judge.get_signature().format())
    rows = judge._extract_corpus_statistics(hypotheses, streams)
    assert metric.prepare(references).statistics(hypotheses).tolist() == rows


@pytest.mark.parametrize("metric", [Chrf(), ChrfPlusPlus()])
@pytest.mark.parametrize(("pair", "system"), [("de-en", "PROMT"), ("zh-en", "Online-W")])
def test_wmt22_systems_score_as_in_sacrebleu(
    shared_data: Path, metric: Chrf, pair: str, system: str
) -> None:
    hypotheses, streams = read_wmt22(shared_data, pair, system)
    hypotheses, streams = hypotheses[-400:], [stream[-400:] for stream in streams]
    judge = sacrebleu.CHRF(word_order=metric.word_order)
    score = evaluate(metric, hypotheses, References.from_streams(streams))
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-12)


def test_six_references_score_as_in_sacrebleu(shared_data: Path) -> None:
    hypotheses, streams = read_bible(shared_data, "bbe")
    hypotheses, streams = hypotheses[:200], [stream[:200] for stream in streams]
    judge = sacrebleu.CHRF(word_order=2)
    score = evaluate(ChrfPlusPlus(), hypotheses, References.from_streams(streams))
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-12)


def test_any_number_of_threads_gives_the_same_bits(shared_data: Path) -> None:
    hypotheses, streams = read_wmt22(shared_data, "de-en", "PROMT")
    prepared = ChrfPlusPlus().prepare(References.from_streams(streams))
    one = prepared.statistics(hypotheses, threads=1)
    assert (one == prepared.statistics(hypotheses, threads=5)).all()


def test_the_gain_of_a_hypothesis_is_its_own_score() -> None:
    metric = Chrf()
    rows = metric.prepare(References([["the cat"], ["a dog"]])).statistics(["the cat", "the dig"])
    assert_allclose(metric.gains(rows), metric.score(rows) / 100)
    assert metric.gains(rows)[0] == 1


def test_a_very_long_hypothesis_is_counted() -> None:
    texts, reference = ["ab " * 50_000], "ba " * 40_000
    judge = sacrebleu.CHRF()
    expected = judge.corpus_score(texts, [[reference]]).score
    assert_allclose(evaluate(Chrf(), texts, References([[reference]])).value, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"character_order": 0},
            r"Chrf.character_order must be .* >= 1 and <= 16, got 0",
        ),
        ({"word_order": -1}, r"Chrf.word_order must be .* >= 0 and <= 16, got -1"),
        ({"beta": 0}, r"Chrf.beta must be .* >= 1 and <= 1000, got 0"),
    ],
)
def test_invalid_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Chrf(**options)


def test_mismatches_are_errors_that_name_both_numbers() -> None:
    prepared = Chrf().prepare(References([["a"], ["b"]]))
    with pytest.raises(DataError, match="1 hypotheses, but references for 2 sentences"):
        prepared.statistics(["a"])
    core = _core.ChrfReferences([["a"]])
    with pytest.raises(
        DataError, match="hypothesis 0 belongs to sentence 1, but there are references"
    ):
        core.statistics(["a"], np.array([1]))
    with pytest.raises(DataError, match="1 hypotheses, but sentence numbers for 2"):
        core.statistics(["a"], np.array([0, 0]))
    with pytest.raises(DataError, match="sentence 1 has no reference"):
        _core.ChrfReferences([["a"], []])
