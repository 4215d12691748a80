"""Grammars of a model, and which features are made of what their rules have."""

from dataclasses import dataclass
from typing import Literal

from hopefear import _core
from hopefear._core import FeatureView
from hopefear.grammar import Grammar
from hopefear.settings import setting, settings

__all__ = ["FeatureUse", "GrammarUse"]


@settings
class FeatureUse:
    """How the model uses a value that the rules of a grammar have."""

    of: str = setting(help="Feature of the grammar.", group="Features")
    view: Literal["none", "value", "logarithm", "rarity"] = setting(
        "value",
        "What the model's feature is: the value itself; its logarithm, at least -100; its rarity, "
        "exp(1 - count); none: the model does not use it.",
        group="Features",
    )
    name: str = setting("", "Name of the model's feature; by default the same.", group="Features")

    def core(self) -> _core.FeatureUse:
        """Return it as the core needs it."""
        return _core.FeatureUse(self.of, FeatureView[self.view], self.name or self.of)


@dataclass(frozen=True, kw_only=True)
class GrammarUse:
    """A grammar, and how its rules are used.

    Attributes
    ----------
    grammar : Grammar
        The rules.
    max_span : int, optional
        How many source words a rule may cover, 0: any number; as the options say if left out.
    features : tuple of FeatureUse
        Features that are used in another way than usual: scores are used as they are, probabilities
        by their logarithms, counts not at all.
    """

    grammar: Grammar
    max_span: int | None = None
    features: tuple[FeatureUse, ...] = ()

    def core(self, max_span: int) -> _core.GrammarUse:
        """Return it as the core needs it."""
        span = max_span if self.max_span is None else self.max_span
        return _core.GrammarUse(self.grammar.core, span, [use.core() for use in self.features])
