"""Where a run starts: given weights, those that the lists' total scores were made with, or ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from typing import cast

import numpy as np

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.tools import Tool, tool_of
from hopefear.candidates.values import LARGEST_VALUE
from hopefear.errors import DataError
from hopefear.events import Note
from hopefear.formats.files import open_source
from hopefear.formats.nbest.columns import choose_nbest_format
from hopefear.formats.weights import read_weights_and_format
from hopefear.runs.guards import some
from hopefear.runs.load import Loaded
from hopefear.runs.regression import regression_weights
from hopefear.runs.settings import DataSettings, TuneSettings
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = [
    "about_patterns",
    "default_weights",
    "given_start",
    "infer_weights",
    "matching_weights",
    "random_weights",
    "regresses",
    "start_weights",
    "with_decoder",
]

# Hypotheses are looked at so many at a time, until each feature has differed within a list, but no
# more than this, nor than so many numbers.
SAMPLE = 5000
MOST_HYPOTHESES = 50_000
MOST_NUMBERS = 5_000_000
MOST_FEATURES = 500
# The share of how total scores vary within lists that weights must explain to be the right ones;
# numbers in files have few digits.
EXACT = 0.999
NO_SCORES = "they have no total scores, or the same for all hypotheses of a sentence"


def start_weights(settings: TuneSettings, data: Loaded) -> tuple[Weights, str]:
    """Return the weights to start from, and what the user should know about them, if anything."""
    if (given := given_start(settings)) is not None:
        return given[0], ""
    if (matching := matching_weights(settings, data.candidates.feature_names)) is not None:
        return matching, about_patterns(matching)
    if regresses(settings):
        w = regression_weights(cast(ListSet, data.candidates))
        return _of_candidates(data, w), ""
    if settings.infer_start is False:
        return default_weights(data), ""
    return _inferred_start(settings, data)


def regresses(settings: TuneSettings) -> bool:
    """Whether to start from a regression of the metric: if asked to, or if nothing else is said."""
    unsaid = given_start(settings) is None and settings.infer_start is None
    return settings.regress_start or (settings.auto and unsaid and not settings.start_patterns)


def with_decoder(settings: TuneSettings) -> TuneSettings:
    """Return the settings with all that a decoder's name, or the start of the run, stands for.

    ``--decoder moses --config moses.ini`` becomes a command, formats, and weights to start from.
    """
    decoder = settings.decoder
    if decoder is None:
        return settings
    given = settings.start_file or settings.moses_ini
    if settings.start is None and given is None and decoder.config is not None:
        given = cast(Tool, tool_of(decoder.command)).start(decoder.config)
    file = None if settings.start is not None else given
    return replace(settings, start_file=file, decoder=decoder.complete(given))


def given_start(settings: TuneSettings) -> tuple[Weights, str] | None:
    """Return the weights that the settings name, if any, and the format that they are in."""
    if settings.start is not None:
        return settings.start, "tsv"
    file = settings.start_file or settings.moses_ini
    return None if file is None else read_weights_and_format(file)


def _inferred_start(settings: TuneSettings, data: Loaded) -> tuple[Weights, str]:
    """Return the weights of the lists' total scores, if they can be told, or default ones."""
    if settings.tuning.forests is not None:
        if settings.infer_start:
            raise DataError("start weights are inferred from lists, not from forests")
        return default_weights(data), ""
    names = data.candidates.feature_names
    varying = [names[int(i)] for i in np.flatnonzero(data.candidates.feature_spread > 0)]
    own = [name for name in varying if name not in data.added]
    inferred, reason = infer_weights(settings.tuning, own)
    if inferred is not None:
        start = _of_candidates(data, inferred.vector(names))
        return start, Note(f"start weights are inferred from the lists: {reason}")
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
        for i, name in enumerate(names):
            if fnmatchcase(name, pattern):
                w[i], found = value, True
    return Weights.from_vector(names, w) if found else None


def about_patterns(start: Weights) -> str:
    """Say that a run starts from the weights of patterns, which a preset may have brought."""
    weights = [f"{name} = {value:g}" for name, value in start.items() if value]
    if not weights:
        return "the run starts with all weights at 0 (start_patterns)"
    return f"the run starts from start_patterns ({some(weights, 3)}; all others = 0)"


def default_weights(data: Loaded) -> Weights:
    """Return weight 1 for features that at least half of the hypotheses have, 0 for the others.

    Of forests, those that at least half of the forests have. Features that the files do not have
    start at 0.

    The sum of log probabilities is a sensible model to begin with; of sparse features nothing is
    known before.
    """
    forests = isinstance(data.candidates, ForestSet)
    candidates = data.candidates.sentence_count if forests else len(data.nbest)
    dense = 2 * data.feature_counts >= candidates
    if data.added:
        dense &= [name not in data.added for name in data.candidates.feature_names]
    return _of_candidates(data, np.where(dense, 1.0, 0.0))


def random_weights(weights: Weights, seed: int) -> Weights:
    """Return a random model: each weight from a normal distribution around μ with σ = |μ/2|.

    Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, footnote 13.
    A weight depends on the seed and on the name of its feature alone, so that lists with other
    features start from the same model.
    """
    drawn = [
        np.random.default_rng([seed, *name.encode()]).normal(weight, abs(weight / 2))
        if weight
        else 0.0
        for name, weight in weights.items()
    ]
    return Weights.from_arrays(weights.names, np.array(drawn))


def _of_candidates(data: Loaded, w: FloatArray) -> Weights:
    """Name the weights of features that some candidate has: the dev data may have others."""
    names = data.candidates.feature_names
    present = np.flatnonzero(data.feature_counts > 0)
    return Weights.from_arrays([names[int(i)] for i in present], w[present])


def infer_weights(settings: DataSettings, names: Sequence[str]) -> tuple[Weights | None, str]:
    """Return the weights under which the lists have the total scores that are written in them.

    They are found by least squares on differences within a list: what all hypotheses of a sentence
    share, such as penalties of unknown words that are no features, does not matter.

    Parameters
    ----------
    settings : DataSettings
        Where the lists are.
    names : sequence of str
        The features that differ within some list: the others have no weight to be told.

    Returns
    -------
    Weights or None, str
        None if there are no such weights; the text says how well they fit, or what is missing.
    """
    names = [name for name in names if name != settings.score_feature]
    if not names:
        return None, NO_SCORES
    if len(names) > MOST_FEATURES:
        return None, f"there are more than {MOST_FEATURES} features, too many to infer weights of"
    table, target, lists = _read_differences(settings, names)
    if not target.any():
        return None, NO_SCORES
    size = np.abs(table).max(axis=0)
    told = size > 0
    if len(target) - lists < 2 * np.count_nonzero(told):
        return None, "there are too few total scores that differ to infer weights from"
    w = np.zeros(len(names))
    w[told] = np.linalg.lstsq(table[:, told] / size[told], target, rcond=1e-9)[0] / size[told]
    explained = 1.0 - float(np.square(target - table @ w).sum() / np.square(target).sum())
    share = f"{100 * max(0.0, explained):.4g} % of how the total scores vary within lists"
    if explained < EXACT:
        return None, f"no weights of the features explain more than {share}"
    reason = f"they explain {share}"
    if not told.all():
        late = some([name for name, known in zip(names, told, strict=True) if not known])
        reason += (
            f"; unknown, and 0, is that of {late}: no difference in {len(target):,} hypotheses"
        )
    return Weights.from_arrays(names, w), reason


def _read_differences(
    settings: DataSettings, names: Sequence[str]
) -> tuple[FloatArray, FloatArray, int]:
    """Return features and scores less those of the first in the list, and the number of lists."""
    most = min(MOST_HYPOTHESES, max(SAMPLE, MOST_NUMBERS // len(names)))
    hypotheses = islice(_scored_hypotheses(settings), most)
    firsts: dict[int | str, tuple[FloatArray, float]] = {}
    blocks, scores, differs = [np.empty((0, len(names)))], [], np.zeros(len(names), dtype=bool)
    while not differs.all() and (block := list(islice(hypotheses, SAMPLE))):
        rows = []
        for sentence, features, score in block:
            values = np.array([features.get(name, 0.0) for name in names])
            first_values, first_score = firsts.setdefault(sentence, (values, score))
            rows.append(values - first_values)
            scores.append(score - first_score)
        blocks.append(np.array(rows))
        differs |= blocks[-1].any(axis=0)
    return np.concatenate(blocks), np.array(scores), len(firsts)


def _scored_hypotheses(
    settings: DataSettings,
) -> Iterator[tuple[int | str, Mapping[str, float], float]]:
    """Give sentence, features and total score; standard input can be read only once."""
    for path in settings.nbest:
        if str(path) == "-" or not (path.is_file() or path.is_dir()):
            continue
        with open_source(path) as source:
            format = choose_nbest_format(source, settings.format, settings.columns, settings.ignore)
            for segment in format.read(source):
                for hypothesis in segment.hypotheses:
                    # Larger ones stand for what cannot be, and overflow when squared.
                    if hypothesis.score is not None and abs(hypothesis.score) <= LARGEST_VALUE:
                        yield segment.sentence, hypothesis.features, hypothesis.score
