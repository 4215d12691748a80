"""Features of rules and words that no grammar has: templates, and selection from a bitext."""

from hopefear.translation.features.base import (
    BuiltInTemplate,
    Collector,
    FeatureSet,
    RuleTemplate,
    Special,
    Template,
    WordFeatures,
    bind,
    feature_name,
    templates,
)
from hopefear.translation.features.lexical import Lexical, LexicalTemplate
from hopefear.translation.features.oov import UnknownToLanguageModels
from hopefear.translation.features.patterns import Patterns

__all__ = [
    "BuiltInTemplate",
    "Collector",
    "FeatureSet",
    "Lexical",
    "LexicalTemplate",
    "Patterns",
    "RuleTemplate",
    "Special",
    "Template",
    "UnknownToLanguageModels",
    "WordFeatures",
    "bind",
    "feature_name",
    "templates",
]
