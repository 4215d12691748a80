"""Hypergraphs of Moses (-output-search-graph-hypergraph) and of cdec (--show_target_graph).

A directory with one file per sentence, ``0.gz``, ``1.gz``, ... (or ``.txt``, ``.bz2``; the content
shows the compression). Moses' file ``weights`` is skipped.
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

# The first line of Moses, or of cdec with the numbers of vertices and edges.
_START = re.compile(rb"# target \|\|\||[0-9]+[ \t]+[0-9]+[ \t\r]*(\n|$)")


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
        for sentence, path in enumerate(numbered_files(source)):
            text = read_whole(path)
            forest = _core.parse_moses_hypergraph(text, str(path), words, feature_names)
            yield sentence, Forest(forest)

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a new directory, which appears only when complete."""
        write_numbered(
            path,
            forests,
            lambda forest: _core.format_moses_hypergraph(forest.core, self.covered),
            self.suffix,
        )
