"""Learning curves: the metric after each epoch, with several runs in one chart."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TypeVar

import numpy as np

from hopefear.events import EpochFinished
from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import SERIES_COLORS, Band, Chart, Line, Mark, Points
from hopefear.reporting.page import Section, Table, format_seconds, format_weight
from hopefear.reporting.run_record import Replica, RunRecord

__all__ = ["curve_charts", "curves_section", "run_colors", "thinned"]

T = TypeVar("T")
MOST = 200  # epochs of a curve or a table
FEW = 4  # runs of which a chart has curves on both kinds of data, and the range of replicas

# These fields of an epoch are shown elsewhere; every other number is in the folded panel.
KNOWN = {"epoch", "metric", "weights", "seconds", "tuning_score", "dev_score", "hypotheses"}
OTHERS = {
    field.name: field.name.replace("_", " ")
    for field in fields(EpochFinished)
    if field.name not in KNOWN
}


def thinned(epochs: Sequence[T], kept: Collection[T] = ()) -> list[T]:
    """Return at most about `MOST` of many epochs: the first, the last, some between, and `kept`.

    Examples
    --------
    >>> thinned([1, 2, 3]), len(thinned(range(10_000))), thinned(range(10_000), [77])[-1]
    ([1, 2, 3], 201, 9999)
    """
    step = -(-len(epochs) // MOST)
    last = len(epochs) - 1
    return [e for i, e in enumerate(epochs) if i % step == 0 or i == last or e in kept]


def run_colors(runs: Sequence[RunRecord]) -> dict[str, int]:
    """Return the color of each run, the same in all charts."""
    return {run.name: SERIES_COLORS[i % len(SERIES_COLORS)] for i, run in enumerate(runs)}


def curves_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the curves and all their numbers."""
    charts = list(curve_charts(runs))
    more = [*_tuning_charts(runs), *_other_charts(runs)]
    if not charts:
        return None
    figures = [_figures(run) for run in runs if run.started]
    return Section(
        title="Learning curves",
        macro="curves",
        data={"charts": charts, "more": more, "figures": figures},
    )


def curve_charts(runs: Sequence[RunRecord]) -> Iterator[Chart]:
    """Yield a chart for each metric; of many runs it has the data alone that judge them."""
    colors = run_colors(runs)
    for metric, shown in _by_metric(runs):
        if len(shown) > FEW:
            data = "held-out" if _have_dev_data(shown) else "tuning"
            yield from _chart_of_many(shown, metric, data, colors)
            continue
        yield from _chart(
            [mark for run in shown for mark in _score_marks(run, colors[run.name])],
            title=f"{metric} by epoch",
            description=_explained(metric, shown),
            label=metric,
        )


def _explained(metric: str, runs: Sequence[RunRecord]) -> str:
    """Return what the lines, the signs and the bands of a chart mean, as far as it has them."""
    text = f"{metric} after each epoch, where epoch 0 is the start"
    if _have_dev_data(runs):
        text += ": solid lines on held-out data, dashed lines on the tuning data."
    else:
        text += ", on the tuning data."
    if not all(run.replicas for run in runs):
        text += " A diamond marks the epoch whose weights are the result."
    if any(run.replicas for run in runs):
        text += " For replicas, the line is the mean and the band extends from the lowest to the "
        text += "highest score."
    return text


def _by_metric(runs: Sequence[RunRecord]) -> Iterator[tuple[str, list[RunRecord]]]:
    started = [(run.started.metric, run) for run in runs if run.started is not None]
    for metric in dict.fromkeys(metric for metric, _ in started):
        yield metric, [run for one, run in started if one == metric]


def _have_dev_data(runs: Sequence[RunRecord]) -> bool:
    return any(run.started is not None and run.started.dev_score is not None for run in runs)


def _tuning_charts(runs: Sequence[RunRecord]) -> Iterator[Chart]:
    """Yield charts of the tuning data, where the first ones have held-out data alone."""
    for metric, shown in _by_metric(runs):
        if len(shown) > FEW and _have_dev_data(shown):
            yield from _chart_of_many(shown, metric, "tuning", run_colors(runs))


def _chart_of_many(
    runs: Sequence[RunRecord], metric: str, data: str, colors: Mapping[str, int]
) -> Iterator[Chart]:
    field = "tuning_score" if data == "tuning" else "dev_score"
    marks: list[Mark] = []
    for number, run in enumerate(runs):
        again = number >= len(SERIES_COLORS)  # the colors begin anew
        marks += _curve_marks(run, field, "", colors[run.name], dashed=again)
    yield from _chart(
        [mark for mark in marks if not isinstance(mark, Band)],
        title=f"{metric} by epoch, {data} data",
        description=(
            f"{metric} on the {data} data after each epoch, where epoch 0 is the start. A diamond "
            "marks the epoch whose weights are the result. For replicas, the line is the mean."
        ),
        label=metric,
    )


def _other_charts(runs: Sequence[RunRecord]) -> Iterator[Chart]:
    colors = run_colors(runs)
    for field, name in OTHERS.items():
        yield from _chart(
            [mark for run in runs for mark in _curve_marks(run, field, "", colors[run.name])],
            title=f"{name.capitalize()} by epoch",
            description=f"The {name} in each epoch; for replicas, their mean and range.",
            label=name,
        )


def _chart(marks: list[Mark], *, title: str, description: str, label: str) -> Iterator[Chart]:
    if not marks:
        return
    marks.sort(key=lambda mark: (not isinstance(mark, Band), isinstance(mark, Points)))
    yield Chart(
        title=title,
        description=description,
        x_label="epoch",
        y_label=label,
        marks=marks,
        whole_x=True,
    )


def _score_marks(run: RunRecord, color: int) -> Iterator[Mark]:
    yield from _curve_marks(run, "dev_score", "held-out", color)
    yield from _curve_marks(run, "tuning_score", "tuning", color, dashed=_have_dev_data([run]))


def _curve_marks(
    run: RunRecord, field: str, label: str, color: int, *, dashed: bool = False
) -> Iterator[Mark]:
    curves = [curve for replica in run.learned if (curve := _curve(replica, field))]
    name = f"{run.name}: {label}" if label else run.name
    if len(curves) > 1:
        yield from _spread_marks(name, curves, color, dashed=dashed)
    elif curves:
        (curve,) = curves
        finished = run.learned[0].finished
        best = -1 if finished is None else finished.best_epoch
        x = thinned(list(curve), [best])
        yield Line(name=name, x=x, y=[curve[epoch] for epoch in x], color=color, dashed=dashed)
        if best in curve:
            yield Points(
                name=name,
                listed=False,
                x=[best],
                y=[curve[best]],
                color=color,
                symbol="diamond",
                size=6,
                labels=[f"{run.name}: the result is the weights of epoch {best}"],
            )


def _spread_marks(
    name: str, curves: list[dict[int, float]], color: int, *, dashed: bool
) -> Iterator[Mark]:
    """Yield the mean and the range of the replicas that reached each epoch."""
    epochs = thinned(sorted({epoch for curve in curves for epoch in curve}))
    columns = [[curve[epoch] for curve in curves if epoch in curve] for epoch in epochs]
    yield Band(
        name=name,
        listed=False,
        x=epochs,
        low=[min(column) for column in columns],
        high=[max(column) for column in columns],
        color=color,
    )
    mean = [float(np.mean(column)) for column in columns]
    yield Line(name=name, x=epochs, y=mean, color=color, dashed=dashed)
    if len(epochs) == 1:  # a line of one point is invisible
        yield Points(name=name, listed=False, x=epochs, y=mean, color=color)


def _curve(replica: Replica, field: str) -> dict[int, float]:
    """Return the values by epoch, with that of the start as epoch 0."""
    values = {0: getattr(replica.started, field, None)}
    values |= {event.epoch: getattr(event, field) for event in replica.epochs}
    curve = {epoch: value for epoch, value in values.items() if value is not None}
    return curve if len(curve) > 1 or replica.epochs else {}


def _figures(run: RunRecord) -> Table:
    rows = []
    for replica in run.learned:
        label = "" if replica.number is None else str(replica.number)
        start = replica.started
        if start is not None:
            scores = format_scores([start.tuning_score, start.dev_score])
            rows.append([label, "start", *scores, *[""] * len(OTHERS), ""])
        best = [] if replica.best is None else [replica.epochs[replica.best - 1]]
        for event in thinned(replica.epochs, best):
            others = [
                "" if value is None else format_weight(value)
                for value in (getattr(event, field) for field in OTHERS)
            ]
            scores = format_scores([event.tuning_score, event.dev_score])
            rows.append([label, str(event.epoch), *scores, *others, format_seconds(event.seconds)])
    header = ["replica", "epoch", "tuning", "held-out", *OTHERS.values(), "time"]
    many = any(len(replica.epochs) > MOST for replica in run.learned)
    caption = f"{run.name}: about {MOST} of its epochs" if many else run.name
    return Table(caption=caption, header=header, rows=rows, texts=0, compact=True)
