"""`hopefear report`."""

from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug

__all__ = ["register", "report"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Directories of runs.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="[report.html in RUN, or here if there are several]"
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Features to show: those that moved most.")] = 30,
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every picture there as SVG, too.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Show what runs did as one HTML file that needs no network."""
    import hopefear
    from hopefear.reporting.page import format_bytes

    path = hopefear.report(runs, out=out, top=top, pictures=pictures)
    typer.echo(f"report: {path} ({format_bytes(path.stat().st_size)})")
