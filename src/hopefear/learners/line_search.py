"""The exact line search of MERT within bounds, with or without a charge for large weights.

Galley et al. (2013), Regularized minimum error rate training, EMNLP.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hopefear import _core
from hopefear.nbest import ErrorSurface
from hopefear.types import FloatArray

__all__ = ["Charge"]


@dataclass(frozen=True)
class Charge:
    """What is taken off the metric: strength times ‖w‖² or the number of weights that are not 0."""

    penalty: Literal["none", "l2", "l0"]
    strength: float

    def of(self, w: FloatArray) -> float:
        """Return what weights are charged."""
        if self.penalty == "none":
            return 0.0
        size = float(w @ w) if self.penalty == "l2" else float(np.count_nonzero(w))
        return self.strength * size

    def search(
        self,
        surface: ErrorSurface,
        score: _core.CorpusScore,
        w: FloatArray,
        direction: FloatArray,
        box: tuple[FloatArray, FloatArray],
    ) -> tuple[float, float]:
        """Return the best step along a direction, within the box, and the objective there."""
        moving = direction != 0
        ends = np.sort([(limit - w)[moving] / direction[moving] for limit in box], axis=0)
        lower, upper = float(ends[0].max()), float(ends[1].min())
        if self.penalty == "none":
            found = surface.search(score, lower, upper)
            return found.step, found.score
        breakpoints, statistics = surface.table()
        scores = np.array([score(row) for row in statistics])
        edges = np.concatenate([[-np.inf], breakpoints, [np.inf]])
        left, right = np.clip(edges[:-1], lower, upper), np.clip(edges[1:], lower, upper)
        steps = np.clip(self._cheapest(w, direction), left, right)
        inside = (left < right) & np.isfinite(steps)
        # At a breakpoint two hypotheses tie: keep off it, towards the middle of the interval.
        width = np.where(np.isfinite(right) & np.isfinite(left), right - left, 1.0)
        off = (steps == edges[:-1]).astype(float) - (steps == edges[1:])
        steps = steps + 1e-3 * width * off
        objectives = [
            value - self.of(w + step * direction)
            for value, step in zip(scores[inside], steps[inside], strict=True)
        ]
        stay = score(surface.at_zero) - self.of(w)
        if not objectives or max(objectives) <= stay:
            return 0.0, stay
        best = int(np.argmax(objectives))
        return float(steps[inside][best]), objectives[best]

    def _cheapest(self, w: FloatArray, direction: FloatArray) -> float:
        """Return the step with the least charge: nearest to zero, or a weight that vanishes."""
        if self.penalty == "l2":
            return float(-(w @ direction) / (direction @ direction))
        moving = np.flatnonzero(direction)
        return float(-w[moving[0]] / direction[moving[0]])
