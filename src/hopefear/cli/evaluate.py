"""`hopefear evaluate`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Lowercase, Threads, Tokenize

__all__ = ["evaluate", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


def evaluate(
    hyp: Annotated[
        list[Path],
        typer.Option(metavar="FILE...", help="The output of each system; the first is baseline."),
    ],
    refs: Annotated[list[Path], typer.Option(metavar="FILE...", help="One or more references.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="bleu, chrf, chrf++, ter, wer. [bleu]"),
    ] = None,
    tokenize: Tokenize = None,
    lowercase: Lowercase = False,
    resamples: Annotated[
        int, typer.Option(min=0, help="Test sets of the paired bootstrap; 0 for scores alone.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Decides which test sets are drawn.")] = 12345,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    threads: Threads = 0,
    debug: Debug = False,
) -> None:
    """Score systems against references, with intervals, and compare each with the first."""
    import hopefear
    from hopefear.cli.progress_bar import ProgressBar

    with ProgressBar() as bar:
        found = hopefear.evaluate(
            hyp=hyp,
            refs=refs,
            metric=metric or ["bleu"],
            tokenize=tokenize,
            lowercase=lowercase,
            resamples=resamples,
            seed=seed,
            threads=threads,
            tell=bar.show,
        )
    if json_:
        typer.echo(json.dumps(found.table(), ensure_ascii=False, indent=2))
        return
    from hopefear.cli.tables import print_evaluation

    print_evaluation(found)
