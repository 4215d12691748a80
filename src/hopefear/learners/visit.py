"""What online learners handle: the state they keep, a sentence they visit, what it taught."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import DataError
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


NOTHING = Taught(np.empty(0, dtype=np.int32), np.empty((0, 0)), np.empty(0))


@dataclass(frozen=True, kw_only=True, eq=False)
class OnlineLesson:
    """What a block was like, and what its sentences taught if others listen.

    Attributes
    ----------
    figures : Figures
        What the block was like; not sent to others.
    sets : array
        For each sentence that taught something its number, features, rows and losses.
    ids, rows, losses : array
        Those of all sentences, one after the other; see `Taught`.
    """

    figures: Annotated[Figures, "derived"]
    sets: Annotated[NDArray[np.int32], "free"]
    ids: Annotated[NDArray[np.int32], "free"]
    rows: Annotated[FloatArray, "free"]
    losses: Annotated[FloatArray, "free"]

    @classmethod
    def of(cls, taught: Mapping[int, Taught], figures: Figures) -> "OnlineLesson":
        """Return what sentences taught, by their numbers."""
        sizes = [(i, len(one.ids), len(one.rows), len(one.losses)) for i, one in taught.items()]
        parts = [*taught.values()] or [NOTHING]
        return cls(
            figures=figures,
            sets=np.array(sizes, dtype=np.int32).reshape(-1, 4),
            ids=_joined([one.ids for one in parts]),
            rows=_joined([one.rows.ravel() for one in parts]),
            losses=_joined([one.losses for one in parts]),
        )

    def __len__(self) -> int:
        return len(self.sets)

    def taught(self, features: int) -> list[Taught]:
        """Return what each sentence taught of so many features.

        Raises
        ------
        DataError
            If the parts of a lesson that came from elsewhere do not fit together.
        """
        # Of 32 bits without a sign, negative numbers are the largest.
        if len(self.ids) and not np.maximum.reduce(self.ids.view(np.uint32)) < features:
            raise DataError(f"a lesson of another learner is not about these {features} features")
        found, at = [], (0, 0, 0)
        for _, columns, rows, losses in self.sets.tolist():
            end = (at[0] + columns, at[1] + columns * rows, at[2] + losses)
            if min(columns, rows, losses) < 0:
                break
            values = self.rows[at[1] : end[1]]
            if len(values) != columns * rows:
                break
            ids, lost = self.ids[at[0] : end[0]], self.losses[at[2] : end[2]]
            found.append(Taught(ids, values.reshape(rows, columns), lost))
            at = end
        if at != (len(self.ids), len(self.rows), len(self.losses)) or len(found) < len(self):
            raise DataError("the parts of a lesson of another learner do not fit together")
        return found


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


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
        """Change the weights of these features."""
        self._weights.add(np.ascontiguousarray(ids, dtype=np.int32), change, 1.0)
        self.trial[ids] = self._weights.current[ids]

    def step(self, ids: NDArray[np.int32], x: FloatArray) -> None:
        """Take the step: w += η x, for these features."""
        self._weights.step(ids, x, self.rates, self.trial)

    def climb(self, taught: Taught) -> None:
        """Take a gradient step, this sentence's or another learner's: w += η x."""
        self.step(taught.ids, taught.rows[0])
