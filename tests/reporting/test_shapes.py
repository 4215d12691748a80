"""Pictures of the shapes of discretized features."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hopefear
from candidate_files import write_candidates
from hopefear.reporting import read_run, report_html, write_pictures
from hopefear.reporting.chart import Line
from hopefear.reporting.shapes import fitted_curve, shape_chart, shapes_section
from hopefear.reporting.svg import picture_svg
from hopefear.translation.features.bins import Bins


def test_a_logarithm_is_found_where_the_bins_follow_one() -> None:
    bins = Bins.learned(np.random.default_rng(1).random(500), 16)
    name, curve, explained = fitted_curve(bins, 2.0 - 0.5 * np.log(bins.mean))
    assert name == "2 − 0.5 log x"
    assert explained == pytest.approx(1.0)
    assert_allclose(curve(np.array([1.0, np.e])), [2.0, 1.5])


def test_the_fit_is_that_of_weighted_least_squares() -> None:
    draw = np.random.default_rng(2)
    bins = Bins.learned(np.round(draw.random(500), 2) + 0.01, 16)
    shape = draw.normal(size=len(bins))
    _, curve, explained = fitted_curve(bins, shape)
    root = np.sqrt(bins.count)
    design = np.column_stack([np.ones(len(bins)), np.log(bins.mean)])
    solution = np.linalg.lstsq(design * root[:, None], shape * root, rcond=None)[0]
    assert_allclose(curve(bins.mean), design @ solution)
    assert 0 <= explained < 1


def test_a_feature_with_negative_values_has_a_line() -> None:
    bins = Bins.learned(np.arange(-4.0, 4.0), 8)
    name, _, explained = fitted_curve(bins, 1.0 + 3.0 * bins.mean)
    assert name == "1 + 3 x"
    assert explained == pytest.approx(1.0)
    assert fitted_curve(bins, np.zeros(8))[2] == 1.0


def test_a_picture_has_the_bins_and_the_curve() -> None:
    bins = Bins.learned(np.array([0.1, 0.2, 0.4]), 4)
    chart = shape_chart("p", bins, np.array([1.0, 2.0, 2.5]))
    curve, line = (mark for mark in chart.marks if isinstance(mark, Line))
    assert "log x" in curve.name
    assert (list(line.x), list(line.y)) == ([0.1, 0.2, 0.4], [1.0, 2.0, 2.5])


def test_bins_over_several_powers_of_ten_are_drawn_over_the_logarithm() -> None:
    bins = Bins.learned(np.array([0.001, 0.1, 1.0]), 4)
    chart = shape_chart("p", bins, np.array([1.0, 2.0, 2.5]))
    curve, line = (mark for mark in chart.marks if isinstance(mark, Line))
    assert chart.log_x
    assert_allclose(line.x, [0.001, 0.1, 1.0])
    # There the logarithm is a line.
    slopes = np.diff(np.array(curve.y, dtype=float)) / np.diff(np.log(np.array(curve.x)))
    assert_allclose(slopes, slopes[0])
    picture = picture_svg(chart)
    assert [f">{tick}</text>" in picture for tick in (0.001, 0.01, 0.1, 1)] == [True] * 4


def test_two_bins_have_no_fitted_curve() -> None:
    chart = shape_chart("p", Bins.learned(np.array([0.0, 1.0]), 4), np.array([0.0, 2.0]))
    assert [mark.name for mark in chart.marks] == ["bins", "bins"]
    assert "gray" not in chart.description


@pytest.mark.parametrize("how", ["bits=3", "bits=3,overlap=true", "bits=3,kept=[]"])
def test_a_report_shows_what_the_bins_of_a_run_add(tmp_path: Path, how: str) -> None:
    files = write_candidates(tmp_path, sentences=40)
    run = tmp_path / "run"
    found = hopefear.tune(
        "pro", nbest=files.nbest, refs=files.refs, tokenize="none", discretize=how, out=run
    )
    record = read_run(run)
    assert "Shape of lm" in report_html([record])
    pictures = [path.name for path in write_pictures([run], tmp_path / "pictures")]
    assert sum("shape-of" in name for name in pictures) == len(record.bins) == 5
    section = shapes_section([record], top=2)
    assert section is not None
    assert len(section.charts) == 2
    bins = record.bins["lm"]
    whole = shapes_section([record], top=9)
    assert whole is not None
    chart = next(chart for chart in whole.charts if chart.x_label == "lm")
    shown = [mark for mark in chart.marks if isinstance(mark, Line)][1]
    names = bins.names("lm")
    for j, y in enumerate(shown.y):
        fired = names[max(j - 1, 0) : j + 2] if bins.overlap else [names[j]]
        expected = sum(found.weights[name] for name in fired)
        if bins.kept:
            expected += found.weights["lm"] * float(bins.mean[j])
        assert y == pytest.approx(expected)


def test_a_run_without_bins_has_no_shapes(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    hopefear.tune("pro", nbest=files.nbest, refs=files.refs, tokenize="none", out=tmp_path / "run")
    assert "Shape of" not in report_html([read_run(tmp_path / "run")])
