"""Hope and fear by forest reranking.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5.2; Huang (2008),
Forest reranking: discriminative parsing with non-local features, ACL.
"""

from hopefear.metrics import OracleDocument
from hopefear.search.base import Example, Found, searches
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Rerank"]


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
