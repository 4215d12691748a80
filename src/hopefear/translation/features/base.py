"""Feature templates, which compute features of rules, and features of words."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable

from hopefear import _core
from hopefear._core import PassThrough
from hopefear.errors import DataError
from hopefear.formats.files import Tell
from hopefear.grammar import Grammar, Rule
from hopefear.registry import Registry

__all__ = [
    "BuiltInTemplate",
    "Collector",
    "FeatureSet",
    "Row",
    "RuleTemplate",
    "Special",
    "Template",
    "WordFeatures",
    "bind",
    "feature_name",
    "templates",
]


class Special(Enum):
    """Stands for words in feature names; cannot be confused with any word."""

    UNKNOWN = "<unk>"
    NULL = "<null>"


# These separate words, end names in the formats of weights and n-best lists, or begin the special
# words above.
_ESCAPES = str.maketrans({c: f"%{ord(c):02X}" for c in "%/=|<:"})


def feature_name(kind: str, *words: str | Special) -> str:
    """Return the name of a feature of this kind; words are separated by slashes.

    The characters ``% / = | < :`` in words are percent-encoded, so that different words have
    different names and every format can store them.

    Examples
    --------
    >>> feature_name("lex", "chat", "cat")
    'lex:chat/cat'
    >>> feature_name("lex", Special.NULL, "1/2")
    'lex:<null>/1%2F2'
    """
    shown = (w.value if isinstance(w, Special) else w.translate(_ESCAPES) for w in words)
    return f"{kind}:{'/'.join(shown)}"


@dataclass(frozen=True, kw_only=True)
class WordFeatures:
    """Features of the words of a translation: n-grams and triggers.

    Gimpel & Smith (2012), Structured ramp loss minimization for machine translation, section 4.3.
    N-grams are non-local: they may span several rules, so that rescoring finds them. Triggers are
    local, because the source sentence is known.

    Attributes
    ----------
    ngrams : mapping from tuples of words to names
        Each feature counts an n-gram in the translation. <s> and </s> stand for the ends of the
        sentence.
    triggers : mapping from pairs of words to names
        Each feature counts the second word in the translation if the source sentence contains the
        first.
    """

    ngrams: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    triggers: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def core(self) -> _core.WordFeatures:
        """Return the features as the core needs them."""
        features = _core.WordFeatures()
        for ngram, name in self.ngrams.items():
            features.add_ngram(list(ngram), name)
        for (source, target), name in self.triggers.items():
            features.add_trigger(source, target, name)
        return features


@runtime_checkable
class RuleTemplate(Protocol):
    """A template in Python: any callable that maps a rule to features.

    The decoder calls it when it meets a rule, independent of weights, and caches the result; it may
    call it again for the same rule, and must get the same result. A word that is copied to the
    output comes as a rule from the word to itself, with the feature ``UnknownWord``,
    ``IdentityRule``, ``NumberRule`` or ``NameRule``. Values add up if several templates, or a
    template and the grammar, give the same feature to a rule.
    """

    def __call__(self, rule: Rule) -> Mapping[str, float]:
        """Return the features of a rule."""


@runtime_checkable
class BuiltInTemplate(Protocol):
    """A template that the core computes."""

    def bind(self, model: _core.TranslationModel) -> _core.RuleTemplate:
        """Return the template for a model; its names go to the model's vocabulary."""


Template = RuleTemplate | BuiltInTemplate

templates: Registry[object] = Registry("feature template", group="hopefear.features")
"""Templates by the names that settings use."""

Row = tuple[str, ...]
"""A selected feature in a file: its kind and further fields."""


@dataclass(frozen=True, kw_only=True)
class FeatureSet:
    """The features of a decoder beside those of grammars and language models."""

    templates: Sequence[Template] = ()
    word_features: WordFeatures = field(default_factory=WordFeatures)

    @classmethod
    def joined(cls, sets: Iterable["FeatureSet"]) -> "FeatureSet":
        """Return the union of feature sets."""
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
    """A template whose features are selected from a bitext before they can be computed."""

    def collect(self, bitext: _core.Bitext, tell: Tell) -> Iterator[Row]:
        """Yield the selected features."""

    def features(self, rows: Iterable[Row]) -> FeatureSet:
        """Return the features of rows that `collect` yielded; FormatError for other rows."""


def bind(
    template: Template,
    model: _core.TranslationModel,
    grammars: Sequence[Grammar],
    copy_rule: Callable[[PassThrough, str], Rule],
) -> _core.RuleTemplate:
    """Return the template for a model with these grammars and rules for copied words."""
    if isinstance(template, BuiltInTemplate):
        return template.bind(model)

    def rules(part: int, source: Sequence[int], found: Sequence[_core.Rule]) -> list[_Features]:
        return [_call(template, rule) for rule in grammars[part].texts(source, found)]

    def word(reason: PassThrough, word: str) -> list[_Features]:
        return [_call(template, copy_rule(reason, word))]

    return _core.PythonTemplate(model.feature_names, rules, word)


_Features = list[tuple[str, float]]


def _call(template: RuleTemplate, rule: Rule) -> _Features:
    try:
        found = {name: float(value) for name, value in template(rule).items()}
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"{_title(template)} failed for the rule {rule}: {reason}") from error
    for name, value in found.items():
        if not isinstance(name, str) or not math.isfinite(value):
            raise DataError(
                f"{_title(template)} returned {name!r}: {value!r} for the rule {rule}; expected "
                "the name of a feature and a finite number"
            )
    return list(found.items())


def _title(template: RuleTemplate) -> str:
    name = getattr(template, "name", None) or getattr(template, "__name__", None)
    return f"the feature template '{name or type(template).__name__}'"
