"""From one tool's file to another's: n-best lists, weights and forests, in any known format."""

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
"""What a file holds."""

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
    """Read `source` in one format and write `target` in another; memory is needed for little of it.

    Parameters
    ----------
    source, target : str or Path
        Files; plain or gzip, or ``-`` for standard input and output. Forests may be in directories.
    to : str
        The format to write.
    from_ : str, optional
        The format to read; told by content if not given.
    kind : {"forests", "nbest", "weights"}, optional
        What the file holds; told by content and by the formats if not given.
    tell : callable
        Called with the file, how many of its bytes are read and how many it has.
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
    """Return what the file holds: what has these formats, and what its content looks like."""
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
        raise ConfigError(f"no kind of file has both formats, '{from_}' and '{to}'")
    fitting = named if len(named) == 1 else _fitting(source, named, from_)
    if len(fitting) == 1:
        return fitting[0]
    problem = "could be of any kind" if fitting else "looks like no known kind of file"
    raise FormatError(f"{source.name}: {problem}; name the kind ({', '.join(fitting or named)})")


def _fitting(source: Source, kinds: list[Kind], format: str | None) -> list[Kind]:
    """Return the kinds of files that this one looks like, or else those that most lines fit.

    What looks like another format of a kind than the one that was named is still of that kind:
    weights of Joshua and of cdec look the same.
    """
    for wanted in (format, None):
        for nearly in (False, True):
            found = {kind: fitting_formats(source, _FORMATS[kind], nearly=nearly) for kind in kinds}
            if fitting := [
                kind for kind in kinds if (wanted in found[kind] if wanted else found[kind])
            ]:
                return fitting
    return []
