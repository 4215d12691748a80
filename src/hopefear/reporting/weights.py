"""The weights: where they start, where they end, and how they move."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopefear.reporting.chart import (
    BEST,
    GRAY,
    SERIES_COLORS,
    Boxes,
    Chart,
    Line,
    Mark,
    Points,
    Symbol,
)
from hopefear.reporting.curves import run_colors
from hopefear.reporting.page import Section, Table, format_weight
from hopefear.reporting.run_record import Replica, RunRecord
from hopefear.types import FloatArray

__all__ = ["shown_replica", "weights_section"]

BINS = 40


@dataclass(frozen=True, kw_only=True)
class _Moved:
    """The weights of a run, and the features that moved most."""

    names: Sequence[str]
    start: FloatArray
    last: FloatArray
    taken: FloatArray | None
    largest: list[int]

    @property
    def result(self) -> FloatArray:
        return self.last if self.taken is None else self.taken


def weights_section(runs: Sequence[RunRecord], *, top: int) -> Section | None:
    """Return the weights of each run, limited to the `top` features that moved most.

    Of several replicas, the chosen one is shown, or the first if their mean was taken.
    """
    moves = {run.name: found for run in runs if (found := _moves(shown_replica(run)))}
    if not moves:
        return None
    epochs = sorted({epoch for by_epoch in moves.values() for epoch in by_epoch})
    rows = [
        [str(epoch), *[format_weight(of[epoch]) if epoch in of else "" for of in moves.values()]]
        for epoch in epochs
    ]
    movement = _movement(moves, run_colors(runs))
    figures = Table(caption=movement.title, header=["epoch", *moves], rows=rows, texts=0)
    shown = [
        _of_run(run, shown_replica(run), top) for run in runs if len(shown_replica(run).history) > 1
    ]
    return Section(
        title="Weights",
        macro="weights",
        data={"movement": movement, "movement_figures": figures, "runs": shown},
    )


def shown_replica(run: RunRecord) -> Replica:
    """Return the replica that is shown: the chosen one, or the first if their mean was taken."""
    chosen = run.summary.chosen if run.summary is not None else None
    return next((r for r in run.learned if r.number == chosen), run.learned[0])


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


def _movement(moves: dict[str, dict[int, float]], colors: dict[str, int]) -> Chart:
    marks: list[Mark] = []
    for name, by_epoch in moves.items():
        x, y = list(by_epoch), list(by_epoch.values())
        marks.append(Line(name=name, x=x, y=y, color=colors[name]))
        if len(x) == 1:  # a line of one point is invisible
            marks.append(Points(name=name, listed=False, x=x, y=y, color=colors[name]))
    return Chart(
        title="Change of the weights by epoch",
        description="The length of the change of the weight vector in each epoch, relative to its "
        "length after the epoch.",
        x_label="epoch",
        y_label="‖change‖ / ‖weights‖",
        marks=marks,
        whole_x=True,
    )


def _of_run(run: RunRecord, replica: Replica, top: int) -> dict[str, object]:
    history = replica.history
    start, last = history.row(0), history.row(len(history) - 1)
    taken = None if replica.best is None else history.row(replica.best)
    change = np.abs((last if taken is None else taken) - start)
    moved = _Moved(
        names=list(history.features),
        start=start,
        last=last,
        taken=taken,
        largest=np.argsort(-change, kind="stable")[:top].tolist(),
    )
    title = run.name if replica.number is None else f"{run.name}, replica {replica.number}"
    count, few = len(moved.names), len(moved.largest)
    many = count > few
    return {
        "note": f"{title}: {np.count_nonzero(change):,} of {count:,} weights changed. The charts "
        f"show the {few} that changed most."
        if many
        else "",
        "chart": _dots(moved, title),
        "figures": _table(moved, title),
        "paths": _paths(replica, moved, title),
        "histogram": _histogram(moved, title) if many else None,
    }


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
        columns.append(("result", moved.taken, BEST, "circle"))
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
        description="Weights at the start, after the last epoch, and in the result. The features "
        "whose weights changed most are at the top.",
        x_label="weight",
        y_label="",
        marks=marks,
        rows=[moved.names[i] for i in moved.largest],
    )


def _table(moved: _Moved, title: str) -> Table:
    rows = []
    for i in moved.largest:
        values = [moved.start[i], moved.result[i], moved.last[i], moved.result[i] - moved.start[i]]
        rows.append([moved.names[i], *[format_weight(float(value)) for value in values]])
    result = "result" if moved.taken is not None else "so far"
    header = ["feature", "start", result, "last epoch", "change"]
    return Table(caption=f"Weights of {title}", header=header, rows=rows)


def _paths(replica: Replica, moved: _Moved, title: str) -> Chart:
    chosen = moved.largest[: len(SERIES_COLORS)]
    columns = replica.history.columns(chosen)
    epochs = [0, *[event.epoch for event in replica.epochs]]
    marks = [
        Line(name=moved.names[feature], x=epochs, y=columns[:, i].tolist(), color=color)
        for i, (feature, color) in enumerate(zip(chosen, SERIES_COLORS, strict=False))
    ]
    return Chart(
        title=f"Weights by epoch: {title}",
        description=f"The {len(chosen)} weights that changed most, after each epoch.",
        x_label="epoch",
        y_label="weight",
        marks=marks,
        whole_x=True,
    )


def _histogram(moved: _Moved, title: str) -> Chart:
    weights = moved.result[moved.result != 0]
    counts, edges = np.histogram(weights, bins=BINS)
    bins = list(zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    boxes = Boxes(
        name="",
        left=[low for _, low, _ in bins],
        right=[high for _, _, high in bins],
        bottom=[0.0] * BINS,
        top=[float(np.log10(1 + count)) for count, _, _ in bins],
        color=BEST,
        labels=[
            f"{count} weights from {format_weight(low)} to {format_weight(high)}"
            for count, low, high in bins
        ],
    )
    zeros = len(moved.result) - len(weights)
    return Chart(
        title=f"All weights of {title}",
        description=f"The number of weights of each size, without the {zeros:,} that are 0.",
        x_label="weight",
        y_label="log10 (1 + number of weights)",
        marks=[boxes],
    )
