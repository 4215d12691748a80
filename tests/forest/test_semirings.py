"""Semirings keep their laws, and inside and outside equal sums over derivations in each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force
import strategies
from hopefear import _core
from hopefear.errors import DataError, ForestError
from hopefear.forest import Forest


class Semiring(Protocol):
    def zero(self) -> Any: ...
    def one(self) -> Any: ...
    def plus(self, a: Any, b: Any) -> Any: ...
    def times(self, a: Any, b: Any) -> Any: ...
    def inside(self, forest: _core.Forest, edge_values: Any) -> list[Any]: ...
    def outside(self, forest: _core.Forest, edge_values: Any) -> list[Any]: ...


small = st.integers(-3, 3).map(float)
scores = st.one_of(st.just(-math.inf), small)
naturals = st.one_of(st.integers(0, 3), st.integers(0, 2**200))
# Values on which float arithmetic is exact, except in the log semiring.
SEMIRINGS: dict[str, tuple[Callable[[], Semiring], st.SearchStrategy[Any]]] = {
    "boolean": (_core.BooleanSemiring, st.booleans()),
    "count": (_core.CountSemiring, naturals.map(lambda n: f"{n:x}")),
    "viterbi": (_core.ViterbiSemiring, scores),
    "log": (
        _core.LogSemiring,
        st.one_of(st.just((-math.inf, 0.0)), st.tuples(small, st.sampled_from([0.0, 0.5, 800.0]))),
    ),
    "real": (_core.RealSemiring, st.integers(0, 4).map(float)),
    "expectation": (
        _core.ExpectationSemiring,
        st.tuples(st.integers(0, 4).map(float), small),
    ),
}
each_semiring = pytest.mark.parametrize("name", SEMIRINGS)


def close(a: Any, b: Any) -> bool:
    """Whether two values are the same but for rounding."""
    if isinstance(a, tuple):
        return all(map(close, a, b))
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return bool(a == b)


@each_semiring
@given(data=st.data())
def test_a_semiring_keeps_its_laws(name: str, data: st.DataObject) -> None:
    make, values = SEMIRINGS[name]
    s = make()
    a, b, c = (data.draw(values) for _ in range(3))
    plus, times = s.plus, s.times
    assert close(plus(a, b), plus(b, a))
    assert close(times(a, b), times(b, a))
    assert close(plus(plus(a, b), c), plus(a, plus(b, c)))
    assert close(times(times(a, b), c), times(a, times(b, c)))
    assert close(times(a, plus(b, c)), plus(times(a, b), times(a, c)))
    assert plus(a, s.zero()) == a
    assert times(a, s.one()) == a
    assert times(a, s.zero()) == s.zero()


def product(s: Semiring, values: list[Any]) -> Any:
    return reduce(s.times, values, s.one())


def total(s: Semiring, values: list[Any]) -> Any:
    return reduce(s.plus, values, s.zero())


def values_for(data: st.DataObject, forest: Forest, values: st.SearchStrategy[Any]) -> list[Any]:
    return data.draw(st.lists(values, min_size=forest.edge_count, max_size=forest.edge_count))


@each_semiring
@settings(max_examples=40)
@given(data=st.data(), forest=strategies.forests())
def test_the_inside_value_of_the_root_sums_over_all_derivations(
    name: str, data: st.DataObject, forest: Forest
) -> None:
    make, strategy = SEMIRINGS[name]
    s = make()
    values = values_for(data, forest, strategy)
    products = [product(s, [values[e] for e in d]) for d in brute_force.derivations(forest)]
    assert close(s.inside(forest.core, values)[-1], total(s, products))


@each_semiring
@settings(max_examples=40)
@given(data=st.data(), forest=strategies.forests())
def test_the_outside_value_of_a_node_sums_over_all_contexts(
    name: str, data: st.DataObject, forest: Forest
) -> None:
    make, strategy = SEMIRINGS[name]
    s = make()
    values = values_for(data, forest, strategy)
    found = s.outside(forest.core, values)
    for node, around in enumerate(brute_force.contexts(forest)):
        products = [product(s, [values[e] for e in context]) for context in around]
        assert close(found[node], total(s, products))


OPERATIONS: list[tuple[str, Callable[[int, int], int]]] = [
    ("plus", int.__add__),
    ("times", int.__mul__),
]


@pytest.mark.parametrize(("name", "operation"), OPERATIONS)
@given(a=st.integers(0, 2**300), b=st.integers(0, 2**300))
def test_counts_of_any_size_are_exact(
    name: str, operation: Callable[[int, int], int], a: int, b: int
) -> None:
    result = getattr(_core.CountSemiring(), name)(f"{a:x}", f"{b:x}")
    assert result == f"{operation(a, b):x}"


def test_a_count_of_more_than_a_million_bits_is_an_error() -> None:
    half = f"{2**600_000:x}"
    with pytest.raises(ForestError, match="more than 2\\^"):
        _core.CountSemiring().times(half, half)


def test_a_count_that_is_not_hexadecimal_is_an_error() -> None:
    with pytest.raises(DataError, match="'zero' is not a hexadecimal number"):
        _core.CountSemiring().plus("zero", "1")


@pytest.mark.parametrize("value", [1.5e308, -1.5e308])
def test_a_score_that_overflows_is_an_error(value: float) -> None:
    with pytest.raises(ForestError, match="too large for a double"):
        _core.ViterbiSemiring().times(value, value)
    with pytest.raises(ForestError, match="too large for a double"):
        _core.LogSemiring().times((value, 0.0), (value, 0.0))


def test_alternatives_with_very_different_scores_add_up() -> None:
    log = _core.LogSemiring()
    assert log.plus((1e308, 0.0), (-1e308, 5.0)) == (1e308, 0.0)
    assert log.plus((-1e308, 0.0), log.zero()) == (-1e308, 0.0)
    assert log.plus((1e308, 0.0), (1e308, 0.0)) == (1e308, math.log(2))
