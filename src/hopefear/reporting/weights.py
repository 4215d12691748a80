"""The weights: one table of all runs on a comparable scale, and how each run's weights moved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopefear.events import RunStarted
from hopefear.reporting.chart import BEST, SERIES_COLORS, Boxes, Chart, Line, Mark, Points
from hopefear.reporting.curves import run_colors, thinned
from hopefear.reporting.page import Section, Table, format_weight
from hopefear.reporting.run_record import Replica, RunRecord
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["effects_of", "shown_replica", "weights_section"]

BINS = 40
SHARES = "The share of each feature in what tells the candidates of a sentence apart: weight times "
SHARES += "spread, the standard deviation of the feature among them, as a share of the sum of all."


@dataclass(frozen=True, kw_only=True)
class _Column:
    """The effects of the weights of a run, a row for each replica."""

    name: str
    effects: FloatArray
    weights: FloatArray
    known: Callable[[str], bool]

    def cell(self, feature: int, name: str) -> dict[str, object]:
        """Return what the table shows: a share, its deviation over replicas, and a bar."""
        if not self.known(name):
            return {"text": "", "share": 0.0, "title": ""}
        values = self.effects[:, feature]
        share = float(values.mean())
        text = _percent(share)
        if len(values) > 1:
            text += f" ± {100 * float(values.std(ddof=1)):.1f}"
        title = f"{name} in {self.name}: weight {format_weight(float(self.weights[feature]))}"
        return {"text": text, "share": share, "title": title}


def _percent(share: float) -> str:
    return f"{100 * share + 0.0:.1f}".replace("-", "−") + " %"


def weights_section(runs: Sequence[RunRecord], *, top: int) -> Section | None:
    """Return the table of the `top` features that matter most, and how weights moved.

    Of several replicas, the movement of the chosen one is shown, or of the first if their mean was
    taken.
    """
    moves = {run.name: found for run in runs if (found := _moves(shown_replica(run)))}
    if not moves:
        return None
    moves = {name: {epoch: of[epoch] for epoch in thinned(list(of))} for name, of in moves.items()}
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
        data={
            "effects": _effects(runs, top),
            "movement": movement,
            "movement_figures": figures,
            "runs": shown,
        },
    )


def shown_replica(run: RunRecord) -> Replica:
    """Return the replica that is shown: the chosen one, or the first if their mean was taken."""
    chosen = run.summary.chosen if run.summary is not None else None
    return next((r for r in run.learned if r.number == chosen), run.learned[0])


def effects_of(weights: FloatArray, spread: FloatArray | None) -> FloatArray:
    """Return weight times spread as a share of the sum of all; without a spread, of the weights.

    Examples
    --------
    >>> effects_of(np.array([1.0, -0.5]), np.array([3.0, 2.0])).tolist()
    [0.75, -0.25]
    """
    effects = weights if spread is None else weights * spread
    total = float(np.abs(effects).sum())
    return effects / total if total else effects


def _effects(runs: Sequence[RunRecord], top: int) -> dict[str, object]:
    """Return the one table of weights: a row for each feature, a column for each run."""
    names = Vocabulary()
    for run in runs:
        for replica in run.learned:
            for name in replica.history.features:
                names.add(name)
    columns = [_column(run.name, run.learned, names) for run in runs if run.started is not None]
    starts = [run.started for run in runs if run.started is not None]
    if all(other.weights == starts[0].weights for other in starts):
        columns.insert(0, _start(starts[0], names))
    sizes = np.max([np.abs(column.effects.mean(axis=0)) for column in columns], axis=0)
    largest = [int(i) for i in np.argsort(-sizes, kind="stable")[:top]]
    caption = SHARES
    if all(start.spread is None for start in starts):
        caption = "Each weight as a share of the sum of all."
    if any(len(column.effects) > 1 for column in columns):
        caption += " For replicas: mean ± standard deviation."
    if len(names) > len(largest):
        caption += f" The {len(largest)} of {len(names):,} features with the largest shares."
    return {
        "caption": caption,
        "header": [column.name for column in columns],
        "rows": [(names[i], [column.cell(i, names[i]) for column in columns]) for i in largest],
        "widest": float(sizes.max(initial=0.0)) or 1.0,
    }


def _start(started: RunStarted, names: Vocabulary) -> _Column:
    weights = started.weights.vector(names)
    spread = None if started.spread is None else started.spread.vector(names)
    return _Column(
        name="start",
        effects=effects_of(weights, spread)[None],
        weights=weights,
        known=started.weights.__contains__,
    )


def _column(name: str, learned: Sequence[Replica], names: Vocabulary) -> _Column:
    """Return the effects of what a run learned: of each replica that has started."""
    results, effects = [], []
    for replica in learned:
        if replica.started is not None:
            spread = replica.started.spread
            results.append(_result(replica).vector(names))
            effects.append(
                effects_of(results[-1], None if spread is None else spread.vector(names))
            )

    def known(feature: str) -> bool:
        return any(feature in replica.history.features for replica in learned)

    return _Column(name=name, effects=np.stack(effects), weights=results[0], known=known)


def _result(replica: Replica) -> Weights:
    """Return the weights that a replica ended with, or the last ones so far."""
    if replica.finished is not None:
        return replica.finished.weights
    history = replica.history
    return Weights.from_arrays(list(history.features), history.row(len(history) - 1))


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
        y_label="relative change",
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
    note = f"{title}: {np.count_nonzero(change):,} of {count:,} weights changed. The table has the "
    return {
        "note": f"{note}{few} that changed most." if many else "",
        "figures": _table(moved, title),
        "paths": _paths(replica, moved, title),
        "histogram": _histogram(moved, title) if many else None,
    }


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
    rows = thinned(range(len(epochs)))
    x = [epochs[row] for row in rows]
    marks = [
        Line(name=moved.names[feature], x=x, y=columns[rows, i].tolist(), color=color)
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
