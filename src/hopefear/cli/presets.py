"""`hopefear presets`."""

from typing import Annotated

import typer

from hopefear.cli.options import Debug

__all__ = ["presets", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(presets)


def presets(
    name: Annotated[
        str | None, typer.Argument(help="Show the settings of this one, as TOML.")
    ] = None,
    debug: Debug = False,
) -> None:
    """List the published ways to tune, one a line."""
    from hopefear.tuning.presets import describe_preset
    from hopefear.tuning.presets import presets as known

    if name is not None:
        typer.echo(describe_preset(name), nl=False)
        return
    width = max(map(len, known))
    for title, preset in known.items():
        typer.echo(f"{title:{width}}  {preset.explanation}")
