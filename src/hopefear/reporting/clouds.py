"""Clouds of sentences: the chart, and 1-best, hope and fear side by side."""

from collections.abc import Sequence
from pathlib import Path

from hopefear.errors import ConfigError
from hopefear.formats.files import open_output
from hopefear.inspection import Chosen, Cloud, CloudPoint
from hopefear.reporting.chart import BEST, FEAR, GRAY, HOPE, PALE, Chart, Line, Mark, Points, Symbol
from hopefear.reporting.page import Section, Table, format_weight, render_page
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.svg import picture_svg

__all__ = ["cloud_chart", "cloud_html", "clouds_section", "format_counts", "write_picture"]

SHOWN = 20  # rows of the table of the best candidates
# Color, symbol and size, such that all three are visible where they are the same candidate.
SIGNS: dict[str, tuple[int, Symbol, float]] = {
    "hope": (HOPE, "triangle", 10),
    "fear": (FEAR, "square", 6),
    "1-best": (BEST, "diamond", 5),
}


def clouds_section(runs: Sequence[RunRecord], best: str = "") -> Section | None:
    """Return the clouds that were saved with the runs, those of the best one first."""
    clouds = [
        _view(cloud, f"{run.name}, sentence {cloud.sentence}")
        for run in sorted(runs, key=lambda run: run.name != best)
        for cloud in run.clouds
    ]
    return _section(clouds) if clouds else None


def _section(clouds: list[dict[str, object]]) -> Section:
    return Section(title="Hope and fear", macro="clouds", data={"clouds": clouds})


def cloud_html(cloud: Cloud) -> str:
    """Return a page about one sentence."""
    return render_page(
        title=f"Hope and fear: sentence {cloud.sentence}",
        subtitle=f"{cloud.size}; hope and fear: {cloud.search}.",
        sections=[_section([_view(cloud, f"Sentence {cloud.sentence}")])],
    )


def write_picture(path: Path, cloud: Cloud) -> None:
    """Write a page about one sentence (``.html``), or only its chart (``.svg``)."""
    if path.suffix == ".svg":
        text = picture_svg(cloud_chart(cloud, f"Hope and fear: sentence {cloud.sentence}"))
    elif path.suffix == ".html":
        text = cloud_html(cloud)
    else:
        raise ConfigError(f"{path}: the name of a cloud's file must end in .html or .svg")
    with open_output(path) as out:
        out.write(text)


def cloud_chart(cloud: Cloud, title: str) -> Chart:
    """Return the chart: the metric on the x axis, the model score on the y axis."""
    marks: list[Mark] = []
    if cloud.others:
        marks.append(_points("other candidates", cloud.others, PALE, "circle", 3))
    listed = f"{len(cloud.listed)} best by model score"
    marks.append(_points(listed, cloud.listed, GRAY, "circle", 3))
    if cloud.others:
        marks.append(_box(cloud.listed))
    for name, point in (("hope", cloud.listed_hope), ("fear", cloud.listed_fear)):
        if point is not None:
            marks.append(_points(f"{name} among them", [point], SIGNS[name][0], "ring", 6))
    for name, sign in SIGNS.items():
        marks.append(_points(name, [cloud.chosen[name].point], *sign))
    box = " A dashed box surrounds the candidates with the highest model scores."
    return Chart(
        title=title,
        description=f"Each point is a candidate: its {cloud.worth} on the x axis, its model score "
        "on the y axis. The hope is good by both. The fear is good by the model and bad by the "
        f"metric.{box if cloud.others else ''}",
        x_label=cloud.worth,
        y_label="model score",
        marks=marks,
    )


def _points(
    name: str, points: Sequence[CloudPoint], color: int, symbol: Symbol, size: float
) -> Points:
    return Points(
        name=name,
        x=[point.worth for point in points],
        y=[point.score for point in points],
        color=color,
        symbol=symbol,
        size=size,
        labels=[
            f"{point.worth:.2f}, {format_weight(point.score)}: {point.text}" for point in points
        ],
    )


def _box(points: Sequence[CloudPoint]) -> Line:
    left, right = (f(point.worth for point in points) for f in (min, max))
    low, high = (f(point.score for point in points) for f in (min, max))
    x, y = [left, right, right, left, left], [low, low, high, high, low]
    return Line(name="", x=x, y=y, color=GRAY, dashed=True)


def _view(cloud: Cloud, title: str) -> dict[str, object]:
    """Return what the section shows of a cloud."""
    header = ["candidate", "model score", cloud.worth, "gain B", "w·h + B", "w·h − B"]
    scores = []
    for name, chosen in cloud.chosen.items():
        score, gain = chosen.point.score, chosen.gain
        values = [score, chosen.point.worth, gain, score + gain, score - gain]
        counts = format_counts(cloud, chosen).values()
        scores.append([name, *map(format_weight, values), *counts])
    differences = [
        [item.name, *map(format_weight, (item.weight, item.best, item.hope, item.fear, item.share))]
        for item in cloud.differences()
    ]
    best = [
        [point.text, format_weight(point.score), format_weight(point.worth)]
        for point in cloud.listed[:SHOWN]
    ]
    return {
        "chart": cloud_chart(cloud, title),
        "references": list(cloud.references),
        "chosen": [
            {
                "name": name,
                "color": f"c{SIGNS[name][0]}",
                "text": chosen.point.text,
                "tree": list(chosen.tree),
            }
            for name, chosen in cloud.chosen.items()
        ],
        "scores": Table(
            caption=f"{title}: scores and statistics",
            header=[*header, *format_counts(cloud, cloud.best)],
            rows=scores,
        ),
        "differences": Table(
            caption=f"{title}: features that differ, those with the largest share first",
            header=["feature", "weight", "1-best", "hope", "fear", "weight · (hope − fear)"],
            rows=differences,
        ),
        "best": Table(caption=title, header=["text", "model score", cloud.worth], rows=best),
    }


def format_counts(cloud: Cloud, chosen: Chosen) -> dict[str, str]:
    """Return the counts of BLEU: matches of the n-grams of each order, and the length."""
    order, odd = divmod(len(chosen.statistics), 2)
    if cloud.metric != "BLEU" or not odd:
        return {}
    matches, counts = chosen.statistics[:order], chosen.statistics[order : 2 * order]
    shown = {
        f"{k}-grams": f"{m:g} of {n:g}"
        for k, (m, n) in enumerate(zip(matches, counts, strict=True), 1)
    }
    return {**shown, "reference length": f"{chosen.statistics[-1]:g}"}
