"""Bins of uniform population, against exhaustive search and their definition."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hopefear import _core
from hopefear.errors import DataError, FormatError
from hopefear.translation.features.bins import (
    Bins,
    Discretization,
    bin_name,
    read_bins,
    split_bin_name,
    spread,
    write_bins,
)
from hopefear.types import FloatArray, Weights

few = st.lists(st.integers(1, 12), min_size=1, max_size=9)
values = st.lists(st.sampled_from([-3.0, -1.5, 0.0, 0.25, 1.0, 2.0, 7.0, 50.0]), min_size=1)


def size_by_iteration(frequencies: list[int], bins: int) -> float:
    """Equations 5 and 6, with the number of bins in place of the number of values."""
    f, u = np.array(frequencies, dtype=float), np.inf
    for _ in range(20_000):
        u = f.sum() / bins
        if (f <= u).all():
            break
        f = np.minimum(f, u)
    return float(u)


def partitions(count: int, bins: int) -> Iterator[list[int]]:
    for cuts in combinations(range(1, count), bins - 1):
        yield [0, *cuts]


def unevenness(frequencies: list[int], begins: list[int], u: float) -> float:
    """Equation 7."""
    capped = np.minimum(np.array(frequencies, dtype=float), u)
    return float(np.abs(np.add.reduceat(capped, begins) - u).mean())


@given(few, st.integers(1, 9))
def test_the_size_of_bins_is_where_the_iteration_of_the_paper_ends(
    frequencies: list[int], bins: int
) -> None:
    bins = min(bins, len(frequencies))
    found = _core.uniform_size(np.array(frequencies, dtype=float), bins)
    assert found == pytest.approx(size_by_iteration(frequencies, bins), rel=1e-3)
    assert np.minimum(frequencies, found).sum() == pytest.approx(bins * found)


@settings(max_examples=200)
@given(few, st.integers(1, 9))
def test_no_other_bins_are_more_uniform(frequencies: list[int], bins: int) -> None:
    bins = min(bins, len(frequencies))
    f = np.array(frequencies, dtype=float)
    u, begins = _core.uniform_size(f, bins), _core.uniform_bins(f, bins).tolist()
    assert begins[0] == 0
    assert sorted(set(begins)) == begins
    assert len(begins) == bins
    best = min(unevenness(frequencies, other, u) for other in partitions(len(f), bins))
    assert unevenness(frequencies, begins, u) == pytest.approx(best, abs=1e-9)


def test_bins_of_very_many_values_are_uniform_too() -> None:
    draw = np.random.default_rng(1)
    f = np.ceil(draw.pareto(1.0, size=60_000))
    bins = 4096
    u, begins = _core.uniform_size(f, bins), _core.uniform_bins(f, bins)
    population = np.add.reduceat(np.minimum(f, u), begins)
    assert (np.diff(begins) > 0).all()
    assert np.abs(population - u).mean() < 0.1 * u


@pytest.mark.parametrize(("frequencies", "bins"), [([1.0], 2), ([1.0], 0), ([1.0, 0.0], 1)])
def test_bins_that_cannot_be_filled_are_refused(frequencies: list[float], bins: int) -> None:
    with pytest.raises(DataError, match=r"bins|frequency"):
        _core.uniform_bins(np.array(frequencies), bins)


INCREASING = [np.exp, np.tanh, lambda x: x**3, lambda x: 1e-3 * x - 7]


@given(values, st.integers(1, 4), st.sampled_from(INCREASING))
def test_increasing_functions_of_a_feature_have_the_same_bins(
    sample: list[float], most: int, function: np.ufunc
) -> None:
    x = np.array(sample) / 10
    own, other = Bins.learned(x, most), Bins.learned(function(x), most)
    assert_array_equal(own.find(x), other.find(function(x)))
    assert_array_equal(own.count, other.count)


@given(values, st.integers(1, 8))
def test_every_bin_has_values_and_every_value_is_in_its_bin(sample: list[float], most: int) -> None:
    x = np.array(sample)
    bins = Bins.learned(x, most)
    assert len(bins) == min(most, len(set(sample)))
    found = bins.find(x)
    assert_array_equal(np.bincount(found, minlength=len(bins)), bins.count)
    for j in range(len(bins)):
        own = x[found == j]
        assert (own.min(), own.max()) == (bins.lowest[j], bins.highest[j])
        assert own.mean() == pytest.approx(bins.mean[j])


@given(values, st.lists(st.floats(-100, 100), min_size=1), st.integers(1, 8))
def test_unseen_values_belong_to_the_nearest_bin(
    sample: list[float], unseen: list[float], most: int
) -> None:
    bins = Bins.learned(np.array(sample), most)
    for x, found in zip(unseen, bins.find(np.array(unseen)), strict=True):
        distances = np.maximum(np.maximum(bins.lowest - x, x - bins.highest), 0.0)
        assert distances[found] == pytest.approx(distances.min(), abs=1e-9)


def test_neighboring_numbers_can_be_in_different_bins() -> None:
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert Bins.learned(x, 2).find(x).tolist() == [0, 1]


def test_overlapping_bins_fire_together() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    places, fired = Bins.learned(x, 4, overlap=True).fired(np.array([1.0, 3.0]))
    assert sorted(zip(places.tolist(), fired.tolist(), strict=True)) == [
        (0, 0), (0, 1), (1, 1), (1, 2), (1, 3),
    ]  # fmt: skip


def test_a_bin_has_the_name_of_its_feature_and_a_number() -> None:
    assert split_bin_name(bin_name("a#b", 3)) == ("a#b", 3)
    assert split_bin_name("a#b") is None


def test_bins_are_read_as_they_were_written(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    written = {
        "p": Bins.learned(draw.normal(size=50), 8),
        "WordPenalty": Bins.learned(draw.poisson(3, size=50).astype(float), 8, kept=True),
        "count f": Bins.learned(draw.normal(size=50) * 1e-9, 8, overlap=True),
    }
    write_bins(tmp_path / "bins.tsv", written)
    found = read_bins(tmp_path / "bins.tsv")
    assert list(found) == list(written)
    for name, own in written.items():
        other = found[name]
        assert (other.kept, other.overlap) == (own.kept, own.overlap)
        for field in ("lowest", "highest", "mean", "count", "borders"):
            assert_array_equal(getattr(other, field), getattr(own, field))


@pytest.mark.parametrize(
    "row",
    [
        "bin\tp\t1\t0\t1\t0.5\t3",
        "bin\tp\t0\t0\t1",
        "bun\tp\t0\t0\t1\t0.5\t3",
        "bin\tp\t0\t1\t0\t2\t3",
    ],
)
def test_damaged_bins_are_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "bins.tsv").write_text(f"{row}\n")
    with pytest.raises(FormatError, match=r"bins\.tsv:1: expected the next bin"):
        read_bins(tmp_path / "bins.tsv")


def test_weights_spread_over_bins_score_as_before_where_a_bin_is_one_value() -> None:
    x: FloatArray = np.array([0.5, 1.0, 4.0])
    bins = {"p": Bins.learned(x, 4), "w": Bins.learned(x, 4, kept=True)}
    found = spread(Weights({"p": 2.0, "w": 3.0, "lm": 1.0}), bins)
    assert [found[bin_name("p", j)] for j in range(3)] == [1.0, 2.0, 8.0]
    assert (found["w"], found["w#0"], found["lm"]) == (3.0, 0.0, 1.0)
    assert "p" not in found


@given(values, st.integers(1, 4), st.sampled_from(INCREASING))
def test_increasing_functions_of_a_feature_start_on_the_same_line(
    sample: list[float], most: int, function: np.ufunc
) -> None:
    x = np.array(sample) / 10
    own, other = Bins.learned(x, most), Bins.learned(function(x), most)
    one_each = len(set(sample)) <= most
    if one_each:
        assert_array_equal(own.ranks, own.mean)
    else:
        assert_array_equal(own.ranks, other.ranks)
        assert (np.diff(own.ranks) > 0).all()
        assert own.ranks.mean() == pytest.approx(-5.0)
        assert ((own.ranks > -10) & (own.ranks < 0)).all()
    found = spread(Weights({"p": 0.2}), {"p": own}, start="ranks")
    assert [found[name] for name in own.names("p")] == pytest.approx((0.2 * own.ranks).tolist())


def test_which_features_are_discretized_is_a_setting() -> None:
    how = Discretization(bits=2, features=("p_*", "Word*"), kept=("Word*",), overlap=True)
    assert [how.chooses(name) for name in ("p_e", "WordPenalty", "LM")] == [True, True, False]
    bins = how.learn("WordPenalty", np.arange(9.0), kept=())
    assert (len(bins), bins.kept, bins.overlap) == (4, True, True)
    assert Discretization().learn("lm", np.arange(9.0), kept=("*",)).kept
