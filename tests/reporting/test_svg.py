"""Charts: marks are drawn where their numbers say."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.reporting.chart import Band, Boxes, Chart, Line, Mark, Points
from hopefear.reporting.svg import chart_svg, fit_axis, format_tick, picture_svg

SVG = "{http://www.w3.org/2000/svg}"
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)


def chart(*marks: Mark, rows: tuple[str, ...] = ()) -> Chart:
    return Chart(title="T", description="D", x_label="x", y_label="y", marks=marks, rows=rows)


def circles(svg: str) -> list[tuple[float, float]]:
    found = ET.fromstring(svg).iter(f"{SVG}circle")
    return [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in found]


def test_points_are_placed_in_proportion_and_up_is_more() -> None:
    points = Points(name="", x=[0, 1, 4], y=[10, 20, 50], color=0)
    (x0, y0), (x1, y1), (x2, y2) = circles(picture_svg(chart(points)))
    assert x0 < x1 < x2
    assert y0 > y1 > y2
    assert (x2 - x0) / (x1 - x0) == pytest.approx(4, rel=0.01)
    assert (y2 - y0) / (y1 - y0) == pytest.approx(4, rel=0.01)


@given(st.lists(st.tuples(FINITE, FINITE), max_size=20))
def test_everything_is_inside_the_frame_whatever_the_numbers(
    numbers: list[tuple[float, float]],
) -> None:
    points = Points(name="p", x=[x for x, _ in numbers], y=[y for _, y in numbers], color=0)
    svg = picture_svg(chart(points))
    _, _, width, height = map(float, ET.fromstring(svg).get("viewBox", "").split())
    for x, y in circles(svg):
        assert 0 <= x <= width
        assert 0 <= y <= height


@given(FINITE, FINITE)
def test_an_axis_has_a_few_ticks_at_round_numbers_in_order(a: float, b: float) -> None:
    axis = fit_axis([a, b], 0.0, 100.0)
    places = [axis.place(tick) for tick in axis.ticks]
    assert 1 <= len(places) <= 9
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)
    mantissa = axis.step / 10 ** math.floor(math.log10(axis.step) + 1e-9)
    assert min(abs(mantissa - n) for n in (1, 2, 5, 10)) < 1e-9


def test_a_whole_axis_has_no_fractions() -> None:
    assert fit_axis([0, 1], 0, 1, whole=True).ticks == [0, 1]


def test_ticks_have_as_many_digits_as_they_need() -> None:
    assert [format_tick(t, 0.05) for t in (0.1, 0.15000000000000002)] == ["0.10", "0.15"]
    assert format_tick(-0.0, 1.0) == "0"


def test_a_line_continues_after_a_gap() -> None:
    line = Line(name="", x=[0, 1, 2, 3], y=[1, None, 1, 2], color=1, dashed=True)
    drawn = [p for p in ET.fromstring(chart_svg(chart(line))).iter(f"{SVG}path")]
    (steps,) = [p.get("d", "") for p in drawn if p.get("stroke-dasharray")]
    assert re.sub(r"[\d. ]", "", steps) == "MML"


def test_a_band_is_closed_and_boxes_have_their_sizes() -> None:
    band = Band(name="", x=[0, 1], low=[0, 1], high=[2, 3], color=0)
    boxes = Boxes(name="b", left=[0, 1], right=[1, 3], bottom=[0, 0], top=[2, 1], color=1)
    svg = chart_svg(chart(band, boxes))
    one, two = ET.fromstring(svg).iter(f"{SVG}rect")
    assert float(two.get("width", "")) == pytest.approx(2 * float(one.get("width", "")), abs=0.2)
    assert float(one.get("height", "")) == pytest.approx(2 * float(two.get("height", "")), abs=0.2)
    assert re.search(r'd="M[^"]*Z"', svg)


def test_rows_are_named_from_the_top_and_long_names_are_shortened() -> None:
    long = "a" * 100
    points = Points(name="", x=[1, 2], y=[0, 1], color=0)
    svg = chart_svg(chart(points, rows=("first", long)))
    (_, y0), (_, y1) = circles(svg)
    assert y0 < y1
    texts = [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]
    assert "first" in texts
    assert long not in texts
    assert "aaa…aaa" in "".join(texts)


def test_names_labels_and_titles_are_escaped() -> None:
    evil = "<script>alert('&')</script>"
    points = Points(name=evil, x=[0], y=[0], color=0, labels=[evil])
    made = Chart(
        title=evil, description=evil, x_label=evil, y_label=evil, marks=[points], rows=[evil]
    )
    svg = picture_svg(made)
    assert "<script" not in svg
    assert [t.text for t in ET.fromstring(svg).iter(f"{SVG}title")] == [evil, evil]


def test_the_same_chart_gives_the_same_bytes() -> None:
    points = Points(name="p", x=[0, 0.1], y=[0.3, 1e9], color=0, symbol="triangle")
    assert picture_svg(chart(points)) == picture_svg(chart(points))
