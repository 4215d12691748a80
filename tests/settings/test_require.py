from dataclasses import dataclass
from typing import Any

import pytest

from hopefear.errors import ConfigError
from hopefear.settings import require


@dataclass(frozen=True, kw_only=True)
class Mira:
    max_step: Any


@pytest.mark.parametrize(
    ("check", "value", "demand"),
    [
        (require.finite, float("nan"), "must be a finite number, got nan"),
        (require.finite, "1", "must be a finite number, got '1'"),
        (require.finite, True, "must be a finite number, got True"),
        (require.positive, -0.5, "must be > 0, got -0.5"),
        (require.positive, 0, "must be > 0, got 0"),
        (require.positive, float("inf"), "must be a finite number, got inf"),
        (require.non_negative, -1, "must be >= 0, got -1"),
        (require.probability, 1.5, "must be from 0 to 1, got 1.5"),
        (require.probability, -0.1, "must be from 0 to 1, got -0.1"),
    ],
)
def test_a_value_that_breaks_the_demand_is_refused_by_name(
    check: Any, value: object, demand: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        check(Mira(max_step=value), "max_step")
    assert str(refused.value) == f"Mira.max_step {demand}"


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (require.finite, -3),
        (require.positive, 5e-324),
        (require.non_negative, 0.0),
        (require.probability, 0),
        (require.probability, 1.0),
    ],
)
def test_a_value_that_meets_the_demand_passes(check: Any, value: object) -> None:
    check(Mira(max_step=value), "max_step")


def test_a_choice_must_be_one_of_the_names() -> None:
    require.one_of(Mira(max_step="small"), "max_step", ["small", "large"])
    message = r"Mira.max_step: unknown 'smal'; did you mean 'small'\? Known: large, small"
    with pytest.raises(ConfigError, match=message):
        require.one_of(Mira(max_step="smal"), "max_step", ["small", "large"])
    with pytest.raises(ConfigError, match=r"Mira.max_step: unknown 3; known: large, small"):
        require.one_of(Mira(max_step=3), "max_step", ["small", "large"])


@pytest.mark.parametrize("value", [0, 10, 2.0, True, "2"])
def test_a_whole_number_must_be_one_and_within_its_bounds(value: object) -> None:
    require.integer(Mira(max_step=9), "max_step", 1, 9)
    with pytest.raises(ConfigError, match=r"must be a whole number from 1 to 9, got "):
        require.integer(Mira(max_step=value), "max_step", 1, 9)
    with pytest.raises(ConfigError, match=r"must be a whole number >= 11, got "):
        require.integer(Mira(max_step=value), "max_step", 11)
