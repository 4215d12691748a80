import numpy as np
import pytest
from numpy.testing import assert_allclose

from hopefear.errors import DataError
from hopefear.metrics import Column


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


def test_numbers_that_are_none_are_refused_with_their_row() -> None:
    with pytest.raises(DataError, match=r"COMET: hypothesis 1 .*nan; expected a finite number"):
        Column(label="COMET").statistics([0.5, float("nan")])
    with pytest.raises(DataError, match=r"column: expected one number .* of shape \(2, 1\)"):
        Column().statistics([[1.0], [2.0]])
