"""Decoding: parsing with grammars, and language models by cube pruning."""

from hopefear.decoder.decoder import Decoder
from hopefear.decoder.glue import glue_grammar
from hopefear.decoder.grammar_use import FeatureUse, GrammarUse
from hopefear.decoder.options import DecoderOptions, ModelNames
from hopefear.decoder.rescorer import ForestRescorer, PreparedForest
from hopefear.features import WordFeatures

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
