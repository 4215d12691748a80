"""`hopefear demo`."""

import typer

__all__ = ["demo", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo() -> None:
    """Run the demonstration."""
    typer.echo("demo")
