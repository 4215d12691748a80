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
        str | None,
        typer.Argument(help="Show the settings of this one, or of a learner, as TOML."),
    ] = None,
    debug: Debug = False,
) -> None:
    """List the published ways to tune, one a line: what they learn from, and what they are."""
    from hopefear.presets import describe_preset, find_preset
    from hopefear.presets import presets as known
    from hopefear.runs.kinds import learns_from

    if name is not None:
        typer.echo(describe_preset(name), nl=False)
        typer.echo(f"# learns from: {', '.join(learns_from(find_preset(name).learner))}")
        return
    rows = [("preset", "learns from", "what it is")]
    for title, preset in known.items():
        rows.append((title, ", ".join(learns_from(preset.learner)), preset.explanation))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for title, data, explanation in rows:
        typer.echo(f"{title:{widths[0]}}  {data:{widths[1]}}  {explanation}")
