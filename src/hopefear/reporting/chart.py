"""What a chart shows, as plain values. `svg.py` draws it, for pages and for files alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "BEST",
    "COLORS",
    "FEAR",
    "GRAY",
    "HOPE",
    "PALE",
    "SERIES_COLORS",
    "Band",
    "Boxes",
    "Chart",
    "Line",
    "Mark",
    "Points",
    "Symbol",
]

Symbol = Literal["circle", "ring", "square", "diamond", "triangle"]

COLORS = {
    # On a light and on a dark background; distinguishable with the common color deficiencies.
    "c0": ("#2368b0", "#6cabef"),  # blue
    "c1": ("#c8690a", "#f2a14a"),  # orange
    "c2": ("#1f8455", "#57c795"),  # green
    "c3": ("#c02f3c", "#f2727d"),  # red
    "c4": ("#7d4fa8", "#bd93e4"),  # violet
    "c5": ("#0f7c8c", "#4cc0d0"),  # teal
    "c6": ("#85662f", "#cfae72"),  # brown
    "c7": ("#68707c", "#a2aab6"),  # gray
    "c8": ("#b4bac4", "#5d6674"),  # pale gray
    "ink": ("#23272e", "#e4e7eb"),
    "grid": ("#e3e6ea", "#343a44"),
}
HOPE, FEAR, BEST, GRAY, PALE = 2, 3, 0, 7, 8
SERIES_COLORS = (0, 1, 4, 5, 6, 2, 3)  # for runs and stages; those of hope and fear come last


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Something that is drawn in a color.

    The legend lists marks by name and hides all marks of a name together; `listed` is false for
    those that only accompany another mark of the same name.
    """

    name: str
    color: int
    listed: bool = True


@dataclass(frozen=True, kw_only=True)
class Line(Mark):
    """Points joined by a line; a y of None leaves a gap."""

    x: Sequence[float]
    y: Sequence[float | None]
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Band(Mark):
    """The area between two curves."""

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Points(Mark):
    """Points, each with a label that appears under the pointer; `size` is half their width."""

    x: Sequence[float]
    y: Sequence[float]
    symbol: Symbol = "circle"
    size: float = 3.5
    labels: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Boxes(Mark):
    """Rectangles: the bars of a histogram, or the parts of a whole."""

    left: Sequence[float]
    right: Sequence[float]
    bottom: Sequence[float]
    top: Sequence[float]
    labels: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart with two axes.

    Parameters
    ----------
    title : str
        The heading.
    description : str
        What the chart shows: its caption, also for readers who cannot see it.
    x_label, y_label : str
        What the axes measure.
    marks : sequence of Mark
        What is drawn, from back to front.
    rows : sequence of str
        Names on the y axis instead of numbers, from the top: the first is at y = 0.
    whole_x : bool
        The x axis has whole numbers only.
    log_x : bool
        The x axis is logarithmic.
    """

    title: str
    description: str
    x_label: str
    y_label: str
    marks: Sequence[Mark]
    rows: Sequence[str] = ()
    whole_x: bool = False
    log_x: bool = False
