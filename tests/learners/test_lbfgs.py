"""L-BFGS with penalties, against closed forms and optimality conditions."""

import numpy as np
import pytest

from hopefear.learners.minimize import Objective, minimize
from hopefear.regularizers import L1, L2, L2Start, NoPenalty, Regularizer, regularizers
from hopefear.types import FloatArray


def test_an_l1_penalty_finds_the_same_optimum_from_any_start() -> None:
    random = np.random.default_rng(41)
    rows = random.normal(size=(200, 6)) * [1, 10, 0.1, 1, 1, 1] - [0, 5, 0, 0, 0, 0]
    penalty = L1(strength=0.1).bind([], np.zeros(6))

    def loss(w: FloatArray) -> tuple[float, FloatArray]:
        scores = rows @ w
        return float(np.logaddexp(0, -scores).sum()), -rows.T @ (1 / (1 + np.exp(scores)))

    starts = np.zeros(6), random.normal(size=6)
    found = [minimize(loss, penalty, start, scale=rows.std(axis=0)) for start in starts]
    values = [loss(w)[0] + penalty.value(w) for w in found]
    assert values[1] == pytest.approx(values[0], rel=1e-9)


def least_squares(rows: FloatArray, target: FloatArray) -> Objective:
    def loss(w: FloatArray) -> tuple[float, FloatArray]:
        rest = rows @ w - target
        return float(rest @ rest) / 2, rows.T @ rest

    return loss


@pytest.mark.parametrize(
    ("regularizer", "strength"),
    [(NoPenalty(), 0.0), (L2(strength=3.0), 3.0), (L2Start(strength=30.0), 30.0)],
)
def test_with_a_quadratic_penalty_least_squares_have_their_closed_form(
    regularizer: Regularizer, strength: float
) -> None:
    random = np.random.default_rng(3)
    rows, target = random.normal(size=(40, 5)) * [1, 10, 0.1, 1, 3], random.normal(size=40)
    start, origin = random.normal(size=(2, 5))
    pull = origin if isinstance(regularizer, L2Start) else np.zeros(5)
    expected = np.linalg.solve(
        rows.T @ rows + strength * np.eye(5), rows.T @ target + strength * pull
    )
    loss, scale = least_squares(rows, target), rows.std(axis=0)
    penalty = regularizer.bind([], origin)
    found = minimize(loss, penalty, start, scale=scale, tolerance=1e-9)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_with_an_l1_penalty_least_squares_meet_the_conditions_of_the_lasso() -> None:
    random = np.random.default_rng(4)
    rows, target = random.normal(size=(40, 6)) * [1, 10, 0.1, 1, 3, 1], random.normal(size=40)
    loss, strength = least_squares(rows, target), 4.0
    penalty = L1(strength=strength).bind([], np.zeros(6))
    found = minimize(loss, penalty, np.ones(6), scale=rows.std(axis=0), tolerance=1e-9)
    gradient = loss(found)[1]
    zero = found == 0.0
    assert 0 < np.count_nonzero(zero) < 6
    assert (np.abs(gradient[zero]) <= strength).all()
    np.testing.assert_allclose(gradient[~zero], -strength * np.sign(found[~zero]), rtol=1e-6)


@pytest.mark.parametrize("name", regularizers)
def test_the_gradient_of_a_penalty_is_that_of_its_value(name: str) -> None:
    options = {} if name == "none" else {"strength": 2.5}
    w, start = np.array([0.7, -1.2, 0.0]), np.array([0.2, -2.0, 0.0])
    penalty = regularizers[name](**options).bind(["a#0", "a#1", "a#2"], start)
    steps = 1e-6 * np.eye(3)
    differences = [penalty.value(w + s) - penalty.value(w - s) for s in steps]
    found = penalty.gradient(w)
    np.testing.assert_allclose(found, np.array(differences) / 2e-6, rtol=1e-6, atol=1e-9)
    expected = {
        "none": 0.0,
        "l1": 2.5 * 1.9,
        "l2": 1.25 * (0.7**2 + 1.2**2),
        "l2-start": 1.25 * (0.5**2 + 0.8**2),
        # The second bin is 1.55 below the middle of its neighbors, which are 0.35 from it.
        "lnr": 2.5 * 1.55**2 + 0.5 * (0.7**2 + 1.2**2),
        "mnr": 2.5 * np.tanh(1.55 / 0.35) ** 4 * 1.55**2 + 0.5 * (0.7**2 + 1.2**2),
    }
    assert penalty.value(w) == pytest.approx(expected[name], rel=1e-12)


@pytest.mark.parametrize("name", regularizers)
def test_a_proximal_step_minimizes_the_penalty_and_the_distance(name: str) -> None:
    options = {} if name == "none" else {"strength": 2.5}
    w, start, step = np.array([0.7, -1.2, 0.01]), np.array([0.2, -2.0, 0.0]), 0.1
    penalty = regularizers[name](**options).bind(["a", "b", "c"], start)

    def objective(v: FloatArray) -> float:
        return penalty.value(v) + float((v - w) @ (v - w)) / (2 * step)

    found = penalty.proximal(w, step)
    nearby = found + 1e-4 * np.random.default_rng(1).normal(size=(100, 3))
    assert objective(found) <= min(map(objective, nearby))
