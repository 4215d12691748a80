"""Several learners: mixing by hand, the messages of asynchronous ones, and how a run ends."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hopefear.candidates import Candidates, ForestSet
from hopefear.learners import AnyLearner, KBestMira, Mira, OnlineSgd, Oro, Perceptron
from hopefear.learners.visit import Taught, Visit
from hopefear.metrics import Bleu, References
from hopefear.parallel import Asynchronous, Mixing, Pass, Serial, Strategy, Task, Threads
from hopefear.parallel.base import deal
from hopefear.parallel.codec import decode, encode
from hopefear.regularizers import L2
from hopefear.rhythm import Block, Step
from hopefear.types import FloatArray
from tuning_sets import (
    FOREST_START,
    course_of,
    garbled_forests,
    start_vector,
    synthetic_forests,
    synthetic_set,
)


def task_of(learner: AnyLearner, data: Candidates, weights: FloatArray) -> Task:
    return Task(
        learner=learner,
        data=data,
        rhythm=learner.rhythm,
        origin=weights,
        executor=Threads(),
        work=data.work,
    )


def epochs_of(task: Task, strategy: Strategy, start: FloatArray, count: int) -> list[Pass]:
    state, found = strategy.start(task, start), []
    for epoch in range(count):
        found.append(strategy.epoch(task, state, Step(epoch=epoch, entropy=(1, epoch))))
        state = found[-1].state
    return found


def forest_task(learner: AnyLearner, threads: int = 1) -> tuple[Task, FloatArray]:
    data = synthetic_forests(threads=threads)
    start = FOREST_START.vector(data.feature_names)
    return task_of(learner, data, start), start


def test_mixing_two_shards_is_the_mean_computed_by_hand() -> None:
    data = synthetic_set()
    start, learner = start_vector(data), Oro()
    task = task_of(learner, data, start)
    first, second = epochs_of(task, Mixing(workers=2), start, 2)
    w = start
    for epoch, found in enumerate((first, second)):
        shards = []
        for worker, sentences in enumerate((np.arange(0, 25, 2), np.arange(1, 25, 2))):
            step = Step(epoch=epoch, entropy=(1, epoch), shard=worker)
            own = data.subset(sentences.tolist())
            state, visits = learner.start(own, w, start), step.visits(sentences)
            for number, block in enumerate(np.array_split(visits, round(len(visits) / 16))):
                within = replace(step, block=number, blocks=round(len(visits) / 16))
                state, _ = learner.learn(state, own, block, within)
            shards.append(state.weights)
        w = (shards[0] + shards[1]) / 2
        assert_array_equal(found.state.weights, w)


def test_mixing_with_a_line_search_is_algorithm_3_of_watanabe() -> None:
    data = synthetic_set()
    start, learner = start_vector(data), Oro()
    assert learner.rhythm.line_search
    (mixed,) = epochs_of(task_of(learner, data, start), Mixing(workers=2), start, 1)
    course = course_of(learner, data, start, strategy=Mixing(workers=2))
    found = course.epoch(course.start(start), 0, lambda done, total: None)
    assert found is not None
    # w ← (1 − ρ) w + ρ mean, with the best corpus BLEU of all ρ on this line.
    w = mixed.state.weights
    searched = data.line_search(start, w - start)
    assert_array_equal(course.weights(found[0]), searched)
    line = [start + rho * (w - start) for rho in np.linspace(-2, 4, 601)]
    assert data.score(searched) >= max(map(data.score, line))


@pytest.mark.parametrize("learner", [KBestMira(), Mira(rate=0.05)], ids=["lists", "forests"])
def test_mixing_does_not_depend_on_threads(learner: AnyLearner) -> None:
    found = []
    for threads in (1, 2, 5):
        data = (synthetic_set if isinstance(learner, KBestMira) else synthetic_forests)(
            threads=threads
        )
        start = np.full(len(data.feature_names), 0.2)
        passes = epochs_of(task_of(learner, data, start), Mixing(workers=5), start, 3)
        found.append(learner.weights(passes[-1].state))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_every_sentence_is_visited_once_in_an_epoch_by_whomever() -> None:
    task, start = forest_task(Mira(rate=0.05))
    for strategy in (Mixing(workers=3), Asynchronous(workers=3)):
        (found,) = epochs_of(task, strategy, start, 1)
        assert found.figures is not None
        assert found.figures.sentences == 20


def test_sentences_are_dealt_out_once_each_with_equal_work() -> None:
    draws = np.random.default_rng(1)
    work = draws.lognormal(sigma=1.0, size=300)
    order = draws.permutation(300)
    for count in (1, 2, 7):
        hands = deal(order, work, count)
        assert sorted(np.concatenate(hands).tolist()) == list(range(300))
        assert {len(hand) for hand in hands} <= {300 // count, 300 // count + 1}
        loads = [work[hand].sum() for hand in hands]
        assert max(loads) - min(loads) <= work.max()
        places = [np.argsort(order)[hand] for hand in hands]
        assert all((np.diff(place) > 0).all() for place in places)
    assert_array_equal(deal(order, np.ones(300), 7)[2], order[2::7])


def test_a_sentence_of_a_model_is_as_much_work_as_its_parse_is_large() -> None:
    data = synthetic_forests(sentences=4)
    assert_array_equal(data.work, [one.edge_count for one in data.forests if one is not None])


def test_asynchronous_learners_hear_every_lesson_of_the_others_once() -> None:
    class Listening(OnlineSgd):
        def learn(self, *given: Any) -> Any:
            count.extend(lesson.sets[:, 0].tolist() for lesson in given[4])
            return super().learn(*given)

    count: list[list[int]] = []
    task, start = forest_task(Listening(rate=0.05))
    strategy = Asynchronous(workers=4)
    first, second = epochs_of(task, strategy, start, 2)
    assert first.figures is not None
    assert second.figures is not None
    sent = first.traffic.messages + second.traffic.messages
    waiting = sum(len(inbox) for inbox in second.state.inboxes())
    assert sent == 3 * (first.figures.updates + second.figures.updates)
    assert len(count) == sent - waiting
    assert 0 < waiting < 3 * 4
    assert first.traffic.sent > 100 * first.traffic.messages
    assert first.traffic.waiting == 3


def test_what_is_heard_at_a_sentence_without_a_forest_is_learned_at_the_next_one() -> None:
    class Listening(OnlineSgd):
        def update(self, visit: Visit) -> Taught | None:
            count.append(len(visit.heard))
            return super().update(visit)

    count: list[int] = []
    forests, references = garbled_forests(sentences=20)
    some = [forest if i % 3 else None for i, forest in enumerate(forests)]
    data = ForestSet(some, References(references), Bleu(tokenize="none"), threads=1)
    start = FOREST_START.vector(data.feature_names)
    (found,) = epochs_of(
        task_of(Listening(rate=0.05), data, start), Asynchronous(workers=4), start, 1
    )
    waiting = sum(len(inbox) for inbox in found.state.inboxes())
    assert sum(count) + waiting == found.traffic.messages > 0


def test_learners_keep_their_own_weights_and_stand_for_the_mean_of_all_steps() -> None:
    task, start = forest_task(Mira(rate=0.05))
    task = replace(task, work=np.ones(20))
    strategy = Asynchronous(workers=3)
    state = epochs_of(task, strategy, start, 2)[-1].state
    currents = [one.weights.current for one in state.states]
    assert not np.array_equal(currents[0], currents[1])
    # 7, 7 and 6 sentences each in both epochs: the sums of all steps by the number of all steps.
    steps = np.array([14.0, 14.0, 12.0])
    averages = np.array([one.weights.average() for one in state.states])
    assert_allclose(strategy.weights(task, state), steps @ averages / steps.sum(), rtol=1e-12)


def test_gradient_steps_of_several_learners_are_throttled() -> None:
    moved = []
    for throttle in (0.0, 0.5, 1.0):
        task, start = forest_task(Perceptron(rate=1e-7))
        strategy = Asynchronous(workers=4, throttle=throttle)
        (found,) = epochs_of(task, strategy, start, 1)
        moved.append(np.abs(found.state.states[0].weights.current - start).max())
    # Steps are small, so that what they are made of hardly depends on where they lead.
    assert_allclose(np.array(moved) / moved[0], [1.0, 0.5, 0.25], rtol=1e-3)


def test_several_learners_pay_the_penalty_that_one_pays() -> None:
    data = synthetic_forests(sentences=64, longest=3)
    start = 10 * FOREST_START.vector(data.feature_names)
    learner = Perceptron(rate=1e-3, regularizer=L2(strength=100.0), average="none")
    task, found = task_of(learner, data, start), []
    for strategy in (Serial(), Asynchronous(workers=4, throttle=0.0)):
        (done,) = epochs_of(task, strategy, start, 1)
        found.append(strategy.weights(task, done.state) / start)
    # Four steps with 16 sentences' share each, or one step with four times as much.
    assert_allclose(found[0], 1.025**-4, atol=0.01)
    assert_allclose(found[1], 1 / 1.1, atol=0.01)


def test_the_state_with_messages_that_nobody_heard_yet_is_saved_and_goes_on() -> None:
    task, start = forest_task(Mira(rate=0.05))
    strategy = Asynchronous(workers=3)
    first, second = epochs_of(task, strategy, start, 2)
    assert any(len(unheard) for unheard in first.state.unheard)
    loaded = decode(strategy.start(task, start), encode(first.state), task.data)
    again = strategy.epoch(task, loaded, Step(epoch=1, entropy=(1, 1)))
    assert_array_equal(strategy.weights(task, again.state), strategy.weights(task, second.state))


def test_many_threads_deliver_everything_too() -> None:
    task, start = forest_task(Mira(rate=0.05), threads=4)
    strategy = Asynchronous(workers=8)
    for found in epochs_of(task, strategy, start, 3):
        assert found.figures is not None
        assert found.figures.sentences == 20
        assert found.traffic.messages == 7 * found.figures.updates
        assert np.isfinite(strategy.weights(task, found.state)).all()


def test_a_learner_that_lags_is_reported_and_blocks_nobody() -> None:
    class Late:
        def visit(self, task: Task, states: Sequence[Any], *rest: Any) -> Any:
            done = Pass(state=np.ones(2))
            late = replace(done, traffic=replace(done.traffic, waiting=200))
            return iter([done, late])

    task, start = forest_task(Mira())
    state = Asynchronous(workers=2).start(task, start)
    found = Asynchronous(workers=2).epoch(replace(task, executor=Late()), state, Step())
    (note,) = found.notes
    assert "200" in note
    assert "worker 2 of 2" in note


class Failing(Mira):
    """Fails at one sentence; records which sentences are visited after that."""

    def learn(self, state: Any, data: Any, block: Block, *rest: Any) -> Any:
        if 7 in block.tolist():
            raise OSError("the seventh sentence is gone")
        time.sleep(0.01)
        return super().learn(state, data, block, *rest)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("strategy", [Serial(), Mixing(workers=4), Asynchronous(workers=4)])
def test_an_error_of_one_worker_ends_the_run_with_the_error(
    strategy: Strategy, threads: int
) -> None:
    task, start = forest_task(Failing(rate=0.05), threads)
    with pytest.raises(OSError, match="the seventh sentence is gone"):
        epochs_of(task, strategy, start, 1)
    assert threading.active_count() == 1


@pytest.mark.parametrize("strategy", [Mixing(workers=4), Asynchronous(workers=4)])
def test_an_interrupt_ends_all_workers(strategy: Strategy) -> None:
    task, start = forest_task(Mira(rate=0.05), threads=2)

    def interrupt(done: int, total: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert done <= total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        strategy.epoch(task, strategy.start(task, start), Step(progress=interrupt))
    assert threading.active_count() == 1


def test_progress_of_all_workers_is_told_as_one() -> None:
    told: list[tuple[int, int]] = []
    for threads in (1, 3):
        task, start = forest_task(Mira(rate=0.05), threads)
        step = Step(progress=lambda done, total: told.append((done, total)))
        for strategy in (Mixing(workers=3), Asynchronous(workers=3)):
            told.clear()
            strategy.epoch(task, strategy.start(task, start), step)
            assert told[-1] == (20, 20)
            assert sorted(done for done, _ in told) == [done for done, _ in told]
