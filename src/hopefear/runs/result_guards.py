"""What makes the result of a tuning run none, or doubtful: it is never called a success."""

from collections.abc import Iterator, Sequence

import numpy as np

from hopefear.candidates import Candidates, HasSurface
from hopefear.errors import DataError, LearningError
from hopefear.events import EpochFinished
from hopefear.metrics import Metric
from hopefear.metrics.base import format_scores
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["check_better", "check_moved", "check_replicas", "check_start_size", "check_weights"]

# Of the model's score, a spread of this size leaves twelve digits to tell hypotheses apart.
LARGEST_SPREAD = 1e12
# By how much weights may miss a multiple of others because of rounding alone.
ROUNDING = 1e-12


def check_weights(w: FloatArray, names: Vocabulary, spread: FloatArray, epoch: int) -> FloatArray:
    """Return `w`, unless it is no result: not finite, all zero, or grown beyond all measure."""
    wrong = np.flatnonzero(~np.isfinite(w))
    if wrong.size:
        raise LearningError(
            f"epoch {epoch}: the weight of '{names[int(wrong[0])]}' became {w[wrong[0]]}; "
            "a smaller step, a regularizer or scaled features would do"
        )
    if not w.any():
        raise LearningError(
            f"epoch {epoch}: all weights became zero, so that no hypothesis is better than "
            "another; a weaker regularizer or other start weights would do"
        )
    if (largest := _too_large(w, spread)) is not None:
        raise LearningError(
            f"epoch {epoch}: the weight of '{names[largest]}' grew to {w[largest]:.3g}; a "
            "smaller step or a stronger regularizer would do"
        )
    return w


def check_start_size(w: FloatArray, data: Candidates) -> None:
    """Refuse start weights that are too large to tell candidates apart by anything else."""
    if not isinstance(data, HasSurface):
        return  # candidates that a decoder has yet to make
    if (largest := _too_large(w, data.feature_spread)) is not None:
        raise DataError(
            f"the start weight of '{data.feature_names[largest]}' is {w[largest]:.3g}: scores "
            f"would differ by {abs(w[largest]) * data.feature_spread[largest]:.3g}, and nothing "
            "else could be seen; the same weights divided by a number choose the same candidates"
        )


def _too_large(w: FloatArray, spread: FloatArray) -> int | None:
    """Return the feature whose weight makes scores differ most, if that is beyond all measure."""
    known = min(len(w), len(spread))  # a decoder may have named features after the other was made
    with np.errstate(over="ignore"):
        size = np.abs(w[:known]) * spread[:known]
    return int(size.argmax()) if size.max(initial=0.0) > LARGEST_SPREAD else None


def check_moved(
    learner: str, best: EpochFinished | None, start: Weights, data: Candidates
) -> EpochFinished:
    """Return the best epoch, unless its weights must choose what those of the start do.

    That is so if they are the same, and also if they are the same times a positive number. Weights
    of features that are constant in all lists or forests change no choice and are not looked at.
    """
    names = data.feature_names
    reach = _reach(data, len(names))
    w = (start if best is None else best.weights).vector(names)
    factor = _multiple(w * reach, start.vector(names) * reach)
    if best is not None and factor is None:
        return best
    found = "they are as they started"
    if factor is not None and abs(factor - 1.0) > ROUNDING:
        found = f"they are those of the start times {factor:.4g}, which choose the same candidates"
    raise LearningError(
        f"the learner ({learner}) did not move the weights: {found}. Check that the references are "
        "in the order of the lists, that the features differ within the lists and that the metric "
        "tells the hypotheses apart, or try a larger step"
    )


def check_better(metric: Metric, start: float, found: float, role: str) -> Iterator[str]:
    """Look whether the result is not better than the start, on the data that decides."""
    loss = start - found if metric.higher_is_better else found - start
    before, after = format_scores([start, found])
    if loss == 0:
        yield (
            f"the result is no better than the start: {metric.name} on the {role} data stays at "
            f"{before}; if the steps were too small for the size of the start weights, try "
            "larger steps, or smaller start weights in the same proportions"
        )
    if loss > 0:
        yield (
            f"the result is worse than the start: {metric.name} on the {role} data went from "
            f"{before} to {after}, {loss:.2g} "
            f"{'lower' if metric.higher_is_better else 'higher'}; keep the start weights, or try "
            "another learner, scaled features, a smaller step or a stronger regularizer"
        )


def check_replicas(replicas: Sequence[Weights]) -> Iterator[str]:
    """Look for replicas that ended at the same point, so that their deviation tells nothing."""
    for i, weights in enumerate(replicas):
        for j in range(i):
            if weights == replicas[j]:
                yield (
                    f"replicas {j + 1} and {i + 1} ended with the same weights: the learner does "
                    "not depend on its seed here, so that their deviation says nothing"
                )
                return


def _reach(data: Candidates, features: int) -> FloatArray:
    """Return how much a unit of each weight changes scores; 0 if it can change no choice."""
    spread = data.feature_spread
    if not isinstance(data, HasSurface):
        # What does not vary in some of a decoder's candidates may do so in others.
        spread = np.where(spread > 0, spread, 1.0)
    reach = np.ones(features)  # of features that were met later, nothing is known
    reach[: len(spread)] = spread
    return reach


def _multiple(x: FloatArray, of: FloatArray) -> float | None:
    """Return the positive number by which `of` becomes `x`, None if there is none.

    Zero is the multiple of zero alone: all candidates of a sentence are then equally good.
    """
    if not of.any() or not x.any():
        return None if of.any() or x.any() else 1.0
    # The largest entry is the one that rounding harms least.
    largest = int(np.abs(of).argmax())
    factor = float(x[largest] / of[largest])
    miss = np.abs(x - factor * of).max()
    return factor if factor > 0 and miss <= ROUNDING * np.abs(x).max() else None
