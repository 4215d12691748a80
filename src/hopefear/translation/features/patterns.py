"""Patterns: frequent word pairs, n-grams and triggers of a bitext.

Gimpel & Smith (2012), Structured ramp loss minimization for machine translation, section 4.3;
triggers are those of Rosenfeld (1996), A maximum entropy approach to adaptive statistical language
modelling, across two languages.
"""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from hopefear import _core
from hopefear.errors import FormatError
from hopefear.formats.files import Tell
from hopefear.settings import setting, settings
from hopefear.translation.features.base import (
    FeatureSet,
    Row,
    WordFeatures,
    feature_name,
    templates,
)
from hopefear.translation.features.lexical import LexicalTemplate

__all__ = ["Patterns"]

_WORDS = {"pair": 2, "unigram": 1, "bigram": 2, "trigram": 3, "trigger": 2}
_ORDERS = {"unigram": 1, "bigram": 2, "trigram": 3}


@templates.register("patterns")
@settings
class Patterns:
    """Counts the most frequent patterns of the bitext; no word becomes <unk>, however rare.

    ================  ===========================================================================
    ``pair:f/e``      links between f and e in the word alignments of rules
    ``unigram:e``     words e of the translation
    ``bigram:d/e``    adjacent words d e of the translation, from one rule or several
    ``trigram:c/d/e`` the same for three words
    ``trigger:f/e``   words e of the translation if the source sentence contains f
    ================  ===========================================================================
    """

    kinds: ClassVar[tuple[str, ...]] = tuple(_WORDS)

    pairs: int = setting(1000, "Number of word pairs.", least=0, group="Features")
    unigrams: int = setting(200, "Number of unigrams.", least=0, group="Features")
    bigrams: int = setting(1000, "Number of bigrams.", least=0, group="Features")
    trigrams: int = setting(1000, "Number of trigrams.", least=0, group="Features")
    triggers: int = setting(
        4000,
        "Number of triggers: the word pairs with the highest mutual information among those that "
        "share a sentence pair more often than by chance.",
        least=0,
        group="Features",
    )

    def collect(self, bitext: _core.Bitext, tell: Tell) -> Iterator[Row]:
        """Yield the patterns, with their counts or mutual information."""
        for words, count in _core.frequent_links(bitext, self.pairs, tell):
            yield ("pair", *words, str(count))
        limits = {"unigram": self.unigrams, "bigram": self.bigrams, "trigram": self.trigrams}
        for kind, order in _ORDERS.items():
            for words, count in _core.frequent_ngrams(bitext, order, limits[kind], tell):
                yield (kind, *words, str(count))
        for f, e, information in _core.best_triggers(bitext, self.triggers, tell):
            yield ("trigger", f, e, repr(information))

    def features(self, rows: Iterable[Row]) -> FeatureSet:
        """Return the features of rows that `collect` yielded."""
        found: dict[str, list[Row]] = {kind: [] for kind in _WORDS}
        for number, (kind, *fields) in enumerate(rows, 1):
            if kind not in _WORDS or len(fields) != _WORDS[kind] + 1 or "" in fields:
                raise FormatError(f"row {number}: expected a pattern, found {[kind, *fields]}")
            found[kind].append(tuple(fields[:-1]))
        return FeatureSet(
            templates=[
                LexicalTemplate(
                    source_words=list(dict.fromkeys(f for f, _ in found["pair"])),
                    target_words=list(dict.fromkeys(e for _, e in found["pair"])),
                    pairs=[(f, e) for f, e in found["pair"]],
                    unknown=False,
                    kind="pair",
                ),
                LexicalTemplate(
                    source_words=[],
                    target_words=[e for (e,) in found["unigram"]],
                    pairs=[(None, e) for (e,) in found["unigram"]],
                    unknown=False,
                    kind="unigram",
                ),
            ],
            word_features=WordFeatures(
                ngrams={
                    words: feature_name(kind, *words)
                    for kind in ("bigram", "trigram")
                    for words in found[kind]
                },
                triggers={(f, e): feature_name("trigger", f, e) for f, e in found["trigger"]},
            ),
        )
