"""Charts as SVG: sharp at every size, and the same bytes every time.

The positions are computed here; `templates/chart.svg` writes them down.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hopefear.reporting.chart import COLORS, Band, Boxes, Chart, Line, Mark, Points, Symbol
from hopefear.reporting.page import render

__all__ = ["Axis", "chart_svg", "fit_axis", "format_tick", "picture_svg", "round_ticks"]

WIDTH, HEIGHT = 500, 300
LEFT, RIGHT, BOTTOM = 58, 14, 46
ROW, KEY_ROW = 20, 18  # heights of a named row and of a row of the legend
LETTER = 6.8  # mean width of a letter
SAMPLE = 28  # width of what the legend draws before a name
LONGEST_ROW, LONGEST_KEY = 28, 56  # letters
STEPS = {"x": 8, "y": 6}  # about as many steps between ticks


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Maps numbers from `low` to `high` to positions from `begin` to `end`.

    All numbers of a logarithmic axis are exponents of 10.
    """

    low: float
    high: float
    begin: float
    end: float
    ticks: Sequence[float]
    step: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return the position of a number."""
        return self.place_tick(math.log10(value) if self.log else value)

    def place_tick(self, tick: float) -> float:
        """Return the position of a tick."""
        return self.begin + (tick - self.low) / (self.high - self.low) * (self.end - self.begin)


def fit_axis(
    values: Iterable[float],
    begin: float,
    end: float,
    *,
    steps: int = 6,
    whole: bool = False,
    log: bool = False,
) -> Axis:
    """Return an axis that shows all values with some room around them."""
    places = map(math.log10, values) if log else values
    finite = [value for value in places if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = 0.04 * (high - low) or abs(low) * 0.05 or 0.5
    low, high = low - room, high + room
    step = _round_step((high - low) / steps, whole=whole or (log and high - low > 2))
    ticks = round_ticks(low, high, step)
    return Axis(low=low, high=high, begin=begin, end=end, ticks=ticks, step=step, log=log)


def round_ticks(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of `step` between two numbers.

    Examples
    --------
    >>> round_ticks(-0.3, 1.1, 0.5)
    [0.0, 0.5, 1.0]
    """
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _round_step(step: float, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, about `step`."""
    least = 0.75 * step
    power = 10.0 ** math.floor(math.log10(least))
    chosen = next(n * power for n in (1.0, 2.0, 5.0, 10.0) if n * power >= least * (1 - 1e-9))
    return max(chosen, 1.0) if whole else chosen


def format_tick(value: float, step: float) -> str:
    """Return a number with as many digits as the steps between ticks need.

    Examples
    --------
    >>> format_tick(0.30000000000000004, 0.1), format_tick(20000.0, 5000.0)
    ('0.3', '20000')
    """
    if value and not 1e-4 <= step <= 1e6:
        return f"{value:.3g}"
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{digits}f}"


def picture_svg(chart: Chart) -> str:
    """Return an SVG file, with its own title and colors."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_draw(chart, alone=True)}\n'


def chart_svg(chart: Chart) -> Markup:
    """Return an SVG element for a page, which has the title and the colors."""
    return Markup(_draw(chart, alone=False))


def _draw(chart: Chart, *, alone: bool) -> str:
    keys, top = _legend(chart.marks, 34 if alone else 8)
    if chart.rows:
        bottom = top + ROW * len(chart.rows)
        count = len(chart.rows)
        y = Axis(low=-0.5, high=count - 0.5, begin=top, end=bottom, ticks=range(count), step=1)
        names = [shortened(name, LONGEST_ROW) for name in chart.rows]
    else:
        bottom = top + HEIGHT - BOTTOM
        y = fit_axis(_all_y(chart.marks), bottom, top, steps=STEPS["y"])
        names = [format_tick(tick, y.step) for tick in y.ticks]
    # Room for the names of the ticks and for the label of the axis.
    left = max(LEFT, (32 if chart.y_label else 14) + LETTER * max(map(len, names), default=0))
    right = WIDTH - RIGHT
    x = fit_axis(
        _all_x(chart.marks), left, right, steps=STEPS["x"], whole=chart.whole_x, log=chart.log_x
    )
    return render(
        "chart.svg",
        chart=chart,
        alone=alone,
        colors=COLORS,
        width=WIDTH,
        frame={"left": left, "top": top, "right": right, "bottom": bottom},
        x=x,
        y=y,
        x_ticks=[
            (x.place_tick(tick), f"{10.0**tick:.2g}" if x.log else format_tick(tick, x.step))
            for tick in x.ticks
        ],
        y_ticks=[(y.place(tick), name) for tick, name in zip(y.ticks, names, strict=True)],
        keys=keys,
        marks=[_placed(mark, x, y) for mark in chart.marks],
    )


def _all_x(marks: Iterable[Mark]) -> Iterator[float]:
    for mark in marks:
        match mark:
            case Line() | Band() | Points():
                yield from mark.x
            case Boxes():
                yield from (*mark.left, *mark.right)


def _all_y(marks: Iterable[Mark]) -> Iterator[float]:
    for mark in marks:
        match mark:
            case Line():
                yield from (y for y in mark.y if y is not None)
            case Points():
                yield from mark.y
            case Band():
                yield from (*mark.low, *mark.high)
            case Boxes():
                yield from (*mark.bottom, *mark.top)


def _legend(marks: Sequence[Mark], top: float) -> tuple[list[dict[str, object]], float]:
    """Return the entries of the legend, in rows above the chart, and where the chart begins."""
    keys: list[dict[str, object]] = []
    x, y = float(LEFT), top
    for mark in marks:
        if not mark.name or not mark.listed:
            continue
        text = shortened(mark.name, LONGEST_KEY)
        needed = SAMPLE + LETTER * len(text) + 16
        if x > LEFT and x + needed > WIDTH - RIGHT:
            x, y = LEFT, y + KEY_ROW
        keys.append({"mark": _shape(mark), "text": text, "x": x, "y": y})
        x += needed
    return keys, y + (KEY_ROW + 6 if keys else 6)


def shortened(name: str, longest: int) -> str:
    """Return a name without its middle if it is too long.

    Examples
    --------
    >>> shortened("PhraseDictionaryFeature", 11)
    'Phras…ature'
    """
    if len(name) <= longest:
        return name
    kept = longest - 1
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def _shape(mark: Mark) -> dict[str, object]:
    """Return how a mark looks, wherever it is."""
    shape: dict[str, object] = {"name": mark.name, "color": f"c{mark.color}"}
    match mark:
        case Line():
            return shape | {"kind": "line", "dashed": mark.dashed}
        case Points():
            outline = _outline(mark.symbol, mark.size)
            return shape | {"kind": mark.symbol, "size": mark.size, "outline": outline}
        case _:
            return shape | {"kind": "band" if isinstance(mark, Band) else "boxes"}


def _outline(symbol: Symbol, r: float) -> str:
    match symbol:
        case "square":
            return f"M{-r:g} {-r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}Z"
        case "diamond":
            return f"M0 {-r:g}l{r:g} {r:g}l{-r:g} {r:g}l{-r:g} {-r:g}Z"
        case "triangle":
            return f"M0 {-r:g}l{r:g} {1.8 * r:g}h{-2 * r:g}Z"
        case _:
            return ""  # circles have none


def _placed(mark: Mark, x: Axis, y: Axis) -> dict[str, object]:
    """Return how a mark looks and where it is."""
    shape = _shape(mark)
    match mark:
        case Line():
            shape["path"] = _path(zip(mark.x, mark.y, strict=True), x, y)
            known = [pair for pair in zip(mark.x, mark.y, strict=True) if pair[1] is not None]
            shape["figures"] = known if mark.name else []
        case Band():
            outline = [*zip(mark.x, mark.high, strict=True)]
            outline += [*zip(mark.x, mark.low, strict=True)][::-1]
            shape["path"] = f"{_path(outline, x, y)}Z" if outline else ""
        case Points():
            labels = mark.labels or [""] * len(mark.x)
            shape["spots"] = [
                (x.place(a), y.place(b), label)
                for a, b, label in zip(mark.x, mark.y, labels, strict=True)
            ]
        case Boxes():
            shape["spots"] = list(_boxes(mark, x, y))
    return shape


def _path(points: Iterable[tuple[float, float | None]], x: Axis, y: Axis) -> str:
    """Return a path through points; it is interrupted where there is no y."""
    steps, pen = [], "M"
    for a, b in points:
        if b is None:
            pen = "M"
            continue
        steps.append(f"{pen}{x.place(a):.1f} {y.place(b):.1f}")
        pen = "L"
    return "".join(steps)


def _boxes(mark: Boxes, x: Axis, y: Axis) -> Iterator[tuple[float, float, float, float, str]]:
    labels = mark.labels or [""] * len(mark.left)
    edges = zip(mark.left, mark.right, mark.bottom, mark.top, labels, strict=True)
    for left, right, bottom, top, label in edges:
        begin, end = sorted((y.place(bottom), y.place(top)))
        yield x.place(left), begin, x.place(right) - x.place(left), end - begin, label
