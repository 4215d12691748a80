"""The references of BLEU, which give statistics to the edges of forests as well as to texts.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5.1.
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


@dataclass(frozen=True)
class ForestStatistics:
    """A forest with BLEU statistics on its edges.

    Parameters
    ----------
    forest : Forest
        The same derivations as in the original forest; nodes are split by the outer words that can
        still become part of a reference n-gram.
    edges : array of int32
        For each edge, the edge of the original forest.
    statistics : array of float64
        For each edge a row [m₁ … m_K, n₁ … n_K, ρ]. The sum over the edges of a derivation is that
        of its string, with matches not clipped and ρ the average reference length.
    """

    forest: Forest
    edges: NDArray[np.int32]
    statistics: Statistics


class BleuReferences(WordReferences[_core.BleuReferences]):
    """References as BLEU sees them.

    Parameters
    ----------
    references : References
    tokenize, lowercase, order
        As in :class:`~hopefear.metrics.Bleu`.
    length : _core.ReferenceLength
        Which reference length counts for whole strings.
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
            Its words must be those of the references: tokenization has to be ``none``.
        sentence : int
            The sentence that it translates.
        max_edges : int
            A ForestError is raised if the split forest would have more.
        """
        self._check_words()
        split, edges, statistics = _core.forest_statistics(
            self._core, forest.core, sentence, self._numbers(forest.words), max_edges=max_edges
        )
        return ForestStatistics(Forest(split), edges, statistics)

    @property
    def takes_words(self) -> bool:
        """Whether hypotheses have their words already, so that forests can have statistics."""
        return self._tokenizer_name == "none"

    def derivation_statistics(
        self, forest: Forest, sentence: int, derivations: Sequence[Derivation]
    ) -> Statistics:
        """Return the exact statistics of the strings of some derivations, a row each."""
        self._check_words()
        edges = [derivation.edges for derivation in derivations]
        begin = list(accumulate(map(len, edges), initial=0))
        return _core.derivation_statistics(
            self._core,
            forest.core,
            sentence,
            self._numbers(forest.words),
            np.concatenate([np.empty(0, dtype=np.int32), *edges]),
            np.array(begin, dtype=np.int64),
        )

    def reranker(self, forest: Forest, sentence: int, document: Statistics) -> ForestReranker:
        """Return what searches a forest for w · h + gain_weight B, under any weights.

        Parameters
        ----------
        forest : Forest
        sentence : int
            The sentence that it translates.
        document : array
            The statistics in whose context B is.
        """
        self._check_words()
        numbers = self._numbers(forest.words)
        core = _core.ForestReranker(forest.core, self._core, sentence, numbers, document)
        return ForestReranker(forest, core)

    def reach(
        self, forest: Forest, sentence: int, scores: NDArray[np.float64]
    ) -> NDArray[np.int32] | None:
        """Return the best derivation whose string is a reference; None if there is none."""
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
        """Return statistics on the edges of all forests of a data set, in the core's form.

        Parameters
        ----------
        forests : _core.ForestSet
            The forest of each sentence.
        words : Vocabulary
            What their target sides number.
        growth : int
            Forests that would grow to more than so many times their edges are left as they are:
            their hopes and fears are found by reranking. Forests with the states of a language
            model of order 4 or more in their nodes grow little.
        threads : int
            0 for one per core. The result does not depend on it.
        """
        self._check_words()
        return _core.BleuForests(
            forests, self._core, self._numbers(words), growth=growth, threads=threads
        )

    def _check_words(self) -> None:
        if not self.takes_words:
            raise ConfigError(
                f"BLEU would tokenize by '{self._tokenizer_name}', but forests have their words "
                "already; 'none' would do",
                settings=("metric.tokenize",),
            )

    def _numbers(self, words: Vocabulary) -> NDArray[np.int32]:
        """Return the number of each word; the forests of a corpus share their vocabulary."""
        if self._numbered is not None:
            known, numbers = self._numbered
            if known is words and len(numbers) == len(words):
                return numbers
        numbers = self._words.find_all(words, lowercased(words) if self._lowercase else None)
        self._numbered = (words, numbers)
        return numbers
