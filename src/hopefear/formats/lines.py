"""Files with a line for each sentence, numbered from 0; empty where there is nothing."""

from collections.abc import Callable, Iterable
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.forest import Forest
from hopefear.formats.files import open_output

__all__ = ["write_lines"]

MOST_EMPTY = 1_000_000  # lines between two forests: a wrong number must not fill the disk


def write_lines(
    path: Path, forests: Iterable[tuple[int, Forest]], text_of: Callable[[Forest], str]
) -> None:
    """Write a line for each sentence, which must come in order; empty ones for those left out."""
    with open_output(path) as out:
        lines = 0
        for sentence, forest in forests:
            if sentence < lines:
                raise FormatError(f"{path}: sentence {sentence} comes after {lines - 1}")
            if sentence - lines > MOST_EMPTY:
                raise FormatError(
                    f"{path}: sentence {sentence} comes after {lines - 1}: too far on"
                )
            try:
                text = text_of(forest)
            except FormatError as error:
                raise FormatError(f"{path}: sentence {sentence}: {error}") from error
            out.write("\n" * (sentence - lines) + text + "\n")
            lines = sentence + 1
