"""What online learners handle: the state they keep, a sentence they visit, what it taught."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.learners.base import Figures
from hopefear.metrics import OracleDocument
from hopefear.search import Example
from hopefear.types import FloatArray

__all__ = ["OnlineLesson", "OnlineState", "Taught", "Visit"]


@dataclass(frozen=True, kw_only=True, eq=False)
class OnlineState:
    """What an online learner remembers.

    Attributes
    ----------
    weights : OnlineWeights
        The current weights, and their mean over all steps.
    document : OracleDocument
        What was translated before.
    rates : array
        The learning rate of each feature: η, or the diagonal of Σ.
    origin : array
        What a pull to the start pulls to.
    seen : int
        Sentences visited so far.
    """

    weights: _core.OnlineWeights
    document: OracleDocument
    rates: FloatArray
    origin: FloatArray
    seen: int = 0


@dataclass(frozen=True)
class Taught:
    """What one sentence taught: rows h(hope) − h(d) over some features, and losses B(hope) − B(d).

    Minimum risk has one row, its gradient. `violation` is that of the first constraint.
    """

    ids: NDArray[np.int32]
    rows: FloatArray
    losses: FloatArray
    violation: float = 0.0


@dataclass(frozen=True, kw_only=True)
class OnlineLesson:
    """What a block was like, and what its sentences taught if others listen."""

    figures: Figures
    taught: tuple[Taught, ...] = ()


class Visit:
    """A sentence whose turn it is, and the weights that a learner moves.

    Attributes
    ----------
    example : Example
    document : OracleDocument
        The context of gains.
    epoch : int
        From 0.
    trial : array
        Weights to try, equal to the learner's until it changes them.
    rates : array
        The learning rate of each feature.
    heard : sequence of Taught
        What other learners were taught, to be learned together with this sentence.
    """

    def __init__(
        self,
        example: Example,
        document: OracleDocument,
        epoch: int,
        weights: _core.OnlineWeights,
        trial: FloatArray,
        rates: FloatArray,
        heard: Sequence[Taught] = (),
    ) -> None:
        self.example, self.document, self.epoch = example, document, epoch
        self.trial, self.rates, self.heard = trial, rates, heard
        self._weights = weights

    @property
    def start(self) -> FloatArray:
        """The weights before the step."""
        return self._weights.current

    def move(self, ids: NDArray[np.int32], change: FloatArray) -> None:
        """Take the step: w += change, for these features."""
        self._weights.add(np.ascontiguousarray(ids, dtype=np.int32), change, 1.0)
        self.trial[ids] = self._weights.current[ids]
