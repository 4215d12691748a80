"""The command line: it parses arguments and calls the library; there is no logic here."""

import typer

app = typer.Typer(no_args_is_help=True, add_completion=True)


@app.callback()
def main_options() -> None:
    """Learn the weights of linear models over translations."""


@app.command()
def demo() -> None:
    """Run the demonstration."""
    typer.echo("demo")


def main() -> None:
    """Run the command line."""
    app()
