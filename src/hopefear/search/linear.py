"""Hope and fear under linear BLEU, which adds up over edges: an exact search.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, appendix A.3; Tromble et
al. (2008), Lattice minimum Bayes-risk decoding for SMT, EMNLP.
"""

from dataclasses import dataclass

from hopefear.metrics import OracleDocument
from hopefear.search.base import Example, Found, searches
from hopefear.types import FloatArray

__all__ = ["Linear"]


@searches.register("linear")
@dataclass(frozen=True, kw_only=True)
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
