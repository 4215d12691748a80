"""Asynchronous MIRA and AROW against algorithm 4 of Chiang (2012), written from the paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hopefear.candidates import ForestSet
from hopefear.learners import Arow, MinRisk, Mira, OnlineSgd
from hopefear.learners.online import OnlineLearner
from hopefear.metrics import BleuReferences
from hopefear.parallel import Asynchronous, Task, Threads
from hopefear.parallel.base import Walk
from hopefear.rhythm import Step
from hopefear.search import Example
from hopefear.types import FloatArray
from tuning_sets import FOREST_START, synthetic_forests
from visits import ALL, features_of

Set = tuple[FloatArray, FloatArray]  # rows h(hope) − h(d) and losses; the first is the hope itself


def bleu(b: FloatArray) -> float:
    return float(np.exp(np.log(b[:4] / b[4:8]).mean() + min(0.0, 1 - b[8] / b[4])))


def optimize_sets(w: FloatArray, sigma: FloatArray, sets: list[Set]) -> list[FloatArray]:
    """Lines 26 to 39: change w, pair by pair; return what each set added, before Σ."""
    alphas = [np.eye(len(losses))[0] for _, losses in sets]
    again = True
    while again:
        again = False
        for (rows, losses), alpha in zip(sets, alphas, strict=True):
            v = losses - rows @ w
            up, down = int(v.argmax()), int(np.where(alpha > 0, v, np.inf).argmin())
            if v[up] - v[down] > 1e-9:
                x = rows[up] - rows[down]
                delta = min(alpha[down], (v[up] - v[down]) / (x @ (sigma * x)))
                alpha[[up, down]] += delta, -delta
                w += sigma * delta * x
                again = True
    return [alpha @ rows for (rows, _), alpha in zip(sets, alphas, strict=True)]


def algorithm_4(
    data: ForestSet, start: FloatArray, workers: int, epochs: int, rate: float, confidence: float
) -> FloatArray:
    """All derivations are enumerated; nodes take turns, and messages arrive at once."""
    features, statistics = [], []
    references = data.prepared
    assert isinstance(references, BleuReferences)
    for i, forest in enumerate(data.forests):
        assert forest is not None
        found = Example(forest, i, references, start).nbest(10_000, distinct=False)
        features.append(np.array([features_of(one, len(start)) for one in found]))
        statistics.append(np.array([one.statistics for one in found]))
    w = [start.copy() for _ in range(workers)]
    sigma = [np.full(len(start), rate) for _ in range(workers)]
    bbar = [data.corpus_score.first_document() for _ in range(workers)]
    inbox: list[list[Set]] = [[] for _ in range(workers)]
    total, steps = np.zeros(len(start)), 0
    for epoch in range(epochs):
        order = Step(epoch=epoch, entropy=(1, epoch)).visits(np.arange(data.sentence_count))
        for number, i in enumerate(order.tolist()):
            k = number % workers
            h, b = features[i], statistics[i]
            gains = bbar[k][4] * np.array([bleu(bbar[k] + one) - bleu(bbar[k]) for one in b])
            hope, best = int((h @ w[k] + gains).argmax()), int((h @ w[k]).argmax())
            before, heard, own = w[k].copy(), inbox[k], [hope]
            inbox[k] = []
            # Unlike the paper, in which a sentence without a violation ignores what it received.
            added = optimize_sets(w[k], sigma[k], heard)
            while True:
                v = gains[hope] - gains - (h[hope] - h) @ w[k]
                fear = int((h @ w[k] - gains).argmax())
                if not v[fear] > v[own].max() + 0.01:
                    break
                own.append(fear)
                mine = h[hope] - h[own], gains[hope] - gains[own]
                w[k] = before.copy()
                added = optimize_sets(w[k], sigma[k], [mine, *heard])
            if len(own) > 1:
                for other in range(workers):
                    if other != k:
                        inbox[other].append(mine)
            for x in added:
                sigma[k] = 1 / (1 / sigma[k] + confidence * x**2)
            bbar[k] = np.maximum(0.9 * (bbar[k] + b[best]), 0.1)
            total, steps = total + w[k], steps + 1
    return total / steps


def learned(learner: OnlineLearner, data: ForestSet, start: FloatArray, workers: int) -> FloatArray:
    """Return the weights after three epochs of ours, on one thread."""
    task = Task(
        learner=learner,
        data=data,
        rhythm=learner.rhythm,
        origin=start,
        executor=Threads(),
        work=np.ones(data.sentence_count),
    )
    strategy = Asynchronous(workers=workers)
    state = strategy.start(task, start)
    for epoch in range(3):
        state = strategy.epoch(task, state, Step(epoch=epoch, entropy=(1, epoch))).state
    return strategy.weights(task, state)


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(
    ("learner", "confidence"),
    [(Mira(rate=0.05, search=ALL), 0.0), (Arow(rate=0.1, confidence=0.05, search=ALL), 0.05)],
    ids=["mira", "arow"],
)
def test_asynchronous_learners_follow_algorithm_4(
    learner: Mira, confidence: float, workers: int
) -> None:
    data = synthetic_forests(sentences=10, longest=3)
    start = FOREST_START.vector(data.feature_names)
    found = learned(learner, data, start, workers)
    expected = algorithm_4(data, start, workers, 3, learner.rate, confidence)
    assert np.abs(expected - start).max() > 0.05
    assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("learner", [Arow(search=ALL), OnlineSgd(search=ALL), MinRisk()])
def test_a_message_teaches_what_the_lesson_itself_does(
    learner: OnlineLearner, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = synthetic_forests(sentences=10, longest=3)
    start = FOREST_START.vector(data.feature_names)
    expected = learned(learner, data, start, 3)
    hear = Walk.hear
    monkeypatch.setattr(Walk, "hear", lambda walk, message, lesson: hear(walk, message))
    assert_array_equal(learned(learner, data, start, 3), expected)
