"""Rescoring: adds language models to forests of parses, under any weights.

Huang & Chiang (2007), Forest rescoring. Parses do not depend on weights, so that a sentence is
parsed once, and its forest is rescored whenever the weights change.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from hopefear import _core
from hopefear._core import LanguageModel
from hopefear.forest import Derivation, Forest
from hopefear.threads import map_in_order
from hopefear.translation.features import WordFeatures
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["ForestRescorer", "PreparedForest"]


class PreparedForest:
    """A forest in the form that a :class:`ForestRescorer` needs, independent of weights.

    It is a few times smaller than the forest and does not refer to it.
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.PreparedForest) -> None:
        self.core = core

    @property
    def nbytes(self) -> int:
        """The memory that it takes, without the names of words and features."""
        return self.core.bytes

    @property
    def feature_names(self) -> Vocabulary:
        """The names behind feature ids, including those of the rescorer's features."""
        return self.core.feature_names


class ForestRescorer:
    """Adds language models and features of n-grams to forests by cube pruning.

    If <s> and </s> are among the words of a forest, as in parses, sentences are taken from between
    them; otherwise its strings are whole sentences. The result never contains <s> and </s>. Values
    that a forest already has for these features are replaced. Threads may share a rescorer.

    Parameters
    ----------
    language_models
        Language models by the names of their features, the natural logarithms of probabilities.
    word_features
        Features of n-grams. Triggers are local: parses already have them.
    pop_limit, beam
        See :class:`DecoderOptions`.
    """

    def __init__(
        self,
        language_models: Mapping[str, LanguageModel],
        *,
        word_features: WordFeatures | None = None,
        pop_limit: int = 200,
        beam: float = 0.0,
    ) -> None:
        features = WordFeatures() if word_features is None else word_features
        models = [_core.NamedLanguageModel(*named) for named in language_models.items()]
        self._core = _core.ForestRescorer(models, features.core(), pop_limit, beam)

    def prepare(self, forest: Forest) -> PreparedForest:
        """Return a forest in the form that rescoring needs, independent of weights.

        This saves time and memory if a forest is rescored several times.
        """
        return PreparedForest(self._core.prepare(forest.core))

    def rescore(self, forest: Forest | PreparedForest, weights: Weights | FloatArray) -> Forest:
        """Return the part of a forest that survives cube pruning with language models.

        Parameters
        ----------
        forest
            The forest, prepared or not.
        weights
            Weights of all features, language models included, by name or by feature id.
        """
        prepared = self._prepared(forest)
        vector = self._vector(prepared, weights)
        return Forest(self._core.rescore(prepared.core, vector, False))

    def translate(
        self, forest: Forest | PreparedForest, weights: Weights | FloatArray
    ) -> Derivation:
        """Return the best derivation that cube pruning finds; its forest has only this one."""
        prepared = self._prepared(forest)
        vector = self._vector(prepared, weights)
        return Forest(self._core.rescore(prepared.core, vector, True)).viterbi(vector)

    def kbest(
        self,
        forest: Forest | PreparedForest,
        weights: Weights | FloatArray,
        k: int,
        *,
        limit: int = 1_000_000,
    ) -> _core.KBestList:
        """Return the best derivations with different words, ready to be added to n-best lists.

        Parameters
        ----------
        forest, weights
            As for :meth:`rescore`.
        k, limit
            As for :meth:`Forest.kbest`.
        """
        prepared = self._prepared(forest)
        return self._core.kbest(prepared.core, self._vector(prepared, weights), k, limit)

    def rescore_all(
        self,
        forests: Iterable[Forest | PreparedForest],
        weights: Weights | FloatArray,
        *,
        threads: int = 0,
    ) -> Iterator[Forest]:
        """Yield the rescored forests, in order; see :meth:`rescore`.

        Forests are read lazily, a few more than there are threads (0: one per core) ahead of the
        results. The result does not depend on the number of threads.
        """
        return map_in_order(lambda f: self.rescore(f, weights), forests, threads=threads)

    def _prepared(self, forest: Forest | PreparedForest) -> PreparedForest:
        return forest if isinstance(forest, PreparedForest) else self.prepare(forest)

    @staticmethod
    def _vector(prepared: PreparedForest, weights: Weights | FloatArray) -> FloatArray:
        if isinstance(weights, Weights):
            return weights.vector(prepared.feature_names)
        return np.ascontiguousarray(weights, dtype=np.float64)
