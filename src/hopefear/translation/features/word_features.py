"""Features of the words of a translation that no grammar has: n-grams and triggers.

Gimpel & Smith (2012), Structured ramp loss minimization for machine translation, 4.3. N-grams are
non-local: they may begin in one rule and end in another, and are found while forests are rescored.
Triggers are local, because the source sentence is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopefear import _core

__all__ = ["WordFeatures"]


@dataclass(frozen=True, kw_only=True)
class WordFeatures:
    """Lists of n-grams and triggers, with the names of their features.

    Attributes
    ----------
    ngrams : mapping from tuples of words to names
        Each counts how often the n-gram is in the translation. <s> and </s> in an n-gram stand for
        the ends of the sentence.
    triggers : mapping from pairs of words to names
        Each counts how often the second word is in the translation, if the first one is anywhere
        in the source sentence.
    """

    ngrams: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    triggers: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def core(self) -> _core.WordFeatures:
        """Return them as the core needs them."""
        features = _core.WordFeatures()
        for ngram, name in self.ngrams.items():
            features.add_ngram(list(ngram), name)
        for (source, target), name in self.triggers.items():
            features.add_trigger(source, target, name)
        return features
