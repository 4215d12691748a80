"""Checks of results: a degenerate one is an error, a doubtful one gives a warning."""

from collections.abc import Iterator, Sequence

import numpy as np

from hopefear.candidates import Candidates, HasSurface
from hopefear.errors import DataError, LearningError
from hopefear.events import EpochFinished
from hopefear.metrics import Metric
from hopefear.metrics.base import format_scores
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["check_better", "check_moved", "check_replicas", "check_start_size", "check_weights"]

# Scores that differ by more than this leave too few digits to tell hypotheses apart.
LARGEST_SPREAD = 1e12
# Learning never makes scores differ by so many times more than those of the start, or than 1.
LARGEST_GROWTH = 1e6
# How far rounding alone may move weights from an exact multiple of others.
ROUNDING = 1e-12


def check_weights(
    w: FloatArray, names: Vocabulary, spread: FloatArray, epoch: int, start: FloatArray
) -> None:
    """Refuse weights that are not finite, that are all zero, or that grew beyond all bounds."""
    wrong = np.flatnonzero(~np.isfinite(w))
    if wrong.size:
        raise LearningError(
            f"epoch {epoch}: the weight of '{names[int(wrong[0])]}' became {w[wrong[0]]}; "
            "try a smaller step, a regularizer or --scale-features"
        )
    if not w.any():
        raise LearningError(
            f"epoch {epoch}: all weights became zero, so no hypothesis is better than "
            "another; try a weaker regularizer or other start weights"
        )
    least = float(_sizes(start, spread).max(initial=1.0))
    if (largest := _too_large(w, spread, LARGEST_GROWTH * least)) is not None:
        raise LearningError(
            f"epoch {epoch}: the weight of '{names[largest]}' grew to {w[largest]:.3g}; "
            "try a smaller step or a stronger regularizer"
        )


def check_start_size(w: FloatArray, data: Candidates) -> None:
    """Refuse start weights so large that one feature drowns all others."""
    if not isinstance(data, HasSurface):
        return  # candidates that a decoder has yet to make
    if (largest := _too_large(w, data.feature_spread, LARGEST_SPREAD)) is not None:
        raise DataError(
            f"the start weight of '{data.feature_names[largest]}' is {w[largest]:.3g}: scores "
            f"would differ by {abs(w[largest]) * data.feature_spread[largest]:.3g}, which hides "
            "all other features; divide all start weights by one number, which changes no choice"
        )


def _too_large(w: FloatArray, spread: FloatArray, limit: float) -> int | None:
    """Return the feature whose weight makes scores differ most, if that is too much."""
    sizes = _sizes(w, spread)
    return int(sizes.argmax()) if sizes.max(initial=0.0) > limit else None


def _sizes(w: FloatArray, spread: FloatArray) -> FloatArray:
    """Return how much each weight makes the scores of a sentence's candidates differ."""
    known = min(len(w), len(spread))  # a decoder may have named features after the other was made
    with np.errstate(over="ignore"):
        return np.abs(w[:known]) * spread[:known]


def check_moved(
    learner: str, best: EpochFinished | None, start: Weights, data: Candidates
) -> EpochFinished:
    """Return the best epoch; weights that make the same choices as the start are an error.

    Weights make the same choices if they equal the start weights or a positive multiple of them.
    Weights of features that are constant in all lists or forests change no choice and are ignored.
    """
    names = data.feature_names
    reach = _reach(data, len(names))
    w = (start if best is None else best.weights).vector(names)
    factor = _multiple(w * reach, start.vector(names) * reach)
    if best is not None and factor is None:
        return best
    found = "they equal the start weights"
    if factor is not None and abs(factor - 1.0) > ROUNDING:
        found = f"they equal the start weights times {factor:.4g}, which choose the same candidates"
    raise LearningError(
        f"the learner ({learner}) did not change the weights: {found}. Check that the references "
        "are in the order of the lists, that the features differ within the lists and that the "
        "metric distinguishes the hypotheses, or try a larger step"
    )


def check_better(metric: Metric, start: float, found: float, role: str) -> Iterator[str]:
    """Warn if the result is no better than the start on the dev data, or else the tuning data."""
    loss = start - found if metric.higher_is_better else found - start
    before, after = format_scores([start, found])
    if loss == 0:
        yield (
            f"the result is no better than the start: {metric.name} on the {role} data stays at "
            f"{before}; if the steps were too small relative to the start weights, take larger "
            "steps or divide the start weights by a number"
        )
    if loss > 0:
        yield (
            f"the result is worse than the start: {metric.name} on the {role} data went from "
            f"{before} to {after}, {loss:.2g} "
            f"{'lower' if metric.higher_is_better else 'higher'}; keep the start weights, or try "
            "another learner, scaled features, a smaller step or a stronger regularizer"
        )


def check_replicas(replicas: Sequence[Weights]) -> Iterator[str]:
    """Warn about replicas with identical weights, whose deviation says nothing."""
    for i, weights in enumerate(replicas):
        for j in range(i):
            if weights == replicas[j]:
                yield (
                    f"replicas {j + 1} and {i + 1} ended with the same weights: the learner does "
                    "not depend on its seed here, so their deviation is meaningless"
                )
                return


def _reach(data: Candidates, features: int) -> FloatArray:
    """Return how much a unit of each weight changes scores; 0 if it cannot change a choice."""
    spread = data.feature_spread
    if not isinstance(data, HasSurface):
        # A feature that is constant in some of a decoder's candidates may vary in others.
        spread = np.where(spread > 0, spread, 1.0)
    reach = np.ones(features)  # nothing is known about features that appeared later
    reach[: len(spread)] = spread
    return reach


def _multiple(x: FloatArray, of: FloatArray) -> float | None:
    """Return the positive number c for which x = c · of, or None.

    Zero is a multiple of zero only: all candidates of a sentence are then equally good.
    """
    if not of.any() or not x.any():
        return None if of.any() or x.any() else 1.0
    # Rounding harms the largest entry least.
    largest = int(np.abs(of).argmax())
    factor = float(x[largest] / of[largest])
    miss = np.abs(x - factor * of).max()
    return factor if factor > 0 and miss <= ROUNDING * np.abs(x).max() else None
