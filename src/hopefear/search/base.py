"""What a search is: it finds derivations that are good for the model and good or bad by BLEU.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from hopefear.forest import Derivation, Forest, SparseFeatures
from hopefear.metrics import BleuReferences, ForestReranker, ForestStatistics, OracleDocument
from hopefear.registry import Registry
from hopefear.types import FloatArray

__all__ = ["Example", "Found", "Search", "searches"]


@dataclass(frozen=True, eq=False)
class Found:
    """A derivation that a search found.

    Attributes
    ----------
    derivation : Derivation
        Its score is w · h under the weights of the search.
    statistics : array
        b, the exact statistics of its string: clipped, with the reference length of the metric.
    """

    derivation: Derivation
    statistics: FloatArray

    @cached_property
    def features(self) -> SparseFeatures:
        """h, by id."""
        return self.derivation.sparse_features

    def gain(self, document: OracleDocument) -> float:
        """Return B(b), the gain in the context of a document."""
        return document.gain(self.statistics)


class Example:
    """A sentence as searches see it: its forest, its references, and what the model thinks.

    All searches of an example are on the same forest, the one that gave the 1-best.

    Parameters
    ----------
    forest : Forest
    sentence : int
        Its number, from 0.
    references : BleuReferences
        Those of all sentences.
    weights : array
        w of the model, by feature id; features beyond its end have weight 0.
    """

    def __init__(
        self, forest: Forest, sentence: int, references: BleuReferences, weights: FloatArray
    ) -> None:
        self.forest, self.sentence, self.references = forest, sentence, references
        self.scores = forest.score_edges(weights)
        self._lists: dict[tuple[int, bool], list[Found]] = {}
        self._reranker: tuple[OracleDocument, ForestReranker] | None = None
        self._best: Found | None = None
        self._split: ForestStatistics | None = None

    # In Python 3.11 a `cached_property` makes threads wait for each other, whatever their objects.
    @property
    def best(self) -> Found:
        """The 1-best."""
        if self._best is None:
            self._best = self.found([self.forest.viterbi(edge_scores=self.scores)])[0]
        return self._best

    @property
    def split(self) -> ForestStatistics:
        """The forest with statistics that add up over its edges, for linear BLEU."""
        if self._split is None:
            self._split = self.references.forest_statistics(self.forest, self.sentence)
        return self._split

    def nbest(self, size: int, *, distinct: bool) -> list[Found]:
        """Return the best derivations of the model, the best first; listed once."""
        key = (size, distinct)
        if key not in self._lists:
            best = self.forest.kbest(k=size, edge_scores=self.scores, distinct=distinct)
            self._lists[key] = self.found(best)
        return self._lists[key]

    def reranker(self, document: OracleDocument) -> ForestReranker:
        """Return what searches the forest in the context of a document; made once for it."""
        if self._reranker is None or self._reranker[0] is not document:
            made = self.references.reranker(self.forest, self.sentence, document.statistics)
            self._reranker = (document, made)
        return self._reranker[1]

    def found(self, derivations: Sequence[Derivation]) -> list[Found]:
        """Return derivations with their exact statistics."""
        rows = self.references.derivation_statistics(self.forest, self.sentence, derivations)
        return [Found(d, row) for d, row in zip(derivations, rows, strict=True)]


class Search(Protocol):
    """Finds derivations with a large w · h + g B, where B is the gain in a document's context.

    With g = 1 they are hopes, with g = -1 fears (Chiang, 2012, 5.2).
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
        """Return the best derivations, the best first; at least one, and at most `count`.

        `scores` are w · h of each edge, for weights that need not be those of the example.
        """


searches: Registry[Search] = Registry("search")
