"""Forest reranking, prepared once for a forest and searched under several weights.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5.2.
"""

import numpy as np

from hopefear import _core
from hopefear.forest import Derivation, Forest
from hopefear.forest.derivation import split
from hopefear.metrics.base import Statistics
from hopefear.types import FloatArray

__all__ = ["ForestReranker"]


class ForestReranker:
    """Searches a forest for derivations with a large w · h + g B.

    One thread may use it at a time. :meth:`BleuReferences.reranker` makes it.

    Parameters
    ----------
    forest : Forest
    core
        The compiled search in that forest.
    """

    def __init__(self, forest: Forest, core: _core.ForestReranker) -> None:
        self._forest, self._core = forest.core, core

    def find(
        self, scores: FloatArray, *, gain_weight: float, kept: int = 1
    ) -> tuple[list[Derivation], Statistics]:
        """Return derivations, the best first, and their exact statistics, a row each.

        Parameters
        ----------
        scores : array
            w · h of each edge.
        gain_weight : float
            g: 1 for hopes, -1 for fears.
        kept : int
            How many derivations of each node are kept, and returned.
        """
        edge_scores = np.ascontiguousarray(scores, dtype=np.float64)
        edges, begin, found, statistics = self._core.find(
            edge_scores, gain_weight=gain_weight, kept=kept
        )
        return list(split(self._forest, edges, begin, found)), statistics
