"""Learning curves: the metric after each epoch, of several runs in one picture."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np

from hopefear.events import EpochFinished
from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import Band, Chart, Line, Mark, Points
from hopefear.reporting.figures import format_seconds, format_weight
from hopefear.reporting.markup import Markup
from hopefear.reporting.page import Section, details, table
from hopefear.reporting.run_record import Replica, RunRecord

__all__ = ["curve_charts", "curves_section", "run_colors"]

COLORS = (0, 1, 4, 5, 6, 2, 3)
# What an epoch tells that has a place of its own; every other number gets its own picture.
KNOWN = {"epoch", "metric", "weights", "seconds", "tuning_score", "dev_score", "hypotheses"}
OTHERS = {
    field.name: field.name.replace("_", " ")
    for field in fields(EpochFinished)
    if field.name not in KNOWN
}


def run_colors(runs: Sequence[RunRecord]) -> dict[str, int]:
    """Return the color of each run, the same in all pictures."""
    return {run.name: COLORS[i % len(COLORS)] for i, run in enumerate(runs)}


def curves_section(runs: Sequence[RunRecord]) -> Section:
    """Return the pictures, and all their figures."""
    content: list[Markup | Chart] = list(curve_charts(runs))
    if content:
        content.append(details("All figures", *[_figures(run) for run in runs if run.started]))
    return Section(title="Learning curves", content=content)


def curve_charts(runs: Sequence[RunRecord]) -> Iterator[Chart]:
    """Give a picture for each metric, and one for whatever else the learners tell."""
    colors = run_colors(runs)
    for metric in dict.fromkeys(run.started.metric for run in runs if run.started is not None):
        shown = [run for run in runs if run.started is not None and run.started.metric == metric]
        yield from _chart(
            [mark for run in shown for mark in _score_marks(run, metric, colors[run.name])],
            title=f"{metric} by epoch",
            description=(
                f"{metric} after each epoch, epoch 0 being the start: dashed on the tuning data, "
                "solid on held-out data. A diamond is the epoch whose weights were taken; of "
                "several replicas there is the mean, and a band from the lowest to the highest."
            ),
            label=metric,
        )
    for field, name in OTHERS.items():
        yield from _chart(
            [mark for run in runs for mark in _curve_marks(run, field, name, colors[run.name])],
            title=f"{name.capitalize()} by epoch",
            description=f"The {name} after each epoch.",
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


def _score_marks(run: RunRecord, metric: str, color: int) -> Iterator[Mark]:
    yield from _curve_marks(run, "dev_score", f"dev {metric}", color)
    yield from _curve_marks(run, "tuning_score", f"tuning {metric}", color, dashed=True)


def _curve_marks(
    run: RunRecord, field: str, name: str, color: int, *, dashed: bool = False
) -> Iterator[Mark]:
    curves = [curve for replica in run.learned if (curve := _curve(replica, field))]
    if len(curves) > 1:
        yield from _spread_marks(run, curves, name, color, dashed=dashed)
    for curve in curves if len(curves) == 1 else []:
        x, y = list(curve), list(curve.values())
        yield Line(name=f"{run.name}: {name}", x=x, y=y, color=color, dashed=dashed)
        best = run.learned[0].finished and run.learned[0].finished.best_epoch
        if best in curve:
            yield Points(
                name="",
                x=[best],
                y=[curve[best]],
                color=color,
                symbol="diamond",
                size=6,
                labels=[f"{run.name}: {name} after epoch {best}, whose weights were taken"],
            )


def _spread_marks(
    run: RunRecord, curves: list[dict[int, float]], name: str, color: int, *, dashed: bool
) -> Iterator[Mark]:
    """Give the mean of replicas and how far they are apart, of those that got so far."""
    epochs = sorted({epoch for curve in curves for epoch in curve})
    columns = [[curve[epoch] for curve in curves if epoch in curve] for epoch in epochs]
    yield Band(
        name="",
        x=epochs,
        low=[min(column) for column in columns],
        high=[max(column) for column in columns],
        color=color,
    )
    mean = [float(np.mean(column)) for column in columns]
    yield Line(
        name=f"{run.name}: {name}, mean of {len(curves)}",
        x=epochs,
        y=mean,
        color=color,
        dashed=dashed,
    )


def _curve(replica: Replica, field: str) -> dict[int, float]:
    """Return the values by epoch; of the start, where it has them."""
    values = {0: getattr(replica.started, field, None)}
    values |= {event.epoch: getattr(event, field) for event in replica.epochs}
    curve = {epoch: value for epoch, value in values.items() if value is not None}
    return curve if len(curve) > 1 or replica.epochs else {}


def _figures(run: RunRecord) -> Markup:
    rows = []
    for replica in run.learned:
        label = "" if replica.number is None else str(replica.number)
        start = replica.started
        if start is not None:
            scores = format_scores([start.tuning_score, start.dev_score])
            rows.append([label, "start", *scores, *[""] * len(OTHERS), ""])
        for event in replica.epochs:
            others = [
                "" if value is None else format_weight(value)
                for value in (getattr(event, field) for field in OTHERS)
            ]
            scores = format_scores([event.tuning_score, event.dev_score])
            rows.append([label, str(event.epoch), *scores, *others, format_seconds(event.seconds)])
    header = ["replica", "epoch", "tuning", "dev", *OTHERS.values(), "time"]
    kept = [i for i in range(len(header)) if any(row[i] for row in rows)]
    return table(
        [header[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        caption=run.name,
        texts=0,
    )
