"""Regularizers in learners whose steps do not know them: proximal steps between sentences."""

from collections.abc import Callable
from typing import Annotated, Protocol, Self, TypeVar

import numpy as np

from hopefear.candidates import Candidates
from hopefear.regularizers import NoPenalty, Penalty, Regularizer, regularizers
from hopefear.rhythm import Block, split_blocks
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["BETWEEN", "Regularized", "Walker", "visit_between"]

# Sentences between two proximal steps.
BETWEEN = 16


@settings
class Regularized:
    """A learner that has a regularizer besides what its own steps are derived from."""

    regularizer: Annotated[Regularizer, regularizers] = setting(
        factory=NoPenalty, help="R, counted against the sum over all sentences."
    )

    @property
    def regularized(self) -> bool:
        """Whether there is a penalty."""
        return not isinstance(self.regularizer, NoPenalty)

    def penalty(self, data: Candidates, origin: FloatArray, count: int | None = None) -> Penalty:
        """Return R for so many features, by default for those of the start."""
        known = np.zeros(len(origin) if count is None else count)
        known[: len(origin)] = origin
        return self.regularizer.bind(list(data.feature_names)[: len(known)], known)


class Walker(Protocol):
    """The state of a kernel that takes a step for each sentence, and averages over them."""

    def weights(self) -> FloatArray:
        """Return the weights after the last step."""

    def moved(self, weights: FloatArray, before: Self) -> Self:
        """Return this state at other weights, which count for all steps since `before`."""


State = TypeVar("State", bound=Walker)


def visit_between(
    epoch: Callable[[Block, State], State],
    state: State,
    order: Block,
    penalty: Penalty,
    share: float,
) -> State:
    """Visit sentences, with a proximal step after every few: argmin R(v) k/N + ‖v − w‖²/(2η).

    The mean over all steps has only weights after a proximal step, so that it has the shape that
    the penalty gives to each of them.

    Parameters
    ----------
    epoch : callable
        The kernel.
    state : Walker
    order : array of int
        The sentences.
    penalty : Penalty
    share : float
        η/N, what a sentence is of the whole step.
    """
    for block in split_blocks(order, BETWEEN):
        after = epoch(block, state)
        target = penalty.proximal(after.weights(), len(block) * share)
        state = after.moved(target, state)
    return state
