"""The upper envelope of a forest equals that of the lines of all its derivations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
import strategies
from hopefear.errors import ForestError
from hopefear.forest import Forest, nbest_forest
from hopefear.types import FloatArray, Hypothesis

Scored = tuple[Forest, FloatArray]


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


def test_of_equal_lines_the_edge_of_the_lowest_number_stays() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in "abc"])
    envelope = forest.envelope(edge_scores=np.zeros(3), edge_slopes=np.array([1.0, 1.0, 1.0]))
    assert [envelope.derivation(i).text for i in range(len(envelope))] == ["a"]


def test_a_line_that_only_touches_the_envelope_is_left_out() -> None:
    forest = nbest_forest([Hypothesis(text=t) for t in ("left", "middle", "right")])
    envelope = forest.envelope(edge_scores=np.zeros(3), edge_slopes=np.array([-1.0, 0.0, 1.0]))
    assert [envelope.derivation(i).text for i in range(len(envelope))] == ["left", "right"]
    assert envelope.breakpoints.tolist() == [-math.inf, 0.0]


def test_lines_whose_differences_overflow_cross_where_they_should() -> None:
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
