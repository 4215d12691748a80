"""Features that are computed from rules: templates, and what they need to know of a bitext."""

from hopefear.features.base import (
    BuiltInTemplate,
    PassNames,
    RuleTemplate,
    Template,
    bind,
    templates,
)
from hopefear.features.lexical import LexicalTemplate
from hopefear.features.names import Special, feature_name

__all__ = [
    "BuiltInTemplate",
    "LexicalTemplate",
    "PassNames",
    "RuleTemplate",
    "Special",
    "Template",
    "bind",
    "feature_name",
    "templates",
]
