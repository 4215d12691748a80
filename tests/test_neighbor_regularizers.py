"""The shapes of Clark et al. (2014), section 4: against their formulas, and in their limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hopefear.learners.minimize import minimize
from hopefear.regularizers import (
    L2,
    LinearNeighbors,
    MonotoneNeighbors,
    Penalty,
    Regularizer,
)
from hopefear.types import FloatArray

# Two features with bins, in any order, and features without.
NAMES = ["p#0", "LM0", "p#2", "c#1", "p#1", "c#0", "p#3", "c#2", "one#0", "WordPenalty"]
P, C = [0, 4, 2, 6], [5, 3, 7]
SHAPES = [LinearNeighbors(strength=3.0), MonotoneNeighbors(strength=3.0, steepness=2)]

weights = st.lists(st.floats(-3, 3), min_size=10, max_size=10).map(np.array)


def by_hand(w: FloatArray, strength: float, steepness: int, l2: float) -> float:
    """Equations 9 to 13, and l2."""
    total = 0.0
    for chain in (P, C):
        for before, j, after in zip(chain, chain[1:], chain[2:], strict=False):
            a = (w[before] + w[after]) / 2 - w[j]
            b = (w[before] - w[after]) / 2
            damping = math.tanh(a / b) ** (2 * steepness) if steepness and b else 1.0
            total += damping * a**2
    return strength * total + l2 / 2 * float(w @ w)


@given(weights, st.sampled_from([0.0, 1.0]), st.sampled_from([0, 1, 2, 5]))
def test_the_penalty_is_that_of_the_paper(w: FloatArray, l2: float, steepness: int) -> None:
    shape: Regularizer = LinearNeighbors(strength=0.7, l2=l2)
    if steepness:
        shape = MonotoneNeighbors(strength=0.7, l2=l2, steepness=steepness)
    penalty = shape.bind(NAMES, np.zeros(10))
    assert penalty.value(w) == pytest.approx(by_hand(w, 0.7, steepness, l2), rel=1e-9, abs=1e-12)


def differences(penalty: Penalty, w: FloatArray, step: float = 1e-6) -> FloatArray:
    rows = np.eye(len(w)) * step
    return np.array([(penalty.value(w + r) - penalty.value(w - r)) / (2 * step) for r in rows])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_is_that_of_finite_differences(shape: Regularizer) -> None:
    draw = np.random.default_rng(1)
    penalty = shape.bind(NAMES, draw.normal(size=10))
    for _ in range(200):
        w = draw.normal(size=10)
        assert_allclose(penalty.gradient(w), differences(penalty, w), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "chain", [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 2.0], [0.0, 1e-9, 0.0, -1e-9], [1, 1, 2, 2]]
)
def test_equal_neighbors_are_no_division_by_zero(shape: Regularizer, chain: list[float]) -> None:
    w = np.zeros(10)
    w[P] = chain
    penalty = shape.bind(NAMES, np.zeros(10))
    assert np.isfinite(penalty.value(w))
    assert np.isfinite(penalty.gradient(w)).all()
    assert np.isfinite(penalty.proximal(w, 10.0)).all()


def test_a_monotone_curve_costs_less_than_a_line_of_the_same_ends() -> None:
    w, line = np.zeros(10), np.zeros(10)
    w[P], line[P] = [0.0, 2.5, 2.9, 3.0], [0.0, 1.0, 2.0, 3.0]
    linear = LinearNeighbors(l2=0.0).bind(NAMES, line)
    monotone = MonotoneNeighbors(l2=0.0, steepness=10).bind(NAMES, line)
    assert linear.value(line) == monotone.value(line) == 0.0
    assert monotone.value(w) < 0.01 * linear.value(w)
    w[P] = [0.0, 9.0, 2.9, 3.0]  # far above both of its neighbors
    assert monotone.value(w) > 0.8 * linear.value(w)


def names(count: int) -> list[str]:
    return [f"p#{i}" for i in range(count)]


def fitted(shape: Regularizer, target: FloatArray) -> FloatArray:
    """Return argmin ½ ‖w − target‖² + R(w)."""

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        return 0.5 * float((w - target) @ (w - target)), w - target

    penalty = shape.bind(names(len(target)), np.zeros_like(target))
    return minimize(objective, penalty, np.zeros_like(target), tolerance=1e-9, max_iterations=10000)


def test_linear_neighbors_give_a_line_in_the_limit() -> None:
    target = np.log(np.arange(1.0, 13.0)) + np.random.default_rng(2).normal(size=12) / 5
    found = fitted(LinearNeighbors(strength=1e7, l2=0.0), target)
    line = np.polyval(np.polyfit(np.arange(12), target, 1), np.arange(12))
    assert_allclose(found, line, atol=1e-3)


def test_monotone_neighbors_give_a_monotone_curve_that_is_no_line_in_the_limit() -> None:
    target = np.log(np.arange(1.0, 25.0)) + np.random.default_rng(3).normal(size=24) / 5
    assert (np.diff(target) < 0).any()
    found = fitted(MonotoneNeighbors(strength=1e5, l2=0.0), target)
    assert np.diff(found).min() > -1e-3
    line = np.polyval(np.polyfit(np.arange(24), target, 1), np.arange(24))
    assert np.square(found - target).sum() < 0.5 * np.square(line - target).sum()


def test_the_proximal_step_of_linear_neighbors_is_exact() -> None:
    draw = np.random.default_rng(4)
    origin, w, step = draw.normal(size=10), draw.normal(size=10), 0.7
    penalty = LinearNeighbors(strength=5.0, l2=2.0, start_strength=1.0).bind(NAMES, origin)
    found = penalty.proximal(w, step)
    assert_allclose(penalty.gradient(found) + (found - w) / step, np.zeros(10), atol=1e-9)


def test_every_weight_can_have_a_step_of_its_own() -> None:
    """As in AROW, whose rates differ: a weight without a step stays."""
    draw = np.random.default_rng(6)
    w, steps = draw.normal(size=10), draw.random(10)
    steps[P[1]] = 0.0
    penalty = LinearNeighbors(strength=5.0, l2=2.0).bind(NAMES, np.zeros(10))
    found = penalty.proximal(w, steps)
    assert found[P[1]] == pytest.approx(w[P[1]])
    moving = steps > 0
    assert_allclose((steps * penalty.gradient(found) + found - w)[moving], 0.0, atol=1e-9)
    same = penalty.proximal(w, np.full(10, 0.3))
    assert_allclose(same, penalty.proximal(w, 0.3))


def test_the_proximal_step_of_monotone_neighbors_descends_whatever_its_length() -> None:
    draw = np.random.default_rng(5)
    penalty = MonotoneNeighbors(strength=100.0).bind(names(30), np.zeros(30))
    for step in (1e-3, 1.0, 1e3):
        w = draw.normal(size=30)
        assert penalty.value(penalty.proximal(w, step)) < penalty.value(w)


@pytest.mark.parametrize("seed", range(20))
def test_a_long_proximal_step_of_monotone_neighbors_leaves_no_bin_outside(seed: int) -> None:
    """Also those that were between their neighbors before these moved."""
    w = np.random.default_rng(seed).normal(size=12)
    found = MonotoneNeighbors(strength=1e6, l2=0.0).bind(names(12), w).proximal(w, 1.0)
    rises = np.diff(found) / np.ptp(found)
    assert rises.min() > -1e-3 or rises.max() < 1e-3


def test_without_bins_only_the_pull_is_left() -> None:
    w, origin = np.array([1.0, 2.0]), np.array([0.5, 0.0])
    plain = L2(strength=3.0, start_strength=2.0).bind(["a", "b"], origin)
    for shape in (LinearNeighbors, MonotoneNeighbors):
        penalty = shape(l2=3.0, start_strength=2.0).bind(["a", "b#0"], origin)
        assert penalty.value(w) == plain.value(w)
        assert_allclose(penalty.gradient(w), plain.gradient(w))
        assert_allclose(penalty.proximal(w, 0.3), plain.proximal(w, 0.3))
