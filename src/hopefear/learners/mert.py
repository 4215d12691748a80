"""MERT: exact line searches on the metric itself, from many starting points.

Och (2003), Minimum error rate training in statistical machine translation, ACL. Cer, Jurafsky and
Manning (2008), Regularization and search for minimum error rate training, for random directions and
restarts; Galley et al. (2013), Regularized minimum error rate training, for the penalties.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from hopefear.candidates import HasSurface
from hopefear.errors import ConfigError, OptionError
from hopefear.learners.base import learners
from hopefear.learners.line_search import Charge
from hopefear.registry import suggest
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.threads import map_in_order
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["Mert"]

Top = tuple[float, FloatArray]
"""An objective, and the weights that have it."""


@learners.register("mert")
@settings
class Mert:
    """max_w metric(1-best under w), by coordinate ascent with exact line searches.

    From each starting point, directions are searched in random order, every improvement is taken,
    and the ascent ends when a round over all directions gains less than the tolerance. A step that
    lowers the objective is never taken. The best of all restarts wins.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=1)
    unit_free: ClassVar[bool] = True
    whole: ClassVar[bool] = True

    restarts: int = setting(20, "Random starting points beside the given one.", least=0)
    random_directions: int = setting(8, "Directions in each round beside the coordinates.", least=0)
    bounds: Mapping[str, tuple[float, ...]] = setting(
        factory=dict, help="The least and greatest weight that a feature may get, by its name."
    )
    fixed: tuple[str, ...] = setting((), "Features whose weights stay as they are.")
    penalty: Literal["none", "l2", "l0"] = setting(
        "none",
        "What is taken off the metric: strength times ‖w‖², or times the number of weights that "
        "are not zero. The weights should then start at a sensible scale.",
    )
    strength: float = setting(0.0, "The strength of the penalty.", least=0)
    tolerance: float = setting(
        1e-3,
        "A round that gains less, as a fraction of the metric's range, is the last.",
        above=0,
    )

    def check(self) -> None:
        """Require whole bounds, and a penalty with its strength."""
        for name, pair in self.bounds.items():
            if len(pair) != 2 or not pair[0] <= pair[1]:
                problem = f": '{name}' needs [least, greatest], got {list(pair)}"
                raise OptionError(self, "bounds", problem)
        if (self.penalty == "none") != (self.strength == 0):
            problem = f" is '{self.penalty}' with strength {self.strength}: give both or neither"
            raise OptionError(self, "penalty", problem)

    @property
    def scale_free(self) -> bool:
        """Whether neither bounds nor a penalty give the weights a scale."""
        return not self.bounds and self.penalty != "l2"

    def start(self, data: HasSurface, weights: FloatArray, origin: FloatArray) -> FloatArray:
        """Start at `weights`, moved into the bounds."""
        return np.clip(weights, *self._box(data, weights))

    def learn(
        self,
        state: FloatArray,
        data: HasSurface,
        block: Block,
        step: Step,
        heard: Sequence[None] = (),
    ) -> tuple[FloatArray, None]:
        """Climb from the current point and from random ones, on all cores; return the best top."""
        starts = list(self._starts(data, state, step))

        def climb(number: int) -> Top:
            return self._climb(data.on_one_thread(), starts[number], step.random(1, number))

        tops: list[Top] = []
        for top in map_in_order(climb, range(len(starts)), threads=data.threads):
            tops.append(top)
            step.progress(len(tops), len(starts))
        return max(tops, key=lambda top: top[0])[1], None

    def weights(self, state: FloatArray) -> FloatArray:
        """Return the weights."""
        return state

    def _box(self, data: HasSurface, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
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

    def _starts(self, data: HasSurface, state: FloatArray, step: Step) -> Iterator[FloatArray]:
        """Yield the current point, then random ones around it.

        A feature moves in the unit in which it varies within lists, so that features of different
        scales move alike.
        """
        yield state
        box = self._box(data, state)
        spread = data.feature_spread
        unit = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        # Features that do not vary, or that only held-out data has, must not change the search.
        sizes = np.abs(state * spread)[spread > 0]
        typical = float(sizes.mean()) if sizes.any() else 1.0
        for i in range(self.restarts):
            noise = step.random(0, i).standard_normal(len(state))
            yield np.clip(state + 2 * typical * unit * noise, *box)

    def _climb(self, data: HasSurface, start: FloatArray, random: np.random.Generator) -> Top:
        """Return the objective and the point where no direction leads higher."""
        box = self._box(data, start)
        free = np.flatnonzero((box[0] < box[1]) & (data.feature_spread > 0))
        charge = Charge(self.penalty, self.strength)
        w, origins = start, data.scores(start)
        best = -np.inf
        while True:
            before = best
            for direction in self._directions(random, free, data.feature_spread):
                slopes = data.scores(direction)
                surface = data.error_surface(origins, slopes)
                step, best = charge.search(surface, data.corpus_score, w, direction, box)
                if step != 0:
                    w = np.clip(w + step * direction, *box)
                    # In place: every part of every candidate has an entry.
                    slopes *= step
                    origins += slopes
            if not best > before + self.tolerance:
                # The scores were updated by differences; measure the point itself.
                return data.corpus_score(data.chosen(w)) - charge.of(w), w

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


def _id(names: Vocabulary, name: str, option: str) -> int:
    found = names.find(name)
    if found is None:
        problem = f"unknown feature '{name}'{suggest(name, list(names))}"
        raise ConfigError(f"learner.{option}: {problem}", settings=(f"learner.{option}",))
    return found
