"""Decoding: parsing with grammars, and language models by cube pruning."""

from hopefear.translation.decoder import Decoder
from hopefear.translation.decoder_options import DecoderOptions, ModelNames
from hopefear.translation.features import WordFeatures
from hopefear.translation.glue import glue_grammar
from hopefear.translation.grammar_use import FeatureUse, GrammarUse
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
