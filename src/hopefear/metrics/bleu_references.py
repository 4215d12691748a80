"""References of BLEU, which compute statistics of texts, of derivations and of forest edges.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5.1 (statistics on
edges) and section 5.2 (forest reranking).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.forest import Derivation, Forest
from hopefear.forest.derivation import split
from hopefear.metrics.base import Statistics
from hopefear.metrics.references import References
from hopefear.metrics.words import WordReferences, lowercased
from hopefear.text.tokenizers import tokenizer
from hopefear.types import FloatArray, Vocabulary

__all__ = ["BleuReferences", "ForestReranker", "ForestStatistics"]


class ForestReranker:
    """Searches one forest for derivations with a large w · h + g B, under any weights.

    :meth:`BleuReferences.reranker` makes it. Only one thread at a time may use it.
    """

    def __init__(self, forest: Forest, core: _core.ForestReranker) -> None:
        self._forest, self._core = forest.core, core

    def find(
        self, scores: FloatArray, *, gain_weight: float, kept: int = 1
    ) -> tuple[list[Derivation], Statistics]:
        """Return the best derivations in order, and a row of exact statistics for each.

        Parameters
        ----------
        scores : array
            w · h of each edge.
        gain_weight : float
            g: 1 for hopes, -1 for fears.
        kept : int
            The number of derivations to keep at each node, and to return.
        """
        edge_scores = np.ascontiguousarray(scores, dtype=np.float64)
        edges, begin, found, statistics = self._core.find(
            edge_scores, gain_weight=gain_weight, kept=kept
        )
        return list(split(self._forest, edges, begin, found)), statistics


@dataclass(frozen=True)
class ForestStatistics:
    """A forest with BLEU statistics on its edges.

    Parameters
    ----------
    forest : Forest
        Has the derivations of the original forest, with nodes split by the outer words that can
        still become part of a reference n-gram.
    edges : array of int32
        The edge of the original forest for each edge.
    statistics : array of float64
        A row [m₁ … m_K, n₁ … n_K, ρ] for each edge. The rows of a derivation add up to the
        statistics of its string, with unclipped matches and ρ as the average reference length.
    """

    forest: Forest
    edges: NDArray[np.int32]
    statistics: Statistics


class BleuReferences(WordReferences[_core.BleuReferences]):
    """References prepared for BLEU.

    Parameters
    ----------
    references : References
    tokenize, lowercase, order
        As in :class:`~hopefear.metrics.Bleu`.
    length : _core.ReferenceLength
        The reference length to use for whole strings.
    """

    def __init__(
        self,
        references: References,
        *,
        tokenize: str,
        lowercase: bool,
        order: int,
        length: _core.ReferenceLength,
    ) -> None:
        super().__init__(
            references,
            make=lambda words: _core.BleuReferences(words, order=order, length=length),
            lowercase=lowercase,
            tokenize=None if tokenize == "none" else tokenizer(tokenize),
        )
        self._tokenizer_name = tokenize
        self._numbered: tuple[Vocabulary, NDArray[np.int32]] | None = None

    def forest_statistics(
        self, forest: Forest, sentence: int, *, max_edges: int = 20_000_000
    ) -> ForestStatistics:
        """Return a forest with statistics that add up over its edges.

        Parameters
        ----------
        forest : Forest
            Must have the words of the references, so the tokenizer must be ``none``.
        sentence : int
            The sentence that the forest translates.
        max_edges : int
            Raise ForestError if the split forest would have more edges.
        """
        self._check_words()
        split, edges, statistics = _core.forest_statistics(
            self._core, forest.core, sentence, self._numbers(forest.words), max_edges=max_edges
        )
        return ForestStatistics(Forest(split), edges, statistics)

    @property
    def takes_words(self) -> bool:
        """Whether hypotheses are already tokenized, as those of forests are."""
        return self._tokenizer_name == "none"

    def derivation_statistics(
        self, forest: Forest, sentence: int, derivations: Sequence[Derivation]
    ) -> Statistics:
        """Return a row of exact statistics for the string of each derivation."""
        self._check_words()
        edges = [derivation.edges for derivation in derivations]
        begin = list(accumulate(map(len, edges), initial=0))
        return _core.derivation_statistics(
            self._core,
            forest.core,
            sentence,
            self._numbers(forest.words),
            edges[0] if len(edges) == 1 else np.concatenate([np.empty(0, dtype=np.int32), *edges]),
            np.array(begin, dtype=np.int64),
        )

    def reranker(self, forest: Forest, sentence: int, document: Statistics) -> ForestReranker:
        """Return a reranker that searches a forest for w · h + g B, under any weights.

        Parameters
        ----------
        forest : Forest
        sentence : int
            The sentence that the forest translates.
        document : array
            The statistics of the oracle document, the context of B.
        """
        self._check_words()
        numbers = self._numbers(forest.words)
        core = _core.ForestReranker(forest.core, self._core, sentence, numbers, document)
        return ForestReranker(forest, core)

    def reach(
        self, forest: Forest, sentence: int, scores: NDArray[np.float64]
    ) -> NDArray[np.int32] | None:
        """Return the best derivation of a reference; None if the forest has none."""
        self._check_words()
        numbers = self._numbers(forest.words)
        return _core.reference_derivation(forest.core, self._words, sentence, numbers, scores)

    def split_forests(
        self,
        forests: _core.ForestSet,
        words: Vocabulary,
        *,
        growth: int = 8,
        threads: int = 0,
    ) -> _core.BleuForests:
        """Return the core's statistics on the edges of all forests of a data set.

        Parameters
        ----------
        forests : _core.ForestSet
            The forest of each sentence.
        words : Vocabulary
            The words of the target sides.
        growth : int
            Forests that would grow by more than this factor are not split: reranking finds their
            hopes and fears. Forests whose nodes have the states of a language model of order 4 or
            more grow little.
        threads : int
            The number of threads; 0 for one per core. It does not change the result.
        """
        self._check_words()
        return _core.BleuForests(
            forests, self._core, self._numbers(words), growth=growth, threads=threads
        )

    def _check_words(self) -> None:
        if not self.takes_words:
            raise ConfigError(
                f"BLEU uses the tokenizer '{self._tokenizer_name}', but forests are already "
                "tokenized; use 'none'",
                settings=("metric.tokenize",),
            )

    def _numbers(self, words: Vocabulary) -> NDArray[np.int32]:
        """Return the references' number of each word, cached for the corpus' vocabulary."""
        if self._numbered is not None:
            known, numbers = self._numbered
            if known is words and len(numbers) == len(words):
                return numbers
        numbers = self._words.find_all(words, lowercased(words) if self._lowercase else None)
        self._numbered = (words, numbers)
        return numbers
