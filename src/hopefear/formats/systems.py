"""Outputs of systems: a file or several replicas each, with names."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hopefear.errors import ConfigError
from hopefear.formats.keyed import aligned_texts
from hopefear.formats.texts import (
    Texts,
    name_of_texts,
    named_references,
    read_texts,
    references_of,
)
from hopefear.metrics import References

__all__ = ["Outputs", "read_systems"]

Outputs = list[tuple[str, list[Sequence[str]]]]
"""The name of each system and its replicas, each with a text for every sentence."""


def read_systems(
    systems: Mapping[str, Sequence[Texts]] | Sequence[Texts], references: Sequence[Texts]
) -> tuple[Outputs, References]:
    """Return the outputs of systems, and the references, with corresponding lines.

    Parameters
    ----------
    systems : mapping, or sequence of files and lists
        A mapping from names to lists of texts, or to replicas, which are lists of texts or files.
        In a sequence, a system is a list of texts, a file, or ``NAME=FILE,FILE`` with a file for
        each replica; a file may be a pattern, as in ``out.*.txt``. Equal names are replicas, too. A
        system without a name is called by the name of its file, or by its path if names would be
        the same.
    references : sequence of files and lists
        One or more references for every sentence.
    """
    named = _from_mapping(systems) if isinstance(systems, Mapping) else _from_list(systems)
    replicas = [(name, texts) for name, own in named.items() for texts in own]
    outputs = [
        (str(texts) if isinstance(texts, str | Path) else name, read_texts(texts))
        for name, texts in replicas
    ]
    streams = named_references(references)
    found = aligned_texts([*outputs, *streams])
    aligned: dict[str, list[Sequence[str]]] = {name: [] for name in named}
    for (name, _), lines in zip(replicas, found, strict=False):
        aligned[name].append(lines)
    return list(aligned.items()), references_of(streams, found[len(outputs) :])


def _from_mapping(systems: Mapping[str, Sequence[Texts]]) -> dict[str, list[Texts]]:
    """Return the replicas of each system; texts that are not in lists are those of one replica."""
    found: dict[str, list[Texts]] = {}
    for name, given in systems.items():
        texts = [text for text in given if isinstance(text, str)]
        if texts and len(texts) < len(given):
            problem = "expected texts, or a list of texts or a path for each replica"
            raise ConfigError(f"{problem}, got both", settings=(f"hyp.{name}",))
        found[name] = list(given) if len(texts) < len(given) else [texts]
    return found


def _from_list(systems: Sequence[Texts]) -> dict[str, list[Texts]]:
    """Return the replicas of each system, which is named or gets a name."""
    split = [_split(texts) for texts in systems]
    paths = [name_of_texts(texts, number) for number, texts in enumerate(systems, 1)]
    files = [Path(path).name for path, (name, _) in zip(paths, split, strict=True) if name is None]
    clear = len(set(files)) == len(files)
    found: dict[str, list[Texts]] = {}
    for path, (name, replicas) in zip(paths, split, strict=True):
        title = name or (Path(path).name if clear else path)
        found.setdefault(title, []).extend(replicas)
    for title, replicas in found.items():
        files = [str(file) for file in replicas if isinstance(file, str | Path)]
        if twice := next((file for i, file in enumerate(files) if file in files[:i]), None):
            raise ConfigError(f"'{twice}' is given twice for '{title}'", settings=("hyp",))
    return found


def _split(system: Texts) -> tuple[str | None, Sequence[Texts]]:
    """Return the name of a system, if it is given one, and its replicas."""
    text = str(system) if isinstance(system, str | Path) else ""
    name, equals, rest = text.partition("=")
    if not equals or _exists(Path(text)):
        return None, [system]
    patterns = rest.split(",")
    if not name or not all(patterns):
        problem = "expected a file, or NAME=FILE,FILE with a file for each replica"
        raise ConfigError(f"{problem}, found '{text}'", settings=("hyp",))
    return name, [file for pattern in patterns for file in _matching(Path(pattern))]


def _exists(path: Path) -> bool:
    with suppress(OSError):  # the name is too long
        return path.exists()
    return False


def _matching(pattern: Path) -> list[Path]:
    """Return the files whose names match, or the name itself, which may be of no file."""
    root = Path(pattern.anchor)
    return sorted(root.glob(str(pattern.relative_to(root)))) or [pattern]
