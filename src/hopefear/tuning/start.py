"""Where a run starts: given weights, those that the lists' total scores were made with, or ones."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

import numpy as np

from hopefear.errors import DataError
from hopefear.formats import read_nbest, read_weights
from hopefear.learners import ForestSet
from hopefear.tuning.data import LoadedSet
from hopefear.tuning.settings import DataSettings, TuneSettings
from hopefear.tuning.wording import some
from hopefear.types import FloatArray, Hypothesis, IntArray, Vocabulary, Weights

__all__ = [
    "about_patterns",
    "default_weights",
    "infer_weights",
    "matching_weights",
    "start_weights",
]

SAMPLE = 5000  # hypotheses whose total scores are looked at
MOST_FEATURES = 500
# The share of how total scores vary within lists that weights must explain to be the right ones;
# numbers in files have few digits.
EXACT = 0.999
NO_SCORES = "they have no total scores, or the same for all hypotheses of a sentence"


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
    inferred, reason = infer_weights(settings.tuning)
    if inferred is not None:
        whole = inferred.vector(data.tuning_set.feature_names)
        return _of_candidates(data, whole), f"start weights are inferred from the lists: {reason}"
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


def infer_weights(settings: DataSettings) -> tuple[Weights | None, str]:
    """Return the weights under which the lists have the total scores that are written in them.

    They are found by least squares on differences within a list: what all hypotheses of a sentence
    share, such as penalties of unknown words that are no features, does not matter. If there are no
    such weights, None; the text says how well they fit, or what is missing.
    """
    sentences, features, scores = [], [], []
    for sentence, hypothesis in islice(_hypotheses(settings), SAMPLE):
        if hypothesis.score is not None:
            sentences.append(sentence)
            features.append(hypothesis.features)
            scores.append(hypothesis.score)
    names = [name for name in dict.fromkeys(name for row in features for name in row)]
    names = [name for name in names if name != settings.score_feature]
    if not scores or not names:
        return None, NO_SCORES
    if len(names) > MOST_FEATURES:
        return None, f"there are more than {MOST_FEATURES} features, too many to infer weights of"
    numbers = {sentence: number for number, sentence in enumerate(dict.fromkeys(sentences))}
    group = np.array([numbers[sentence] for sentence in sentences], dtype=np.int64)
    columns = np.array([[row.get(name, 0.0) for name in names] for row in features])
    table, target = _centred(columns, group), _centred(np.array(scores)[:, None], group)[:, 0]
    varied = np.count_nonzero(np.abs(table).max(axis=0) > 0)
    if not target.any():
        return None, NO_SCORES
    if len(scores) - (group.max() + 1) < 2 * varied:
        return None, "there are too few total scores that differ to infer weights from"
    scale = np.maximum(np.abs(table).max(axis=0), np.finfo(float).tiny)
    w = np.linalg.lstsq(table / scale, target, rcond=1e-9)[0] / scale
    explained = 1.0 - float(np.square(target - table @ w).sum() / np.square(target).sum())
    share = f"{100 * max(0.0, explained):.4g} % of how the total scores vary within lists"
    if explained < EXACT:
        return None, f"no weights of the features explain more than {share}"
    return Weights.from_arrays(names, w), f"they explain {share}"


def _hypotheses(settings: DataSettings) -> Iterator[tuple[int | str, Hypothesis]]:
    """Give the hypotheses of the files; standard input can be read only once."""
    for path in settings.nbest:
        if str(path) == "-" or not (path.is_file() or path.is_dir()):
            continue
        for segment in read_nbest(path, settings.format):
            for hypothesis in segment.hypotheses:
                yield segment.sentence, hypothesis


def _centred(rows: FloatArray, group: IntArray) -> FloatArray:
    """Subtract from each row the mean of its group."""
    counts = np.bincount(group)
    sums = np.zeros((len(counts), rows.shape[1]))
    np.add.at(sums, group, rows)
    means: FloatArray = sums / counts[:, None]
    return rows - means[group]
