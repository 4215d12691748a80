import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import ConfigError, DataError
from hopefear.metrics import OracleDocument

counts = st.floats(0.1, 1000)
documents = st.lists(counts, min_size=9, max_size=9).map(np.array)
sentences = st.lists(
    st.lists(st.integers(0, 40), min_size=9, max_size=9), min_size=1, max_size=5
).map(lambda rows: np.array(rows, dtype=np.float64))


def bleu(b: NDArray[np.float64]) -> float:
    """Return BLEU by the formula of the paper, with the logarithm that the scan lost."""
    if (b[:8] == 0).any():
        return 0.0
    return math.exp(np.log(b[:4] / b[4:8]).mean() + min(0.0, 1 - b[8] / b[4]))


@given(documents, sentences)
def test_a_gain_is_what_a_sentence_adds_to_the_document(
    document: NDArray[np.float64], rows: NDArray[np.float64]
) -> None:
    expected = [document[4] * (bleu(document + row) - bleu(document)) for row in rows]
    gains = OracleDocument(statistics=document).gains(rows)
    scale = document[4] * max(bleu(document + row) for row in rows)
    assert_allclose(gains, expected, rtol=1e-9, atol=1e-12 * scale)


@given(documents)
def test_linear_bleu_is_the_gradient_of_the_gain(document: NDArray[np.float64]) -> None:
    def log_bleu(b: NDArray[np.complex128]) -> np.complex128:
        short = document[8] >= document[4]
        brevity = 1 - b[8] / b[4] if short else np.complex128(0)
        return np.complex128(np.log(b[:4] / b[4:8]).mean() + brevity)

    # The derivative by a complex step: f'(x) = Im f(x + ih)/h, without cancellation.
    steps = 1e-30j * np.eye(9)
    slopes = np.array([log_bleu(document + step).imag / 1e-30 for step in steps])
    expected = document[4] * bleu(document) * slopes
    gradient = OracleDocument(statistics=document).linear_gain()
    assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())


def test_at_the_kink_linear_bleu_counts_the_brevity_penalty() -> None:
    document = np.array([6.0, 4, 3, 2, 8, 7, 6, 5, 8])
    gradient = OracleDocument(statistics=document).linear_gain()
    scale = 8 * bleu(document)
    assert_allclose(gradient[8], -scale / 8, rtol=1e-12)
    assert_allclose(gradient[4], scale * (8 / 8**2 - 1 / (4 * 8)), rtol=1e-12)
    longer = OracleDocument(statistics=document + np.eye(9)[4] * 1e-9).linear_gain()
    assert longer[8] == 0


def test_the_first_sentence_has_a_finite_gain_even_without_any_match() -> None:
    document = OracleDocument()
    nothing = np.array([[0.0, 0, 0, 0, 7, 6, 5, 4, 9], [0.0] * 9, [1.0, 0, 0, 0, 1, 0, 0, 0, 9]])
    gains = document.gains(nothing)
    assert np.isfinite(gains).all()
    assert gains[1] == 0
    assert (gains[[0, 2]] < 0).all()
    assert np.isfinite(document.linear_gain()).all()


def test_a_document_decays_as_sentences_are_added() -> None:
    start = OracleDocument(decay=0.5)
    one, two = np.arange(9.0), np.ones(9)
    document = start.add(one).add(two)
    assert_allclose(document.statistics, 0.25 * start.statistics + 0.25 * one + 0.5 * two)
    assert_allclose(start.statistics, [4, 3, 2, 1, 4, 3, 2, 1, 4])


def test_the_coefficient_of_a_4_gram_stays_bounded_when_none_has_matched_for_long() -> None:
    document = OracleDocument()
    without = np.array([9.0, 5, 2, 0, 20, 19, 18, 17, 20])
    for _ in range(22):
        document = document.add(without)
    bound = document.linear_gain()[3]
    for _ in range(2000):
        document = document.add(without)
    assert document.linear_gain()[3] < 1.1 * bound
    for _ in range(2000):  # sentences of one word have no 2-grams at all
        document = document.add(np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1]))
    assert np.abs(document.linear_gain()).max() < 100


def test_an_invalid_document_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"OracleDocument.decay must be from 0 to 1, got 1.5"):
        OracleDocument(decay=1.5)
    with pytest.raises(DataError, match="must be finite and >= 0"):
        OracleDocument(statistics=np.full(9, np.nan))
    with pytest.raises(DataError, match=r"component 3 is 0"):
        OracleDocument(statistics=np.array([1.0, 1, 1, 0, 1, 1, 1, 1, 1])).linear_gain()
    with pytest.raises(DataError, match=r"document has 9 statistics, the hypotheses have 7"):
        OracleDocument().gains(np.zeros((2, 7)))
    with pytest.raises(DataError, match=r"2K \+ 1 numbers, got 8"):
        _core.linear_bleu(np.ones(8))
