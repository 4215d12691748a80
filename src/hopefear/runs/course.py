"""The course of a run: epochs over the same candidates, or decodings with epochs on their lists.

The second is the outer loop that Och (2003), section 6, has around the decoder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol, cast

import numpy as np

from hopefear.candidates import (
    Candidates,
    ForestSet,
    HasBlockLists,
    HasForestSets,
    HasLists,
    HasSurface,
    HasUnits,
    ListSet,
)
from hopefear.learners import AnyLearner, held_features, is_scale_free, needed_data
from hopefear.nbest import NBestBuilder
from hopefear.parallel import Executor, Pass, Strategy, Task, Threads, together
from hopefear.rhythm import ProgressCallback, Rhythm, Step
from hopefear.runs.scale import fixed_norm, nearest_scale
from hopefear.translation.features.bins import split_bin_name
from hopefear.types import BoolArray, FloatArray

__all__ = ["Course", "DecodingState", "Decodings", "Passes", "lists_are_made", "plan"]

# Weights that change by less than this share of the largest one have stopped changing.
UNCHANGED = 1e-6


class Course(Protocol):
    """What the loop of a run goes through."""

    @property
    def data(self) -> Candidates:
        """What is learned from."""

    @property
    def epochs(self) -> int:
        """How many there are, at most."""

    def start(self, weights: FloatArray) -> Any:
        """Return the state before the first epoch."""

    def epoch(self, state: Any, number: int, progress: ProgressCallback) -> tuple[Any, Pass] | None:
        """Return the state after epoch `number`, from 0, and what the epoch was like.

        None if there is nothing left to learn.
        """

    def weights(self, state: Any) -> FloatArray:
        """Return the weights that the state stands for."""

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the metric's statistics of the 1-best candidates of the data, summed up."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Passes:
    """Epochs over the same candidates.

    Attributes
    ----------
    data : Candidates
        What the learner needs, or what lists of each block are made of.
    learner, rhythm, strategy
    origin : array
        What a pull to the start pulls to.
    seed : int
    scaled : bool
        Whether the learner sees all features at the same scale.
    earlier : int
        Epochs of the run before these, so that random numbers differ.
    schedule : int
        The epochs of the learner's schedule, if these go on with it; 0 if it begins with them.
    first : array, optional
        The weights before the first epoch, if they are not the origin.
    executor : Executor
        Where the strategy's workers work.
    made : bool
        Whether a decoder listed the candidates, and may list others next time.
    """

    data: Candidates
    learner: AnyLearner
    rhythm: Rhythm
    strategy: Strategy
    origin: FloatArray
    seed: int
    scaled: bool = False
    earlier: int = 0
    schedule: int = 0
    first: FloatArray | None = None
    executor: Executor = field(default_factory=Threads)
    made: bool = False

    @property
    def epochs(self) -> int:
        """The epochs of the rhythm."""
        return self.rhythm.epochs

    @cached_property
    def _unit(self) -> FloatArray | float:
        return cast(HasUnits, self.data).feature_unit if self.scaled else 1.0

    @cached_property
    def _task(self) -> Task:
        data = cast(HasUnits, self.data).scaled if self.scaled else self.data
        return Task(
            learner=self.learner,
            data=data,
            rhythm=self.rhythm,
            origin=self.origin * self._unit,
            executor=self.executor,
            work=data.work,
        )

    def start(self, weights: FloatArray) -> Any:
        """Return the strategy's state at `weights`."""
        return self.strategy.start(self._task, weights * self._unit)

    def epoch(self, state: Any, number: int, progress: ProgressCallback) -> tuple[Any, Pass] | None:
        """Carry out one epoch by the strategy."""
        step = Step(
            epoch=self.earlier + number if self.schedule else number,
            epochs=self.schedule or self.epochs,
            entropy=(self.seed, self.earlier + number),
            shuffled=self.rhythm.order == "random",
            progress=progress,
        )
        found = self.strategy.epoch(self._task, state, step)
        if found.state is state:
            return None
        after = found.state
        if self.rhythm.line_search:
            old, new = (self.strategy.weights(self._task, one) for one in (state, after))
            # On the lists of this epoch alone: earlier ones are not kept (Watanabe, 2012, 4.2).
            lists = _together(found.listed) if found.listed else cast(HasSurface, self._task.data)
            searched = lists.line_search(old, new - old)
            after = self.strategy.start(self._task, searched)
        if is_scale_free(self.learner):
            after = self.start(self._normed(self.weights(after)))
        return after, found

    def weights(self, state: Any) -> FloatArray:
        """Return the weights for features as they are; those that are not learned stay."""
        w = self.strategy.weights(self._task, state) / self._unit
        return w if self._learned is None else np.where(self._learned, w, self._first)

    @property
    def _first(self) -> FloatArray:
        return self.origin if self.first is None else self.first

    @cached_property
    def _learned(self) -> BoolArray | None:
        """Which features are learned; None for all, as where a decoder may yet bring others.

        They are those that can change a choice. A bin of fixed candidates that cannot is learned
        too: its neighbors tell about it. In lists that a decoder made, a bin may be missing because
        the weights are right.
        """
        if not isinstance(self.data, HasSurface):
            return None
        learned, names = self.data.feature_spread > 0, self.data.feature_names
        for i in [] if self.made else np.flatnonzero(~learned).tolist():
            learned[i] = split_bin_name(names[i]) is not None
        return None if learned.all() else learned

    def _normed(self, w: FloatArray) -> FloatArray:
        """Return the result of a learner whose weights have no scale of their own, with one."""
        data = cast(HasSurface, self.data)
        free = data.feature_spread > 0
        free[data.feature_names.find_all(held_features(self.learner))] = False
        normed = fixed_norm(w, self._first, free)
        # What is held fixed, but varies, gives the rest a scale as far as the metric depends on it.
        seen = ~free & (data.feature_spread > 0) & (w != 0)
        return nearest_scale(data, w, normed, free) if seen.any() else normed

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the 1-best candidates."""
        return self.data.chosen(weights)


@dataclass(frozen=True, kw_only=True)
class DecodingState:
    """Where decoding and learning are.

    Attributes
    ----------
    learned : array
        The weights as the learner left them.
    weights : array
        The same as they are handed over: to the decoder, and as the result.
    lists : ListSet, optional
        What was learned from, unless it was whole forests: these are not kept.
    converged : bool
        Whether the weights stopped changing.
    """

    learned: FloatArray
    weights: FloatArray
    lists: ListSet | None = None
    converged: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Decodings:
    """A learner of lists on candidates that can be listed under any weights.

    Each decoding lists the best candidates of every sentence under the weights and lets the learner
    learn from the lists, merged with earlier ones or not, or from whole forests. It is over when
    nothing new comes, or when the weights stop changing. The lists that the next decoding learns
    from are made once: the first of each list tells how good the weights are. Attributes are those
    of `Passes`, and

    online : bool
        Whether decodings are the epochs of one schedule of the learner.
    """

    data: HasLists
    learner: AnyLearner
    rhythm: Rhythm
    strategy: Strategy
    origin: FloatArray
    seed: int
    scaled: bool = False
    online: bool = False
    executor: Executor = field(default_factory=Threads)
    # Under the last weights.
    _made: dict[bytes, ListSet | ForestSet] = field(default_factory=dict)

    @property
    def epochs(self) -> int:
        """The number of decodings, at most."""
        return self.rhythm.decodings

    def start(self, weights: FloatArray) -> DecodingState:
        """Start at `weights`, with nothing listed."""
        return DecodingState(learned=weights, weights=weights)

    def epoch(
        self, state: DecodingState, number: int, progress: ProgressCallback
    ) -> tuple[DecodingState, Pass] | None:
        """List and learn; None if there is nothing new to learn from."""
        if state.converged:
            return None
        made = self._make(state.weights)
        self._made.clear()
        if state.lists is not None and isinstance(made, ListSet) and self.rhythm.lists == "merged":
            made = state.lists.merged(made)
            if len(made.nbest) == len(state.lists.nbest):
                return None
        # A decoder may name a feature for the first time in any of its lists.
        start = _padded(state.learned, len(made.feature_names))
        origin = start if self.rhythm.origin == "moved" else _padded(self.origin, len(start))
        passes = Passes(
            data=made,
            learner=self.learner,
            rhythm=self.rhythm,
            strategy=self.strategy,
            origin=origin,
            seed=self.seed,
            scaled=self.scaled,
            earlier=number * self.rhythm.epochs,
            schedule=self.rhythm.decodings * self.rhythm.epochs if self.online else 0,
            first=start,
            executor=self.executor,
            made=True,
        )
        w, found = _learned(passes, made, start, progress)
        moved = np.abs(w - start).max(initial=0.0)
        converged = bool(moved <= UNCHANGED * np.abs(w).max(initial=0.0))
        handed = w
        if self.data.scale_matters and not is_scale_free(self.learner):
            before = _padded(state.weights, len(start))
            handed = fixed_norm(w, before, made.feature_spread > 0)
        lists = made if isinstance(made, ListSet) else None
        after = DecodingState(learned=w, weights=handed, lists=lists, converged=converged)
        # The figures of its epochs are not those of the lists that come of it.
        return after, replace(together(after, found), figures=None, listed=())

    def weights(self, state: DecodingState) -> FloatArray:
        """Return the weights as they are handed over."""
        return state.weights

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the translations that are listed first, or best."""
        made = self._make(weights)
        return made.first if isinstance(made, ListSet) else made.chosen(weights)

    def _make(self, weights: FloatArray) -> ListSet | ForestSet:
        key = weights.tobytes()
        if key not in self._made:
            self._made.clear()
            if self.rhythm.lists == "forests" and isinstance(self.data, HasForestSets):
                self._made[key] = self.data.forest_set(weights)
            else:
                self._made[key] = self.data.kbest_lists(weights, self.rhythm.list_size)
        return self._made[key]


def _together(listed: Sequence[ListSet]) -> ListSet:
    """Return the lists of all blocks as one; each sentence is in one of them."""
    first = listed[0].nbest
    builder = NBestBuilder(first.words, first.feature_names)
    statistics: dict[int, FloatArray] = {}
    for lists in listed:
        builder.merge(lists.nbest)
        for sentence in np.flatnonzero(np.diff(lists.nbest.offsets)).tolist():
            rows = lists.nbest.rows(sentence)
            found = lists.nbest.statistics_of(rows.start, rows.stop)
            if found is not None:
                statistics[sentence] = found
    nbest = builder.finish(first.sentence_count)
    nbest.set_statistics(np.concatenate([statistics[key] for key in sorted(statistics)]))
    return replace(listed[0], nbest=nbest)


def _padded(weights: FloatArray, length: int) -> FloatArray:
    padded = np.zeros(length)
    padded[: len(weights)] = weights
    return padded


def _learned(
    passes: Passes, made: ListSet | ForestSet, start: FloatArray, progress: ProgressCallback
) -> tuple[FloatArray, list[Pass]]:
    """Return the weights of the best epoch on what was made, or of the last, and all epochs."""
    sign = 1.0 if made.metric.higher_is_better else -1.0
    state, best, high = passes.start(start), start, -np.inf
    done: list[Pass] = []
    for number in range(passes.epochs):
        found = passes.epoch(state, number, lambda done, total: None)
        if found is None:
            break
        state, w = found[0], passes.weights(found[0])
        done.append(replace(found[1], state=None, listed=()))
        score = sign * made.score(w) if passes.rhythm.keep == "best" else np.inf
        if score > high or passes.rhythm.keep == "last":
            best, high = w, score
        progress(number + 1, passes.epochs)
    return best, done


def lists_are_made(learner: AnyLearner, kind: type[Candidates]) -> bool:
    """Whether lists have to be made of such candidates for a learner."""
    needed = needed_data(learner)
    return (
        not issubclass(kind, needed) and issubclass(ListSet, needed) and issubclass(kind, HasLists)
    )


def plan(
    data: Candidates,
    learner: AnyLearner,
    rhythm: Rhythm,
    strategy: Strategy,
    *,
    origin: FloatArray,
    seed: int,
    scaled: bool = False,
    executor: Executor | None = None,
) -> Course:
    """Return the course of a run whose settings fit together.

    Workers work on the threads of this machine, unless an executor takes them elsewhere.
    """
    course: Callable[..., Course] = Passes
    block = rhythm.lists == "block"
    if lists_are_made(learner, type(data)) and not (block and isinstance(data, HasBlockLists)):
        course = partial(Decodings, online=block)
        if block:
            # Lists of all blocks at once are what comes nearest: a decoding is an epoch.
            rhythm = replace(rhythm, lists="replaced", decodings=rhythm.epochs, epochs=1)
        if rhythm.lists == "forests" and not isinstance(data, HasForestSets):
            rhythm = replace(rhythm, lists="merged")
    return course(
        data=data,
        learner=learner,
        rhythm=rhythm,
        strategy=strategy,
        origin=origin,
        seed=seed,
        scaled=scaled,
        executor=executor or Threads(),
    )
