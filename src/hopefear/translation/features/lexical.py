"""Lexical features: output words, and the input words that they are aligned to.

Chiang (2012), Hope and fear for discriminative training of statistical translation models, section
7: lex(e), lex(f, e) and lex(NULL, e).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hopefear import _core
from hopefear.errors import DataError, FormatError
from hopefear.formats.files import Tell
from hopefear.settings import setting, settings
from hopefear.translation.features.base import FeatureSet, Row, Special, feature_name, templates

__all__ = ["Lexical", "LexicalTemplate", "WordPair"]

Word = str | Special

WordPair = tuple[Word | None, Word]
"""An input word (None: any word, `Special.NULL`: no word) and the output word it is linked to."""


@dataclass(frozen=True, kw_only=True)
class LexicalTemplate:
    """Counts output words, and output words by the input words that they are aligned to.

    Each pair is a feature: ``lex:e`` counts all output words e of a rule, ``lex:f/e`` the links of
    its word alignment between f and e, and ``lex:<null>/e`` the words e without a link.

    Attributes
    ----------
    source_words, target_words : sequence of str
        The known words.
    pairs : sequence of pairs
        The features; their words are known, or `Special.UNKNOWN`.
    unknown : bool
        Whether all other words count as `Special.UNKNOWN`; otherwise they have no features.
    kind : str
        Prefix of the features' names.
    """

    source_words: Sequence[str]
    target_words: Sequence[str]
    pairs: Sequence[WordPair]
    unknown: bool = True
    kind: str = "lex"

    def bind(self, model: _core.TranslationModel) -> _core.RuleTemplate:
        """Return the template for the grammars of a model."""
        sources = self._numbers(self.source_words)
        sources[None], sources[Special.NULL] = _core.LexicalTemplate.ANY, _core.LexicalTemplate.NULL
        targets = self._numbers(self.target_words)
        try:
            source = [sources[f] for f, _ in self.pairs]
            target = [targets[e] for _, e in self.pairs]
        except KeyError as error:
            raise DataError(
                f"{self.kind} features: {error.args[0]!r} is a word of a feature but not one of "
                "the known words"
            ) from None
        return _core.LexicalTemplate(
            model=model,
            source_words=list(self.source_words),
            target_words=list(self.target_words),
            unknown=self.unknown,
            names=list(self.names()),
            source=np.array(source, dtype=np.int32),
            target=np.array(target, dtype=np.int32),
        )

    def names(self) -> Iterable[str]:
        """Yield the names of the features, in the order of `pairs`."""
        for f, e in self.pairs:
            yield feature_name(self.kind, e) if f is None else feature_name(self.kind, f, e)

    def _numbers(self, words: Sequence[str]) -> dict[Word | None, int]:
        numbers: dict[Word | None, int] = {word: i for i, word in enumerate(words)}
        if self.unknown:
            numbers[Special.UNKNOWN] = len(words)
        return numbers


_UNKNOWN = ""  # stands for <unk> in rows


@templates.register("large")
@settings
class Lexical:
    """Lexical features of the paper's large model, for the words of a bitext."""

    min_count: int = setting(
        10,
        "Words that occur less often become <unk>; the paper has 10,000 for 150 million words.",
        least=1,
        group="Features",
    )
    min_feature_count: int = setting(
        1, "Features that occur less often in the bitext are dropped.", least=1, group="Features"
    )

    def collect(self, bitext: _core.Bitext, tell: Tell) -> Iterator[Row]:
        """Yield the known words, and the features with their counts."""
        sources, targets, found = _core.count_lexical(
            bitext, self.min_count, self.min_feature_count, tell
        )
        yield from (("source", word) for word in sources)
        yield from (("target", word) for word in targets)
        columns = (found.source.tolist(), found.target.tolist(), found.count.tolist())
        for f, e, count in zip(*columns, strict=True):
            target = targets[e] if e < len(targets) else _UNKNOWN
            if f == _core.LexicalTemplate.ANY:
                yield ("any", target, str(count))
            elif f == _core.LexicalTemplate.NULL:
                yield ("null", target, str(count))
            else:
                source = sources[f] if f < len(sources) else _UNKNOWN
                yield ("link", source, target, str(count))

    def features(self, rows: Iterable[Row]) -> FeatureSet:
        """Return the features of rows that `collect` yielded."""
        words: dict[str, list[str]] = {"source": [], "target": []}
        pairs: list[WordPair] = []
        for number, row in enumerate(rows, 1):
            match row:
                case ("source" | "target" as side, word):
                    words[side].append(word)
                case ("any", e, _):
                    pairs.append((None, e or Special.UNKNOWN))
                case ("null", e, _):
                    pairs.append((Special.NULL, e or Special.UNKNOWN))
                case ("link", f, e, _):
                    pairs.append((f or Special.UNKNOWN, e or Special.UNKNOWN))
                case _:
                    raise FormatError(
                        f"row {number}: expected a lexical feature, found {list(row)}"
                    )
        template = LexicalTemplate(
            source_words=words["source"], target_words=words["target"], pairs=pairs
        )
        return FeatureSet(templates=[template])
