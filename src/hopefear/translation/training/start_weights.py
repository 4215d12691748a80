"""Weights that give sensible translations before anything is tuned."""

from collections.abc import Iterable

from hopefear.translation import ModelNames
from hopefear.types import Weights

__all__ = ["MOSES_NAMES", "default_weights"]

MOSES_NAMES = ModelNames(word_penalty="WordPenalty0", phrase_penalty="PhrasePenalty0")
"""What the decoder's own features are called in moses.ini."""

# Moses' train-model.perl gives these to its phrase tables, and these to the features of decoding.
PROBABILITY = 0.2
LANGUAGE_MODEL = 0.5
WORD = -1.0
PHRASE = 0.2
GLUE = 1.0

# What cdec's grammar extractor calls its features, with the start weights of cdec's guide; those
# without a sign of their own are costs.
CDEC = {
    "EgivenFCoherent": -0.1,
    "MaxLexFgivenE": -0.1,
    "MaxLexEgivenF": -0.1,
    "SampleCountF": -0.1,
    "CountEF": 0.1,
    "IsSingletonF": -0.01,
    "IsSingletonFE": -0.01,
}


def default_weights(
    names: ModelNames,
    probabilities: Iterable[str],
    others: Iterable[str],
    glue: Iterable[str],
    language_models: Iterable[str],
) -> Weights:
    """Return weights that are sensible for most grammars: those that Moses begins with.

    Parameters
    ----------
    names
        What the decoder's own features are called.
    probabilities
        Features that are logarithms of probabilities, in the order of the grammars.
    others
        All others of rules; 0 unless they are known.
    glue
        Features of glue rules.
    language_models
        Features of language models, which share one weight.
    """
    weights = dict.fromkeys(others, 0.0)
    weights |= {name: CDEC[name] for name in weights if name in CDEC}
    weights |= {name: -0.1 for name in weights if name.startswith("PhraseModel_")}
    weights |= {name: PROBABILITY for name in weights if name.startswith("tm_")}
    weights |= dict.fromkeys(probabilities, PROBABILITY)
    weights |= dict.fromkeys(glue, GLUE)
    models = list(language_models)
    weights |= {name: LANGUAGE_MODEL / len(models) for name in models}
    weights |= {
        names.word_penalty: WORD,
        names.phrase_penalty: PHRASE,
        names.unknown_word: -1.0,
        names.identity_rule: -1.0,
        names.number_rule: 0.0,
        names.name_rule: 0.0,
    }
    return Weights(weights)
