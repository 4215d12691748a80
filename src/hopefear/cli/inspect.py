"""`hopefear inspect`."""

from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Format, Lowercase, Tokenize

__all__ = ["inspect", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(inspect)


def inspect(
    sentence: Annotated[str, typer.Option("--sentence", "-s", help="Its number from 0, or key.")],
    run: Annotated[Path | None, typer.Argument(help="The directory of a run.")] = None,
    dev: Annotated[bool, typer.Option("--dev", help="Look at the held-out data.")] = False,
    nbest: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Without a run: n-best lists.")
    ] = None,
    forests: Annotated[
        Path | None, typer.Option(help="Without a run: forests, of any format.")
    ] = None,
    refs: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Without a run: references.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="A file of weights. [those that the run learned]")
    ] = None,
    metric: Annotated[str, typer.Option(help="Without a run: how to judge.")] = "bleu",
    tokenize: Tokenize = None,
    lowercase: Lowercase = False,
    format: Format = None,
    listed: Annotated[int, typer.Option(min=1, help="Show so many of the model's best.")] = 100,
    others: Annotated[int, typer.Option(min=0, help="And so many others, at random.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Decides which others.")] = 1,
    search: Annotated[
        str | None, typer.Option(help="In forests: nbest, rerank, linear. [the learner's, rerank]")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="At which others are drawn. [the spread of the best]")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A .html or .svg file. [clouds/N.html in RUN]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Show the 1-best, the hope and the fear of a sentence, and the cloud around them."""
    import hopefear
    from hopefear.cli.inspection_console import print_cloud
    from hopefear.cli.progress_bar import ProgressBar
    from hopefear.reporting.inspecting import picture_path

    target = picture_path(run, sentence) if out is None else out
    with ProgressBar() as bar:
        cloud = hopefear.inspect(
            run,
            sentence=sentence,
            dev=dev,
            nbest=nbest or (),
            forests=forests,
            refs=refs or (),
            weights=weights,
            metric=metric,
            tokenize=tokenize,
            lowercase=lowercase,
            format=format,
            listed=listed,
            others=others,
            seed=seed,
            search=search,
            temperature=temperature,
            out=target,
            tell=bar.show,
        )
    print_cloud(cloud, target)
