"""Values outside the declared limits are refused when an object is made."""

from typing import Any, Literal

import pytest

from hopefear.errors import ConfigError, OptionError
from hopefear.registry import Registry
from hopefear.settings import setting, settings


@settings
class Mira:
    max_step: float = setting(0.01, "The largest step.", above=0)
    decay: float = setting(0.9, "Between 0 and 1.", least=0, most=1)
    epochs: int = setting(5, "From 1 to 9.", least=1, most=9)
    start: float | None = setting(None, "May be missing.")
    size: Literal["small", "large"] = setting("small", "A name.")


@pytest.mark.parametrize(
    ("field", "value", "demand"),
    [
        ("start", float("nan"), "must be a finite number, got nan"),
        ("start", "1", "must be a finite number, got '1'"),
        ("start", True, "must be a finite number, got True"),
        ("max_step", -0.5, "must be a finite number > 0, got -0.5"),
        ("max_step", 0, "must be a finite number > 0, got 0"),
        ("max_step", float("inf"), "must be a finite number > 0, got inf"),
        ("decay", 1.5, "must be a finite number >= 0 and <= 1, got 1.5"),
        ("decay", -0.1, "must be a finite number >= 0 and <= 1, got -0.1"),
        *(
            ("epochs", value, f"must be a whole number >= 1 and <= 9, got {value!r}")
            for value in (0, 10, 2.0, True, "2")
        ),
    ],
)
def test_a_value_outside_its_limits_is_refused_by_name(field: str, value: Any, demand: str) -> None:
    with pytest.raises(OptionError) as refused:
        Mira(**{field: value})
    assert str(refused.value) == f"Mira.{field} {demand}"
    assert refused.value.settings == (field,)


@pytest.mark.parametrize(
    ("field", "value"),
    [("start", -3), ("start", None), ("max_step", 5e-324), ("decay", 0), ("decay", 1.0)],
)
def test_a_value_within_its_limits_passes(field: str, value: Any) -> None:
    assert getattr(Mira(**{field: value}), field) == value


def test_a_choice_must_be_one_of_the_names() -> None:
    size: Any = "smal"
    with pytest.raises(ConfigError, match=r"Mira.size: unknown 'smal'; did you mean 'small'\?"):
        Mira(size=size)
    size = 3
    with pytest.raises(ConfigError, match=r"Mira.size: unknown 3; known: large, small"):
        Mira(size=size)


class Fruit:
    pass


def fruits() -> Registry[Fruit]:
    registry: Registry[Fruit] = Registry("fruit")
    for name in ("pear", "apple", "fig"):
        registry.register(name)(type(name, (Fruit,), {}))
    return registry


def test_names_are_iterated_in_sorted_order() -> None:
    assert list(fruits()) == ["apple", "fig", "pear"]
    assert len(fruits()) == 3


def test_a_registered_class_is_found_by_its_name_and_the_name_by_the_class() -> None:
    registry = fruits()
    assert isinstance(registry["fig"](), Fruit)
    assert registry.name_of(registry["fig"]) == "fig"
    assert "fig" in registry
    assert "plum" not in registry


def test_an_unknown_name_is_an_error_with_the_nearest_and_all_known_names() -> None:
    message = r"unknown fruit 'aple'; did you mean 'apple'\? Known: apple, fig, pear"
    with pytest.raises(ConfigError, match=message):
        fruits()["aple"]


def test_a_name_like_no_other_gets_the_list_without_a_guess() -> None:
    with pytest.raises(ConfigError, match="unknown fruit 'xyzzy'; known: apple, fig, pear"):
        fruits()["xyzzy"]


def test_a_name_cannot_be_registered_twice() -> None:
    with pytest.raises(ConfigError, match="fruit 'fig' is already registered"):
        fruits().register("fig")(Fruit)


def test_a_class_that_is_not_registered_has_no_name() -> None:
    with pytest.raises(ConfigError, match="Fruit is not registered as a fruit"):
        fruits().name_of(Fruit)
