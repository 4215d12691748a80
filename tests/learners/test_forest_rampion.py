"""RAMPION on forests against sides and rounds written out over all derivations."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import brute_force
from hopefear import _core
from hopefear.candidates import ForestSet
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest
from hopefear.learners import ForestRampion
from hopefear.losses import (
    BayesRisk,
    Hinge,
    Loss,
    Perceptron,
    Ramp1,
    Ramp2,
    Ramp3,
    losses,
)
from hopefear.metrics import Bleu, Chrf, References
from hopefear.metrics.bleu_references import BleuReferences
from hopefear.regularizers import L1, NoPenalty
from hopefear.types import FloatArray
from strategies import arrays, forests, whole
from tuning_sets import FOREST_START, next_state, synthetic_forests

BLEU = Bleu(tokenize="none")
SMALL = synthetic_forests(sentences=12, longest=3)
START = FOREST_START.vector(SMALL.feature_names)

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


@dataclass(frozen=True)
class Side:
    """What a side compares, given scores and gains of all derivations, and how it chooses."""

    values: Callable[[FloatArray, FloatArray], FloatArray]
    soft: bool = False

    def shares(self, s: FloatArray, b: FloatArray) -> FloatArray:
        """The share of each derivation; of a max, of the first of the best."""
        values = self.values(s, b)
        shares = np.exp(values - values.max()) if self.soft else np.eye(len(s))[np.argmax(values)]
        return np.asarray(shares / shares.sum())

    def check(self, found: FloatArray, rows: FloatArray, s: FloatArray, b: FloatArray) -> None:
        """Require the mean of the derivations' rows, or the row of any of the best."""
        values = self.values(s, b)
        fitting = rows[values > values.max() - 1e-6]
        expected = self.shares(s, b) @ rows if self.soft else fitting
        assert np.abs(expected - found).max(axis=-1, initial=0.0).min() < 1e-6


ONE_BEST, SOFT = Side(lambda s, b: s), Side(lambda s, b: s, soft=True)
HOPE, SOFT_HOPE = Side(lambda s, b: s + b), Side(lambda s, b: s + b, soft=True)
FEAR, SOFT_FEAR = Side(lambda s, b: s - b), Side(lambda s, b: s - b, soft=True)
ORACLE = Side(lambda s, b: np.where(b > b.max() - 1e-9, s, -np.inf))
SOFT_ORACLE = replace(ORACLE, soft=True)
SIDES: dict[str, tuple[Loss, Side, Side]] = {
    "ramp 1": (Ramp1(), ONE_BEST, FEAR),
    "ramp 2": (Ramp2(), HOPE, ONE_BEST),
    "ramp 3": (Ramp3(), HOPE, FEAR),
    "soft ramp 1": (losses["soft-ramp-1"](), SOFT, SOFT_FEAR),
    "soft ramp 3": (losses["soft-ramp-3"](), SOFT_HOPE, SOFT_FEAR),
    "Och and Ney": (Ramp2(soft="down"), HOPE, SOFT),
    "soft up": (Ramp3(soft="up"), SOFT_HOPE, FEAR),
    "perceptron": (Perceptron(), ORACLE, ONE_BEST),
    "log": (losses["log"](), SOFT_ORACLE, SOFT),
    "hinge": (Hinge(reference="hope"), HOPE, FEAR),
}
every_loss = pytest.mark.parametrize("name", SIDES)


@dataclass
class Derivations:
    """Those of a forest, a row each."""

    uses: FloatArray
    edge_features: FloatArray
    statistics: FloatArray
    exact: FloatArray

    @property
    def features(self) -> FloatArray:
        return self.uses @ self.edge_features


def enumerate_all(data: ForestSet, sentence: int) -> Derivations:
    forest = data.forests[sentence]
    assert forest is not None
    found, names = brute_force.derivations(forest), list(forest.feature_names)
    strings = [brute_force.words(forest, derivation) for derivation in found]
    edges = [forest.features(edge) for edge in range(forest.edge_count)]
    references = data.references.sentences[sentence]
    return Derivations(
        np.array([np.bincount(d, minlength=forest.edge_count) for d in found], dtype=np.float64),
        np.array([[edge.get(name, 0.0) for name in names] for edge in edges]),
        np.array([brute_force.bleu_statistics(string, references) for string in strings]),
        data.prepared.statistics(
            [" ".join(string) for string in strings], np.full(len(found), sentence), threads=1
        ),
    )


def tuning_set(forest: Forest, references: list[str], growth: int = 10_000) -> ForestSet:
    data = ForestSet([forest], References([references]), BLEU, threads=1)
    assert isinstance(data.prepared, BleuReferences)
    data.bleu_forests = data.prepared.split_forests(data.core, forest.words, growth=growth)
    return data


def raised(
    data: ForestSet, gain: FloatArray, weights: FloatArray, loss: Loss, *, cost_scale: float = 1.0
) -> FloatArray:
    assert data.bleu_forests is not None
    return _core.raised_edges(
        data.core, data.bleu_forests, gain, weights, cost_scale, loss.core(), 1
    )


def epoch(
    data: ForestSet,
    gain: FloatArray,
    weights: FloatArray,
    loss: Loss,
    held: FloatArray,
    *,
    rate: float = 0.1,
    cost_scale: float = 1.0,
) -> _core.SubgradientState:
    assert data.bleu_forests is not None
    return _core.forest_subgradient_epoch(
        data.core,
        data.bleu_forests,
        gain,
        loss.core(),
        held,
        np.arange(data.sentence_count),
        rate=rate,
        shrinkage=0.0,
        l1=0.0,
        cost_scale=cost_scale,
        state=_core.SubgradientState(weights, np.empty(0)),
    )


@every_loss
@given(
    forest=forests(whole),
    references=st.lists(texts, min_size=1, max_size=2),
    w=arrays(3, whole),
    gain=arrays(9, whole),
)
def test_sides_are_those_of_all_derivations(
    name: str, forest: Forest, references: list[str], w: FloatArray, gain: FloatArray
) -> None:
    loss, up, down = SIDES[name]
    data = tuning_set(forest, references)
    weights = np.resize(w, len(forest.feature_names))
    held = raised(data, gain, weights, loss, cost_scale=2.0)
    after = epoch(data, gain, weights, loss, held, rate=1.0, cost_scale=2.0)
    found = enumerate_all(data, 0)
    s, b = found.features @ weights, 2.0 * found.statistics @ gain
    up.check(held, found.uses, s, b)
    # w′ = w + h⁺ − h⁻, and the loss is M(s + b c) − w · h⁺
    risen = held @ found.edge_features
    fallen = risen - (after.weights() - weights)
    down.check(fallen, found.features, s, b)
    values = down.values(s, b)
    top = brute_force.log_sum_exp(values.tolist()) if down.soft else values.max()
    assert_allclose(after.loss, top - risen @ weights, rtol=1e-9, atol=1e-6)


def mean_gain(best: list[FloatArray], decay: float) -> FloatArray:
    """The mean of linear BLEU at b̄ ← decay (b̄ + b), after each sentence."""
    document, gains = np.array([4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0, 4.0]), []
    for b in best:
        document = np.maximum(decay * (document + b), 0.1)
        gains.append(_core.linear_bleu(document))
    return np.asarray(np.mean(gains, axis=0))


def slow_rounds(data: ForestSet, learner: ForestRampion, rounds: int, *sides: Side) -> FloatArray:
    """Algorithm 1, lines 4 to 15, over all derivations; what goes up is held during the passes."""
    w, (up, down) = START.copy(), sides
    everything = [enumerate_all(data, i) for i in range(data.sentence_count)]
    for _ in range(rounds):
        best = [one.exact[np.argmax(one.features @ w)] for one in everything]
        gain = learner.cost_scale * mean_gain(best, learner.decay)
        held = [up.shares(one.features @ w, one.statistics @ gain) for one in everything]
        for _ in range(learner.passes):
            for one, q in zip(everything, held, strict=True):
                p = down.shares(one.features @ w, one.statistics @ gain)
                w = w - learner.rate * (w - START) / len(everything)
                w = w + learner.rate * (q - p) @ one.features
    return w


@every_loss
def test_rounds_are_those_of_the_procedure(name: str) -> None:
    loss, *sides = SIDES[name]
    learner = ForestRampion(loss=loss, rate=0.01, cost_scale=3.0, decay=0.8, passes=3)
    state = learner.start(SMALL, START, START)
    for number in range(4):
        state = next_state(learner, SMALL, state, (1, number))
    expected = slow_rounds(SMALL, learner, 4, *sides)
    assert np.abs(expected - START).max() > 0.01
    assert_allclose(learner.weights(state), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["ramp 1", "ramp 2", "ramp 3", "soft ramp 3", "log"])
def test_a_round_lowers_its_loss(name: str) -> None:
    loss, up, down = SIDES[name]
    learner = ForestRampion(loss=loss, rate=0.001, cost_scale=1.0, regularizer=NoPenalty())
    everything = [enumerate_all(SMALL, i) for i in range(SMALL.sentence_count)]

    def value(side: Side, s: FloatArray, b: FloatArray) -> float:
        values = side.values(s, b)
        return brute_force.log_sum_exp(values.tolist()) if side.soft else float(values.max())

    def total(w: FloatArray, gain: FloatArray) -> float:
        rows = [(one.features @ w, one.statistics @ gain) for one in everything]
        return sum(value(down, s, b) - value(up, s, b) for s, b in rows)

    state = learner.start(SMALL, START, START)
    for number in range(5):
        before = learner.weights(state)
        gain = mean_gain(list(SMALL.best_statistics(before)), learner.decay)
        state = next_state(learner, SMALL, state, (1, number))
        assert total(learner.weights(state), gain) < total(before, gain)


def test_what_is_learned_holds_for_other_sentences() -> None:
    data, held_out = synthetic_forests(sentences=60), synthetic_forests(sentences=60, seed=2)
    for loss in (Ramp3(), losses["soft-ramp-3"](), losses["log"]()):
        learner = ForestRampion(loss=loss, rate=0.01)
        state = learner.start(data, START, START)
        for number in range(10):
            state = next_state(learner, data, state, (1, number))
        assert held_out.score(learner.weights(state)) > held_out.score(START) + 10


def test_a_lasso_that_outweighs_the_losses_leaves_no_weight() -> None:
    learner = ForestRampion(rate=0.01, regularizer=L1(strength=200.0))
    state = learner.start(SMALL, START, START)
    for number in range(10):
        state = next_state(learner, SMALL, state, (1, number))
    assert not learner.weights(state).any()


def test_sentences_without_forests_and_forests_too_large_to_split_are_passed_over() -> None:
    forest = SMALL.forests[0]
    assert forest is not None
    data = tuning_set(forest, list(SMALL.references.sentences[0]), growth=0)
    learner = ForestRampion()
    state = next_state(learner, data, learner.start(data, START, START), (1, 0))
    assert_array_equal(learner.weights(state), START)
    more = ForestSet(
        [*SMALL.forests[:4], None, *SMALL.forests[4:]],
        References([*SMALL.references.sentences[:4], ["nothing"], *SMALL.references.sentences[4:]]),
        BLEU,
        threads=1,
    )
    learner = ForestRampion(regularizer=NoPenalty())
    found = [
        learner.weights(next_state(learner, one, learner.start(one, START, START), (1, 0)))
        for one in (SMALL, more)
    ]
    assert_array_equal(found[0], found[1])


@pytest.mark.parametrize(
    "loss", [BayesRisk(), Perceptron(reference="bold"), Hinge(reference="local")]
)
def test_losses_that_need_lists_are_refused(loss: Loss) -> None:
    with pytest.raises(ConfigError, match=r"ForestRampion\.loss.*'rampion'"):
        ForestRampion(loss=loss)
    with pytest.raises(DataError, match="needs lists"):
        raised(SMALL, np.zeros(9), START, loss)


def test_metrics_that_do_not_add_up_over_edges_are_refused() -> None:
    data = synthetic_forests(sentences=2, metric=Chrf())
    with pytest.raises(ConfigError, match="BLEU with tokenize = 'none'"):
        ForestRampion().start(data, START, START)


def test_numbers_that_do_not_fit_the_forests_are_refused() -> None:
    held = np.zeros(SMALL.core.edge_count)
    with pytest.raises(DataError, match="8 coefficients of gains, the forests have 9"):
        raised(SMALL, np.zeros(8), START, Ramp3())
    with pytest.raises(DataError, match="3 weights for 4 features"):
        raised(SMALL, np.zeros(9), START[:3], Ramp3())
    with pytest.raises(DataError, match="shares for"):
        epoch(SMALL, np.zeros(9), START, Ramp3(), held[1:])
    other = synthetic_forests().bleu_forests
    assert other is not None
    with pytest.raises(DataError, match="12 forests, but 20 with statistics"):
        _core.raised_edges(SMALL.core, other, np.zeros(9), START, 1.0, Ramp3().core(), 1)
