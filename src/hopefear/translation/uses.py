"""How a decoder uses grammars: which features it makes of their values, under which names."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from hopefear import _core
from hopefear._core import FeatureView, PassThrough
from hopefear.grammar import Grammar, Rule
from hopefear.settings import setting, settings

__all__ = ["Chooser", "FeatureUse", "FeatureViewName", "GrammarUse", "ModelNames"]

FeatureViewName = Literal["none", "value", "logarithm", "rarity"]
"""What a feature of the model is of a value that rules have."""


@settings
class ModelNames:
    """Names of the decoder's own labels and features; without a name there is no such feature."""

    goal: str = setting("S", "Label of whole sentences.")
    pass_through: str = setting("X", "Label of words that are copied to the output.")
    word_penalty: str = setting(
        "WordPenalty", "Feature: -1 for each target word of a rule, <s> and </s> included."
    )
    phrase_penalty: str = setting(
        "PhrasePenalty", "Feature: 1 for each rule, glue rules and copied words included."
    )
    unknown_word: str = setting(
        "UnknownWord", "Feature: 1 for each word that is copied because no rule covers it alone."
    )
    identity_rule: str = setting(
        "IdentityRule", "Feature: 1 for each word that is copied by an identity rule."
    )
    number_rule: str = setting("NumberRule", "Feature: 1 for each number that is copied.")
    name_rule: str = setting("NameRule", "Feature: 1 for each name that is copied.")

    def copy_rule(self, reason: PassThrough, word: str) -> Rule:
        """Return the rule that copies a word to the output for this reason."""
        feature = {
            PassThrough.unknown: self.unknown_word,
            PassThrough.identity: self.identity_rule,
            PassThrough.number: self.number_rule,
            PassThrough.proper_name: self.name_rule,
        }[reason]
        return Rule(
            lhs=self.pass_through,
            source=(word,),
            target=(word,),
            features={feature: 1.0},
            alignment=((0, 0),),
        )

    def core(self) -> _core.ModelNames:
        """Return the names as the core needs them."""
        names = _core.ModelNames()
        for field in fields(self):
            setattr(names, field.name, getattr(self, field.name))
        return names


@settings
class FeatureUse:
    """How the model uses a value that the rules of a grammar have."""

    of: str = setting(help="Feature of the grammar.", group="Features")
    view: FeatureViewName = setting(
        "value",
        "What the model's feature is: the value itself; its logarithm, at least -100; its rarity, "
        "exp(1 - count); none: the model does not use it.",
        group="Features",
    )
    name: str = setting("", "Name of the model's feature; by default the same.", group="Features")

    def core(self) -> _core.FeatureUse:
        """Return the use as the core needs it."""
        return _core.FeatureUse(self.of, FeatureView[self.view], self.name or self.of)


@dataclass(frozen=True, kw_only=True)
class GrammarUse:
    """A grammar and how the decoder uses it.

    Attributes
    ----------
    grammar : Grammar
        The rules.
    max_span : int, optional
        Maximum number of source words a rule may cover, 0: no limit; by default the decoder's.
    features : tuple of FeatureUse
        Features that are not used in the default way: scores as they are, logarithms of
        probabilities, no counts.
    """

    grammar: Grammar
    max_span: int | None = None
    features: tuple[FeatureUse, ...] = ()

    def core(self, max_span: int) -> _core.GrammarUse:
        """Return the use as the core needs it, with a default for `max_span`."""
        span = max_span if self.max_span is None else self.max_span
        return _core.GrammarUse(self.grammar.core, span, [use.core() for use in self.features])


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """The features that choose the rules of a source side, if they are not the decoder's."""

    grammars: Sequence[GrammarUse]
    names: ModelNames
