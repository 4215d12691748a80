"""`hopefear rerank`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Format, MemoryLimit, NBestFiles, Threads
from hopefear.cli.sizes import parse_size

__all__ = ["register", "rerank"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rerank)


def rerank(
    nbest: NBestFiles,
    weights: Annotated[Path, typer.Option(help="A run directory, or a file of weights.")],
    nbest_out: Annotated[
        Path | None,
        typer.Option(help="Write the lists with the best hypothesis first to this file, or '-'."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="Format of --nbest-out. [that of the first list]")
    ] = None,
    format: Format = None,
    sentences: Annotated[
        int, typer.Option(min=0, help="Sentences at least; further ones have empty lines.")
    ] = 0,
    threads: Threads = 0,
    memory_limit: MemoryLimit = "0",
    debug: Debug = False,
) -> None:
    """Print the best candidate of each sentence, in order; an empty line where there is none."""
    import hopefear
    from hopefear.cli.progress_bar import ProgressBar
    from hopefear.reranking import write_reranked

    with ProgressBar() as bar:
        reranking = hopefear.rerank(
            nbest=nbest,
            weights=weights,
            format=format,
            sentences=sentences,
            threads=threads,
            memory_limit=parse_size(memory_limit),
            tell=bar.show,
        )
    if nbest_out is not None:
        write_reranked(nbest_out, reranking, to or format, nbest[0])
        return
    for text in reranking:
        sys.stdout.write(" ".join(text.split("\n")) + "\n")
