"""What a careful person would choose for given lists: ``hopefear tune auto``.

The study behind it is ``benchmarks/auto.py``; docs/fit.md has its table. On few features and on
many, k-best MIRA was within the deviation of the best learner once the features were scaled, it
started at the scale of the metric and it stopped in time.
"""

from dataclasses import replace

import numpy as np

from hopefear.candidates import ListSet
from hopefear.learners import KBestMira
from hopefear.metrics import Column
from hopefear.runs.regression import dense_features
from hopefear.runs.settings import TuneSettings

__all__ = ["choose"]

# With more features than one for so many sentences, the best epoch on the tuning data is not the
# best one for new sentences: of 200 sentences with 3 to 8 features, cross-validation made more.
SENTENCES_PER_FEATURE = 100
FOLDS, LEAST_SENTENCES = 5, 20
# The largest step, for metrics whose hypotheses differ by about a tenth within a list.
STEP, USUAL_SPREAD = 0.01, 0.1


def choose(
    settings: TuneSettings, data: ListSet, *, held_out: bool, regresses: bool
) -> tuple[TuneSettings, str]:
    """Choose the learner, the scale of features and when to stop; the text says why, on one line.

    Parameters
    ----------
    settings : TuneSettings
        The rest of the settings.
    data : ListSet
        What will be learned from.
    held_out : bool
        Whether there is a dev set.
    regresses : bool
        Whether a regression gives the start weights.
    """
    dense = dense_features(data)
    features = int(np.count_nonzero(data.feature_spread))
    sentences = int(np.count_nonzero(np.diff(data.nbest.offsets)))
    spreads = data.feature_spread[dense] if len(dense) else np.ones(1)
    reasons = [f"features scaled, their spreads differ {_times(spreads.max() / spreads.min())}"]
    if regresses:
        reasons.append("start by least squares")
    many = SENTENCES_PER_FEATURE * features > sentences
    folds = settings.folds
    if held_out:
        reasons.append("epoch by the dev set")
    elif folds or (many and sentences >= LEAST_SENTENCES):
        folds = folds or FOLDS
        reasons.append(f"epoch by {folds}-fold cross-validation, no dev set")
    else:
        why = "too few sentences for folds" if many else "many sentences for each feature"
        reasons.append(f"epoch by the tuning data, {why} and no dev set")
    learner = KBestMira(max_step=_step(data))
    if learner.max_step != STEP:
        reasons.append(f"steps of {learner.max_step:.2g} for the range of {data.metric.name}")
    chosen = replace(
        settings,
        auto=False,
        learner=learner,
        rhythm=learner.rhythm,
        scale_features=True,
        regress_start=regresses,
        folds=folds,
    )
    about = f"{features:,} features of {sentences:,} sentences"
    return chosen, f"auto: kbest-mira for {about}; {'; '.join(reasons)}"


def _step(data: ListSet) -> float:
    """Return the largest step: scores in other units need other steps."""
    if not isinstance(data.metric, Column):
        return STEP
    offsets, gains = data.nbest.offsets, data.gains
    starts = offsets[:-1][np.diff(offsets) > 0]
    sizes = np.diff(starts, append=len(gains))
    mean = np.repeat(np.add.reduceat(gains, starts) / sizes, sizes)
    spread = float(np.sqrt(np.mean(np.square(gains - mean))))
    return STEP * spread / USUAL_SPREAD if spread > 0 else STEP


def _times(ratio: float) -> str:
    return "little" if ratio < 2 else f"{ratio:.2g}-fold" if ratio < 100 else f"{ratio:,.0f}-fold"
