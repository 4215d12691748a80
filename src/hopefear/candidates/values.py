"""The values of features of fixed candidates, looked at as a whole."""

from collections.abc import Callable

from hopefear import _core
from hopefear.candidates.forests import ForestSet
from hopefear.candidates.lists import ListSet
from hopefear.forest import Forest
from hopefear.nbest import NBest

__all__ = ["LARGEST_VALUE", "checksum", "describe_large_value"]

# A double has sixteen digits: beside a value of this size, four are left behind the point.
LARGEST_VALUE = 1e12


def describe_large_value(
    candidates: NBest | ForestSet | Forest, name: Callable[[int], str] = str
) -> str | None:
    """Return where the first value is that is too large for scores, and what would do; or None.

    `name` gives what a sentence is called; a single forest is sentence 0. Beside such a value all
    others lose their digits, and sums with larger ones overflow.
    """
    if isinstance(candidates, NBest):
        found = candidates.find_value_above(LARGEST_VALUE)
        if found is None:
            return None
        row, feature, value = found
        sentence = int(candidates.offsets.searchsorted(row, side="right")) - 1
        part, what = row - int(candidates.offsets[sentence]), "hypothesis"
    else:
        if isinstance(candidates, Forest):
            forests = _core.ForestSet([candidates.core])
        else:
            forests = candidates.core
        edge = _core.find_edge_value_above(forests, LARGEST_VALUE)
        if edge is None:
            return None
        sentence, part, feature, value = edge
        what = "edge"
    return (
        f"sentence {name(sentence)}: feature '{candidates.feature_names[feature]}' of {what} "
        f"{part + 1} is {value:.6g}; beside values above {LARGEST_VALUE:.0e} all others lose their "
        "digits. Correct it, or divide the feature by the same number everywhere"
    )


def checksum(data: ListSet | ForestSet) -> int:
    """Return a number that is another one, nearly always, if a candidate or its worth is.

    Features count by their ids, and so do the words of forests; those of lists by what the metric
    counted of them.
    """
    if isinstance(data, ForestSet):
        return _core.forest_checksum(data.core)
    return data.nbest.checksum()
