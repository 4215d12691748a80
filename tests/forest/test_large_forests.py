"""Depth and size: nothing recurses along a forest, nothing is quadratic in it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from hopefear.forest import Arc, Forest, lattice_forest

LENGTH = 50_000


@pytest.fixture(scope="module")
def chain() -> Forest:
    """A lattice of 2 to the power of LENGTH paths."""
    arcs = [
        Arc(source=i, target=i + 1, words=[word], features={word: 1.0})
        for i in range(LENGTH)
        for word in ("x", "y")
    ]
    return lattice_forest(arcs, final={LENGTH: {}})


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.array([1.0, 0.5])


def test_a_deep_forest_has_its_best_derivation(chain: Forest, weights: np.ndarray) -> None:
    best = chain.viterbi(weights)
    assert best.score == LENGTH
    assert best.words == ("x",) * LENGTH
    assert best.features == {"x": LENGTH}


def test_the_derivations_of_a_deep_forest_are_counted(chain: Forest) -> None:
    assert chain.count() == 2**LENGTH


def test_a_deep_forest_has_its_k_best_derivations(chain: Forest, weights: np.ndarray) -> None:
    found = chain.kbest(weights, k=5)
    assert [d.score for d in found] == [LENGTH, *[LENGTH - 0.5] * 4]
    distinct = list(islice(chain.derivations(weights, distinct=True), 5))
    assert len({d.words for d in distinct}) == 5


def test_a_deep_forest_has_its_expectations(chain: Forest, weights: np.ndarray) -> None:
    distribution = chain.distribution(weights, temperature=0.5)
    log_partition = LENGTH * np.log(np.exp(2.0) + np.exp(1.0))
    assert distribution.log_partition == pytest.approx(log_partition, rel=1e-9)
    p = 1 / (1 + np.exp(-1))
    expected = distribution.expected_features().values
    assert expected == pytest.approx([LENGTH * p, LENGTH * (1 - p)], rel=1e-9)
    covariance = distribution.covariance(chain.score_edges(np.array([1.0, 0.0]))).values
    variance = LENGTH * p * (1 - p)
    assert covariance == pytest.approx([variance, -variance], rel=1e-9)


def test_a_deep_forest_is_sampled(chain: Forest, weights: np.ndarray) -> None:
    (drawn,) = chain.distribution(weights).sample(1, seed=1)
    assert len(drawn.words) == LENGTH


def test_a_deep_forest_has_its_envelope(chain: Forest, weights: np.ndarray) -> None:
    envelope = chain.envelope(weights, np.array([0.0, 1.0]))
    assert envelope.breakpoints.tolist() == [-np.inf, 0.5]
    assert envelope.slopes.tolist() == [0, LENGTH]
    assert envelope.derivation(1).words == ("y",) * LENGTH
