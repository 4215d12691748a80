"""The shapes of Clark et al. (2014) in every learner that has a gradient: what they come to."""

from dataclasses import fields, replace
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, minimize

from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.candidates.discretized import discretize_forest, discretize_lists, learn_bins
from hopefear.errors import ConfigError
from hopefear.learners import AnyLearner, KBestMira, Mira, Oro, StructuredSvm, learners
from hopefear.learners.oro import Ranking
from hopefear.metrics import Bleu, References
from hopefear.parallel import Serial
from hopefear.regularizers import L1, L2, L2Start, LinearNeighbors, MonotoneNeighbors, Regularizer
from hopefear.rhythm import Step
from hopefear.runs.course import Passes
from hopefear.runs.kinds import LISTS, refusal
from hopefear.translation.features.bins import Discretization, split_bin_name
from hopefear.types import FloatArray, Vocabulary
from tuning_sets import course_of, garbled_forests, synthetic_set

BINNED = Discretization(bits=3, kept=())
# MERT has no gradient, and so no place for a penalty that has one.
SHAPED = sorted(set(learners) - {"mert"})
RATES = {"arow": 0.1, "min-risk": 0.02, "mira": 0.05, "online-sgd": 0.05, "perceptron": 0.2}
RATES |= {"forest-rampion": 0.01, "rampion": 0.01, "sgd": 0.01}


@cache
def data_of(kind: str) -> Candidates:
    """Return candidates in which every feature is discretized."""
    if kind == "lists":
        plain = synthetic_set(sentences=40)
        names, bins = Vocabulary(), learn_bins(plain.nbest, BINNED)
        lists = discretize_lists(plain.nbest, bins, names)
        return ListSet(nbest=lists, metric=plain.metric, threads=1)
    forests, references = garbled_forests(sentences=40, seed=3)
    names, bins = Vocabulary(), learn_bins(forests, BINNED)
    binned = [discretize_forest(forest, bins, names) for forest in forests]
    return ForestSet(binned, References(references), Bleu(tokenize="none"), threads=1)


def kind_of(name: str) -> str:
    serial, bleu = Serial(), Bleu(tokenize="none")
    return "lists" if refusal(learners[name](), LISTS, serial, bleu) is None else "forests"


def learned(name: str, shape: Regularizer, *, scaled: bool = False) -> list[FloatArray]:
    """Return the weights of each feature's bins after four epochs, from the lowest bin on."""
    data = data_of(kind_of(name))
    options = {"rate": RATES[name]} if name in RATES else {}
    learner: AnyLearner = learners[name](regularizer=shape, **options)
    bins = [split_bin_name(feature) or ("", -1) for feature in data.feature_names]
    start = np.array([0.02 * number for _, number in bins])
    # A line search between two curves does not look at the penalty.
    rhythm = replace(learner.rhythm, line_search=False)
    course = course_of(learner, data, start, rhythm=rhythm, scaled=scaled)
    state = course.start(start)
    for epoch in range(4):
        found = course.epoch(state, epoch, lambda done, total: None)
        if found is None:
            break
        state = found[0]
    weights = course.weights(state)
    assert np.abs(weights - start).max() > 0.01
    chains: dict[str, list[float]] = {}
    for i in sorted(range(len(bins)), key=bins.__getitem__):
        chains.setdefault(bins[i][0], []).append(weights[i])
    return [np.array(chain) for chain in chains.values()]


def test_every_learner_with_a_gradient_has_a_regularizer() -> None:
    without = [
        name
        for name in learners
        if "regularizer" not in {field.name for field in fields(cast(Any, learners[name]))}
    ]
    assert without == ["mert"]


@pytest.mark.parametrize("name", SHAPED)
def test_linear_neighbors_make_lines_in_the_limit(name: str) -> None:
    for chain in learned(name, LinearNeighbors(strength=1e6, l2=0.0)):
        assert_allclose(np.diff(chain, 2), 0.0, atol=1e-3 * np.ptp(chain))


@pytest.mark.parametrize("name", SHAPED)
def test_monotone_neighbors_make_rising_or_falling_curves_in_the_limit(name: str) -> None:
    for chain in learned(name, MonotoneNeighbors(strength=1e5, l2=0.0)):
        rises = np.diff(chain) / np.ptp(chain)
        assert rises.min() > -1e-6 or rises.max() < 1e-6


@pytest.mark.parametrize("name", SHAPED)
def test_without_a_shape_bins_make_neither(name: str) -> None:
    """So that the limits above are due to the regularizers."""
    curves = learned(name, L2(strength=1e-6))
    assert any(np.diff(chain).min() < 0 < np.diff(chain).max() for chain in curves)


@pytest.mark.parametrize("name", ["kbest-mira", "forest-mira"])
def test_scaled_features_are_on_a_line_too(name: str) -> None:
    for chain in learned(name, LinearNeighbors(strength=1e6, l2=0.0), scaled=True):
        assert_allclose(np.diff(chain, 2), 0.0, atol=1e-3 * np.ptp(chain))


def test_a_bin_that_changes_no_choice_follows_its_neighbors() -> None:
    data = cast(ForestSet, data_of("forests"))
    never = {data.feature_names[i] for i in np.flatnonzero(data.feature_spread == 0).tolist()}
    assert never == {"words#0"}
    words = next(c for c in learned("mira", LinearNeighbors(strength=1e6, l2=0.0)) if len(c) == 3)
    assert_allclose(words[0], 2 * words[1] - words[2], atol=1e-4)


def test_in_lists_that_a_decoder_made_such_a_bin_keeps_its_weight() -> None:
    data, learner = data_of("forests"), Mira(regularizer=LinearNeighbors(strength=1e6, l2=0.0))
    start = np.ones(len(data.feature_names))
    course = course_of(learner, data, start)
    assert isinstance(course, Passes)
    found = course.epoch(course.start(start), 0, lambda done, total: None)
    assert found is not None
    weights = replace(course, made=True).weights(found[0])
    never = data.feature_names.find_all(["words#0"])
    assert weights[never] == [1.0]
    assert course.weights(found[0])[never] != [1.0]


def test_the_mean_of_batch_mira_is_over_weights_after_proximal_steps() -> None:
    data = cast(ListSet, data_of("lists"))
    start = np.ones(len(data.feature_names))
    learner, order = KBestMira(regularizer=L2(strength=50.0), line_search=0), np.arange(40)
    state, _ = learner.learn(learner.start(data, start, start), data, order, Step())
    plain, mean = KBestMira(line_search=0), np.zeros_like(start)
    core = plain.start(data, start, start).core
    for part in np.array_split(order, 2):  # 40 sentences are two parts of about 16
        core = plain.kbest_epoch(data.nbest, data.corpus_score)(part, core)
        # v = w/(1 + s C), s = rate · k/N
        at = core.weights() / (1 + 0.01 * 20 / 40 * 50.0)
        core, mean = core.moved(at, core), mean + at / 2
    assert_allclose(state.core.weights(), core.weights())
    assert_allclose(learner.weights(state), mean)


@pytest.mark.parametrize(
    ("update", "l2", "rate"), [("optimized", 1e-5, 0.2), ("mira", 100.0, 0.16)]
)
def test_oro_takes_a_proximal_step_after_an_update(update: Any, l2: float, rate: float) -> None:
    data = cast(ListSet, data_of("lists"))
    start = np.ones(len(data.feature_names))
    plain = Oro(update=update, decay=1.0, l2=l2)
    w, v = (
        learner.weights(learner.learn(Ranking(start, start), data, np.arange(16), Step())[0])
        for learner in (plain, replace(plain, regularizer=L2Start(strength=7.0)))
    )
    # v = (w + s C o)/(1 + s C), s = rate/N; of 16 sentences the rate of MIRA is 16/λ
    pull = rate / data.sentence_count * 7.0
    assert_allclose(v, (w + pull * start) / (1 + pull))


def test_linear_neighbors_are_part_of_the_quadratic_program_of_the_structured_svm() -> None:
    """Against all constraints at once, by a trusted solver."""
    plain = synthetic_set(sentences=5, size=5)
    names, bins = Vocabulary(), learn_bins(plain.nbest, replace(BINNED, bits=2))
    data = replace(plain, nbest=discretize_lists(plain.nbest, bins, names))
    shape = LinearNeighbors(strength=3.0, l2=0.5, start_strength=1.0)
    learner = StructuredSvm(regularizer=shape, strength=2.0, tolerance=1e-7)
    start = np.random.default_rng(1).normal(size=len(names)) / 10
    state, penalty = learner.start(data, start, start), shape.bind(list(names), start)
    for epoch in range(1000):
        following, _ = learner.learn(state, data, np.arange(5), Step(epoch=epoch))
        if following is state:
            break
        state = following
    else:
        pytest.fail("the search did not end")

    d, costs = len(names), learner.cost_scale * data.costs
    h = np.array([[data.nbest.features_of(i).get(n, 0.0) for n in names] for i in range(25)])
    rows, bounds = [], []
    for i in range(5):
        best = min(data.nbest.rows(i), key=costs.__getitem__)
        for row in data.nbest.rows(i):
            rows.append(np.concatenate([h[best] - h[row], np.eye(5)[i]]))
            bounds.append(costs[row] - costs[best])

    def objective(x: FloatArray) -> tuple[float, FloatArray]:
        # ½‖w − w₀‖² + C/N (Σ ξᵢ + R(w))
        w, share = x[:d], 2.0 / 5
        value = ((w - start) ** 2).sum() / 2 + share * (x[d:].sum() + penalty.value(w))
        return float(value), np.append(w - start + share * penalty.gradient(w), np.full(5, share))

    trusted = minimize(
        objective,
        np.append(start, np.full(5, 100.0)).tolist(),
        jac=True,
        constraints=LinearConstraint(np.array(rows), np.array(bounds), np.inf),
        method="SLSQP",
        options={"maxiter": 1000},
        tol=1e-12,
    )
    assert_allclose(learner.weights(state), trusted.x[:d], atol=1e-4)


def test_the_structured_svm_refuses_a_penalty_that_is_not_quadratic() -> None:
    with pytest.raises(ConfigError, match="'l1' is not quadratic"):
        StructuredSvm(regularizer=L1())
