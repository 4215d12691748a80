"""Reproductions as tables in the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hopefear.cli.tables import output
from hopefear.reporting.page import format_seconds
from hopefear.reproduction.pages import claim_rows, table_rows

if TYPE_CHECKING:
    from hopefear.reproduction import Reproduction
    from hopefear.reproduction.outcomes import Outcome

__all__ = ["print_reproduction", "row_line"]

STYLES = {"holds": "green", "undecided": "yellow", "does not hold": "red"}


def row_line(outcome: "Outcome") -> str:
    """Return a line about a row that is done."""
    scores = f"tuning {outcome.mean('tuning'):.2f}, dev {outcome.mean('dev'):.2f}"
    return f"{outcome.row.label}: {scores}, {format_seconds(outcome.seconds)}"


def print_reproduction(found: "Reproduction") -> None:
    """Print the tables, the claims, and where to read on."""
    console = output()
    for table in found.paper.tables:
        console.print(Text(f"{table.heading}: {table.title}", style="bold"))
        console.print(_shown(table_rows(table, found.outcomes), numbers=True))
    if found.judged:
        console.print(Text("Claims", style="bold"))
        console.print(_shown(claim_rows(found.judged), numbers=False))
    console.print(Text(f"page: {found.page}"))


def _shown(rows: Sequence[Sequence[str]], *, numbers: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(rows[0]):
        table.add_column(name, justify="right" if numbers and number else "left")
    for row in rows[1:]:
        table.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in row))
    return table
