"""Results as tables on a terminal, or as plain columns elsewhere."""

import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopefear.evaluation import Evaluation, MetricResult

__all__ = ["output", "print_evaluation"]


def output() -> Console:
    """Return standard output: as wide as the terminal, or without a limit in a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 1000)


def print_evaluation(found: Evaluation) -> None:
    """Print a table for each metric: score, interval, and the comparison with the first system."""
    console = output()
    names = list(found.systems[0].metrics)
    for name in names:
        results = [(system.name, system.metrics[name]) for system in found.systems]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("system", overflow="fold")
        title, signature = results[0][1].title, results[0][1].signature
        columns = [title, "95 % interval", "p", "better in"]
        for column in columns if found.resamples else columns[:1]:
            table.add_column(column, justify="right")
        for system, result in results:
            table.add_row(Text(system), *_cells(result))
        console.print(table)
        console.print(Text(f"{title}|{signature}"))
    if found.resamples:
        count = f"{found.resamples} resampled test sets of {found.sentences} sentences"
        console.print(f"\n{count}, seed {found.seed}")
        if len(found.systems) > 1:
            console.print(Text(f"p and 'better in' are against {found.systems[0].name}"))


def _cells(result: MetricResult) -> list[str]:
    cells = [f"{result.score:.2f}"]
    if result.interval is not None:
        cells.append(f"{result.interval.low:.2f} to {result.interval.high:.2f}")
        against = result.against_first
        cells += ["", ""] if against is None else [f"{against.p_value:.3f}", f"{against.wins:.1%}"]
    return cells
