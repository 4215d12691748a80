"""The weights: where they started, which were taken, how they moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopefear.reporting.chart import BEST, GRAY, Boxes, Chart, Line, Mark, Points, Symbol
from hopefear.reporting.curves import run_colors
from hopefear.reporting.figures import format_weight
from hopefear.reporting.markup import Markup, element
from hopefear.reporting.page import Section, details, table
from hopefear.reporting.run_record import Replica, RunRecord
from hopefear.types import FloatArray

__all__ = ["weights_section"]

PATHS = 7  # weights in the picture of their ways: one for each color
BINS = 40


@dataclass(frozen=True, kw_only=True)
class _Moved:
    """Start, result (or None) and last weights of a run, and the features that moved most."""

    names: Sequence[str]
    start: FloatArray
    last: FloatArray
    taken: FloatArray | None
    largest: list[int]

    @property
    def result(self) -> FloatArray:
        return self.last if self.taken is None else self.taken


def weights_section(runs: Sequence[RunRecord], *, top: int) -> Section:
    """Return pictures and tables of the weights of each run, of the `top` features that moved most.

    Of several replicas, the one that was taken is shown, or else the first.
    """
    content: list[Markup | Chart] = list(_movement(runs))
    for run in runs:
        replica = _shown(run)
        if len(replica.history) > 1:
            content += _of_run(run, replica, top)
    return Section(title="Weights", content=content)


def _shown(run: RunRecord) -> Replica:
    chosen = run.summary.chosen if run.summary is not None else None
    return next((r for r in run.learned if r.number == chosen), run.learned[0])


def _of_run(run: RunRecord, replica: Replica, top: int) -> Iterator[Markup | Chart]:
    moved = _moved(replica, top)
    title = run.name if replica.number is None else f"{run.name}, replica {replica.number}"
    count = len(moved.names)
    if count > len(moved.largest):
        changed = int(np.count_nonzero(moved.result != moved.start))
        told = f"{title}: {count:,} features, of which {changed:,} have moved. "
        told += f"Shown are the {len(moved.largest)} that moved most."
        yield element("p", told)
    yield _dots(moved, title)
    yield details("The figures", _table(moved, title))
    yield _paths(replica, moved, title)
    if count > len(moved.largest):
        yield _histogram(moved, title)


def _moved(replica: Replica, top: int) -> _Moved:
    history = replica.history
    start, last = history.row(0), history.row(len(history) - 1)
    taken = None if replica.best is None else history.row(replica.best)
    change = np.abs((last if taken is None else taken) - start)
    largest = np.argsort(-change, kind="stable")[:top].tolist()
    names = history.features.texts()
    return _Moved(names=names, start=start, last=last, taken=taken, largest=largest)


def _dots(moved: _Moved, title: str) -> Chart:
    rows = list(range(len(moved.largest)))
    joined = [x for i in moved.largest for x in (moved.start[i], moved.result[i], None)]
    marks: list[Mark] = [
        Line(
            name="",
            x=[0.0 if x is None else float(x) for x in joined],
            y=[None if x is None else row // 3 for row, x in enumerate(joined)],
            color=GRAY,
        )
    ]
    columns: list[tuple[str, FloatArray, int, Symbol]] = [
        ("start", moved.start, GRAY, "ring"),
        ("last epoch", moved.last, 1, "diamond"),
    ]
    if moved.taken is not None:
        columns.append(("taken", moved.taken, BEST, "circle"))
    for name, values, color, symbol in columns:
        x = [float(values[i]) for i in moved.largest]
        labels = [
            f"{moved.names[i]}: {format_weight(w)} ({name})"
            for i, w in zip(moved.largest, x, strict=True)
        ]
        marks.append(
            Points(name=name, x=x, y=rows, color=color, symbol=symbol, size=5, labels=labels)
        )
    return Chart(
        title=f"Weights of {title}",
        description="Weights at the start, after the last epoch and those that were taken; the "
        "features that moved most are at the top.",
        x_label="weight",
        y_label="",
        marks=marks,
        rows=[moved.names[i] for i in moved.largest],
    )


def _table(moved: _Moved, title: str) -> Markup:
    rows = []
    for i in moved.largest:
        values = [moved.start[i], moved.result[i], moved.last[i], moved.result[i] - moved.start[i]]
        rows.append([moved.names[i], *[format_weight(float(value)) for value in values]])
    header = ["feature", "start", "taken" if moved.taken is not None else "so far", "last epoch"]
    return table([*header, "change"], rows, caption=title)


def _paths(replica: Replica, moved: _Moved, title: str) -> Chart:
    chosen = moved.largest[:PATHS]
    columns = replica.history.columns(chosen)
    epochs = [0, *[event.epoch for event in replica.epochs]]
    marks = [
        Line(name=moved.names[feature], x=epochs, y=columns[:, i].tolist(), color=i)
        for i, feature in enumerate(chosen)
    ]
    return Chart(
        title=f"The way of the weights of {title}",
        description=f"The {len(chosen)} weights that moved most, after each epoch.",
        x_label="epoch",
        y_label="weight",
        marks=marks,
        whole_x=True,
    )


def _histogram(moved: _Moved, title: str) -> Chart:
    weights = moved.result[moved.result != 0]
    counts, edges = np.histogram(weights, bins=BINS)
    labels = [
        f"{count} weights from {format_weight(low)} to {format_weight(high)}"
        for count, low, high in zip(
            counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True
        )
    ]
    boxes = Boxes(
        name="",
        left=edges[:-1].tolist(),
        right=edges[1:].tolist(),
        bottom=[0.0] * BINS,
        top=[float(np.log10(1 + count)) for count in counts.tolist()],
        color=BEST,
        labels=labels,
    )
    zeros = len(moved.result) - len(weights)
    return Chart(
        title=f"All weights of {title}",
        description=f"How many weights there are of each size, without the {zeros:,} that are 0.",
        x_label="weight",
        y_label="log10 (1 + number of weights)",
        marks=[boxes],
    )


def _movement(runs: Sequence[RunRecord]) -> Iterator[Markup | Chart]:
    """Give the picture of how far the weights move in each epoch, and its figures."""
    moves = {run.name: found for run in runs if (found := _moves(_shown(run)))}
    if not moves:
        return
    colors = run_colors(runs)
    marks: list[Mark] = []
    for name, by_epoch in moves.items():
        x, y = list(by_epoch), list(by_epoch.values())
        marks.append(Line(name=name, x=x, y=y, color=colors[name]))
        if len(x) == 1:  # a line of one point cannot be seen
            marks.append(Points(name="", x=x, y=y, color=colors[name]))
    title = "How far the weights move"
    yield Chart(
        title=title,
        description="The length of the change of the weights in each epoch, relative to the "
        "length of the weights after it.",
        x_label="epoch",
        y_label="‖change‖ / ‖weights‖",
        marks=marks,
        whole_x=True,
    )
    epochs = sorted({epoch for by_epoch in moves.values() for epoch in by_epoch})
    rows = [
        [str(epoch), *[format_weight(of[epoch]) if epoch in of else "" for of in moves.values()]]
        for epoch in epochs
    ]
    yield details("The figures", table(["epoch", *moves], rows, caption=title, texts=0))


def _moves(replica: Replica) -> dict[int, float]:
    """Return how far the weights moved in each epoch."""
    rows = (replica.history.row(i) for i in range(len(replica.history)))
    epochs = [event.epoch for event in replica.epochs]
    return {
        epoch: _distance(before, after)
        for epoch, (before, after) in zip(epochs, pairwise(rows), strict=True)
    }


def _distance(before: FloatArray, after: FloatArray) -> float:
    length = float(np.linalg.norm(after))
    return float(np.linalg.norm(after - before)) / length if length else 0.0
