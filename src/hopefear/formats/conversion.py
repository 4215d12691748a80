"""Conversion of n-best lists, weights and forests between all known formats."""

from typing import Any, Literal, get_args

from hopefear.errors import ConfigError, FormatError
from hopefear.formats import (
    forest_formats,
    nbest_formats,
    weights_formats,
    write_forests,
    write_nbest,
    write_weights,
)
from hopefear.formats.base import choose_format, fitting_formats
from hopefear.formats.files import (
    PathLike,
    Source,
    Tell,
    check_other_file,
    open_source,
    tell_nobody,
)
from hopefear.registry import Registry, suggest
from hopefear.types import Vocabulary

__all__ = ["Kind", "convert"]

Kind = Literal["forests", "nbest", "weights"]
"""The kind of a file's content."""

_FORMATS: dict[Kind, Registry[Any]] = {
    "forests": forest_formats,
    "nbest": nbest_formats,
    "weights": weights_formats,
}


def convert(
    source: PathLike,
    target: PathLike,
    *,
    to: str,
    from_: str | None = None,
    kind: Kind | None = None,
    tell: Tell = tell_nobody,
) -> None:
    """Read `source` in one format and write `target` in another, piece by piece.

    Parameters
    ----------
    source, target : str or Path
        Files, or ``-`` for standard input and output; directories for some formats of forests.
    to : str
        The format to write.
    from_ : str, optional
        The format to read; detected from the content by default.
    kind : {"forests", "nbest", "weights"}, optional
        The kind of content; detected from the content and the formats by default.
    tell : callable
        Progress callback, called with the file, the bytes read and the size.
    """
    check_other_file(source, target)
    with open_source(source) as opened:
        chosen = _kind(opened, from_, to, kind)
        if chosen == "nbest":
            segments = choose_format(opened, nbest_formats, from_).read(opened)
            write_nbest(target, opened.watched(segments, tell), to)
        elif chosen == "forests":
            format = choose_format(opened, forest_formats, from_)
            forests = format.read(opened, Vocabulary(), Vocabulary())
            write_forests(target, opened.watched(forests, tell), to)
        else:
            weights = choose_format(opened, weights_formats, from_).read(opened)
            write_weights(target, weights, to)


def _kind(source: Source, from_: str | None, to: str, kind: Kind | None) -> Kind:
    """Return the kind of the content, from the formats and from the content itself."""
    if kind is not None and kind not in _FORMATS:
        raise ConfigError(f"unknown kind '{kind}'{suggest(kind, get_args(Kind))}")
    from_, to = from_ and from_.partition(":")[0], to.partition(":")[0]  # without options
    for name in filter(None, (from_, to)):
        if not any(name in formats for formats in _FORMATS.values()):
            known = {name for formats in _FORMATS.values() for name in formats}
            raise ConfigError(f"unknown format '{name}'{suggest(name, known)}")
    if kind is not None:
        return kind
    named = [
        kind
        for kind, formats in _FORMATS.items()
        if to in formats and (from_ is None or from_ in formats)
    ]
    if not named:
        raise ConfigError(f"cannot convert '{from_}' to '{to}': they hold different kinds of data")
    fitting = named if len(named) == 1 else _fitting(source, named, from_)
    if len(fitting) == 1:
        return fitting[0]
    problem = "the kind of content is ambiguous" if fitting else "the content is not recognized"
    raise FormatError(f"{source.name}: {problem}; choose the kind: {', '.join(fitting or named)}")


def _fitting(source: Source, kinds: list[Kind], format: str | None) -> list[Kind]:
    """Return the kinds that the content fits, or else those that most lines fit.

    The content may fit another format of the kind than the given one: weights of Joshua and of cdec
    look the same.
    """
    for wanted in (format, None):
        for nearly in (False, True):
            found = {kind: fitting_formats(source, _FORMATS[kind], nearly=nearly) for kind in kinds}
            if fitting := [
                kind for kind in kinds if (wanted in found[kind] if wanted else found[kind])
            ]:
                return fitting
    return []
