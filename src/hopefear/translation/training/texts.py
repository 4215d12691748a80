"""Texts that the core reads: one side of a bitext, or inputs."""

from hopefear import _core
from hopefear.formats.files import PathLike, open_source

__all__ = ["read_text"]


def read_text(path: PathLike) -> _core.TextParser:
    """Read a text, a sentence a line, plain or gzip."""
    with open_source(path) as source:
        parser = _core.TextParser(source.name)
        for piece in source.pieces():
            parser.feed(piece)
        parser.finish()
        return parser
