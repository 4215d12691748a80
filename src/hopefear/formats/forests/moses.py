"""Hypergraphs of Moses (-output-search-graph-hypergraph) and of cdec (--show_target_graph).

A directory with one file per sentence, ``0.gz``, ``1.gz``, ... (or ``.txt``, ``.bz2``; the content
shows the compression). Moses' file ``weights`` is skipped.

In hypergraphs Moses numbers the values of a feature from 1, ``TranslationModel0_1``, ...; in lists
and in moses.ini they are only in order, and we number them from 0 everywhere.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hopefear import _core
from hopefear.errors import FormatError
from hopefear.forest import Forest
from hopefear.formats.base import forest_formats
from hopefear.formats.files import Source
from hopefear.formats.forests.files import (
    Suffix,
    first_bytes,
    numbered_files,
    read_whole,
    write_numbered,
)
from hopefear.settings import setting, settings
from hopefear.types import Vocabulary

__all__ = ["MosesHypergraphs"]

_HEADER = b"# target |||"
# The first line of Moses, or of cdec with the numbers of vertices and edges.
_START = re.compile(re.escape(_HEADER) + rb"|[0-9]+[ \t]+[0-9]+[ \t\r]*(\n|$)")


@forest_formats.register("moses-hypergraph")
@settings
class MosesHypergraphs:
    """A directory with one text file per sentence.

    Moses writes how many source words a vertex covers, but not which; cdec writes neither. The
    tails of an edge are in the order of its target side.
    """

    suffix: Suffix = setting("gz", "Suffix of the files to write.")
    covered: bool = setting(
        True, "Write how many source words a vertex covers, as Moses' tuner expects."
    )

    def sniff(self, source: Source) -> bool:
        """Look for a directory whose file of sentence 0 begins like a hypergraph."""
        return bool(_START.match(first_bytes(source)))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in the order of the sentences, one at a time."""
        if not source.is_directory:
            raise FormatError(f"{source.name}: expected a directory of hypergraphs, found a file")
        renamed: dict[str, str] | None = None
        for sentence, path in enumerate(numbered_files(source)):
            text = read_whole(path)
            if renamed is None and text.startswith(_HEADER):
                scratch = _core.parse_moses_hypergraph(text, str(path), Vocabulary(), Vocabulary())
                renamed = _renumbered(Forest(scratch), 1, 0)
            forest = _core.parse_moses_hypergraph(
                text, str(path), words, feature_names, renamed or {}
            )
            yield sentence, Forest(forest)

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a new directory, which appears only when complete."""
        renamed: dict[str, str] | None = None

        def text_of(forest: Forest) -> bytes:
            nonlocal renamed
            if renamed is None and self.covered:
                if wrong := _renumbered(forest, 1, 0):
                    raise FormatError(
                        "the values of a feature are numbered from 0 and written from 1, but of "
                        f"'{min(wrong)}' there is no value 0"
                    )
                renamed = _renumbered(forest, 0, 1)
            return _core.format_moses_hypergraph(forest.core, self.covered, renamed or {})

        write_numbered(path, forests, text_of, self.suffix)


def _renumbered(forest: Forest, first: int, wanted: int) -> dict[str, str] | None:
    """Return other names for the values of dense features, NAME_first, ...: NAME_wanted, ...

    All edges have all values of a dense feature, except edges without features: Moses' first and
    last ones. None if no edge has a feature, so that nothing can be told.
    """
    edges = [set(found) for e in range(forest.edge_count) if (found := forest.features(e))]
    if not edges:
        return None
    dense, present = set.intersection(*edges), set.union(*edges)
    renamed: dict[str, str] = {}
    for label in [name.removesuffix(f"_{first}") for name in dense if name.endswith(f"_{first}")]:
        last = first
        while f"{label}_{last + 1}" in dense:
            last += 1
        if last > first and label not in present and f"{label}_{first - 1}" not in present:
            for number in range(first, last + 1):
                renamed[f"{label}_{number}"] = f"{label}_{number - first + wanted}"
    return renamed
