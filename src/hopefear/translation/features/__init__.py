"""Features that are computed from rules and words: templates, and what is chosen from a bitext."""

from hopefear.translation.features.base import (
    BuiltInTemplate,
    PassNames,
    RuleTemplate,
    Template,
    bind,
    templates,
)
from hopefear.translation.features.collected import Collector, FeatureSet
from hopefear.translation.features.lexical import Lexical, LexicalTemplate
from hopefear.translation.features.names import Special, feature_name
from hopefear.translation.features.patterns import Patterns
from hopefear.translation.features.word_features import WordFeatures

__all__ = [
    "BuiltInTemplate",
    "Collector",
    "FeatureSet",
    "Lexical",
    "LexicalTemplate",
    "PassNames",
    "Patterns",
    "RuleTemplate",
    "Special",
    "Template",
    "WordFeatures",
    "bind",
    "feature_name",
    "templates",
]
