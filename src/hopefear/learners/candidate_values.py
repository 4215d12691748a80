"""The values of features of fixed candidates, looked at as a whole."""

from typing import NamedTuple

from hopefear import _core
from hopefear.learners.base import TuningSet
from hopefear.learners.forest_set import ForestSet

__all__ = ["CandidateValue", "checksum", "find_value_above"]


class CandidateValue(NamedTuple):
    """A value: of a feature of the part (hypothesis or edge) of a sentence, all counted from 0."""

    sentence: int
    part: int
    feature: int
    value: float


def find_value_above(data: TuningSet | ForestSet, bound: float) -> CandidateValue | None:
    """Return the first value that is larger than `bound` in size, if there is one."""
    if isinstance(data, ForestSet):
        edge = _core.find_edge_value_above(data.core, bound)
        return None if edge is None else CandidateValue(*edge)
    found = data.nbest.find_value_above(bound)
    if found is None:
        return None
    row, feature, value = found
    sentence = int(data.nbest.offsets.searchsorted(row, side="right")) - 1
    return CandidateValue(sentence, row - int(data.nbest.offsets[sentence]), feature, value)


def checksum(data: TuningSet | ForestSet) -> int:
    """Return a number that is another one, nearly always, if a candidate or its worth is.

    Features count by their ids, and so do the words of forests; those of lists by what the metric
    counted of them.
    """
    if isinstance(data, ForestSet):
        return _core.forest_checksum(data.core)
    return data.nbest.checksum()
