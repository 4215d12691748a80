import pytest

from hopefear.errors import ConfigError
from hopefear.registry import Registry


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
