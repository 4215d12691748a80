"""Translation: models, grammars, language models, features and the decoder."""

from hopefear.translation.decoder import (
    Decoder,
    DecoderOptions,
    FeatureUse,
    GrammarUse,
    ModelNames,
    glue_grammar,
)
from hopefear.translation.features import WordFeatures
from hopefear.translation.rescorer import ForestRescorer, PreparedForest

__all__ = [
    "Decoder",
    "DecoderOptions",
    "FeatureUse",
    "ForestRescorer",
    "GrammarUse",
    "ModelNames",
    "PreparedForest",
    "WordFeatures",
    "glue_grammar",
]
