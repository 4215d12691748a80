"""Features that are chosen from a bitext, and features of several kinds together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from hopefear import _core
from hopefear.translation.features.base import Template
from hopefear.translation.features.word_features import WordFeatures

__all__ = ["Collector", "FeatureSet", "Progress", "Row"]

Progress = Callable[[str, int, int], object]
"""Called with what is being done, how much of it is done, and of how much."""

Row = tuple[str, ...]
"""What is kept of a feature: its kind, and further fields."""


@dataclass(frozen=True, kw_only=True)
class FeatureSet:
    """What a decoder is given: templates of rules, and features of the words of a translation."""

    templates: Sequence[Template] = ()
    word_features: WordFeatures = field(default_factory=WordFeatures)

    @classmethod
    def joined(cls, sets: Iterable["FeatureSet"]) -> "FeatureSet":
        """Return all of them as one."""
        all_sets = list(sets)
        return cls(
            templates=[template for one in all_sets for template in one.templates],
            word_features=WordFeatures(
                ngrams={k: v for one in all_sets for k, v in one.word_features.ngrams.items()},
                triggers={k: v for one in all_sets for k, v in one.word_features.triggers.items()},
            ),
        )


@runtime_checkable
class Collector(Protocol):
    """Features that have to be chosen from a bitext before they can be computed."""

    def collect(self, bitext: _core.Bitext, tell: Progress) -> Iterator[Row]:
        """Yield what is to be kept: rows of a kind and further fields."""

    def features(self, rows: Iterable[Row]) -> FeatureSet:
        """Return the features that such rows say; FormatError if they cannot be such."""
