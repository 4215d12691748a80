"""Results as tables on a terminal, or as plain columns elsewhere."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from hopefear.demo.candidates import CandidatesResult
    from hopefear.demo.corpus import Scores
    from hopefear.demo.translation import DemoResult
    from hopefear.evaluation import Evaluation
    from hopefear.evaluation.tables import TextTable
    from hopefear.events import Noted, ReplicasFinished, RunFinished, RunStarted, Warned
    from hopefear.inspection import Cloud
    from hopefear.runs.grid import GridResult
    from hopefear.runs.planning import ClusterEstimate, Comparison, Plan
    from hopefear.translation.training.stages import Stage
    from hopefear.types import Weights

__all__ = [
    "output",
    "print_cloud",
    "print_demo",
    "print_estimates",
    "print_evaluation",
    "print_grid",
    "print_influence",
    "print_tuning_json",
    "stage_line",
]

STYLES = {"1-best": "blue", "hope": "green", "fear": "red"}
DIFFERENCES = 10
FEATURES = 20


def output() -> Console:
    """Return standard output: as wide as the terminal, or without a limit in a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 1000)


def print_grid(found: "GridResult") -> None:
    """Print the scores of all combinations of settings, and which one is kept."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in found.best.values:
        table.add_column(Text(name), justify="right")
    held_out = found.best.dev_score is not None
    for title in ["tuning", "held-out"] if held_out else ["tuning"]:
        table.add_column(f"{found.metric}, {title}", justify="right")
    table.add_column("")
    for cell in found.cells:
        scores = [cell.tuning_score, cell.dev_score] if held_out else [cell.tuning_score]
        shown = ["" if score is None else f"{score:.2f}" for score in scores]
        mark = "kept" if cell is found.best else cell.failure
        table.add_row(*map(Text, cell.values.values()), *shown, Text(mark))
    console = output()
    console.print(table)
    if not held_out:
        console.print(Text("no held-out data: the choice among these is optimistic"))


def print_influence(weights: "Weights", spread: "Weights | None") -> None:
    """Print the weights that matter most: how far each moves the score within a list.

    Weights alone depend on the units of features and on the scale of a learner; weight times spread
    does not depend on units, and the shares do not depend on the scale.
    """
    if spread is None:
        return
    effects = {name: value * spread.get(name, 0.0) for name, value in weights.items()}
    total = sum(map(abs, effects.values()))
    if not total:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("feature", overflow="fold")
    for title in ("weight", "weight × spread", "share"):
        table.add_column(title, justify="right")
    ordered = sorted(effects, key=lambda name: -abs(effects[name]))
    for name in ordered[:FEATURES]:
        values = (weights[name], effects[name])
        share = f"{abs(effects[name]) / total:.1%}"
        table.add_row(Text(name), *(f"{value:.4g}" for value in values), share)
    console = output()
    console.print(table)
    if len(ordered) > FEATURES:
        console.print(f"and {len(ordered) - FEATURES:,} features with smaller shares")


def print_tuning_json(
    started: "RunStarted",
    ended: "RunFinished | ReplicasFinished | None",
    told: "Sequence[Warned | Noted]",
    directory: Path,
) -> None:
    """Print what a run found as JSON, for scripts."""
    from hopefear.events import Warned
    from hopefear.settings import config

    table: dict[str, object] = {
        "directory": str(directory),
        "learner": started.name,
        "signature": started.signature,
        "start": {"tuning_score": started.tuning_score, "dev_score": started.dev_score},
        "oracle": {"tuning_score": started.tuning_oracle, "dev_score": started.dev_oracle},
        **({} if ended is None else config.encode(ended)),
        "warnings": [event.message for event in told if isinstance(event, Warned)],
        "notes": [event.message for event in told if not isinstance(event, Warned)],
    }
    sys.stdout.write(json.dumps(table, ensure_ascii=False, indent=2) + "\n")


def print_evaluation(found: "Evaluation") -> None:
    """Print the scores of all systems, and what they are made of."""
    from hopefear.evaluation.tables import notes, tables

    console = output()
    for content in tables(found):
        console.print(_table(content))
    for note in notes(found):
        console.print(Text(note))


def _table(content: "TextTable") -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        title=Text(content.title) if content.title else None,
        title_justify="left",
    )
    for name, letter in zip(content.header, content.alignment, strict=True):
        table.add_column(Text(name), justify="right" if letter == "r" else "left", overflow="fold")
    for group in content.groups:
        for row in group:
            table.add_row(*map(Text, row))
        table.add_section()
    return table


def print_cloud(cloud: "Cloud", picture: Path) -> None:
    """Print texts and derivations side by side, scores, and the features that differ most."""
    from hopefear.reporting.page import format_bytes

    console = output()
    told = f"sentence {cloud.sentence}: {cloud.size}; hope and fear: {cloud.search}"
    console.print(Text(told))
    for reference in cloud.references:
        console.print(Text(f"reference: {reference}"))
    _print_texts(cloud, console)
    _print_scores(cloud, console)
    _print_differences(cloud, console)
    console.print(Text(f"picture: {picture} ({format_bytes(picture.stat().st_size)})"))


def _print_texts(cloud: "Cloud", console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in cloud.chosen:
        table.add_column(Text(name, style=STYLES[name]), overflow="fold", ratio=1)
    chosen = cloud.chosen.values()
    table.add_row(*[Text(one.point.text) for one in chosen])
    if any(one.tree for one in chosen):
        table.add_row()
        table.add_row(*[Text("\n".join(one.tree)) for one in chosen])
    console.print(table)


def _print_scores(cloud: "Cloud", console: Console) -> None:
    from hopefear.reporting.clouds import format_counts
    from hopefear.reporting.page import format_weight

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


def _print_differences(cloud: "Cloud", console: Console) -> None:
    from hopefear.reporting.page import format_weight

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


def stage_line(stage: "Stage") -> str:
    """Return what a stage of a training did, on one line."""
    figures = ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}"
        for name, value in stage.figures.items()
    )
    when = "done before" if stage.reused else f"{stage.seconds:.1f} s"
    return f"{stage.name}: {figures} ({when})"


def print_demo(result: "CandidatesResult | DemoResult") -> None:
    """Print the scores, some translations and the weights before and after."""
    console = output()
    _print_demo_scores(console, result.scores, result.signature)
    for example in getattr(result, "examples", []):
        console.print("")
        for name in ("source", "start", "tuned", "reference"):
            console.print(Text(f"{name:>9}  {getattr(example, name)}"))
    _print_weights(console, result.start, result.tuned)
    report = getattr(result, "report", None)
    if report is not None:
        console.print(f"report: {report}")
    console.print(f"{result.seconds:.0f} s; everything is in {result.directory}/")


def _print_demo_scores(console: Console, scores: "Mapping[str, Scores]", signature: str) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="BLEU", title_justify="left")
    for column in ("", *scores):
        table.add_column(column, justify="right" if column else "left")
    for row in ("start", "tuned", "oracle"):
        figures = [getattr(one, row) for one in scores.values()]
        if None not in figures:
            table.add_row(row, *(f"{figure:.2f}" for figure in figures))
    console.print(table)
    console.print(signature)


def _print_weights(console: Console, start: "Weights", tuned: "Weights") -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="weights", title_justify="left")
    for column in ("", "start", "tuned"):
        table.add_column(column, justify="right" if column else "left")
    scale = start.norm(1) / tuned.norm(1) if tuned.norm(1) else 1.0
    for name, value in tuned.items():
        table.add_row(name, f"{start.get(name, 0.0):.4f}", f"{scale * value:.4f}")
    console.print(table)


def print_estimates(
    plan: "Plan", estimates: "Sequence[ClusterEstimate]", compared: "Sequence[Comparison]"
) -> None:
    """Print what is assumed, the estimates, and measured runs beside those for them."""
    from hopefear.reporting.page import format_bytes, format_seconds

    console = output()
    console.print("assumed:")
    for line in plan.assumptions():
        console.print(Text(f"- {line}"))
    header = ("strategy", "learners", "epoch", "speedup", "messages", "bytes", "bytes/s of each")
    table = _numbers(header, texts=1)
    for one in estimates:
        each = one.sent / one.workers / one.seconds
        table.add_row(
            one.strategy,
            f"{one.workers:,}",
            format_seconds(one.seconds),
            f"{one.speedup:,.1f}",
            f"{one.messages:,.0f}",
            format_bytes(round(one.sent)),
            format_bytes(round(each)),
        )
    console.print(table)
    if not compared:
        return
    header = ("measured run", "learners", "epoch", "estimated", "CPU", "estimated", "bytes")
    table = _numbers((*header, "estimated"), texts=1)
    for pair in compared:
        found, estimate = pair.measured, pair.estimate
        sent = estimate.sent if estimate.strategy == "async" else 0.0
        table.add_row(
            found.name,
            f"{found.workers}",
            format_seconds(found.seconds),
            format_seconds(estimate.seconds),
            format_seconds(found.sentences * found.step),
            format_seconds(estimate.work),
            format_bytes(round(found.sent)),
            format_bytes(round(sent)),
        )
    console.print(table)


def _numbers(header: Sequence[str], *, texts: int) -> Table:
    """Return an empty table whose first columns are text and the others numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(name, justify="left" if i < texts else "right")
    return table
