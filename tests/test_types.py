import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError
from hopefear.types import Vocabulary, Weights

finite = st.floats(-1e100, 1e100)
tables = st.dictionaries(st.text(max_size=5), finite, max_size=8)


def vocabulary(*names: str) -> Vocabulary:
    made = Vocabulary()
    for name in names:
        made.add(name)
    return made


@given(tables)
def test_weights_are_a_mapping_in_the_given_order(table: dict[str, float]) -> None:
    weights = Weights(table)
    assert dict(weights) == table
    assert list(weights) == list(table) == list(weights.names)
    assert weights.array.tolist() == list(table.values())
    assert Weights(table.items()) == weights


@given(tables, tables)
def test_weights_add_and_subtract_feature_by_feature(
    left: dict[str, float], right: dict[str, float]
) -> None:
    names = set(left) | set(right)
    total = {name: left.get(name, 0.0) + right.get(name, 0.0) for name in names}
    assert dict(Weights(left) + Weights(right)) == total
    assert dict(Weights(left) - Weights(right)) == {
        name: left.get(name, 0.0) - right.get(name, 0.0) for name in names
    }


@given(tables, st.floats(-1e100, 1e100))
def test_weights_scale(table: dict[str, float], factor: float) -> None:
    scaled = {name: value * factor for name, value in table.items()}
    assert dict(factor * Weights(table)) == scaled == dict(Weights(table) * factor)
    assert dict(-Weights(table)) == {name: -value for name, value in table.items()}
    assert dict(Weights(table) / 2) == {name: value / 2 for name, value in table.items()}


def test_norms_are_those_of_the_vector() -> None:
    weights = Weights({"a": 3.0, "b": -4.0})
    assert weights.norm() == 5.0
    assert weights.norm(1) == 7.0
    assert weights.norm(math.inf) == 4.0
    assert Weights().norm() == 0.0


def test_the_product_with_features_ignores_what_has_no_weight() -> None:
    assert Weights({"a": 3.0, "b": -4.0}).dot({"b": 0.5, "c": 10.0}) == -2.0


def test_a_vector_follows_the_ids_of_the_vocabulary() -> None:
    weights = Weights({"lm": 0.5, "gone": 9.0, "tm": 2.0})
    features = vocabulary("tm", "new", "lm")
    assert weights.vector(features).tolist() == [2.0, 0.0, 0.5]
    named = Weights.from_vector(features, weights.vector(features))
    assert dict(named) == {"tm": 2.0, "new": 0.0, "lm": 0.5}
    assert Weights().vector(features).tolist() == [0.0, 0.0, 0.0]


def test_equality_does_not_depend_on_the_order_of_features() -> None:
    assert Weights({"a": 1.0, "b": 2.0}) == Weights({"b": 2.0, "a": 1.0})
    assert Weights({"a": 1.0, "b": 2.0}) != Weights({"b": 1.0, "a": 2.0})
    assert Weights({"a": 0.0}) != Weights()


def test_weights_cannot_be_written_in_place() -> None:
    weights = Weights({"a": 1.0})
    with pytest.raises(ValueError, match="read-only"):
        weights.array[0] = 2.0


def test_the_given_array_is_copied() -> None:
    values = np.array([1.0])
    weights = Weights.from_arrays(["a"], values)
    values[0] = 2.0
    assert weights["a"] == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_weight_that_is_not_finite_is_an_error_naming_the_feature(value: float) -> None:
    with pytest.raises(DataError, match=r"the weight of feature 'tm' is .*must be finite"):
        Weights({"lm": 1.0, "tm": value})


def test_a_feature_listed_twice_is_an_error_naming_it() -> None:
    with pytest.raises(DataError, match="feature 'b' has two weights"):
        Weights([("a", 1.0), ("b", 2.0), ("b", 2.0)])


def test_names_and_values_must_be_equally_many() -> None:
    with pytest.raises(DataError, match=r"1 feature names but weights of shape \(2,\)"):
        Weights.from_arrays(["a"], [1.0, 2.0])


@given(tables)
def test_weights_survive_pickling(table: dict[str, float]) -> None:
    copy = pickle.loads(pickle.dumps(Weights(table)))
    assert copy == Weights(table)
    assert not copy.array.flags.writeable


def test_the_representation_is_short_for_many_features() -> None:
    assert repr(Weights({"lm": 0.5})) == "Weights(lm=0.5)"
    assert repr(Weights({f"f{i}": 0.0 for i in range(1000)})).endswith(
        "f7=0.0, ... 1,000 features)"
    )
