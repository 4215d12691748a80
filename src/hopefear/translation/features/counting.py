"""Features of words on candidates from elsewhere, where no decoder of ours computes them.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, section 4.3:
patterns on the k-best lists and lattices of another system.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.files import PathLike
from hopefear.formats.texts import read_feature_table
from hopefear.translation.features.base import FeatureSet, Special
from hopefear.translation.features.lexical import Lexical, LexicalTemplate
from hopefear.translation.features.patterns import Patterns

__all__ = ["Links", "SentenceCounter", "WordCounter"]

Links = Sequence[tuple[int, int]]
"""Pairs of a source position and a target position."""

ENDS = ("<s>", "</s>")


def _read(path: Path) -> FeatureSet:
    rows = list(read_feature_table(path))
    kind = Patterns() if not rows or rows[0][0] in Patterns.kinds else Lexical()
    try:
        return kind.features(rows)
    except DataError as error:
        raise FormatError(f"{path}: {error}") from error


class WordCounter:
    """Counts the features of words in texts.

    Parameters
    ----------
    features
        N-grams, triggers and lexical features.
    """

    def __init__(self, features: FeatureSet) -> None:
        self.features = features
        self._lexical: list[_Lexical] = []
        for template in features.templates:
            if not isinstance(template, LexicalTemplate):
                raise ConfigError(
                    f"{type(template).__name__} computes features of rules, which candidates from "
                    "elsewhere do not have"
                )
            self._lexical.append(_Lexical(template))
        words = features.word_features
        self._orders = sorted({len(ngram) for ngram in words.ngrams})
        self._by_trigger: dict[str, list[tuple[str, str]]] = {}
        for (f, e), name in words.triggers.items():
            self._by_trigger.setdefault(f, []).append((e, name))

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read features that were selected from a bitext.

        Parameters
        ----------
        path
            A file that `hopefear train --features patterns` (or ``large``) wrote into a model, or
            the directory of such a model.
        """
        given = Path(path)
        files = sorted(given.glob("features-*.tsv")) if given.is_dir() else [given]
        if not files:
            raise FormatError(
                f"{path}: has no features-*.tsv; train a model with --features patterns first"
            )
        return cls(FeatureSet.joined(_read(file) for file in files))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all features."""
        words = self.features.word_features
        found = {*words.ngrams.values(), *words.triggers.values()}
        return frozenset(found.union(*(lexical.names for lexical in self._lexical)))

    def of_sentence(self, source: Sequence[str]) -> "SentenceCounter":
        """Return what counts in translations of a sentence."""
        triggered: dict[str, list[str]] = {}
        for f in dict.fromkeys(source):
            for e, name in self._by_trigger.get(f, ()):
                triggered.setdefault(e, []).append(name)
        return SentenceCounter(source, triggered, self._lexical)

    def count_ngrams(self, target: Sequence[str]) -> Counter[str]:
        """Count the n-grams of a whole translation."""
        ngrams, padded = self.features.word_features.ngrams, (ENDS[0], *target, ENDS[1])
        return Counter(
            ngrams[found]
            for order in self._orders
            for found in zip(*(padded[i:] for i in range(order)), strict=False)
            if found in ngrams
        )


class SentenceCounter:
    """Counts features in translations of a sentence, or in parts of them."""

    def __init__(
        self,
        source: Sequence[str],
        triggered: Mapping[str, Sequence[str]],
        lexical: Iterable["_Lexical"],
    ) -> None:
        self._source, self._triggered, self._lexical = source, triggered, lexical

    def count(
        self,
        target: Sequence[str],
        *,
        links: Links | None = None,
        covered: Collection[str] | None = None,
    ) -> Counter[str]:
        """Count triggers, words and pairs of words in a target side.

        Parameters
        ----------
        target
            The words.
        links
            Word alignments. Without them, a pair counts its target word wherever the source word
            is among `covered`, and words without a link do not count.
        covered
            The source words that the target side translates; by default all of the sentence.
        """
        found: Counter[str] = Counter()
        for e in target:
            found.update(self._triggered.get(e, ()))
        for lexical in self._lexical:
            found.update(lexical.words(target))
            if links is None:
                among = self._source if covered is None else covered
                found.update(lexical.cooccurring(among, target))
            else:
                found.update(lexical.linked(self._source, target, links))
        return found


class _Lexical:
    """A lexical template as tables of names."""

    def __init__(self, template: LexicalTemplate) -> None:
        self._names = dict(zip(template.pairs, template.names(), strict=True))
        self._sources, self._targets = set(template.source_words), set(template.target_words)
        self._unknown = template.unknown
        self._has_links = any(f is not None for f, _ in template.pairs)

    @property
    def names(self) -> Collection[str]:
        """The names of all features."""
        return self._names.values()

    def _class(self, word: str, known: Collection[str]) -> str | Special | None:
        if word in ENDS:
            return None
        return word if word in known else Special.UNKNOWN if self._unknown else None

    def _name(self, f: str | Special | None, e: str | Special | None) -> list[str]:
        found = None if e is None else self._names.get((f, e))
        return [] if found is None else [found]

    def words(self, target: Sequence[str]) -> list[str]:
        """Return lex(e) of each word."""
        return [name for e in target for name in self._name(None, self._class(e, self._targets))]

    def linked(self, source: Sequence[str], target: Sequence[str], links: Links) -> list[str]:
        """Return lex(f, e) of each link and lex(NULL, e) of each word without one."""
        if not self._has_links:
            return []
        found: list[str] = []
        with_link = {j for _, j in links}
        for i, j in links:
            if (f := self._class(source[i], self._sources)) is not None:
                found += self._name(f, self._class(target[j], self._targets))
        for j, e in enumerate(target):
            if j not in with_link:
                found += self._name(Special.NULL, self._class(e, self._targets))
        return found

    def cooccurring(self, covered: Collection[str], target: Sequence[str]) -> list[str]:
        """Return lex(f, e) of each word e for each different word f."""
        if not self._has_links:
            return []
        classes = {c: None for f in covered if (c := self._class(f, self._sources)) is not None}
        return [
            name
            for e in target
            for f in classes
            for name in self._name(f, self._class(e, self._targets))
        ]
