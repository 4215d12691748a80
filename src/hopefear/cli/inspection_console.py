"""The 1-best, the hope and the fear of a sentence on the terminal."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopefear.cli.tables import output
from hopefear.inspection import Cloud
from hopefear.reporting.clouds import format_counts
from hopefear.reporting.page import format_bytes, format_weight

__all__ = ["print_cloud"]

STYLES = {"1-best": "blue", "hope": "green", "fear": "red"}
DIFFERENCES = 10


def print_cloud(cloud: Cloud, picture: Path) -> None:
    """Print texts and derivations side by side, scores, and the features that differ most."""
    console = output()
    told = f"sentence {cloud.sentence}: {cloud.size}; hope and fear: {cloud.search}"
    console.print(Text(told))
    for reference in cloud.references:
        console.print(Text(f"reference: {reference}"))
    _print_texts(cloud, console)
    _print_scores(cloud, console)
    _print_differences(cloud, console)
    console.print(Text(f"picture: {picture} ({format_bytes(picture.stat().st_size)})"))


def _print_texts(cloud: Cloud, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in cloud.chosen:
        table.add_column(Text(name, style=STYLES[name]), overflow="fold", ratio=1)
    chosen = cloud.chosen.values()
    table.add_row(*[Text(one.point.text) for one in chosen])
    if any(one.tree for one in chosen):
        table.add_row()
        table.add_row(*[Text("\n".join(one.tree)) for one in chosen])
    console.print(table)


def _print_scores(cloud: Cloud, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in cloud.chosen:
        table.add_column(Text(name, style=STYLES[name]), justify="right")
    chosen = list(cloud.chosen.values())
    rows = [
        ("model score", [one.point.score for one in chosen]),
        (cloud.worth, [one.point.worth for one in chosen]),
        ("gain B", [one.gain for one in chosen]),
        ("w·h + B", [one.point.score + one.gain for one in chosen]),
        ("w·h − B", [one.point.score - one.gain for one in chosen]),
    ]
    for title, values in rows:
        table.add_row(title, *map(format_weight, values))
    counts = [format_counts(cloud, one) for one in chosen]
    for title in counts[0]:
        table.add_row(title, *[count[title] for count in counts])
    console.print(table)


def _print_differences(cloud: Cloud, console: Console) -> None:
    differences = cloud.differences(DIFFERENCES)
    if not differences:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("feature", overflow="fold")
    for title in ("weight", "1-best", "hope", "fear", "weight · (hope − fear)"):
        table.add_column(title, justify="right")
    for item in differences:
        values = (item.weight, item.best, item.hope, item.fear, item.share)
        table.add_row(Text(item.name), *map(format_weight, values))
    console.print(table)
