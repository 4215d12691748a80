"""The line search against the evaluation of every interval between any two lines' crossings."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopefear._core import MeanScore
from hopefear.errors import ConfigError, DataError
from hopefear.nbest import ErrorSurface, NBestBuilder, error_surface
from hopefear.types import FloatArray

# A line is slope, intercept and two statistics. Small integers make parallel and equal lines, and
# many that cross in one point; all arithmetic on them is exact.
Line = tuple[int, int, int, int]
LINES = st.tuples(*[st.integers(-4, 4)] * 4)
CORPORA = st.lists(st.lists(LINES, max_size=7), max_size=5)


def surface_of(corpus: list[list[Line]], threads: int = 1) -> ErrorSurface:
    offsets = np.cumsum([0, *map(len, corpus)])
    lines = np.array([line for lines in corpus for line in lines], dtype=float).reshape(-1, 4)
    slopes, intercepts = lines[:, 0].copy(), lines[:, 1].copy()
    return error_surface(offsets, slopes, intercepts, lines[:, 2:].copy(), threads)


def statistics_at(corpus: list[list[Line]], step: Fraction) -> list[int]:
    """Return the summed statistics of the best lines, of equal ones the first."""
    best = [max(lines, key=lambda line: line[0] * step + line[1]) for lines in corpus if lines]
    return [sum(line[i] for line in best) for i in (2, 3)]


def inner_points(corpus: list[list[Line]]) -> list[Fraction]:
    """Return a point between any two crossings, and one on either side of all."""
    crossings = {
        Fraction(a[1] - b[1], b[0] - a[0])
        for lines in corpus
        for a in lines
        for b in lines
        if a[0] != b[0]
    }
    points = [min(crossings, default=0) - Fraction(1), *sorted(crossings)]
    points.append(points[-1] + 1)
    return [(a + b) / 2 for a, b in pairwise(points)]


def score(statistics: list[int] | FloatArray) -> float:
    return float(statistics[0] - 2 * abs(statistics[1] - 1))


def search(
    surface: ErrorSurface, lower: float = -math.inf, upper: float = math.inf
) -> tuple[float, float]:
    _, statistics = surface.table()
    scores = np.array([score(row) for row in statistics])
    result = surface.search_scores(scores, score(surface.at_zero), lower, upper)
    assert result.score_at_zero == score(surface.at_zero)
    return result.step, result.score


@given(CORPORA)
def test_the_surface_has_the_statistics_of_the_best_lines_everywhere(
    corpus: list[list[Line]],
) -> None:
    breakpoints, statistics = surface_of(corpus).table()
    for point in inner_points(corpus):
        place = sum(breakpoint < point for breakpoint in breakpoints)
        assert statistics[place].tolist() == statistics_at(corpus, point)


@given(CORPORA)
def test_breakpoints_increase_and_are_crossings_of_lines(corpus: list[list[Line]]) -> None:
    breakpoints, statistics = surface_of(corpus).table()
    assert len(statistics) == len(breakpoints) + 1
    assert all(np.diff(breakpoints) > 0)
    crossings = {
        (a[1] - b[1]) / (b[0] - a[0])
        for lines in corpus
        for a in lines
        for b in lines
        if a[0] != b[0]
    }
    assert set(breakpoints.tolist()) <= crossings


@given(CORPORA)
def test_the_statistics_at_zero_are_those_of_the_first_best_lines(
    corpus: list[list[Line]],
) -> None:
    assert surface_of(corpus).at_zero.tolist() == statistics_at(corpus, Fraction(0))


@given(CORPORA)
@example([[(0, 0, 0, 1), (1, 0, 3, 1)]])
@example([[(0, 0, 0, 1), (-1, 0, 3, 1)]])
@example([[(0, 2, 0, 1), (1, 1, 3, 1)], [(0, 2, 0, 0), (-1, 1, -4, 0)]])
# At step 0 other lines count than on both sides, which have the same score: everywhere, with
# breakpoints and without, and between two of them.
@example([[(0, 0, 0, 1), (1, 0, 4, 2), (-1, 0, 4, 1)], [(0, 0, 0, 0), (1, 0, 0, 0), (-1, 0, 1, 1)]])
@example([[(0, 0, 0, 1), (1, 0, 3, 1), (-1, 0, 3, 1)]])
@example([[(0, 0, 0, 1), (1, 0, 3, 1), (-1, 0, 3, 1), (3, -2, 1, 1), (-3, -2, 1, 1)]])
# In the middle of the best interval a line ties with those on both sides, which are as good.
@example(
    [[(0, 0, 0, 1), (1, -1, 4, 1), (2, -3, 0, 1)], [(2, -1, -4, 0), (0, 2, 0, 0), (4, -4, 0, 0)]]
)
def test_the_search_finds_the_best_interval_and_a_step_inside_it(corpus: list[list[Line]]) -> None:
    step, found = search(surface_of(corpus))
    start = score(statistics_at(corpus, Fraction(0)))
    best = max(score(statistics_at(corpus, point)) for point in inner_points(corpus))
    assert found == max(best, start)
    assert score(statistics_at(corpus, Fraction(step))) == found
    assert (step == 0) == (best <= start)


@given(CORPORA)
def test_a_fine_grid_finds_nothing_better(corpus: list[list[Line]]) -> None:
    _, found = search(surface_of(corpus))
    grid = [Fraction(2 * i + 1, 509) for i in range(-2500, 2500, 25)]
    assert all(score(statistics_at(corpus, step)) <= found for step in grid)


@given(CORPORA, st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2]))
def test_bounds_are_respected(corpus: list[list[Line]], lower: int, upper: int) -> None:
    step, found = search(surface_of(corpus), -lower, upper)
    assert -lower <= step <= upper
    inside = [point for point in inner_points(corpus) if -lower < point < upper]
    scores = [score(statistics_at(corpus, point)) for point in [Fraction(0), *inside]]
    assert found >= max(scores)
    assert score(statistics_at(corpus, Fraction(step))) == found


def test_the_step_is_the_middle_of_the_best_interval() -> None:
    lines = [(-1, -1, 0, 1), (0, 0, 0, 1), (1, -1, 5, 1), (3, -9, 0, 1)]
    assert search(surface_of([lines])) == (2.5, 5.0)  # the third is the best from 1 to 4


def test_the_nearest_of_equally_good_intervals_is_chosen() -> None:
    lines = [(-2, -6, 5, 1), (-1, -1, 0, 1), (0, 0, 0, 1), (1, -1, 5, 1), (2, -3, 0, 1)]
    assert search(surface_of([lines])) == (1.5, 5.0)  # not beyond -5


def test_neighbouring_intervals_of_one_score_are_one_interval() -> None:
    lines = [(0, 0, 0, 1), (1, -1, 5, 1), (2, -3, 6, 0), (3, -6, 0, 1)]
    others = [[(0, 0, 0, 0)]]
    surface = surface_of([lines, *others])
    breakpoints, statistics = surface.table()
    assert breakpoints.tolist() == [1.0, 2.0, 3.0]
    result = surface.search_scores(np.array([0.0, 5.0, 5.0, 0.0]), 0.0)
    # The middle is a breakpoint, where lines tie: half as far it is, then.
    assert (result.step, result.score, len(statistics)) == (1.5, 5.0, 4)


@pytest.mark.parametrize(("width", "step"), [(1e-12, 1.5), (1e-6, 1.0 + 5e-7)])
def test_an_interval_that_rounding_may_have_made_is_not_chosen(width: float, step: float) -> None:
    # Two sentences change at 1, one of them a little later, and others at 2.
    ends, slopes = [0.0, -1.0, 0.0, -1.0 - width, 0.0, -2.0], [0.0, 1.0] * 3
    statistics = np.arange(12.0).reshape(6, 2)
    surface = error_surface(np.array([0, 2, 4, 6]), np.array(slopes), np.array(ends), statistics, 1)
    found = surface.search_scores(np.array([0.0, 9.0, 5.0, 0.0]), 0.0)
    assert found.step == pytest.approx(step, rel=1e-9)


@pytest.mark.parametrize(("sign", "step"), [(1, 4.3), (-1, -4.3)])
def test_beyond_the_last_breakpoint_the_step_goes_a_tenth_of_the_reach(
    sign: int, step: float
) -> None:
    lines = [(0, 0, 0, 1), (sign, -1, 0, 0), (2 * sign, -5, 5, 1)]  # crossings at 1 and 4
    found, _ = search(surface_of([lines]))
    assert found == pytest.approx(step + sign * 0.1, rel=1e-12)


def test_the_step_can_leave_a_single_breakpoint_at_zero() -> None:
    assert search(surface_of([[(0, 0, 0, 1), (1, 0, 5, 1)]])) == (1.0, 5.0)


def envelope(lines: list[tuple[int, int]]) -> tuple[list[Fraction], list[int]]:
    """Return breakpoints and lines of the upper envelope, by slope, in exact arithmetic."""
    order = sorted(range(len(lines)), key=lambda i: (lines[i][0], -lines[i][1], i))
    kept: list[int] = []
    starts: list[Fraction] = []
    for i in order:
        if kept and lines[kept[-1]][0] == lines[i][0]:
            continue
        while kept:
            (a, b), (c, d) = lines[kept[-1]], lines[i]
            start = Fraction(b - d, c - a)
            if len(kept) == 1 or start > starts[-1]:
                starts.append(start)
                break
            kept.pop()
            starts.pop()
        kept.append(i)
    return starts, kept


CURVES = {
    "a cloud": [(i * 7919 % 997 - 500, i * 104729 % 1009 - 500) for i in range(3000)],
    "few slopes": [(i * 7919 % 5, i * 104729 % 1009) for i in range(300)],
    "a parabola": [(i, -i * i) for i in range(-700, 700)],
    "half a parabola, backwards": [(-i, -i * i) for i in range(1500)],
    "steeper and steeper": [(1 << i, -(1 << (2 * i))) for i in range(26)],
    "copies of a parabola": [(i % 90, -((i % 90) ** 2)) for i in range(900)],
    "a straight line": [(i, 3 * i) for i in range(100)],
    "a valley": [(i, i * i) for i in range(-60, 90)],
}


@pytest.mark.parametrize("name", CURVES)
def test_the_envelope_of_many_lines_is_exact(name: str) -> None:
    lines = CURVES[name]
    expected_starts, expected_lines = envelope(lines)
    slopes, intercepts = np.array(lines, dtype=float).T.copy()
    numbers = np.arange(len(lines), dtype=float)[:, None]
    breakpoints, statistics = error_surface(
        np.array([0, len(lines)]), slopes, intercepts, numbers
    ).table()
    assert breakpoints.tolist() == [float(start) for start in expected_starts]
    assert statistics[:, 0].tolist() == expected_lines


def test_lines_too_parallel_to_cross_are_left_out() -> None:
    offsets, slopes = np.array([0, 2]), np.array([0.0, 5e-324])
    surface = error_surface(offsets, slopes, np.array([1.0, 0.0]), np.array([[1.0], [2.0]]))
    breakpoints, statistics = surface.table()
    assert breakpoints.tolist() == []
    assert statistics.tolist() == [[1.0]]


def test_fractions_do_not_drift() -> None:
    rng = np.random.default_rng(3)
    sentences, size = 500, 30
    offsets = np.arange(sentences + 1) * size
    slopes, intercepts = rng.normal(size=(2, sentences * size))
    statistics = rng.choice([0.1, 0.3, 1e6 + 0.7], (sentences * size, 1))
    surface = error_surface(offsets, slopes, intercepts, statistics)
    breakpoints, sums = surface.table()
    ends = [breakpoints[0] - 1], breakpoints, [breakpoints[-1] + 1]
    middles = [(a + b) / 2 for a, b in pairwise(np.concatenate(ends))]
    assert len(breakpoints) > 1000
    for middle, found in list(zip(middles, sums[:, 0], strict=True))[::97]:
        scores = (intercepts + middle * slopes).reshape(sentences, size)
        best = scores.argmax(axis=1) + offsets[:-1]
        assert found == pytest.approx(math.fsum(statistics[best, 0]), rel=1e-15)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    rng = np.random.default_rng(4)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 700))])
    count = int(offsets[-1])
    slopes, intercepts = rng.normal(size=(2, count))
    statistics = rng.normal(size=(count, 3))
    tables = [error_surface(offsets, slopes, intercepts, statistics, t).table() for t in (1, 2, 5)]
    for table in tables[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(table, tables[0], strict=True))


def test_n_best_lists_have_the_surface_of_their_lines() -> None:
    rng = np.random.default_rng(5)
    builder = NBestBuilder()
    for i in range(500):
        builder.add(int(rng.integers(0, 90)), f"text {i}", {"a": float(i)})
    lists = builder.finish(sentences=100)
    origins, slopes = rng.normal(size=(2, len(lists)))
    statistics = rng.integers(0, 5, (len(lists), 4)).astype(float)
    lists.set_statistics(statistics)
    expected = error_surface(lists.offsets, slopes, origins, statistics).table()
    surface = lists.error_surface(origins, slopes)
    assert all(np.array_equal(a, b) for a, b in zip(surface.table(), expected, strict=True))
    assert np.array_equal(surface.at_zero, lists.sum_statistics(lists.best_of(origins)))


@given(st.integers(0, 1 << 32))
def test_a_metric_of_the_core_finds_what_its_scores_find(seed: int) -> None:
    rng = np.random.default_rng(seed)
    offsets = np.arange(0, 210, 10)
    slopes, intercepts = rng.normal(size=(2, 200))
    matches = rng.integers(0, 9, (200, 1)).astype(float)
    statistics = np.concatenate([matches, np.full((200, 1), 10.0)], axis=1)
    surface = error_surface(offsets, slopes, intercepts, statistics)
    metric = MeanScore(higher_is_better=True)
    _, sums = surface.table()
    expected = surface.search_scores(metric.rows(sums), metric(surface.at_zero))
    found = surface.search(metric)
    assert (found.step, found.score) == (expected.step, expected.score)
    assert found.score_at_zero == expected.score_at_zero == metric(surface.at_zero)
    assert found.score >= found.score_at_zero


def test_a_metric_with_other_statistics_is_an_error() -> None:
    surface = error_surface(np.array([0, 1]), np.zeros(1), np.zeros(1), np.zeros((1, 3)))
    with pytest.raises(DataError, match="the metric takes 2 statistics, the hypotheses have 3"):
        surface.search(MeanScore(higher_is_better=True))


def test_invalid_arguments_are_errors() -> None:
    offsets, numbers, statistics = np.array([0, 2]), np.zeros(2), np.zeros((2, 1))
    with pytest.raises(DataError, match="the slope of line 1 is nan"):
        error_surface(offsets, np.array([0.0, np.nan]), numbers, statistics)
    with pytest.raises(DataError, match="3 intercepts for 2 lines"):
        error_surface(offsets, numbers, np.zeros(3), statistics)
    with pytest.raises(DataError, match="3 statistics for 2 lines with 1 each"):
        error_surface(offsets, numbers, numbers, np.zeros((3, 1)))
    for wrong in ([1, 2], [0, 3, 2], []):
        with pytest.raises(DataError, match=r"offsets .* must begin with 0 and not decrease"):
            error_surface(np.array(wrong, dtype=np.int64), numbers, numbers, statistics)
    surface = error_surface(offsets, numbers, numbers, statistics)
    with pytest.raises(DataError, match="2 scores for 1 intervals"):
        surface.search_scores(np.zeros(2), 0.0)
    with pytest.raises(DataError, match="the metric's score between -inf and inf is nan"):
        surface.search_scores(np.array([np.nan]), 0.0)
    with pytest.raises(ConfigError, match="must have 0 between them, got 1"):
        surface.search_scores(np.zeros(1), 0.0, 1.0, 2.0)
