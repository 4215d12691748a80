"""`hopefear translate`."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Threads
from hopefear.errors import ConfigError, FormatError

__all__ = ["register", "translate"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(translate)


def translate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model's directory.")],
    weights: Annotated[
        Path | None, typer.Option(help="A run directory, or a file of weights. [the model's]")
    ] = None,
    nbest: Annotated[
        int, typer.Option(min=0, help="Print so many translations, as Moses' n-best lists.")
    ] = 0,
    forests: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the forests of all sentences there.")
    ] = None,
    show_derivation: Annotated[
        bool, typer.Option("--show-derivation", help="Print rules, as a tree, not translations.")
    ] = False,
    grammars: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With a rule table for each sentence.")
    ] = None,
    detokenize: Annotated[
        bool, typer.Option("--detokenize", help="Put translations together, if words were split.")
    ] = False,
    pop_limit: Annotated[
        int | None, typer.Option(help="Candidates for each span; more is slower. [200]")
    ] = None,
    beam: Annotated[float | None, typer.Option(help="Less is faster; 0: none.")] = None,
    max_span: Annotated[int | None, typer.Option(help="Words under a rule. [20]")] = None,
    rule_limit: Annotated[int | None, typer.Option(help="Rules of a source side. [30]")] = None,
    threads: Threads = 0,
    debug: Debug = False,
) -> None:
    """Translate standard input, a sentence a line, to standard output."""
    import hopefear
    from hopefear.cli.progress_bar import ProgressBar
    from hopefear.formats.forests.store import ForestWriter
    from hopefear.formats.nbest.bars import MosesNBest
    from hopefear.translation.translate import show_derivation as shown

    if nbest and show_derivation:
        raise ConfigError("--nbest and --show-derivation: choose one")
    options = {
        name: value
        for name, value in {
            "pop_limit": pop_limit,
            "beam": beam,
            "max_span": max_span,
            "rule_limit": rule_limit,
        }.items()
        if value is not None
    }
    with ExitStack() as stack:
        bar = stack.enter_context(ProgressBar())
        writer = None
        if forests is not None:
            forests.mkdir(parents=True, exist_ok=True)
            writer = stack.enter_context(ForestWriter.open(forests / "0.forests"))
        for done, translation in enumerate(
            hopefear.translate(
                model,
                _lines(),
                weights=weights,
                nbest=nbest,
                forests=forests is not None,
                grammars=grammars,
                detokenize=detokenize,
                threads=threads,
                **options,
            ),
            1,
        ):
            if nbest:
                text = io.StringIO()
                MosesNBest().write([translation.segment], text)
                sys.stdout.write(text.getvalue())
            elif show_derivation:
                sys.stdout.write(f"{shown(translation)}\n\n")
            else:
                sys.stdout.write(f"{translation.text}\n")
            # Whoever reads gets each sentence as soon as it is there.
            sys.stdout.flush()
            if writer is not None and translation.forest is not None:
                writer.add(translation.number, translation.forest)
            bar.show("translating", done, 0, f"{done} sentences")


def _lines() -> Iterator[str]:
    """Read standard input line by line, as it comes."""
    for number, line in enumerate(_byte_lines(), 1):
        try:
            yield line.removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} of the line: {error.reason}"
            raise FormatError(f"standard input:{number}: is not UTF-8 ({place})") from None


def _byte_lines() -> Iterator[bytes]:
    # Without a buffer of Python's: its lock could not be taken by a program that is interrupted.
    pieces: list[bytes] = []
    descriptor = sys.stdin.fileno()
    while piece := os.read(descriptor, 1 << 16):
        *lines, rest = piece.split(b"\n")
        for line in lines:
            yield b"".join([*pieces, line])
            pieces = []
        if rest:
            pieces.append(rest)
    if pieces:
        yield b"".join(pieces)
