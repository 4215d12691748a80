"""Charts as SVG: small, sharp at every size, the same bytes every time."""

from collections.abc import Iterable
from dataclasses import dataclass

from hopefear.reporting.axis import Axis, fit_axis, format_tick
from hopefear.reporting.chart import Band, Boxes, Chart, Line, Mark, Points
from hopefear.reporting.colors import picture_colors
from hopefear.reporting.markup import Markup, element, join
from hopefear.reporting.svg_legend import draw_legend, shortened
from hopefear.reporting.svg_marks import draw_mark, number, path

__all__ = ["chart_svg", "picture_svg"]

WIDTH, HEIGHT = 640, 340
LEFT, RIGHT, BOTTOM = 62, 14, 46
ROW = 20  # height of a named row
LETTER = 6.6  # mean width of a letter
LONGEST_NAME = 28


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """Where on the picture the axes are."""

    x: Axis
    y: Axis
    height: float


def picture_svg(chart: Chart) -> str:
    """Return an SVG file, with the chart's title and its own colors."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_draw(chart, alone=True)}\n'


def chart_svg(chart: Chart) -> Markup:
    """Return an SVG element for a page, which has the title and the colors."""
    return _draw(chart, alone=False)


def _draw(chart: Chart, *, alone: bool) -> Markup:
    top = 34 if alone else 8
    legend, legend_height = draw_legend(chart.marks, LEFT, top, WIDTH - LEFT - RIGHT)
    frame = _frame(chart, top + legend_height + 6)
    parts: list[str] = []
    if alone:
        parts.append(element("style", Markup(picture_colors())))
        title = element("text", chart.title, x=LEFT, y=22, fill="currentColor", font_size=15)
        parts.append(element("g", title, class_="ink", font_weight=600))
    marks = [draw_mark(mark, frame.x, frame.y) for mark in chart.marks]
    return element(
        "svg",
        element("title", chart.title),
        element("desc", chart.description),
        *parts,
        legend,
        _axes(chart, frame),
        *marks,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {number(frame.height)}",
        role="img",
        font_family="system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif",
        font_size=12,
    )


def _frame(chart: Chart, top: float) -> _Frame:
    left: float = LEFT
    if chart.rows:
        left = 24 + LETTER * max(min(len(name), LONGEST_NAME) for name in chart.rows)
        height = top + ROW * len(chart.rows) + BOTTOM
        y = Axis(
            low=-0.5,
            high=len(chart.rows) - 0.5,
            begin=top,
            end=height - BOTTOM,
            ticks=range(len(chart.rows)),
            step=1,
        )
    else:
        height = HEIGHT + top
        y = fit_axis(_all_y(chart.marks), height - BOTTOM, top)
    x = fit_axis(_all_x(chart.marks), left, WIDTH - RIGHT, ticks=8, whole=chart.whole_x)
    return _Frame(x=x, y=y, height=height)


def _all_x(marks: Iterable[Mark]) -> Iterable[float]:
    for mark in marks:
        yield from [*mark.left, *mark.right] if isinstance(mark, Boxes) else mark.x


def _all_y(marks: Iterable[Mark]) -> Iterable[float]:
    for mark in marks:
        match mark:
            case Line():
                yield from (y for y in mark.y if y is not None)
            case Points():
                yield from mark.y
            case Band():
                yield from [*mark.low, *mark.high]
            case Boxes():
                yield from [*mark.bottom, *mark.top]


def _axes(chart: Chart, frame: _Frame) -> Markup:
    x, y = frame.x, frame.y
    top, bottom = min(y.begin, y.end), max(y.begin, y.end)
    lines = [path(f"M{number(x.place(t))} {number(top)}V{number(bottom)}") for t in x.ticks]
    lines += [path(f"M{number(x.begin)} {number(y.place(t))}H{number(x.end)}") for t in y.ticks]
    texts = [_text(format_tick(t, x.step), x.place(t), bottom + 16, "middle") for t in x.ticks]
    for row, t in enumerate(y.ticks):
        name = shortened(chart.rows[row], LONGEST_NAME) if chart.rows else format_tick(t, y.step)
        texts.append(_text(name, x.begin - 8, y.place(t) + 4, "end"))
    texts.append(_text(chart.x_label, (x.begin + x.end) / 2, bottom + 36, "middle"))
    if chart.y_label:
        middle = (top + bottom) / 2
        turned = f"rotate(-90 14 {number(middle)})"
        texts.append(_text(chart.y_label, 14, middle, "middle", transform=turned))
    return join(
        element("g", *lines, class_="grid", stroke="currentColor"),
        element("g", *texts, class_="ink", fill="currentColor"),
    )


def _text(text: str, x: float, y: float, anchor: str, *, transform: str | None = None) -> Markup:
    place = {"x": number(x), "y": number(y)}
    return element("text", text, **place, text_anchor=anchor, transform=transform)
