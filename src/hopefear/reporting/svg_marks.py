"""Lines, bands, points and boxes as SVG."""

from collections.abc import Iterator

from hopefear.reporting.axis import Axis
from hopefear.reporting.chart import Band, Boxes, Line, Mark, Points, Symbol
from hopefear.reporting.markup import Markup, element

__all__ = ["draw_mark", "draw_symbol", "number", "path"]


def draw_mark(mark: Mark, x: Axis, y: Axis) -> Markup:
    """Return a mark, drawn between two axes."""
    color = f"c{mark.color}"
    match mark:
        case Line():
            line = path(_curve(mark, x, y), stroke_dasharray="5 4" if mark.dashed else None)
            return element(
                "g", line, class_=color, stroke="currentColor", fill="none", stroke_width=2
            )
        case Band():
            area = path(_area(mark, x, y))
            return element("g", area, class_=color, fill="currentColor", fill_opacity=0.18)
        case Points():
            return element("g", *_points(mark, x, y), class_=color)
        case Boxes():
            return element("g", *_boxes(mark, x, y), class_=color, fill="currentColor")


def _curve(mark: Line, x: Axis, y: Axis) -> str:
    """Return the path of a line; it goes on after a gap."""
    steps, pen = [], "M"
    for a, b in zip(mark.x, mark.y, strict=True):
        if b is None:
            pen = "M"
            continue
        steps.append(f"{pen}{number(x.place(a))} {number(y.place(b))}")
        pen = "L"
    return "".join(steps)


def _area(mark: Band, x: Axis, y: Axis) -> str:
    above = list(zip(mark.x, mark.high, strict=True))
    below = list(zip(mark.x, mark.low, strict=True))
    corners = [f"{number(x.place(a))} {number(y.place(b))}" for a, b in above + below[::-1]]
    return f"M{'L'.join(corners)}Z" if corners else ""


def _points(mark: Points, x: Axis, y: Axis) -> Iterator[Markup]:
    labels = mark.labels or [""] * len(mark.x)
    for a, b, label in zip(mark.x, mark.y, labels, strict=True):
        drawn = draw_symbol(mark.symbol, x.place(a), y.place(b), mark.size)
        yield element("g", element("title", label), drawn) if label else drawn


def _boxes(mark: Boxes, x: Axis, y: Axis) -> Iterator[Markup]:
    labels = mark.labels or [""] * len(mark.left)
    corners = zip(mark.left, mark.right, mark.bottom, mark.top, labels, strict=True)
    for left, right, bottom, top, label in corners:
        begin, end = sorted((y.place(bottom), y.place(top)))
        yield element(
            "rect",
            *([element("title", label)] if label else []),
            x=number(x.place(left)),
            y=number(begin),
            width=number(x.place(right) - x.place(left)),
            height=number(end - begin),
        )


def draw_symbol(symbol: Symbol, x: float, y: float, size: float) -> Markup:
    """Return the sign of a point: `size` is half its width."""
    a, b, r = number(x), number(y), number(size)
    match symbol:
        case "circle":
            return element("circle", cx=a, cy=b, r=r, fill="currentColor", fill_opacity=0.75)
        case "ring":
            return element("circle", cx=a, cy=b, r=r, fill="none", stroke="currentColor")
        case "square":
            corners = f"M{number(x - size)} {number(y - size)}h{2 * size}v{2 * size}h{-2 * size}Z"
        case "diamond":
            corners = f"M{a} {number(y - size)}l{r} {r}l-{r} {r}l-{r} -{r}Z"
        case "triangle":
            corners = f"M{a} {number(y - size)}l{r} {number(1.8 * size)}h{-2 * size}Z"
    return path(corners, fill="currentColor")


def path(steps: str, **attributes: str | float | None) -> Markup:
    """Return a path."""
    return element("path", d=steps, **attributes)


def number(value: float) -> str:
    """Return a place on the picture: a tenth of a pixel will do."""
    return f"{value + 0.0:.1f}".removesuffix(".0")
