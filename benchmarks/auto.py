"""The study behind ``hopefear tune auto``: held-out scores of auto and of every learner of lists.

``python -m benchmarks.auto [FOLDER ...]`` prints the table of docs/fit.md; folders have lists of
other systems (see ``_reranking.py``). Every data set is split at random into halves, to learn from
and to test on, once for each seed. Learners have our defaults and are tried with features as they
are and scaled; "best" is the best of them by their mean on the test halves, which no one can know
before. Differences are means over the splits, with the deviation of the difference on one split.

As a part of ``make bench`` it takes the made-up data sets and two seeds.
"""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks._reranking import DataSet, data_sets, made_up
from hopefear.candidates import ListSet
from hopefear.errors import LearningError
from hopefear.events import RunFinished
from hopefear.learners import AnyLearner, learners
from hopefear.parallel import Serial
from hopefear.rhythm import Rhythm
from hopefear.runs import TuneSettings, build_settings
from hopefear.runs.auto import choose
from hopefear.runs.course import Passes, plan
from hopefear.runs.folds import cross_validate
from hopefear.runs.loop import About, learn
from hopefear.runs.regression import regression_weights
from hopefear.runs.settings import IN_MEMORY
from hopefear.types import FloatArray, Weights

# Without ORO, which takes about five times as long as k-best MIRA; see docs/fit.md.
NAMES = ("kbest-mira", "mert", "pro", "rampion", "sgd", "lbfgs", "structured-svm")
SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
# A line search along each of so many features takes too long, and so do cutting planes.
MOST_FEATURES = {"mert": 50, "structured-svm": 1000}


def auto_settings() -> TuneSettings:
    """Return the settings of ``tune auto`` before it has seen the data."""
    return build_settings("auto", {"tuning.nbest": [IN_MEMORY], "tuning.references": [IN_MEMORY]})


def learned(
    data: ListSet, learner: AnyLearner, rhythm: Rhythm, start: FloatArray, seed: int, **how: bool
) -> Weights:
    """Return what a learner learns from lists without held-out data."""
    course = plan(
        data, learner, rhythm, Serial(), origin=start, seed=seed, scaled=how.get("scaled", False)
    )
    regressed = how.get("regressed", False)
    validated = None
    if how.get("folds"):
        assert isinstance(course, Passes)
        validated = cross_validate(course, regression_weights, 5, regressed=regressed)
    about = About(name="", seed=seed, regressed=regressed)
    first = Weights.from_vector(data.feature_names, start)
    for event in learn(course, first, about, validated=validated):
        if isinstance(event, RunFinished):
            return event.weights
    raise AssertionError("learn ends with RunFinished, or raises")


def ones(data: ListSet) -> FloatArray:
    """Return the usual start: 1 for features that most hypotheses have."""
    return np.where(2 * data.nbest.count_features().hypotheses >= len(data.nbest), 1.0, 0.0)


def learn_all(data: DataSet, tuning: ListSet, seed: int) -> Iterator[tuple[str, Weights]]:
    """Give the weights of auto and of every learner."""
    chosen, _ = choose(auto_settings(), tuning, held_out=False, regresses=True)
    how = {"scaled": chosen.scale_features, "folds": bool(chosen.folds), "regressed": True}
    start = regression_weights(tuning)
    yield "auto", learned(tuning, chosen.learner, chosen.rhythm, start, seed, **how)
    for name in NAMES:
        if data.features > MOST_FEATURES.get(name, data.features):
            continue
        learner = learners[name]()
        for scaled in (False,) if name == "mert" else (False, True):
            title = f"{name}, scaled" if scaled else name
            try:
                first = ones(tuning)
                yield title, learned(tuning, learner, learner.rhythm, first, seed, scaled=scaled)
            except LearningError:  # nothing learned: the start remains
                yield title, Weights.from_vector(tuning.feature_names, ones(tuning))


def study(data: DataSet, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Return the scores on the test halves."""
    found: dict[str, list[float]] = {}
    for seed in seeds:
        tuning, test = data.split(seed)
        for title, weights in learn_all(data, tuning, seed):
            score = test.score(weights.vector(test.feature_names))
            found.setdefault(title, []).append(score)
    return found


def summary(data: DataSet, scores: dict[str, list[float]]) -> list[str]:
    """Return a row of the table: what auto loses to the best learner, and to others."""
    sign = 1.0 if data.lists.metric.higher_is_better else -1.0
    means = {title: sign * float(np.mean(own)) for title, own in scores.items()}
    best = max((title for title in means if title != "auto"), key=lambda title: means[title])
    lost = sign * (np.array(scores[best]) - np.array(scores["auto"]))
    digits = 4 if abs(means["auto"]) < 2 else 2
    figures = [
        f"{abs(means[title]):.{digits}f}" if title in means else ""
        for title in ("auto", best, "kbest-mira", "mert")
    ]
    difference = f"{-lost.mean():+.{digits}f} ± {lost.std(ddof=1):.{digits}f}"
    metric = data.lists.metric.name
    return [data.name, f"{data.features:,}", metric, figures[0], difference, best, *figures[1:]]


HEAD = ["data", "features", "metric", "auto", "auto − best", "best learner", "its score"]
HEAD += ["kbest-mira", "mert"]


def run() -> list[tuple[str, str]]:
    """Compare auto with the best learner on the made-up data sets."""
    rows = [summary(data, study(data, SEEDS[:2])) for data in made_up()]
    return [(f"{row[0]}: {row[3]} {row[2]}", f"{row[4]} against {row[5]}") for row in rows]


def main(folders: Sequence[str]) -> None:
    """Print the table, and every score as a line of JSON on standard error."""
    warnings.simplefilter("ignore")
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for data in data_sets([Path(folder) for folder in folders]):
        scores = study(data, SEEDS)
        print(json.dumps({"data": data.name, "scores": scores}), file=sys.stderr, flush=True)
        print(f"| {' | '.join(summary(data, scores))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
