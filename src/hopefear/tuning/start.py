"""Where a run starts."""

import numpy as np

from hopefear.formats import read_weights
from hopefear.nbest import NBest
from hopefear.tuning.settings import TuneSettings
from hopefear.types import Weights

__all__ = ["default_weights", "start_weights"]


def start_weights(settings: TuneSettings, nbest: NBest) -> Weights:
    """Return the weights to start from: those given, those of a file, or the default ones."""
    if settings.start is not None:
        return settings.start
    if settings.start_file is not None:
        return read_weights(settings.start_file)
    if settings.moses_ini is not None:
        return read_weights(settings.moses_ini, "moses")
    return default_weights(nbest)


def default_weights(nbest: NBest) -> Weights:
    """Return weight 1 for features that at least half of the hypotheses have, 0 for the others.

    The sum of log probabilities is a sensible model to begin with; of sparse features nothing is
    known before.
    """
    counts = nbest.count_features().hypotheses
    return Weights.from_vector(nbest.feature_names, np.where(2 * counts >= len(nbest), 1.0, 0.0))
