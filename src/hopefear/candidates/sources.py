"""Data whose candidates come from a decoder: other weights, other candidates."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from hopefear.candidates.data import TuningData, TuningSet
from hopefear.forest import Forest
from hopefear.metrics.base import Prepared
from hopefear.types import FloatArray

__all__ = ["BatchListData", "ForestData", "ListData"]


class ForestData(TuningData):
    """Data that gives a forest for each sentence; online learners learn from it.

    Stored forests are the same under all weights, a decoder's are not.
    """

    description: ClassVar[str] = "forests"
    prepared: Prepared  # the references, as the metric sees them

    @abstractmethod
    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return the forest of a sentence under weights; None if it has none."""


class ListData(TuningData):
    """Data that lists the best candidates of each sentence under any weights."""

    description: ClassVar[str] = "lists that are made again and again"

    @abstractmethod
    def kbest_lists(
        self,
        weights: FloatArray,
        k: int,
        *,
        seen: TuningSet | None = None,
        sentences: Sequence[int] | None = None,
    ) -> TuningSet:
        """Return the k best candidates of each sentence as n-best lists.

        Parameters
        ----------
        weights : array
            By which they are the best.
        k : int
            How many with different words; fewer where there are no more.
        seen : TuningSet, optional
            Lists from earlier calls, which come first in the new ones; what is in both is there
            once.
        sentences : sequence of int, optional
            Those to list; all of them if not given. The others have what was seen.
        """


class BatchListData(ListData):
    """Data that can list the candidates of some sentences alone, so that batches have new ones."""
