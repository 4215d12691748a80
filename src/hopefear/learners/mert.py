"""MERT: exact line searches on the metric itself, from many starting points.

Och (2003), Minimum error rate training in statistical machine translation, ACL. Cer, Jurafsky and
Manning (2008), Regularization and search for minimum error rate training, for random directions and
restarts; Galley et al. (2013), Regularized minimum error rate training, for the penalties.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from hopefear.candidates.forest_set import ForestSet
from hopefear.errors import ConfigError, OptionError
from hopefear.learners.base import (
    DataTypes,
    ProgressCallback,
    TuningData,
    TuningSet,
    learners,
    random_stream,
)
from hopefear.registry import suggest
from hopefear.settings import require
from hopefear.threads import map_in_order
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["Mert"]

Top = tuple[float, FloatArray]
"""An objective, and the weights that have it."""


@learners.register("mert")
@dataclass(frozen=True, kw_only=True)
class Mert:
    """max_w metric(1-best under w), by coordinate ascent with exact line searches.

    From each starting point, directions are searched in random order, every improvement is taken,
    and the ascent ends when a round over all directions gains less than the tolerance. A step that
    lowers the objective is never taken. The best of all restarts wins.

    Parameters
    ----------
    restarts : int
        Random starting points beside the given one.
    random_directions : int
        Directions in each round beside the coordinates.
    bounds : mapping
        Feature name to the least and greatest weight it may get.
    fixed : tuple of str
        Features whose weights stay as they are.
    penalty : {"none", "l2", "l0"}
        What is taken off the metric: strength times ‖w‖², or times the number of weights that are
        not zero. The weights should then start at a sensible scale.
    strength : float
        Of the penalty.
    tolerance : float
        A round that gains less, as a fraction of the metric's range, is the last.
    epochs : int
        One epoch is a complete search; a further one starts at the best point of the one before.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet, ForestSet)

    restarts: int = 20
    random_directions: int = 8
    bounds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    penalty: Literal["none", "l2", "l0"] = "none"
    strength: float = 0.0
    tolerance: float = 1e-3
    epochs: int = 1

    def __post_init__(self) -> None:
        require.integer(self, "restarts", 0)
        require.integer(self, "random_directions", 0)
        require.one_of(self, "penalty", ["none", "l2", "l0"])
        require.non_negative(self, "strength")
        require.positive(self, "tolerance")
        require.integer(self, "epochs", 1)
        for name, pair in self.bounds.items():
            if len(pair) != 2 or not pair[0] <= pair[1]:
                problem = f": '{name}' needs [least, greatest], got {list(pair)}"
                raise OptionError(self, "bounds", problem)
        if (self.penalty == "none") != (self.strength == 0):
            problem = f" is '{self.penalty}' with strength {self.strength}: give both or none"
            raise OptionError(self, "penalty", problem)

    def init(self, data: TuningData, weights: FloatArray) -> FloatArray:
        """Start at `weights`, moved into the bounds."""
        return np.clip(weights, *self._box(data, weights))

    def epoch(
        self, data: TuningData, state: FloatArray, seed: tuple[int, int], progress: ProgressCallback
    ) -> FloatArray:
        """Climb from the current point and from random ones, on all cores; return the best top."""
        starts, serial = list(self._starts(data, state, seed)), data.on_one_thread()

        def climb(number: int) -> Top:
            return self._climb(serial, starts[number], random_stream(seed, 1, number))

        tops: list[Top] = []
        for top in map_in_order(climb, range(len(starts)), threads=data.threads):
            tops.append(top)
            progress(len(tops), len(starts))
        return max(tops, key=lambda top: top[0])[1]

    def weights(self, state: FloatArray) -> FloatArray:
        """Return the weights."""
        return state

    def _box(self, data: TuningData, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and greatest weight of each feature."""
        names = data.feature_names
        least, greatest = np.full(len(weights), -np.inf), np.full(len(weights), np.inf)
        for name, pair in self.bounds.items():
            i = _id(names, name, "bounds")
            least[i], greatest[i] = pair
        for name in self.fixed:
            i = _id(names, name, "fixed")
            least[i] = greatest[i] = weights[i]
        return least, greatest

    def _starts(
        self, data: TuningData, state: FloatArray, seed: tuple[int, int]
    ) -> Iterator[FloatArray]:
        """Yield the current point, then random ones around it.

        A feature moves in the unit in which it varies within lists, so that features of different
        scales are shaken alike.
        """
        yield state
        box = self._box(data, state)
        spread = data.feature_spread
        unit = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        # Features that do not vary, or that only held-out data has, are not to change the search.
        sizes = np.abs(state * spread)[spread > 0]
        typical = float(sizes.mean()) if sizes.any() else 1.0
        for i in range(self.restarts):
            noise = random_stream(seed, 0, i).standard_normal(len(state))
            yield np.clip(state + 2 * typical * unit * noise, *box)

    def _climb(self, data: TuningData, start: FloatArray, random: np.random.Generator) -> Top:
        """Return the objective and the point where no direction leads higher."""
        box = self._box(data, start)
        free = np.flatnonzero((box[0] < box[1]) & (data.feature_spread > 0))
        w, origins = start, data.scores(start)
        best = -np.inf
        while True:
            before = best
            for direction in self._directions(random, free, data.feature_spread):
                slopes = data.scores(direction)
                step, best = self._search(data, w, direction, origins, slopes, box)
                if step != 0:
                    w = np.clip(w + step * direction, *box)
                    # In place: every part of every candidate has an entry.
                    slopes *= step
                    origins += slopes
            if not best > before + self.tolerance:
                # The scores were kept by differences; what counts is the point itself.
                return self._objective(data, w), w

    def _directions(
        self, random: np.random.Generator, free: IntArray, spread: FloatArray
    ) -> Iterator[FloatArray]:
        """Yield the coordinates and the random directions of one round, shuffled."""
        for kind in random.permutation(len(free) + self.random_directions if len(free) else 0):
            direction = np.zeros(len(spread))
            if kind < len(free):
                direction[free[kind]] = 1.0
            else:
                direction[free] = random.standard_normal(len(free)) / spread[free]
            yield direction

    def _search(
        self,
        data: TuningData,
        w: FloatArray,
        direction: FloatArray,
        origins: FloatArray,
        slopes: FloatArray,
        box: tuple[FloatArray, FloatArray],
    ) -> tuple[float, float]:
        """Return the best step along a direction and the objective there."""
        moving = direction != 0
        ends = np.sort([(limit - w)[moving] / direction[moving] for limit in box], axis=0)
        surface = data.error_surface(origins, slopes)
        lower, upper = float(ends[0].max()), float(ends[1].min())
        if self.penalty == "none":
            found = surface.search(data.corpus_score, lower, upper)
            return found.step, found.score
        breakpoints, statistics = surface.table()
        scores = np.array([data.corpus_score(row) for row in statistics])
        edges = np.concatenate([[-np.inf], breakpoints, [np.inf]])
        left, right = np.clip(edges[:-1], lower, upper), np.clip(edges[1:], lower, upper)
        steps = np.clip(self._cheapest(w, direction), left, right)
        inside = (left < right) & np.isfinite(steps)
        # At a breakpoint two hypotheses tie: stay off it, towards the middle of the interval.
        width = np.where(np.isfinite(right) & np.isfinite(left), right - left, 1.0)
        off = (steps == edges[:-1]).astype(float) - (steps == edges[1:])
        steps = steps + 1e-3 * width * off
        objectives = [
            score - self.strength * self._size(w + step * direction)
            for score, step in zip(scores[inside], steps[inside], strict=True)
        ]
        stay = data.corpus_score(surface.at_zero) - self.strength * self._size(w)
        if not objectives or max(objectives) <= stay:
            return 0.0, stay
        best = int(np.argmax(objectives))
        return float(steps[inside][best]), objectives[best]

    def _size(self, w: FloatArray) -> float:
        """Return what the penalty charges for."""
        return float(w @ w) if self.penalty == "l2" else float(np.count_nonzero(w))

    def _cheapest(self, w: FloatArray, direction: FloatArray) -> float:
        """Return the step with the least penalty: nearest to zero, or a weight that vanishes."""
        if self.penalty == "l2":
            return float(-(w @ direction) / (direction @ direction))
        moving = np.flatnonzero(direction)
        return float(-w[moving[0]] / direction[moving[0]])

    def _objective(self, data: TuningData, w: FloatArray) -> float:
        penalty = 0.0 if self.penalty == "none" else self.strength * self._size(w)
        return data.corpus_score(data.chosen(w)) - penalty


def _id(names: Vocabulary, name: str, option: str) -> int:
    found = names.find(name)
    if found is None:
        known = (names[i] for i in range(len(names)))
        raise ConfigError(f"{option}: unknown feature '{name}'{suggest(name, known)}")
    return found
