"""Forest MIRA: batch MIRA whose hope and fear come from all derivations of a forest.

Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL, where
it is lattice MIRA; Moses' kbmira has it as ``--type hypergraph``. Chiang (2012), Hope and fear for
discriminative training of SMT, JMLR 13, A.3, for linear BLEU.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hopefear import _core
from hopefear.candidates.forest_set import ForestSet
from hopefear.learners.base import DataTypes, learners
from hopefear.learners.kbest_mira import KBestMira
from hopefear.settings import require
from hopefear.types import IntArray

__all__ = ["ForestMira"]


@learners.register("forest-mira")
@dataclass(frozen=True, kw_only=True)
class ForestMira(KBestMira):
    """The steps of k-best MIRA, with the hope and the fear of a forest.

    hope = argmax w·h + c·b and fear = argmax w·h − c·b over all derivations, where c·b is the first
    order expansion of the gain B at the document of earlier sentences, and b are the statistics of
    BLEU without clipping, which add up over edges. What the step goes by, and what the document
    takes up, are the exact statistics of the two strings. In forests whose nodes would have to be
    split too often for such statistics, hope and fear are found by reranking.

    A metric that does not add up over edges (any but BLEU, and BLEU with a tokenizer of its own)
    has its hopes and fears in the k best derivations of each forest, listed at the beginning of
    every epoch.

    Parameters
    ----------
    max_step : float
        C, the most that one step moves along h(hope) − h(fear).
    decay : float
        What the document keeps from sentence to sentence.
    context : {"hope", "model"}
        What the document takes up: the hope, or the 1-best.
    line_search : int
        Every so many epochs, the weights are the best for the metric on the line through the mean
        over all steps and that over the epoch's; 0 for never.
    epochs : int
        Passes over the sentences.
    k : int
        Derivations of a list, for metrics that need one.
    """

    learns_from: ClassVar[DataTypes] = (ForestSet,)

    k: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        require.integer(self, "k", 1)

    def _visit(
        self, data: Any, order: IntArray, state: _core.KBestMiraState
    ) -> _core.KBestMiraState:
        """Take a step for each sentence."""
        split = data.bleu_forests
        if split is None:
            lists = data.kbest_lists(state.weights(), self.k)
            return super()._visit(lists, order, state)
        return _core.forest_mira_epoch(
            data.core, split, data.corpus_score, order, **self._options, state=state
        )
