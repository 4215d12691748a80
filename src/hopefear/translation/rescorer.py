"""Forests without language models, rescored with them under any weights.

Huang & Chiang (2007), Forest rescoring. Parses do not depend on weights, so that a sentence is
parsed once, and its forest rescored whenever the weights have changed.
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
    """A forest as a :class:`ForestRescorer` needs it, whatever the weights are.

    It is a few times smaller than the forest, which is not needed any more.
    """

    __slots__ = ("core",)

    def __init__(self, core: _core.PreparedForest) -> None:
        self.core = core

    @property
    def nbytes(self) -> int:
        """The memory that it takes, names of words and features apart."""
        return self.core.bytes

    @property
    def feature_names(self) -> Vocabulary:
        """The names that feature ids number; those of the rescorer are among them."""
        return self.core.feature_names


class ForestRescorer:
    """Puts language models and features of n-grams into forests by cube pruning.

    The strings of a forest are taken to be between <s> and </s> if these are among its words, as
    in parses; otherwise they are whole sentences. In either case <s> and </s> are no words of the
    result. What a forest has already of these features is replaced. Any number of threads may use
    it at once.

    Parameters
    ----------
    language_models
        Language models by the names of their features, the natural logarithms of probabilities.
    word_features
        Features of n-grams. Triggers are local: forests have them already.
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
        """Return a forest as rescoring needs it, whatever the weights are.

        Where a forest is rescored several times, this saves time and memory.
        """
        return PreparedForest(self._core.prepare(forest.core))

    def rescore(self, forest: Forest | PreparedForest, weights: Weights | FloatArray) -> Forest:
        """Return what cube pruning leaves of a forest, with language models.

        Parameters
        ----------
        forest
            The forest, prepared or not.
        weights
            The weights of all features, those of language models included: by name, or by feature
            id.
        """
        prepared = self._prepared(forest)
        vector = self._vector(prepared, weights)
        return Forest(self._core.rescore(prepared.core, vector, False))

    def translate(
        self, forest: Forest | PreparedForest, weights: Weights | FloatArray
    ) -> Derivation:
        """Return the best derivation that cube pruning finds; its forest has no other."""
        prepared = self._prepared(forest)
        vector = self._vector(prepared, weights)
        return Forest(self._core.rescore(prepared.core, vector, True)).viterbi(vector)

    def rescore_all(
        self,
        forests: Iterable[Forest | PreparedForest],
        weights: Weights | FloatArray,
        *,
        threads: int = 0,
    ) -> Iterator[Forest]:
        """Yield what :meth:`rescore` gives for each forest, in order.

        Forests are taken as they are needed, a few more than there are threads ahead of what was
        yielded. Any number of threads gives the same result.
        """
        return map_in_order(lambda f: self.rescore(f, weights), forests, threads=threads)

    def _prepared(self, forest: Forest | PreparedForest) -> PreparedForest:
        return forest if isinstance(forest, PreparedForest) else self.prepare(forest)

    @staticmethod
    def _vector(prepared: PreparedForest, weights: Weights | FloatArray) -> FloatArray:
        if isinstance(weights, Weights):
            return weights.vector(prepared.feature_names)
        return np.ascontiguousarray(weights, dtype=np.float64)
