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
    from hopefear.presets import load_presets
    from hopefear.runs.kinds import learns_from
    from hopefear.runs.options import learner_of, table_of
    from hopefear.settings.toml_writer import format_table

    if name is not None:
        typer.echo(format_table(table_of(name)), nl=False)
        typer.echo(f"# learns from: {', '.join(learns_from(learner_of(name)))}")
        return
    rows = [("preset", "learns from", "what it is")]
    for title, preset in load_presets().items():
        rows.append((title, ", ".join(learns_from(learner_of(title))), preset.explanation))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for title, data, explanation in rows:
        typer.echo(f"{title:{widths[0]}}  {data:{widths[1]}}  {explanation}")
