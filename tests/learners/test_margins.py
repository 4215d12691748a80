import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear import _core
from hopefear.errors import ConfigError, DataError
from hopefear.nbest import NBest, NBestBuilder


def random_lists(random: np.random.Generator, sentences: int, size: int, features: int) -> NBest:
    builder = NBestBuilder()
    for j in range(features):
        builder.feature_names.add(f"f{j}")
    for sentence in range(sentences):
        for i in range(size):
            values = random.normal(size=features).round(2)
            builder.add(sentence, f"h {i}", {f"f{j}": float(v) for j, v in enumerate(values)})
    return builder.finish(sentences)


def matrix(nbest: NBest) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    h = np.zeros((len(nbest), len(nbest.feature_names)))
    for row in range(len(nbest)):
        for name, value in nbest.features_of(row).items():
            h[row, nbest.feature_names.find(name)] = value
    return h


def differences(nbest: NBest, better: list[int], worse: list[int]) -> _core.SparseRows:
    oracles: list[list[int]] = [[] for _ in range(nbest.sentence_count)]
    for row in better:
        oracles[0].append(row)
    pairs = _core.oracle_pairs(nbest, np.arange(nbest.sentence_count), oracles)
    assert list(pairs.worse) == worse
    return _core.pair_differences(nbest, pairs)


@given(st.integers(2, 30), st.floats(0.01, 3), st.integers(0, 2**32 - 1))
def test_the_solution_of_the_dual_is_that_of_the_problem(
    size: int, bound: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    nbest = random_lists(random, 1, size, 3)
    rows = differences(nbest, [0], list(range(1, size)))
    h = matrix(nbest)
    phi = h[:1] - h[1:]
    np.testing.assert_allclose(rows.dot(np.ones(3)), phi.sum(axis=1), atol=1e-12)
    start = random.normal(size=3)
    margins = random.normal(size=size - 1)
    found = _core.solve_margins(
        rows, margins, start, bound=bound, tolerance=1e-10, max_passes=100_000, seed=1
    )
    np.testing.assert_allclose(found.weights, start + phi.T @ found.tau, atol=1e-9)

    w, tau = np.array(found.weights), np.array(found.tau)
    assert (tau >= 0).all()
    assert (tau <= bound).all()
    # No dual solution is above a primal one: where they meet, both are optimal.
    primal = ((w - start) ** 2).sum() / 2 + bound * np.maximum(0, margins - phi @ w).sum()
    dual = tau @ (margins - phi @ start) - ((phi.T @ tau) ** 2).sum() / 2
    assert abs(primal - dual) < 1e-7 * max(1.0, primal)


def test_a_margin_that_is_met_does_not_move_the_weights() -> None:
    nbest = random_lists(np.random.default_rng(3), 1, 2, 3)
    rows = differences(nbest, [0], [1])
    start = rows.transposed_dot(np.array([100.0]), 3)
    found = _core.solve_margins(
        rows, np.ones(1), start, bound=1.0, tolerance=1e-9, max_passes=10, seed=1
    )
    np.testing.assert_array_equal(found.weights, start)


def test_weights_that_are_too_short_are_refused() -> None:
    rows = differences(random_lists(np.random.default_rng(3), 1, 2, 3), [0], [1])
    with pytest.raises(DataError, match="weights for 2 features"):
        rows.dot(np.zeros(2))


def test_a_bound_must_be_positive() -> None:
    rows = differences(random_lists(np.random.default_rng(3), 1, 2, 3), [0], [1])
    with pytest.raises(ConfigError, match="bound"):
        _core.solve_margins(
            rows, np.ones(1), np.zeros(3), bound=0.0, tolerance=1e-9, max_passes=1, seed=1
        )


@given(st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_the_sum_of_some_feature_vectors_is_that_of_the_matrix(
    sentences: int, size: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    nbest = random_lists(random, sentences, size, 4)
    rows = random.integers(0, max(len(nbest), 1), size=7 if len(nbest) else 0)
    x = random.normal(size=len(rows))
    found = nbest.feature_sum(rows, x)
    np.testing.assert_allclose(found, matrix(nbest)[rows].T @ x, atol=1e-12)
    with pytest.raises(DataError, match=f"there is no hypothesis {len(nbest)} of {len(nbest)}"):
        nbest.feature_sum(np.array([len(nbest)]), np.ones(1))
    with pytest.raises(DataError, match="1 rows, but 2 coefficients"):
        nbest.feature_sum(np.zeros(1, dtype=np.int64), np.ones(2))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_the_spread_of_a_feature_is_its_deviation_within_lists(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    builder, features = NBestBuilder(), ["dense", "sparse", "constant", "of none"]
    for name in features:
        builder.feature_names.add(name)
    for sentence, size in enumerate(sizes):
        for i in range(size):
            values = {"dense": float(random.normal(1e3)), "constant": 0.1 * sentence}
            some = {"sparse": float(random.normal())} if random.random() < 0.5 else {}
            builder.add(sentence, f"h {i}", values | some)
    nbest = builder.finish(len(sizes))
    h = matrix(nbest)
    variances = [h[list(nbest.rows(s))].var(axis=0) for s, size in enumerate(sizes) if size]
    expected = np.sqrt(np.mean(variances, axis=0)) if variances else np.zeros(4)
    found = nbest.feature_spread()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    # What is constant is exactly so.
    assert found[2:].tolist() == [0.0, 0.0]
