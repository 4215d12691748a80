"""Hope and fear from the n-best list of the model."""

import numpy as np

from hopefear.metrics import OracleDocument
from hopefear.search.base import Example, Found, searches
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["NBestSearch"]


@searches.register("nbest")
@settings
class NBestSearch:
    """The best derivations of the model, reranked by w · h + g B. Exact for the list."""

    size: int = setting(100, "Number of derivations in the list.", least=1)
    distinct: bool = setting(False, "List only derivations with different words.")

    def find(
        self,
        example: Example,
        scores: FloatArray,
        document: OracleDocument,
        gain_weight: float,
        *,
        count: int = 1,
    ) -> list[Found]:
        """Return the best of the list, which is the same for all searches of an example."""
        forest = example.forest
        rescored = [
            Found(forest.derivation(listed.derivation.edges, edge_scores=scores), listed.statistics)
            for listed in example.nbest(self.size, distinct=self.distinct)
        ]
        gains = document.gains(np.array([one.statistics for one in rescored]))
        values = np.array([one.derivation.score for one in rescored])
        order = np.argsort(-(values + gain_weight * gains), kind="stable")
        return [rescored[i] for i in order[:count]]
