"""Options that several commands share, and options that take several values."""

import re
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

__all__ = [
    "SEVERAL",
    "Debug",
    "Format",
    "Lowercase",
    "MemoryLimit",
    "Threads",
    "Tokenize",
    "command_of",
    "spread",
]

SEVERAL = {
    "evaluate": {"--hyp", "--metric", "--refs"},
    "inspect": {"--nbest", "--refs"},
    "rerank": {"--nbest"},
    "train": {"--features", "--for", "--lm", "--lm-text", "--rules", "--set"},
    "tune": {"--dev-nbest", "--dev-refs", "--features", "--nbest", "--refs", "--set"},
}
"""The options of each command that take several values."""


def command_of(arguments: Sequence[str]) -> str:
    """Return the name of the command that is called."""
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def spread(arguments: Sequence[str]) -> list[str]:
    """Name an option again before each further value: of ``--refs A B`` the B gets its own.

    Examples
    --------
    >>> spread(["evaluate", "--refs", "a", "b", "--json"])
    ['evaluate', '--refs', 'a', '--refs', 'b', '--json']
    """
    found: list[str] = []
    option, values = "", 0
    several = SEVERAL.get(command_of(arguments), set())
    for argument in arguments:
        if argument.startswith("-") and not re.fullmatch(r"-(\d.*)?", argument):
            option, values = argument if argument in several else "", 0
        elif option:
            values += 1
            if values > 1:
                found.append(option)
        found.append(argument)
    return found


def _remember_debug(context: typer.Context, debug: bool) -> bool:
    if debug:
        context.find_root().ensure_object(dict)["debug"] = True
    return debug


Debug: TypeAlias = Annotated[
    bool,
    typer.Option("--debug", callback=_remember_debug, help="Show where in the program it failed."),
]
Format: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Format of the lists, with options as in 'nemo:beam_size=8'. [told]"),
]
Lowercase: TypeAlias = Annotated[bool, typer.Option("--lowercase", help="Ignore case.")]
MemoryLimit: TypeAlias = Annotated[
    str, typer.Option(metavar="BYTES", help="Keep lists beyond this on disk, as in '2G'; 0: none.")
]
Threads: TypeAlias = Annotated[
    int, typer.Option(min=0, help="0 for one per core; no result depends on it.")
]
Tokenize: TypeAlias = Annotated[
    str | None, typer.Option(help="13a, none, intl, char, zh, ...: as in sacreBLEU.")
]
