"""Where a run starts: given weights, those that the lists' total scores were made with, or ones."""

from fnmatch import fnmatchcase

import numpy as np

from hopefear.errors import DataError
from hopefear.formats import read_weights
from hopefear.learners import ForestSet
from hopefear.runs.data import LoadedSet
from hopefear.runs.inferred_start import NO_SCORES, infer_weights
from hopefear.runs.settings import TuneSettings
from hopefear.runs.wording import some
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["about_patterns", "default_weights", "matching_weights", "start_weights"]


def start_weights(settings: TuneSettings, data: LoadedSet) -> tuple[Weights, str]:
    """Return the weights to start from, and what the user should know about them, if anything."""
    if settings.start is not None:
        return settings.start, ""
    if settings.start_file is not None:
        return read_weights(settings.start_file), ""
    if settings.moses_ini is not None:
        return read_weights(settings.moses_ini, "moses"), ""
    if (matching := matching_weights(settings, data.tuning_set.feature_names)) is not None:
        return matching, about_patterns(matching)
    if settings.infer_start is False:
        return default_weights(data), ""
    return _inferred_start(settings, data)


def _inferred_start(settings: TuneSettings, data: LoadedSet) -> tuple[Weights, str]:
    """Return the weights of the lists' total scores, if they can be told, or default ones."""
    if settings.tuning.forests is not None:
        if settings.infer_start:
            raise DataError("start weights are inferred from lists, not from forests")
        return default_weights(data), ""
    names = data.tuning_set.feature_names
    varying = [names[int(i)] for i in np.flatnonzero(data.tuning_set.feature_spread > 0)]
    inferred, reason = infer_weights(settings.tuning, varying)
    if inferred is not None:
        start = _of_candidates(data, inferred.vector(names))
        return start, f"start weights are inferred from the lists: {reason}"
    if settings.infer_start:
        raise DataError(f"start weights cannot be inferred from the lists: {reason}")
    if reason == NO_SCORES:
        return default_weights(data), ""
    message = (
        "every feature that most hypotheses have starts at 1, which may be far from good weights: "
        f"{reason}; better ones can be given as the start"
    )
    return default_weights(data), message


def matching_weights(settings: TuneSettings, names: Vocabulary) -> Weights | None:
    """Return weights by the patterns of the settings; None if they name no feature."""
    w = np.zeros(len(names))
    found = False
    for pattern, value in settings.start_patterns.items():
        for i in range(len(names)):
            if fnmatchcase(names[i], pattern):
                w[i], found = value, True
    return Weights.from_vector(names, w) if found else None


def about_patterns(start: Weights) -> str:
    """Say that a run starts from the weights of patterns, which a preset may have brought."""
    weights = [f"{name} = {value:g}" for name, value in start.items() if value]
    return f"the run starts from start_patterns ({some(weights, 3)}; all others = 0)"


def default_weights(data: LoadedSet) -> Weights:
    """Return weight 1 for features that at least half of the hypotheses have, 0 for the others.

    Of forests, those that at least half of the forests have.

    The sum of log probabilities is a sensible model to begin with; of sparse features nothing is
    known before.
    """
    forests = isinstance(data.tuning_set, ForestSet)
    candidates = data.tuning_set.sentence_count if forests else len(data.nbest)
    dense = 2 * data.feature_counts >= candidates
    return _of_candidates(data, np.where(dense, 1.0, 0.0))


def _of_candidates(data: LoadedSet, w: FloatArray) -> Weights:
    """Name the weights of features that some candidate has: the dev data may have others."""
    names = data.tuning_set.feature_names
    present = np.flatnonzero(data.feature_counts > 0)
    return Weights.from_arrays([names[int(i)] for i in present], w[present])
