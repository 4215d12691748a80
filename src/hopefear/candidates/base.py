"""What a learner learns from: one small class per capability, and no method that refuses.

::

    Candidates                 features, sentences, a metric, the score of any weights
    ├── HasUnits               features can be scaled to vary alike
    │   └── HasSurface         the error surface along any line: lists, forests
    ├── Aside                  made by another program while this one learns: a command
    ├── HasForests             a forest of a sentence under any weights: forests, a model
    └── HasLists               n-best lists under any weights: forests, a model, a command
        ├── HasBlockLists      ... of some sentences alone, at a cost in proportion
        └── HasForestSets      the forests of all sentences under any weights: a model

Given lists (`ListSet`), given forests (`ForestSet`), our decoder (`DecodedSet`) and somebody's
command (`CommandSet`) each implement what they truly have.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from hopefear import _core
from hopefear.forest import Forest
from hopefear.metrics import Metric
from hopefear.metrics.base import Prepared
from hopefear.nbest import ErrorSurface
from hopefear.types import FloatArray, Vocabulary

if TYPE_CHECKING:
    from hopefear.candidates.forests import ForestSet
    from hopefear.candidates.lists import ListSet

__all__ = [
    "Aside",
    "Candidates",
    "HasBlockLists",
    "HasForestSets",
    "HasForests",
    "HasLists",
    "HasSurface",
    "HasUnits",
    "Translations",
]


@dataclass(frozen=True, kw_only=True)
class Translations:
    """What weights choose: a text for each sentence, and its row of the metric's statistics.

    Sentences without candidates have an empty text and zeros.
    """

    texts: Sequence[str]
    statistics: FloatArray


class Candidates(ABC):
    """The candidates of some sentences, and the metric that judges them."""

    description: ClassVar[str]  # what messages call such data
    metric: Metric
    threads: int  # how many to use; 0 means one per core. No result depends on it.

    @property
    @abstractmethod
    def feature_names(self) -> Vocabulary:
        """The names of the features; weights are aligned to them."""

    @property
    @abstractmethod
    def sentence_count(self) -> int:
        """The number of sentences, including those without candidates."""

    @property
    @abstractmethod
    def feature_spread(self) -> FloatArray:
        """The standard deviation of each feature among the candidates of a sentence."""

    @abstractmethod
    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the metric's statistics of the 1-best candidates, summed up."""

    @abstractmethod
    def translations(self, weights: FloatArray) -> Translations | None:
        """Return the 1-best candidates; None if they are another program's to make once more."""

    @abstractmethod
    def subset(self, sentences: Sequence[int]) -> Self:
        """Return the candidates of these sentences alone; all sentences keep their numbers."""

    @property
    def hypothesis_count(self) -> int | None:
        """The number of candidates, if they can be counted."""
        return None

    @cached_property
    def work(self) -> FloatArray:
        """Roughly how much work each sentence is, relative to others."""
        return np.ones(self.sentence_count)

    @property
    def oracle_score(self) -> float | None:
        """The metric of the best candidates, if they can be found."""
        return None

    @cached_property
    def corpus_score(self) -> _core.CorpusScore:
        """The metric as the core's kernels use it: higher is better."""
        return self.metric.corpus_score()

    def score(self, weights: FloatArray) -> float:
        """Return the metric of the 1-best candidates, as it is printed."""
        return float(self.metric.score(self.chosen(weights)))


class Aside(Candidates):
    """Candidates that another program makes, which can go on while this one learns."""

    @abstractmethod
    def begin(self, weights: FloatArray) -> None:
        """Start on what `chosen` will need under these weights."""

    @abstractmethod
    def cancel(self) -> None:
        """End what was begun and is not needed."""


class HasUnits(Candidates):
    """Candidates whose features can be scaled."""

    @cached_property
    def feature_unit(self) -> FloatArray:
        """The spread of each feature; 1 for a feature that has none."""
        return np.where(self.feature_spread > 0, self.feature_spread, 1.0)

    @property
    @abstractmethod
    def scaled(self) -> Self:
        """The same candidates with each feature divided by its unit, so that all vary alike."""


class HasSurface(HasUnits):
    """Fixed candidates: the metric is known along a whole line of weights.

    Candidates are made of parts whose scores add up: a hypothesis of a list is one part, the parts
    of a derivation are its edges.
    """

    @abstractmethod
    def scores(self, weights: FloatArray) -> FloatArray:
        """Return w · h of every part of all candidates, as an array that the caller owns."""

    @abstractmethod
    def error_surface(self, scores: FloatArray, slopes: FloatArray) -> ErrorSurface:
        """Return the summed statistics of the best candidates along the line w + γ d.

        `scores` and `slopes` are w · h and d · h of every part.
        """

    @abstractmethod
    def on_one_thread(self) -> Self:
        """Return the same candidates for use by one of several threads."""

    def line_search(self, weights: FloatArray, direction: FloatArray) -> FloatArray:
        """Return the weights along w + γ d with the best metric; w itself if none is better.

        From zero, where no candidate is better than another, every step along d chooses alike.
        """
        if not weights.any():
            return weights + direction
        surface = self.error_surface(self.scores(weights), self.scores(direction))
        return weights + surface.search(self.corpus_score).step * direction


class HasForests(HasUnits):
    """Candidates that are forests; those of a decoder depend on the weights."""

    description: ClassVar[str] = "forests"
    prepared: Prepared  # the references, as the metric sees them

    @abstractmethod
    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return the forest of a sentence under weights; None if it has none."""


class HasLists(Candidates):
    """Candidates from which n-best lists can be made under any weights."""

    description: ClassVar[str] = "n-best lists from a decoder"
    # Whether a multiple of the weights may list other candidates, as a beam in score units does.
    scale_matters: ClassVar[bool] = False

    @abstractmethod
    def kbest_lists(self, weights: FloatArray, k: int) -> "ListSet":
        """Return the k best candidates of each sentence as n-best lists, the best first.

        Parameters
        ----------
        weights : array
            What the candidates are ranked by.
        k : int
            How many with different words; fewer where there are no more.
        """


class HasBlockLists(HasLists):
    """Candidates that can be listed for a few sentences alone, for learners in small batches."""


class HasForestSets(HasLists):
    """Candidates whose whole forests can be made under any weights, to be learned from."""

    @abstractmethod
    def forest_set(self, weights: FloatArray) -> "ForestSet":
        """Return the forests of all sentences under weights; other weights do not change them."""
