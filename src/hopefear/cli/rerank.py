"""`hopefear rerank`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Format, MemoryLimit, Threads
from hopefear.errors import ConfigError
from hopefear.settings import parse_size

__all__ = ["register", "rerank"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rerank)


def rerank(
    weights: Annotated[Path, typer.Option(help="A run directory, or a file of weights.")],
    nbest: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="N-best lists, of any format.")
    ] = None,
    forests: Annotated[
        Path | None, typer.Option(help="Forests in place of lists: a file or a directory.")
    ] = None,
    nbest_out: Annotated[
        Path | None,
        typer.Option(help="Write the lists with the best hypothesis first to this file, or '-'."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="Format of --nbest-out. [that of the first list, or moses]")
    ] = None,
    size: Annotated[int, typer.Option(min=1, help="Derivations of a forest in --nbest-out.")] = 100,
    format: Format = None,
    sentences: Annotated[
        int, typer.Option(min=0, help="Sentences at least; further ones have empty lines.")
    ] = 0,
    threads: Threads = 0,
    memory_limit: MemoryLimit = "0",
    debug: Debug = False,
) -> None:
    """Print the best candidate of each sentence, in order; an empty line where there is none."""
    if to is not None and nbest_out is None:
        raise ConfigError("--to is the format of the lists that --nbest-out writes; name that, too")
    import hopefear
    from hopefear.candidates.reranking import write_reranked
    from hopefear.cli.progress_bar import ProgressBar
    from hopefear.formats.files import check_other_file

    for path in nbest or ():
        if nbest_out is not None:
            check_other_file(path, nbest_out)
    with ProgressBar() as bar:
        reranking = hopefear.rerank(
            nbest=nbest or (),
            forests=forests,
            weights=weights,
            format=format,
            sentences=sentences,
            threads=threads,
            memory_limit=parse_size(memory_limit),
            size=size,
            tell=bar.show,
        )
        if nbest_out is not None:
            # The format of forests is none of lists.
            told = to or (format if nbest else None)
            write_reranked(nbest_out, reranking, told, nbest[0] if nbest else None)
            return
        texts = list(reranking)
    for text in texts:
        sys.stdout.write(" ".join(text.split("\n")) + "\n")
