"""How messages about data put numbers and names."""

from collections.abc import Iterable, Sequence

from hopefear.runs.data import LoadedSet
from hopefear.types import Vocabulary

__all__ = ["count", "feature_list", "have", "number_word", "sentence_list", "some"]


def sentence_list(data: LoadedSet, numbers: Iterable[int]) -> str:
    """Name sentences as their files do; the first ones if there are many."""
    return some([data.sentence(int(number)) for number in numbers])


def feature_list(names: Vocabulary, ids: Iterable[int]) -> str:
    """Name features; the first ones if there are many."""
    return some([names[int(i)] for i in ids])


def some(names: Sequence[str], most: int = 10) -> str:
    """Join names; the first ones if there are many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {number_word(number, one, many or one + 's')}"


def have(number: int) -> str:
    """Return the verb for so many."""
    return number_word(number, "has", "have")


def number_word(number: int, one: str, many: str) -> str:
    """Return the word for one, or for several."""
    return one if number == 1 else many
