"""What holds for every learner, with all candidates, strategies and metrics of the registries.

A combination either runs (finite weights, better than the start on an easy problem, the same bits
for any number of threads, resumable bit for bit), or is refused from the settings with a reason.
"""

import dataclasses
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hopefear.candidates import Candidates
from hopefear.demo.synthetic import START
from hopefear.events import EpochFinished, Event, RunFinished
from hopefear.learners import AnyLearner, learners
from hopefear.losses import losses
from hopefear.metrics import Bleu, Column, Metric, TextMetric, metrics
from hopefear.parallel import Asynchronous, Mixing, Serial, Strategy, strategies
from hopefear.regularizers import L1, L2, L2Start
from hopefear.rhythm import Rhythm
from hopefear.runs.checkpoint import CheckpointFile
from hopefear.runs.kinds import FORESTS, KINDS, LISTS, DataKind, refusal
from hopefear.runs.loop import About, learn
from hopefear.types import FloatArray, Weights
from tuning_sets import FOREST_START, course_of, synthetic_forests, synthetic_set

# The papers' rates are for hundreds of sentences and thousands of steps. A further learner is one
# row here: its settings, or {} for its defaults.
SETTINGS: dict[str, dict[str, object]] = {
    "arow": {"rate": 0.1},
    "forest-rampion": {"rate": 0.01},
    "mert": {"restarts": 2, "random_directions": 2},
    "min-risk": {"rate": 0.02},
    "mira": {"rate": 0.05},
    "online-sgd": {"rate": 0.05},
    "perceptron": {"rate": 0.2},
    "pro": {"samples": 200, "kept": 10},
    "rampion": {"rate": 0.01},
    "sgd": {"rate": 0.01},
}
VARIANTS: dict[str, AnyLearner] = {
    name: learners[name](**SETTINGS.get(name, {})) for name in learners
} | {
    "forest-mira model context": learners["forest-mira"](context="model"),
    "forest-rampion log": learners["forest-rampion"](rate=0.01, loss=losses["log"]()),
    "forest-rampion soft": learners["forest-rampion"](rate=0.01, loss=losses["soft-ramp-3"]()),
    "lbfgs l1": learners["lbfgs"](regularizer=L1(strength=0.1)),
    "mert l2": learners["mert"](restarts=1, penalty="l2", strength=1e-3),
    "oro mira": learners["oro"](update="mira", l2=100.0),
    "oro optimized softmax": learners["oro"](loss="softmax"),
    "oro subgradient hinge": learners["oro"](update="subgradient"),
    "oro subgradient softmax": learners["oro"](update="subgradient", loss="softmax"),
    "pro with oracles": learners["pro"](pairs="oracle"),
    "sgd l1": learners["sgd"](rate=0.01, regularizer=L1(strength=0.01)),
    "sgd l2": learners["sgd"](rate=0.01, regularizer=L2(strength=0.01)),
    "sgd l2 start": learners["sgd"](rate=0.01, regularizer=L2Start(strength=0.01)),
}
for _name in losses:
    VARIANTS[f"sgd {_name}"] = learners["sgd"](loss=losses[_name](), rate=0.01)
METRICS: dict[str, Metric] = {
    name: Bleu(tokenize="none") if name == "bleu" else metrics[name]() for name in metrics
}
STRATEGIES: dict[str, Strategy] = {name: strategies[name]() for name in strategies}
GIVEN = {"lists": LISTS, "forests": FORESTS}


def rhythm_of(learner: AnyLearner, epochs: int = 10) -> Rhythm:
    own = learner.rhythm
    return replace(own, epochs=min(own.epochs, epochs), list_size=20, decodings=2)


def data_of(kind: DataKind, metric: Metric, threads: int = 1) -> Candidates:
    if kind is LISTS:
        return synthetic_set(metric=metric, threads=threads)
    return synthetic_forests(metric=cast(TextMetric, metric), threads=threads)


def start_of(kind: DataKind) -> Weights:
    return START if kind is LISTS else FOREST_START


def events_of(
    learner: AnyLearner,
    kind: DataKind,
    strategy: Strategy,
    metric: Metric,
    *,
    threads: int = 1,
    checkpoint: CheckpointFile | None = None,
) -> list[Event]:
    data, start = data_of(kind, metric, threads), start_of(kind)
    course = course_of(
        learner,
        data,
        start.vector(data.feature_names),
        rhythm=rhythm_of(learner),
        strategy=strategy,
    )
    return list(learn(course, start, About(name="learner"), checkpoint=checkpoint))


def finished(events: list[Event]) -> RunFinished:
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last


RUNS = [
    (learner, kind, strategy)
    for learner in VARIANTS
    for kind in GIVEN
    for strategy in STRATEGIES
    if refusal(VARIANTS[learner], GIVEN[kind], STRATEGIES[strategy], METRICS["bleu"]) is None
    and (learner in learners or kind == "lists" or "forest" in learner)
]


@pytest.mark.parametrize(("name", "kind", "strategy"), RUNS)
def test_a_learner_raises_the_metric_and_does_not_depend_on_threads(
    name: str, kind: str, strategy: str
) -> None:
    one, two = (
        events_of(
            VARIANTS[name], GIVEN[kind], STRATEGIES[strategy], METRICS["bleu"], threads=threads
        )
        for threads in (1, 2)
    )
    data = data_of(GIVEN[kind], METRICS["bleu"])
    before = data.score(start_of(GIVEN[kind]).vector(data.feature_names))
    after = finished(one)
    assert np.isfinite(after.weights.array).all()
    assert after.tuning_score is not None
    # Each of several workers sees a part of the sentences, and learns less in an epoch.
    assert after.tuning_score > before + (1.0 if strategy == "serial" else 0.0)
    if STRATEGIES[strategy].repeatable:
        assert finished(two).weights == after.weights
    else:
        assert np.isfinite(finished(two).weights.array).all()


@pytest.mark.parametrize(("name", "kind", "strategy"), RUNS)
def test_a_run_resumes_from_its_checkpoint_bit_for_bit(
    name: str, kind: str, strategy: str, tmp_path: Path
) -> None:
    chosen = VARIANTS[name], GIVEN[kind], STRATEGIES[strategy], METRICS["bleu"]
    whole = events_of(*chosen)
    epochs = [event.epoch for event in whole if isinstance(event, EpochFinished)]
    checkpoint = CheckpointFile(tmp_path / "state.npz")
    data, start = data_of(chosen[1], chosen[3]), start_of(chosen[1])
    course = course_of(
        chosen[0],
        data,
        start.vector(data.feature_names),
        rhythm=rhythm_of(chosen[0]),
        strategy=chosen[2],
    )
    for event in learn(course, start, About(name="learner"), checkpoint=checkpoint):
        if isinstance(event, EpochFinished) and event.epoch == min(2, len(epochs)):
            break  # the checkpoint is that of the epoch before, if there is one
    rest = events_of(*chosen, checkpoint=checkpoint)
    assert finished(rest).weights == finished(whole).weights


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("name", learners)
def test_every_metric_is_learned_or_refused(name: str, kind: str, metric: str) -> None:
    learner, chosen = VARIANTS[name], METRICS[metric]
    if isinstance(chosen, Column) and kind == "forests":
        pytest.skip("a column of scores is for lists")
    if (refused := refusal(learner, GIVEN[kind], Serial(), chosen)) is not None:
        assert refused.settings
        return
    found = finished(events_of(learner, GIVEN[kind], Serial(), chosen))
    data = data_of(GIVEN[kind], chosen)
    before = data.score(start_of(GIVEN[kind]).vector(data.feature_names))
    assert found.tuning_score is not None
    sign = 1.0 if chosen.higher_is_better else -1.0
    assert sign * found.tuning_score > sign * before


@pytest.mark.parametrize("name", learners)
def test_a_learner_learns_from_some_candidates_and_is_refused_others_with_a_hint(name: str) -> None:
    refusals = [refusal(VARIANTS[name], kind, Serial(), METRICS["bleu"]) for kind in KINDS]
    assert not all(refusals)
    for refused in filter(None, refusals):
        assert refused.settings
        assert name in str(refused)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_state_is_a_value_and_the_start_is_left_alone(name: str) -> None:
    learner = VARIANTS[name]
    kind = LISTS if refusal(learner, LISTS, Serial(), METRICS["bleu"]) is None else FORESTS
    data = data_of(kind, METRICS["bleu"])
    start = start_of(kind).vector(data.feature_names)
    before = start.copy()
    course = course_of(learner, data, start, rhythm=rhythm_of(learner))
    state = course.start(start)
    found: list[FloatArray] = []
    for _ in range(2):
        after = course.epoch(state, 0, lambda done, total: None)
        assert after is not None
        found.append(course.weights(after[0]))
    assert_array_equal(found[0], found[1])
    assert_array_equal(start, before)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_weight_of_a_feature_that_no_candidate_has_stays(name: str, scaled: bool) -> None:
    learner = VARIANTS[name]
    kind = LISTS if refusal(learner, LISTS, Serial(), METRICS["bleu"]) is None else FORESTS
    data = data_of(kind, METRICS["bleu"])
    data.feature_names.add("unseen")
    start = (start_of(kind) + Weights({"unseen": 0.75})).vector(data.feature_names)
    course = course_of(learner, data, start, rhythm=rhythm_of(learner), scaled=scaled)
    state = course.start(start)
    for number in range(2):
        found = course.epoch(state, number, lambda done, total: None)
        state = state if found is None else found[0]
    learned = course.weights(state)
    assert learned[-1] == 0.75
    assert (learned[:-1] != start[:-1]).any()


@pytest.mark.parametrize("name", learners)
def test_a_learner_is_a_frozen_set_of_settings_with_defaults_and_a_rhythm(name: str) -> None:
    learner: Any = learners[name]()
    assert isinstance(learner.rhythm, Rhythm)
    first = dataclasses.fields(learner)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(learner, first, getattr(learner, first))


def test_one_worker_is_the_serial_strategy() -> None:
    several = [make(workers=1) for make in (Mixing, Asynchronous)]
    for name, kind in product(VARIANTS, GIVEN.values()):
        if refusal(VARIANTS[name], kind, Serial(), METRICS["bleu"]) is not None:
            continue
        found = None
        for strategy in several:
            if refusal(VARIANTS[name], kind, strategy, METRICS["bleu"]) is None:
                found = found or events_of(VARIANTS[name], kind, Serial(), METRICS["bleu"])
                alone = events_of(VARIANTS[name], kind, strategy, METRICS["bleu"])
                assert finished(alone).weights == finished(found).weights
