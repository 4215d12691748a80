"""Feature templates: what is computed from rules, beside the features that grammars have."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hopefear import _core
from hopefear._core import PassThrough
from hopefear.errors import DataError
from hopefear.grammar import Grammar, Rule
from hopefear.registry import Registry

__all__ = ["BuiltInTemplate", "PassNames", "RuleTemplate", "Template", "bind", "templates"]


@runtime_checkable
class RuleTemplate(Protocol):
    """A template in Python: anything that is called with a rule and gives features.

    It is called once for each rule that the decoder meets, whatever the weights and however often
    the rule is used; a rule that is met again long after may be asked for again. What it gives for
    a rule must always be the same. A word that passes as it is comes as a rule, too: from the word
    to itself, with ``UnknownWord``, ``IdentityRule``, ``NumberRule`` or ``NameRule`` as its
    feature. Values of features that the rule has already, or that another template gives, add up.
    """

    def __call__(self, rule: Rule) -> Mapping[str, float]:
        """Return the features of a rule."""


@runtime_checkable
class BuiltInTemplate(Protocol):
    """A template that the core computes."""

    def bind(self, model: _core.TranslationModel) -> _core.RuleTemplate:
        """Return the template for the grammars of a model; names go to the model's vocabulary."""


Template = RuleTemplate | BuiltInTemplate

templates: Registry[object] = Registry("feature template", group="hopefear.features")
"""Templates and what makes them, by the names that settings use."""


@dataclass(frozen=True)
class PassNames:
    """What rules of words that pass are called: their label, and a feature for each reason."""

    label: str
    features: Mapping[PassThrough, str]


def bind(
    template: Template, model: _core.TranslationModel, grammars: Sequence[Grammar], names: PassNames
) -> _core.RuleTemplate:
    """Return the template for a model that has these grammars."""
    if isinstance(template, BuiltInTemplate):
        return template.bind(model)
    asked = _Asked(template, grammars, names)
    return _core.PythonTemplate(model.feature_names, asked.rules, asked.word)


Features = list[tuple[str, float]]


@dataclass(frozen=True)
class _Asked:
    """Asks a template for what the core wants to know."""

    template: RuleTemplate
    grammars: Sequence[Grammar]
    names: PassNames

    def rules(
        self, part: int, source: Sequence[int], rules: Sequence[_core.Rule]
    ) -> list[Features]:
        """Return the features of rules with one source side."""
        return [self._features(rule) for rule in self.grammars[part].texts(source, rules)]

    def word(self, kind: PassThrough, word: str) -> list[Features]:
        """Return the features of the rule that lets a word pass."""
        features = {self.names.features[kind]: 1.0}
        passing = Rule(
            lhs=self.names.label,
            source=(word,),
            target=(word,),
            features=features,
            alignment=((0, 0),),
        )
        return [self._features(passing)]

    def _features(self, rule: Rule) -> Features:
        try:
            found = {name: float(value) for name, value in self.template(rule).items()}
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise DataError(f"{self._title} failed for the rule {rule}: {reason}") from error
        for name, value in found.items():
            if not isinstance(name, str) or not math.isfinite(value):
                raise DataError(
                    f"{self._title} gives {name!r}: {value!r} for the rule {rule}; expected the "
                    "name of a feature and a finite number"
                )
        return list(found.items())

    @property
    def _title(self) -> str:
        name = getattr(self.template, "name", None) or getattr(self.template, "__name__", None)
        return f"the feature template '{name or type(self.template).__name__}'"
