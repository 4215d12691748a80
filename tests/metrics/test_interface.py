"""What all metrics share: the registry, n-best lists, and the core's view of the score."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hopefear.errors import ConfigError, DataError
from hopefear.metrics import (
    Bleu,
    Chrf,
    ChrfPlusPlus,
    Column,
    References,
    Ter,
    TextMetric,
    Wer,
    metrics,
)
from hopefear.nbest import NBest, NBestBuilder
from hopefear.settings.config import decode, encode

TEXT_METRICS: list[TextMetric] = [
    Bleu(tokenize="none"),
    Bleu(tokenize="none", lowercase=True),
    Bleu(tokenize="13a", lowercase=True, order=2),
    Chrf(),
    ChrfPlusPlus(lowercase=True, whitespace=True),
    Ter(),
    Ter(case_sensitive=True),
    Ter(normalized=True),
    Wer(lowercase=True),
]
REFERENCES = References([["The house is small.", "It is a Small House"], ["ΟΔΟΣ Σ"], ["a b"]])
TEXTS = [["the house is small.", "The  house is Big", ""], ["οδος σ", "ΟΔΟΣ ΟΔΟΣ"], ["b a"]]


def make_lists() -> NBest:
    builder = NBestBuilder()
    for sentence, texts in enumerate(TEXTS):
        for text in texts:
            builder.add(sentence, text, {"length": len(text)})
    return builder.finish()


@pytest.mark.parametrize("metric", TEXT_METRICS)
def test_nbest_lists_have_the_statistics_of_their_texts(metric: TextMetric) -> None:
    prepared = metric.prepare(REFERENCES)
    lists = make_lists()
    texts = [text for sentence in TEXTS for text in sentence]
    sentences = np.repeat(np.arange(3), [3, 2, 1])
    expected = prepared.statistics(texts, sentences)
    assert (prepared.statistics(lists) == expected).all()
    prepared.set_statistics(lists)
    assert lists.statistics is not None
    assert (lists.statistics == expected).all()


@pytest.mark.parametrize("metric", TEXT_METRICS)
def test_statistics_of_no_hypotheses_are_an_empty_matrix(metric: TextMetric) -> None:
    dimension = metric.corpus_score().dimension
    prepared = metric.prepare(References([]))
    assert prepared.statistics([]).shape == (0, dimension)
    lists = NBestBuilder().finish()
    prepared.set_statistics(lists)
    assert prepared.statistics(lists).shape == (0, dimension)


@pytest.mark.parametrize("metric", [*TEXT_METRICS, Column(), Column(higher_is_better=False)])
def test_the_score_in_the_core_is_oriented_so_that_higher_is_better(
    metric: TextMetric | Column,
) -> None:
    dimension = metric.corpus_score().dimension
    rows = np.random.default_rng(3).integers(1, 20, size=(5, dimension)).astype(np.float64)
    percent = 1 if isinstance(metric, Column) else 100
    sign = 1 if metric.higher_is_better else -1
    assert_allclose(
        metric.corpus_score().rows(rows) * sign * percent, metric.score(rows), rtol=1e-12
    )


@pytest.mark.parametrize("metric", TEXT_METRICS)
def test_lists_and_references_of_different_size_are_an_error_that_names_both(
    metric: TextMetric,
) -> None:
    prepared = metric.prepare(References.from_streams([["a", "b"]], names=["dev.en"]))
    message = "dev.en: .* 3 sentences, but the references have 2"
    with pytest.raises(DataError, match=message):
        prepared.statistics(make_lists())


@pytest.mark.parametrize("metric", TEXT_METRICS)
def test_an_invalid_list_of_texts_is_an_error_that_names_the_text(metric: TextMetric) -> None:
    prepared = metric.prepare(References([["a"], ["b"]]))
    nothing: Any = None
    with pytest.raises(DataError, match="hypothesis 1 must be a string, got None"):
        prepared.statistics(["a", nothing])
    with pytest.raises(DataError, match=r"hypothesis 1 contains '\\ud800'"):
        prepared.statistics(["a", "b \ud800"])
    with pytest.raises(DataError, match="hypothesis: expected a list of strings"):
        prepared.statistics("ab")


def test_every_metric_is_found_by_its_name() -> None:
    assert list(metrics) == ["bleu", "chrf", "chrf++", "column", "ter", "wer"]
    for name in metrics:
        metric = metrics[name]()
        assert decode(metrics[name], encode(metric)) == metric
    with pytest.raises(ConfigError, match=r"unknown metric 'blue'; did you mean 'bleu'\?"):
        metrics["blue"]


def test_a_variable_number_of_references_is_in_the_signature() -> None:
    for metric in TEXT_METRICS:
        assert metric.signature(REFERENCES).startswith("nrefs:var|case:")


def test_the_score_of_a_column_is_its_mean() -> None:
    values = np.array([0.25, -1.5, 3.0])
    for higher_is_better in (True, False):
        metric = Column(label="COMET", higher_is_better=higher_is_better)
        rows = metric.statistics(values)
        assert_allclose(metric.score(rows.sum(axis=0)), values.mean(), rtol=1e-15)
        assert_allclose(metric.score(rows), values)


def test_gains_of_a_column_to_be_minimized_are_negated() -> None:
    rows = Column().statistics([1.0, -2.0])
    assert Column().gains(rows).tolist() == [1, -2]
    assert Column(higher_is_better=False).gains(rows).tolist() == [-1, 2]
    assert Column(higher_is_better=False).corpus_score().rows(rows).tolist() == [-1, 2]


def test_a_column_of_no_sentences_scores_zero() -> None:
    assert Column().score(np.zeros(2)) == 0


def test_invalid_numbers_are_errors_that_name_the_row() -> None:
    with pytest.raises(DataError, match=r"COMET: hypothesis 1 .*nan; expected a finite number"):
        Column(label="COMET").statistics([0.5, float("nan")])
    with pytest.raises(DataError, match=r"column: expected one number .* of shape \(2, 1\)"):
        Column().statistics([[1.0], [2.0]])
