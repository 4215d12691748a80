"""Distributions and envelopes of forests."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import brute_force
import strategies
from hopefear.errors import ConfigError, ForestError
from hopefear.forest import Forest, nbest_forest
from hopefear.types import FloatArray, Hypothesis

Scored = tuple[Forest, FloatArray]


temperatures = st.sampled_from([0.5, 1.0, 3.0])


possible = strategies.distinct_scores.filter(
    lambda scored: bool(brute_force.possible_derivations(scored[0], scored[1].tolist()))
)


def close(expected: object, scale: float = 1.0) -> object:
    return pytest.approx(expected, rel=1e-9, abs=1e-11 * scale)


@given(scored=possible, temperature=temperatures)
def test_the_log_partition_sums_over_all_derivations(scored: Scored, temperature: float) -> None:
    forest, scores = scored
    found = brute_force.possible_derivations(forest, scores.tolist())
    exponents = [brute_force.score(d, scores.tolist()) / temperature for d in found]
    log_partition = forest.distribution(edge_scores=scores, temperature=temperature).log_partition
    scale = max(1.0, max(map(abs, exponents)))
    assert log_partition == close(brute_force.log_sum_exp(exponents), scale)


@given(scored=possible, temperature=temperatures)
def test_posteriors_are_expected_numbers_of_uses(scored: Scored, temperature: float) -> None:
    forest, scores = scored
    p = brute_force.probabilities(forest, scores.tolist(), temperature)
    found = forest.distribution(edge_scores=scores, temperature=temperature).posteriors()
    edges = [
        math.fsum(q * d.count(edge) for d, q in p.items()) for edge in range(forest.edge_count)
    ]
    assert found.edges.tolist() == close(edges)
    nodes = [math.fsum(edges[edge] for edge in forest.edges(n)) for n in range(forest.node_count)]
    assert found.nodes.tolist() == close(nodes)


@given(scored=possible, data=st.data(), temperature=temperatures)
def test_an_expectation_is_the_mean_over_all_derivations(
    scored: Scored, data: st.DataObject, temperature: float
) -> None:
    forest, scores = scored
    values = data.draw(strategies.arrays(forest.edge_count))
    p = brute_force.probabilities(forest, scores.tolist(), temperature)
    found = forest.distribution(edge_scores=scores, temperature=temperature).expectation(values)
    expected = brute_force.expectation(p, lambda d: brute_force.score(d, values.tolist()))
    assert found == close(expected, 1e3)


@given(scored=possible, temperature=temperatures)
def test_expected_features_are_means_over_all_derivations(
    scored: Scored, temperature: float
) -> None:
    forest, scores = scored
    p = brute_force.probabilities(forest, scores.tolist(), temperature)
    found = forest.distribution(edge_scores=scores, temperature=temperature).expected_features()
    for name, value in found.named(forest.feature_names).items():
        parts = [q * brute_force.features(forest, d).get(name, 0.0) for d, q in p.items()]
        assert value == close(math.fsum(parts), 1e3)


@given(scored=possible, data=st.data(), temperature=temperatures)
def test_the_covariance_with_features_is_that_over_all_derivations(
    scored: Scored, data: st.DataObject, temperature: float
) -> None:
    forest, scores = scored
    values = data.draw(strategies.arrays(forest.edge_count))
    p = brute_force.probabilities(forest, scores.tolist(), temperature)
    mean = brute_force.expectation(p, lambda d: brute_force.score(d, values.tolist()))
    distribution = forest.distribution(edge_scores=scores, temperature=temperature)
    found = distribution.covariance(values).named(forest.feature_names)
    for name in found:
        expected = math.fsum(
            q
            * (brute_force.score(d, values.tolist()) - mean)
            * brute_force.features(forest, d).get(name, 0.0)
            for d, q in p.items()
        )
        assert found[name] == close(expected, 1e6)


@given(forest=strategies.forests(), data=st.data())
def test_the_covariance_is_the_gradient_of_the_expectation(
    forest: Forest, data: st.DataObject
) -> None:
    values = data.draw(strategies.arrays(forest.edge_count)) / 100
    temperature, step = 2.0, 1e-5
    size = len(forest.feature_names)
    weights = data.draw(strategies.arrays(size)) / 10_000

    def expectation(w: FloatArray) -> float:
        return forest.distribution(w, temperature=temperature).expectation(values)

    found = forest.distribution(weights, temperature=temperature).covariance(values)
    for i, value in zip(found.ids.tolist(), found.values.tolist(), strict=True):
        moved = np.zeros(size)
        moved[i] = step
        difference = expectation(weights + moved) - expectation(weights - moved)
        # The error of central differences is step² times a third derivative, and rounding / step.
        assert value / temperature == pytest.approx(difference / (2 * step), rel=1e-3, abs=1e-3)


def test_a_covariance_does_not_suffer_from_a_large_mean() -> None:
    forest = nbest_forest([Hypothesis(text=t, features={t: 1.0}) for t in ("x", "y")])
    distribution = forest.distribution(edge_scores=np.zeros(2))
    # E[B h] − E[B] E[h] would be the difference of numbers near 10¹², known to 10⁻⁴.
    found = distribution.covariance(np.array([1e12, 1e12 + 1 / 1024]))
    assert found.values.tolist() == [-1 / 4096, 1 / 4096]


def test_an_edge_that_all_derivations_use_has_no_covariance() -> None:
    forest = nbest_forest([Hypothesis(text="x", features={"f": 3.0})])
    distribution = forest.distribution(edge_scores=np.array([1.0]))
    assert distribution.covariance(np.array([5.0])).values.tolist() == [0.0]
    assert distribution.edge_covariance(np.array([5.0])).tolist() == [0.0]


def test_equal_scores_that_are_very_large_give_equal_probabilities() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in "abc"])
    for score in 1e300, -1e300:
        found = forest.distribution(edge_scores=np.array([score, score, -1e308])).posteriors()
        assert found.edges.tolist() == [0.5, 0.5, 0.0]


@settings(max_examples=20)
@given(scored=possible, temperature=temperatures)
def test_samples_come_in_proportion_to_their_probabilities(
    scored: Scored, temperature: float
) -> None:
    forest, scores = scored
    p = brute_force.probabilities(forest, scores.tolist(), temperature)
    count = 2000
    drawn = forest.distribution(edge_scores=scores, temperature=temperature).sample(count, seed=7)
    frequency = Counter(tuple(d.edges.tolist()) for d in drawn)
    assert set(frequency) <= set(p)
    for d, q in p.items():
        # Six standard deviations and a half: seen by chance once in ten billion.
        deviation = math.sqrt(count * q * (1 - q))
        assert abs(frequency[d] - count * q) <= 6.5 * deviation + 1
    for derivation in drawn[:3]:
        expected = forest.derivation(derivation.edges, edge_scores=scores).score
        assert derivation.score == expected


def test_samples_depend_only_on_the_seed() -> None:
    forest = nbest_forest([Hypothesis(text=str(i)) for i in range(10)])
    scores = np.zeros(10)
    first = forest.distribution(edge_scores=scores).sample(50, seed=1)
    assert forest.distribution(edge_scores=scores).sample(50, seed=1) == first
    assert forest.distribution(edge_scores=scores).sample(20, seed=1) == first[:20]
    assert forest.distribution(edge_scores=scores).sample(50, seed=2) != first


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.inf, math.nan])
def test_a_temperature_that_is_not_positive_is_an_error(temperature: float) -> None:
    forest = nbest_forest([Hypothesis(text="x")])
    with pytest.raises(ConfigError, match="temperature must be positive and finite"):
        forest.distribution(edge_scores=np.zeros(1), temperature=temperature)


def test_a_score_that_overflows_when_divided_by_the_temperature_is_an_error() -> None:
    forest = nbest_forest([Hypothesis(text="x")])
    with pytest.raises(ForestError, match=r"the score of edge 0, .* divided by the temperature"):
        forest.distribution(edge_scores=np.array([1e300]), temperature=1e-10)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_edge_value_that_is_not_finite_is_an_error(value: float) -> None:
    distribution = nbest_forest([Hypothesis(text="x")]).distribution(edge_scores=np.zeros(1))
    with pytest.raises(ForestError, match="among the edge values, that of edge 0 is"):
        distribution.expectation(np.array([value]))


@given(scored=strategies.exact_scores, data=st.data())
def test_the_envelope_is_that_of_the_lines_of_all_derivations(
    scored: Scored, data: st.DataObject
) -> None:
    forest, scores = scored
    possible = brute_force.possible_derivations(forest, scores.tolist())
    assume(possible)
    slopes = data.draw(strategies.arrays(forest.edge_count, strategies.whole))
    lines = [
        (int(brute_force.score(d, slopes.tolist())), int(brute_force.score(d, scores.tolist())))
        for d in possible
    ]
    expected = brute_force.upper_envelope(iter(lines))
    envelope = forest.envelope(edge_scores=scores, edge_slopes=slopes)
    points = [-math.inf if point is None else float(point) for _, _, point in expected]
    assert envelope.slopes.tolist() == [slope for slope, _, _ in expected]
    assert envelope.intercepts.tolist() == [intercept for _, intercept, _ in expected]
    assert envelope.breakpoints.tolist() == points
    for line in range(len(envelope)):
        derivation = envelope.derivation(line)
        assert tuple(derivation.edges.tolist()) in possible
        again = forest.derivation(derivation.edges, edge_scores=slopes)
        assert again.score == envelope.slopes[line]
        again = forest.derivation(derivation.edges, edge_scores=scores)
        assert again.score == derivation.score == envelope.intercepts[line]


@given(scored=strategies.any_scores, data=st.data(), step=st.floats(-10, 10))
def test_the_line_at_a_step_is_the_best_derivation_there(
    scored: Scored, data: st.DataObject, step: float
) -> None:
    forest, scores = scored
    assume(brute_force.possible_derivations(forest, scores.tolist()))
    slopes = data.draw(strategies.arrays(forest.edge_count))
    envelope = forest.envelope(edge_scores=scores, edge_slopes=slopes)
    line = envelope.line_at(step)
    value = envelope.intercepts[line] + step * envelope.slopes[line]
    best = forest.viterbi(edge_scores=scores + step * slopes).score
    scale = max(1e4, float(np.abs(scores[np.isfinite(scores)]).max()))
    assert value == pytest.approx(best, rel=1e-9, abs=1e-11 * scale)


@given(scored=strategies.any_scores, data=st.data())
def test_slopes_and_breakpoints_increase(scored: Scored, data: st.DataObject) -> None:
    forest, scores = scored
    assume(brute_force.possible_derivations(forest, scores.tolist()))
    slopes = data.draw(strategies.arrays(forest.edge_count, strategies.huge))
    envelope = forest.envelope(edge_scores=scores, edge_slopes=slopes)
    assert np.all(np.diff(envelope.slopes) > 0)
    assert envelope.breakpoints[0] == -math.inf
    assert np.all(np.isfinite(envelope.breakpoints[1:]))
    assert all(a < b for a, b in zip(envelope.breakpoints, envelope.breakpoints[1:], strict=False))


def test_of_equal_lines_the_edge_with_the_lowest_number_is_kept() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in "abc"])
    envelope = forest.envelope(edge_scores=np.zeros(3), edge_slopes=np.array([1.0, 1.0, 1.0]))
    assert [envelope.derivation(i).text for i in range(len(envelope))] == ["a"]


def test_a_line_that_only_touches_the_envelope_is_left_out() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in ("left", "middle", "right")])
    envelope = forest.envelope(edge_scores=np.zeros(3), edge_slopes=np.array([-1.0, 0.0, 1.0]))
    assert [envelope.derivation(i).text for i in range(len(envelope))] == ["left", "right"]
    assert envelope.breakpoints.tolist() == [-math.inf, 0.0]


def test_lines_whose_differences_overflow_cross_at_the_right_step() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in "ab"])
    scores = np.array([1e308, -1e308])
    envelope = forest.envelope(edge_scores=scores, edge_slopes=np.array([-1e308, 1e308]))
    assert envelope.breakpoints.tolist() == [-math.inf, 1.0]
    envelope = forest.envelope(edge_scores=scores, edge_slopes=np.array([0.0, 5e-324]))
    assert envelope.breakpoints.tolist() == [-math.inf]
    assert envelope.derivation(0).text == "a"


def test_a_line_that_does_not_exist_is_an_error() -> None:
    envelope = nbest_forest([Hypothesis(text="x")]).envelope(
        edge_scores=np.zeros(1), edge_slopes=np.zeros(1)
    )
    with pytest.raises(ForestError, match="there is no line 1; the envelope has 1"):
        envelope.derivation(1)
