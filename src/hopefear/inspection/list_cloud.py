"""The cloud of an n-best list: the list itself."""

from collections.abc import Sequence

import numpy as np

from hopefear.errors import DataError
from hopefear.inspection.cloud import Chosen, Cloud, CloudPoint
from hopefear.inspection.options import CloudOptions
from hopefear.inspection.worth import Worth
from hopefear.learners import TuningSet
from hopefear.types import FloatArray, Weights

__all__ = ["list_cloud"]


def list_cloud(
    data: TuningSet,
    weights: Weights,
    sentence: int,
    options: CloudOptions | None = None,
    *,
    name: str | None = None,
    references: Sequence[str] = (),
) -> Cloud:
    """Return the cloud of a sentence: hope and fear are the best of its list.

    Parameters
    ----------
    data : TuningSet
        All lists; the 1-best of all sentences are the context in which a hypothesis has its gain.
    weights : Weights
        The model.
    sentence : int
        Which one, from 0.
    options : CloudOptions, optional
        How many hypotheses are shown: the best, and some of the rest.
    name : str, optional
        What it is called, if not by its number.
    references : sequence of str
        To be shown.
    """
    options = options or CloudOptions()
    lists = data.nbest
    rows = lists.rows(sentence)
    if not rows:
        raise DataError(f"sentence {name or sentence} has no hypotheses")
    vector = weights.vector(lists.feature_names)
    statistics = lists.statistics
    if statistics is None:
        raise DataError("the lists have no statistics of a metric")
    best_rows = lists.best(vector, threads=data.threads)
    worth = Worth.typical(data.metric, statistics[best_rows[best_rows >= 0]])
    own = statistics[rows.start : rows.stop]
    scores, gains = lists.sentence_scores(sentence, vector), worth.gains(own)
    shown = worth.shown(own)

    def point(i: int) -> CloudPoint:
        score, value = float(scores[i]), float(shown[i])
        return CloudPoint(text=lists.text(rows[i]), score=score, worth=value)

    def chosen(values: FloatArray) -> Chosen:
        i = int(values.argmax())
        return Chosen(
            point=point(i),
            gain=float(gains[i]),
            features=lists.features_of(rows[i]),
            statistics=tuple(own[i].tolist()),
        )

    order = np.argsort(-scores, kind="stable")
    random = np.random.default_rng(options.seed)
    rest = np.sort(random.permutation(order[options.listed :])[: options.others])
    best, hope, fear = chosen(scores), chosen(scores + gains), chosen(scores - gains)
    features = {feature for one in (best, hope, fear) for feature in one.features}
    return Cloud(
        sentence=name or str(sentence),
        metric=data.metric.name,
        worth=worth.name,
        search="the best of the list",
        references=tuple(references),
        size=f"{len(rows)} hypotheses",
        listed=tuple(point(i) for i in order[: options.listed].tolist()),
        others=tuple(point(i) for i in rest.tolist()),
        best=best,
        hope=hope,
        fear=fear,
        weights={feature: weights.get(feature, 0.0) for feature in sorted(features)},
    )
