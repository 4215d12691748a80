"""The names of the marks of a picture, in rows above it."""

from collections.abc import Sequence

from hopefear.reporting.chart import Band, Boxes, Line, Mark, Points
from hopefear.reporting.markup import Markup, element
from hopefear.reporting.svg_marks import draw_symbol, number, path

__all__ = ["draw_legend", "shortened"]

LETTER = 6.8  # mean width of a letter
ROW = 18
SAMPLE = 22  # width of the drawn part
LONGEST = 60


def draw_legend(
    marks: Sequence[Mark], left: float, top: float, width: float
) -> tuple[Markup, float]:
    """Return the legend and its height; marks without a name are not in it."""
    x, y = left, top
    parts: list[str] = []
    for mark in marks:
        if not mark.name:
            continue
        name = shortened(mark.name, LONGEST)
        needed = SAMPLE + 6 + LETTER * len(name) + 16
        if x > left and x + needed > left + width:
            x, y = left, y + ROW
        text = element(
            "text", name, x=number(x + SAMPLE + 6), y=number(y + 11), fill="currentColor"
        )
        parts.append(element("g", _sample(mark, x, y + 7), class_=f"c{mark.color}"))
        parts.append(element("g", text, class_="ink"))
        x += needed
    return element("g", *parts), (y - top + ROW if parts else 0)


def shortened(name: str, longest: int) -> str:
    """Return a name that is not too long: the middle of a longer one is left out.

    Examples
    --------
    >>> shortened("PhraseDictionaryFeature", 11)
    'Phras…ature'
    """
    if len(name) <= longest:
        return name
    kept = longest - 1
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def _sample(mark: Mark, x: float, y: float) -> Markup:
    match mark:
        case Line():
            dashes = "5 4" if mark.dashed else None
            steps = f"M{number(x)} {number(y)}h{SAMPLE}"
            return path(steps, stroke="currentColor", stroke_width=2, stroke_dasharray=dashes)
        case Points():
            return draw_symbol(mark.symbol, x + SAMPLE / 2, y, mark.size)
        case Band() | Boxes():
            opacity = 0.18 if isinstance(mark, Band) else 1
            steps = f"M{number(x + 4)} {number(y - 5)}h14v10h-14Z"
            return path(steps, fill="currentColor", fill_opacity=opacity)
