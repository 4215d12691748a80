"""Three ways to find hope and fear in a forest: in its n-best list, by reranking, by linear BLEU.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13: section 5.2; for linear
BLEU, appendix A.3; Huang (2008), Forest reranking: discriminative parsing with non-local features,
ACL; Tromble et al. (2008), Lattice minimum Bayes-risk decoding for SMT, EMNLP.
"""

import numpy as np

from hopefear.metrics import OracleDocument
from hopefear.search.base import Example, Found, searches
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Linear", "NBestSearch", "Rerank"]


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


@searches.register("rerank")
@settings
class Rerank:
    """A dynamic program that keeps the derivations of each node with the largest w · h + g B.

    B is the gain of what a derivation has made of the sentence so far, with the k-grams of its own
    string, clipped. Not exact, but it looks at the whole forest.
    """

    kept: int = setting(
        1, "Derivations kept for each node; 1 in the paper. The result may have more.", least=1
    )

    def find(
        self,
        example: Example,
        scores: FloatArray,
        document: OracleDocument,
        gain_weight: float,
        *,
        count: int = 1,
    ) -> list[Found]:
        """Return the best of what was kept of the root."""
        derivations, statistics = example.reranker(document).find(
            scores, gain_weight=gain_weight * document.scale, kept=max(self.kept, count)
        )
        return [Found(*one) for one in zip(derivations, statistics, strict=True)][:count]


@searches.register("linear")
@settings
class Linear:
    """The derivations with the largest w · h + g c · b of the whole forest.

    c · b is the first order expansion of the gain B at the document; matches in b are not clipped,
    and ρ is the average reference length.
    """

    def find(
        self,
        example: Example,
        scores: FloatArray,
        document: OracleDocument,
        gain_weight: float,
        *,
        count: int = 1,
    ) -> list[Found]:
        """Return the best derivations."""
        split = example.split
        gains = split.statistics @ document.linear_gain()
        values = scores[split.edges] + gain_weight * gains
        derivations = split.forest.kbest(k=count, edge_scores=values)
        return example.found(
            [
                example.forest.derivation(split.edges[d.edges], edge_scores=scores)
                for d in derivations
            ]
        )
