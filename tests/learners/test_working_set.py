"""Working sets and the quadratic program over one or several of them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from hopefear import _core
from hopefear.errors import DataError
from hopefear.forest import Forest
from hopefear.learners import Mira
from hopefear.learners.working_set import WorkingSet, solve_together
from hopefear.metrics import OracleDocument
from hopefear.types import FloatArray
from strategies import forests
from visits import ALL, features_of, pair, small, texts, visit_of


@given(forests(), texts, small, st.sampled_from([0.01, 0.3, 2.0]))
def test_the_working_set_is_solved_as_by_an_independent_solver(
    forest: Forest, text: str, weights: FloatArray, rate: float
) -> None:
    visit, _ = visit_of(forest, [text], weights, rate)
    example, document = visit.example, OracleDocument()
    hope, *others = ALL.find(example, example.scores, document, 1.0, count=6)
    working = WorkingSet(hope, document)
    for other in others:
        working.add(other)
    x = working.solve(weights, visit.rates)
    dense = np.zeros((len(working), 3))
    dense[:, working.ids] = working.rows
    for row, found in zip(dense, [hope, *others], strict=True):
        assert_allclose(row, features_of(hope, 3) - features_of(found, 3), atol=1e-9)

    def objective(w: FloatArray) -> float:
        violations = working.losses - dense @ w
        return float((w - weights) @ (w - weights) / (2 * rate) + violations.max())

    ours = weights.copy()
    ours[working.ids] += rate * x
    # The problem in its primal form, with a slack variable: SLSQP knows nothing of the dual.
    solver: Any = minimize
    found = solver(
        lambda z: (z[:3] - weights) @ (z[:3] - weights) / (2 * rate) + z[3],
        np.append(weights, (working.losses - dense @ weights).max()),
        jac=lambda z: np.append((z[:3] - weights) / rate, 1.0),
        constraints={
            "type": "ineq",
            "fun": lambda z: z[3] - working.losses + dense @ z[:3],
            "jac": lambda z: np.hstack([dense, np.ones((len(dense), 1))]),
        },
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert objective(ours) <= objective(found.x[:3]) + 1e-5


def test_a_working_set_refuses_what_does_not_fit() -> None:
    row = (np.array([1, 4], dtype=np.int32), np.ones(2))
    working = _core.WorkingSet(*row, gain=0.0)
    working.add(np.array([0, 2], dtype=np.int32), np.ones(2), gain=-1.0)
    assert working.ids.tolist() == [0, 1, 2, 4]
    assert working.rows.tolist() == [[0, 0, 0, 0], [-1, 1, -1, 1]]
    assert working.violations(np.arange(5.0)).tolist() == [0.0, 1.0 - (-0 + 1 - 2 + 4)]
    few, enough = np.zeros(4), np.zeros(5)
    with pytest.raises(DataError, match="there are 4 weights, too few for feature 4"):
        working.violations(few)
    with pytest.raises(DataError, match="there are 4 weights"):
        working.violation(*row, gain=0.0, weights=few)
    with pytest.raises(DataError, match="there are 4 rates"):
        working.solve(enough, few, tolerance=1e-6, max_iterations=10)
    for ids, message in (([1, 1], "increasing"), ([-1, 2], "increasing"), ([1], "1 feature ids")):
        with pytest.raises(DataError, match=message):
            working.add(np.array(ids, dtype=np.int32), np.ones(2), gain=0.0)


@given(forests(), forests(), texts, small, st.sampled_from([0.01, 0.3]))
def test_working_sets_are_solved_together_as_by_an_independent_solver(
    first: Forest, second: Forest, text: str, weights: FloatArray, rate: float
) -> None:
    """min ½/η ‖w′ − w‖² + Σᵢ max_d vᵢ(d) over two examples (algorithm 4)."""
    document, sets = OracleDocument(), []
    visits = [visit_of(forest, [text], weights, rate)[0] for forest in (first, second)]
    for visit in visits:
        hope, *others = ALL.find(visit.example, visit.example.scores, document, 1.0, count=4)
        working = WorkingSet(hope, document)
        for other in others:
            working.add(other)
        sets.append(working)
    found = solve_together(sets, visits[0])

    def objective(w: FloatArray) -> float:
        distance = float((w - weights) @ (w - weights)) / (2 * rate)
        return distance + sum(float(max(working.violations(w))) for working in sets)

    expected = weights.copy()
    for working, x in zip(sets, found, strict=True):
        expected[working.ids] += rate * x
    assert_allclose(visits[0].trial, expected, atol=1e-9)
    nearby = expected + np.random.default_rng(1).normal(size=(50, len(weights))) * 1e-3
    best = objective(expected)
    assert best <= min(map(objective, nearby)) + 1e-6 * max(1.0, abs(best))


def test_a_working_set_that_is_heard_is_the_one_that_was_taught() -> None:
    forest = pair({"f": 1.0, "g": 2.0}, {"f": 3.0, "g": -1.0})
    weights = np.array([0.5, 0.1])
    told, _ = visit_of(forest, ["a b c d e"], weights, 0.05)
    taught = Mira().update(told)
    assert taught is not None
    heard = WorkingSet.of(taught, OracleDocument())
    assert_array_equal(heard.ids, taught.ids)
    assert_allclose(heard.rows[1:], taught.rows)
    assert_allclose(heard.losses[1:], taught.losses)


@pytest.mark.parametrize(
    ("ids", "rows", "losses"),
    [([1, 0], [[1.0, 2.0]], [0.5]), ([-1, 0], [[1.0, 2.0]], [0.5]), ([0, 1], [[1.0, 2.0]], [])],
)
def test_a_working_set_that_does_not_fit_together_is_refused(
    ids: list[int], rows: list[list[float]], losses: list[float]
) -> None:
    with pytest.raises(DataError):
        _core.WorkingSet.taught(np.array(ids, dtype=np.int32), np.array(rows), np.array(losses))
