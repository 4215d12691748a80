from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, minimize

from hopefear._core import solve_simplex_qp
from hopefear.errors import ConfigError, DataError

Vector: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix: TypeAlias = NDArray[np.float64]


def objective(gram: Matrix, linear: Vector, alpha: Vector) -> float:
    return float(linear @ alpha - alpha @ gram @ alpha / 2)


@given(st.integers(1, 8), st.integers(1, 5), st.floats(0.01, 10), st.integers(0, 2**32 - 1))
def test_the_solution_is_that_of_an_independent_solver(
    size: int, dimension: int, budget: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(size, dimension))
    gram, linear = np.ascontiguousarray(rows @ rows.T), random.normal(size=size)
    found = solve_simplex_qp(gram, linear, budget=budget)
    assert found.alpha.min() >= 0
    assert found.alpha.sum() == pytest.approx(budget, rel=1e-12)

    def loss(alpha: Vector) -> tuple[float, Vector]:
        return -objective(gram, linear, alpha), gram @ alpha - linear

    trusted = minimize(
        loss,
        [budget / size] * size,
        jac=True,
        bounds=Bounds(0, np.inf),
        constraints=LinearConstraint(np.ones((1, size)), budget, budget),
        method="SLSQP",
        tol=1e-14,
    )
    best = objective(gram, linear, trusted.x)
    assert objective(gram, linear, found.alpha) >= best - 1e-7 * (1 + abs(best))


def test_one_constraint_has_the_closed_form_of_passive_aggressive_updates() -> None:
    # α = min(C, violation / ‖h(hope) − h(fear)‖²)
    gram = np.array([[0.0, 0.0], [0.0, 4.0]])
    for violation, expected in [(-1.0, 0.0), (0.5, 0.125), (100.0, 0.75)]:
        found = solve_simplex_qp(gram, np.array([0.0, violation]), budget=0.75)
        assert found.alpha[1] == pytest.approx(expected, abs=1e-12)


def test_equal_rows_move_to_their_bound() -> None:
    found = solve_simplex_qp(np.zeros((2, 2)), np.array([0.0, 1.0]), budget=2.0)
    np.testing.assert_array_equal(found.alpha, [0.0, 2.0])
    assert found.iterations == 1


def test_a_search_that_is_cut_short_says_how_far_it_is_from_the_optimum() -> None:
    found = solve_simplex_qp(np.eye(2), np.array([0.0, 0.0]), budget=1.0, max_iterations=0)
    assert found.gap == 1.0


def test_coefficients_that_are_not_finite_are_refused() -> None:
    with pytest.raises(DataError, match="not finite"):
        solve_simplex_qp(np.eye(2), np.array([0.0, np.nan]), budget=1.0)


def test_a_budget_must_be_positive() -> None:
    with pytest.raises(ConfigError, match="budget"):
        solve_simplex_qp(np.eye(1), np.zeros(1), budget=0.0)
