"""Translation: models, grammars, language models, features and the decoder."""

from hopefear.translation.decoder import Decoder, DecoderOptions, glue_grammar
from hopefear.translation.features import WordFeatures
from hopefear.translation.rescorer import ForestRescorer, PreparedForest
from hopefear.translation.uses import FeatureUse, GrammarUse, ModelNames

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
