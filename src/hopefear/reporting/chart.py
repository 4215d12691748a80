"""What a picture shows, as values; how it is drawn is the renderers' business."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "BEST",
    "FEAR",
    "GRAY",
    "HOPE",
    "PALE",
    "Band",
    "Boxes",
    "Chart",
    "Line",
    "Mark",
    "Points",
    "Symbol",
]

Symbol = Literal["circle", "ring", "square", "diamond", "triangle"]

HOPE, FEAR, BEST, GRAY, PALE = 2, 3, 0, 7, 8
"""Colors that mean something; a color is the number of one in ``colors.py``."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Points joined by a line; a y of None leaves a gap."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    color: int
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Band:
    """The area between two curves."""

    name: str
    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    color: int


@dataclass(frozen=True, kw_only=True)
class Points:
    """Points, each with a text that shows up when it is pointed at."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: int
    symbol: Symbol = "circle"
    size: float = 3.5  # half the width
    labels: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Boxes:
    """Rectangles: the bars of a histogram, or the parts of a whole."""

    name: str
    left: Sequence[float]
    right: Sequence[float]
    bottom: Sequence[float]
    top: Sequence[float]
    color: int
    labels: Sequence[str] = ()


Mark = Line | Band | Points | Boxes


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture with two axes.

    Parameters
    ----------
    title : str
        What stands above it.
    description : str
        What it shows, in a sentence, for those who do not see it.
    x_label, y_label : str
        What the axes are.
    marks : sequence of Mark
        What is drawn, the first at the back.
    rows : sequence of str
        If given, the y axis has names in place of numbers: the first at the top is at y = 0, the
        next one below at y = 1.
    whole_x : bool
        The x axis counts: it has no fractions.
    """

    title: str
    description: str
    x_label: str
    y_label: str
    marks: Sequence[Mark]
    rows: Sequence[str] = ()
    whole_x: bool = False
