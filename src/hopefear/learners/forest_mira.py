"""Forest MIRA: batch MIRA whose hope and fear come from all derivations of a forest.

Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL, where
it is lattice MIRA; Moses' kbmira has it as ``--type hypergraph``. Chiang (2012), Hope and fear for
discriminative training of SMT, JMLR 13, A.3, for linear BLEU.
"""

from collections.abc import Sequence

from hopefear import _core
from hopefear.candidates import ForestSet
from hopefear.learners.base import learners
from hopefear.learners.kbest_mira import BatchMira, MiraState
from hopefear.rhythm import Block, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["ForestMira"]


@learners.register("forest-mira")
@settings
class ForestMira(BatchMira):
    """The steps of k-best MIRA, with the hope and the fear of a forest.

    hope = argmax w·h + c·b and fear = argmax w·h − c·b over all derivations, where c·b is the first
    order expansion of the gain B at the document of earlier sentences, and b are the statistics of
    BLEU without clipping, which add up over edges. The step and the document use the exact
    statistics of the two strings. Where the nodes of a forest would have to be split too often for
    such statistics, hope and fear are found by reranking.

    A metric that does not add up over edges (any but BLEU, and BLEU with a tokenizer of its own)
    has its hopes and fears in the k best derivations of each forest, listed before every block.
    """

    k: int = setting(100, "Derivations in a list, for metrics that need one.", least=1)

    def start(self, data: ForestSet, weights: FloatArray, origin: FloatArray) -> MiraState:
        """Start at `weights`."""
        return self.started(data, weights, origin)

    def learn(
        self,
        state: MiraState,
        data: ForestSet,
        block: Block,
        step: Step,
        heard: Sequence[None] = (),
    ) -> tuple[MiraState, None]:
        """Visit the sentences, one step each."""
        split, score = data.bleu_forests, data.corpus_score
        if split is None:
            lists = data.kbest_lists(state.core.weights(), self.k).nbest
            return self.visit(state, data, block, self.kbest_epoch(lists, score)), None

        def epoch(part: Block, core: _core.KBestMiraState) -> _core.KBestMiraState:
            return _core.forest_mira_epoch(
                data.core, split, score, part, **self.options, state=core
            )

        return self.visit(state, data, block, epoch), None
