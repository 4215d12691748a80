"""`hopefear demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

if TYPE_CHECKING:
    from hopefear.demo import DemoResult

__all__ = ["demo", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    directory: Annotated[Path, typer.Option("--output", "-o", help="Where the files go.")] = Path(
        "demo"
    ),
    sentences: Annotated[int, typer.Option(min=2, help="Sentences in each half.")] = 400,
    size: Annotated[int, typer.Option(min=2, help="Hypotheses a sentence.")] = 50,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 1,
    threads: Annotated[int, typer.Option(min=0, help="0 for one per core.")] = 0,
) -> None:
    """Make up candidates, tune weights on some, test them on others, and report."""
    from hopefear.demo import run_demo

    stages: dict[str, TaskID] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total)
            bars.update(stages[stage], completed=done)

        result = run_demo(
            directory, sentences=sentences, size=size, seed=seed, threads=threads, tell=tell
        )
    _print(result)


def _print(result: "DemoResult") -> None:
    from hopefear.cli.tables import output

    console = output()
    scores = Table(box=SIMPLE_HEAD, pad_edge=False, title="BLEU", title_justify="left")
    weights = Table(box=SIMPLE_HEAD, pad_edge=False, title="weights", title_justify="left")
    for table, head in ((scores, ("", *result.scores)), (weights, ("", "start", "tuned"))):
        for column in head:
            table.add_column(column, justify="right" if column else "left")
    for row in ("start", "tuned", "oracle"):
        scores.add_row(row, *(f"{getattr(s, row):.2f}" for s in result.scores.values()))
    for name, value in result.tuned.items():
        weights.add_row(name, f"{result.start[name]:.4f}", f"{value:.4f}")
    console.print(scores)
    console.print(result.signature, highlight=False)
    console.print()
    console.print(weights)
    console.print(f"tuned on dev in {result.seconds:.1f} s; everything is in {result.directory}/")
