"""Clouds of sentences: the picture, and 1-best, hope and fear side by side."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hopefear import __version__
from hopefear.errors import ConfigError
from hopefear.formats.files import open_output
from hopefear.inspection import Chosen, Cloud, CloudPoint
from hopefear.reporting.chart import BEST, FEAR, GRAY, HOPE, PALE, Chart, Line, Mark, Points, Symbol
from hopefear.reporting.figures import format_weight
from hopefear.reporting.markup import Markup, element
from hopefear.reporting.page import Page, Section, details, table
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.svg import picture_svg

__all__ = ["cloud_chart", "cloud_html", "clouds_section", "format_counts", "write_picture"]

SHOWN = 20  # of the best of the model, as a table
# Color, sign and size: where they are the same derivation, all of them can be seen.
SIGNS: dict[str, tuple[int, Symbol, float]] = {
    "hope": (HOPE, "triangle", 10),
    "fear": (FEAR, "square", 6),
    "1-best": (BEST, "diamond", 5),
}


def clouds_section(runs: Sequence[RunRecord]) -> Section:
    """Return the clouds that were saved with the runs."""
    content: list[Markup | Chart] = []
    for run in runs:
        for cloud in run.clouds:
            content += _content(cloud, f"{run.name}, sentence {cloud.sentence}")
    return Section(title="Hope and fear", content=content)


def cloud_html(cloud: Cloud, *, interactive: bool = True) -> str:
    """Return a page about one sentence."""
    name = f"Sentence {cloud.sentence}"
    page = Page(
        title=f"Hope and fear: sentence {cloud.sentence}",
        subtitle=f"{cloud.size}; hope and fear: {cloud.search}.",
        sections=[Section(title="Derivations", content=list(_content(cloud, name)))],
        footer=f"Written by hopefear {__version__}. This file needs no network.",
    )
    return page.html(interactive=interactive)


def write_picture(path: Path, cloud: Cloud, *, interactive: bool = True) -> None:
    """Write a page about one sentence (``.html``), or the picture alone (``.svg``)."""
    if path.suffix == ".svg":
        text = picture_svg(cloud_chart(cloud, f"Hope and fear: sentence {cloud.sentence}"))
    elif path.suffix == ".html":
        text = cloud_html(cloud, interactive=interactive)
    else:
        raise ConfigError(f"{path}: a cloud is written as .html or .svg, not '{path.suffix}'")
    with open_output(path) as out:
        out.write(text)


def cloud_chart(cloud: Cloud, title: str) -> Chart:
    """Return the picture: worth to the right, model score upwards."""
    marks: list[Mark] = []
    if cloud.others:
        marks.append(_points("others", cloud.others, PALE, "circle", 3))
    marks.append(_points(f"{len(cloud.listed)} best of the model", cloud.listed, GRAY, "circle", 3))
    if cloud.others:
        marks.append(_box(cloud.listed))
    for name, point in (("hope", cloud.listed_hope), ("fear", cloud.listed_fear)):
        if point is not None:
            marks.append(_points(f"{name} among them", [point], SIGNS[name][0], "ring", 6))
    for name, sign in SIGNS.items():
        marks.append(_points(name, [cloud.chosen[name].point], *sign))
    return Chart(
        title=title,
        description=f"Every point is a derivation: its {cloud.worth} to the right, its model score "
        "upwards. The hope is good by both; the fear is what the model likes and the metric does "
        "not. Where others are shown, a dashed box is around the best of the model.",
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


def _content(cloud: Cloud, title: str) -> Iterator[Markup | Chart]:
    yield cloud_chart(cloud, title)
    for number, reference in enumerate(cloud.references, 1):
        label = "Reference" if len(cloud.references) == 1 else f"Reference {number}"
        yield element("p", element("b", f"{label}: "), reference)
    cards = [_card(name, chosen) for name, chosen in cloud.chosen.items()]
    yield element("div", *cards, class_="columns")
    yield _scores(cloud, title)
    yield _differences(cloud, title)
    yield details("The best of the model", _best_table(cloud, title))


def _card(name: str, chosen: Chosen) -> Markup:
    swatch = element("span", class_=f"swatch c{SIGNS[name][0]}")
    parts = [element("h3", swatch, name), element("p", chosen.point.text or "(empty)")]
    if chosen.tree:
        parts.append(element("pre", "\n".join(chosen.tree), tabindex="0"))
    return element("div", *parts)


def _scores(cloud: Cloud, title: str) -> Markup:
    rows = []
    for name, chosen in cloud.chosen.items():
        score, gain = chosen.point.score, chosen.gain
        values = [score, chosen.point.worth, gain, score + gain, score - gain]
        counts = format_counts(cloud, chosen)
        rows.append([name, *[format_weight(value) for value in values], *counts.values()])
    header = ["", "model score", cloud.worth, "gain B", "w·h + B", "w·h − B"]
    header += format_counts(cloud, cloud.best)
    return table(header, rows, caption=f"{title}: scores and statistics")


def _best_table(cloud: Cloud, title: str) -> Markup:
    rows = [
        [point.text, format_weight(point.score), format_weight(point.worth)]
        for point in cloud.listed[:SHOWN]
    ]
    return table(["text", "model score", cloud.worth], rows, caption=title)


def format_counts(cloud: Cloud, chosen: Chosen) -> dict[str, str]:
    """Return what BLEU counted: matches of all n-grams of each order, and the lengths."""
    order, odd = divmod(len(chosen.statistics), 2)
    if cloud.metric != "BLEU" or not odd:
        return {}
    matches, counts = chosen.statistics[:order], chosen.statistics[order : 2 * order]
    shown = {
        f"{k}-grams": f"{m:g} of {n:g}"
        for k, (m, n) in enumerate(zip(matches, counts, strict=True), 1)
    }
    return {**shown, "reference length": f"{chosen.statistics[-1]:g}"}


def _differences(cloud: Cloud, title: str) -> Markup:
    rows = [
        [item.name, *map(format_weight, (item.weight, item.best, item.hope, item.fear, item.share))]
        for item in cloud.differences()
    ]
    header = ["feature", "weight", "1-best", "hope", "fear", "weight · (hope − fear)"]
    return table(header, rows, caption=f"{title}: features that differ, the largest share first")
