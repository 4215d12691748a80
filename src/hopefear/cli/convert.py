"""`hopefear convert`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from hopefear.cli.options import Debug

__all__ = ["convert", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(convert)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file, or '-'.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A file, or '-'.")],
    to: Annotated[str, typer.Option("--to", help="Format to write.")],
    from_: Annotated[str | None, typer.Option("--from", help="Format to read. [told]")] = None,
    kind: Annotated[
        Literal["forests", "nbest", "weights"] | None,
        typer.Option(help="What the file holds, where that is not clear."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Convert n-best lists, weights or forests from one tool's format to another's."""
    import hopefear
    from hopefear.cli.progress_bar import ProgressBar

    with ProgressBar() as bar:
        hopefear.convert(source, target, to=to, from_=from_, kind=kind, tell=bar.show)
