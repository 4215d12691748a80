"""Cross-validation: how good weights are on sentences that they were not learned from.

Each fold is learned without some of the sentences and measured on these after every epoch. The
statistics of all folds add up to the score of the whole data, so that one set of sentences is
enough to choose the epoch and to know what it is worth.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np

from hopefear.candidates import ListSet
from hopefear.errors import DataError
from hopefear.events import CrossValidated
from hopefear.rhythm import ProgressCallback
from hopefear.runs.course import Passes
from hopefear.types import FloatArray, IntArray

__all__ = ["cross_validate", "split_folds"]

StartOf = Callable[[ListSet], FloatArray]
"""Gives the start weights of a run on some of the lists."""


def split_folds(data: ListSet, folds: int, seed: int) -> list[IntArray]:
    """Return the sentences that have candidates in random parts of nearly the same size."""
    filled = np.flatnonzero(np.diff(data.nbest.offsets))
    if len(filled) < folds:
        raise DataError(
            f"folds: {len(filled)} sentences with candidates are too few for {folds} folds",
            settings=("folds",),
        )
    return np.array_split(np.random.default_rng([seed, folds]).permutation(filled), folds)


def cross_validate(
    course: Passes,
    start_of: StartOf,
    folds: int,
    *,
    regressed: bool = False,
    progress: ProgressCallback = lambda done, total: None,
) -> CrossValidated:
    """Carry out a course without each of the folds, and return the best epoch and its score.

    Parameters
    ----------
    course : Passes
        What is learned on all of the data.
    start_of : callable
        Gives the start weights for some of the lists.
    folds : int
    regressed : bool
        Whether the start was learned, so that epoch 0 may be the best.
    progress : callable
        Called with the number of folds that are done, and of all.
    """
    began = time.perf_counter()
    data = cast(ListSet, course.data)
    parts = split_folds(data, folds, course.seed)
    dimension = data.corpus_score.dimension
    total = np.zeros((1 + course.epochs, dimension))  # the start, then the epochs
    for number, held_out in enumerate(parts):
        rest = data.subset(np.concatenate([p for p in parts if p is not held_out]).tolist())
        test, start = data.subset(held_out.tolist()), start_of(rest)
        fold = replace(course, data=rest, origin=start)
        state, chosen = fold.start(start), test.chosen(start)
        total[0] += chosen
        for epoch in range(fold.epochs):
            found = fold.epoch(state, epoch, lambda done, total: None)
            if found is not None:  # else it has converged, and all further epochs are alike
                state = found[0]
                chosen = test.chosen(fold.weights(state))
            total[epoch + 1] += chosen
        progress(number + 1, folds)
    scores = data.metric.score(total)
    known = scores[0 if regressed else 1 :]
    best = int(known.argmax() if data.metric.higher_is_better else known.argmin())
    best += 0 if regressed else 1
    return CrossValidated(
        metric=data.metric.name,
        folds=folds,
        epoch=best,
        score=float(scores[best]),
        start_score=float(scores[0]),
        seconds=time.perf_counter() - began,
    )
