"""Grammars of a model, and which features are made of what their rules have."""

from dataclasses import dataclass
from typing import Literal

from hopefear import _core
from hopefear._core import FeatureView
from hopefear.grammar import Grammar

__all__ = ["FeatureUse", "GrammarUse"]


@dataclass(frozen=True, kw_only=True)
class FeatureUse:
    """A feature that is made of a value that the rules of a grammar have.

    Attributes
    ----------
    of : str
        The grammar's feature.
    view : str
        ``value``: as it is; ``logarithm``: at least -100; ``rarity``: exp(1 - count); ``none``: it
        is no feature of the model.
    name : str
        What the model's feature is called; as the grammar's if left out.
    """

    of: str
    view: Literal["none", "value", "logarithm", "rarity"] = "value"
    name: str = ""

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
