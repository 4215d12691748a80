"""Weights from elsewhere, for a model: which of its features they are of.

A weight that is of no feature counts for nothing, and a user who does not learn of it gets bad
translations and never knows why.
"""

import warnings

from hopefear.errors import DataError, HopefearWarning
from hopefear.translation.model import Model
from hopefear.types import Weights

__all__ = ["weights_for"]

# Moses' feature of unknown words is -100 for each of them; ours is 1.
MOSES_UNKNOWN_WORD = "UnknownWordPenalty0"
MOSES_UNKNOWN_SCORE = -100.0

SHOWN = 4  # names in a message


def weights_for(model: Model, weights: Weights, *, further: bool = False) -> Weights:
    """Return weights as a model has to be given them; warn of those that count for nothing.

    Parameters
    ----------
    model
        The model.
    weights
        In the names of the model's features; Moses' weight of unknown words is understood too.
    further
        Whether there may be features that the model does not know of yet: of grammars of single
        sentences.

    Raises
    ------
    DataError
        If none of them is of a feature of the model.
    """
    names = set(model.decoder().feature_names.texts())
    own = dict(weights)
    unknown_word = model.settings.names.unknown_word
    if MOSES_UNKNOWN_WORD in own and not {MOSES_UNKNOWN_WORD, unknown_word} & names & set(own):
        own[unknown_word] = MOSES_UNKNOWN_SCORE * own.pop(MOSES_UNKNOWN_WORD)
    others = [name for name, weight in own.items() if weight != 0 and name not in names]
    if own and not names & set(own):
        raise DataError(
            f"the weights ({_some(list(own))}) and the model {model.path} have no feature in "
            f"common; the model has {_some(sorted(names))}"
        )
    # Templates make features as they meet rules: nobody knows all names before.
    if others and not further and not model.settings.templates:
        warnings.warn(
            f"the model {model.path} has no feature {_some(others)}: these weights count for "
            f"nothing; features of the model without a weight: "
            f"{_some(sorted(names - set(own))) or 'none'}",
            HopefearWarning,
            stacklevel=3,
        )
    return Weights(own)


def _some(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
