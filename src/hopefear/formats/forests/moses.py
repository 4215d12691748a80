"""Directories of hypergraphs: Moses' -output-search-graph-hypergraph, cdec's --show_target_graph.

One file for each sentence, ``0.gz``, ``1.gz``, ... (or ``.txt``, ``.bz2``; what it is is told by
content). A file ``weights``, which Moses writes too, is skipped.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.forest import Forest
from hopefear.forest.moses_text import format_moses_hypergraph, parse_moses_hypergraph
from hopefear.formats.base import forest_formats
from hopefear.formats.files import Source
from hopefear.formats.forests.files import (
    check_suffix,
    first_bytes,
    numbered_files,
    read_whole,
    write_numbered,
)
from hopefear.types import Vocabulary

__all__ = ["MosesHypergraphs"]

# Moses' first line, or cdec's, which has the numbers of vertices and edges.
_START = re.compile(rb"# target \|\|\||[0-9]+[ \t]+[0-9]+[ \t\r]*(\n|$)")


@forest_formats.register("moses-hypergraph")
@dataclass(frozen=True, kw_only=True)
class MosesHypergraphs:
    """A directory with a file of text for each sentence.

    Of a vertex the format knows how many source words it covers, not which; cdec's form does not
    know that either. The tails of an edge are in the order of its target side.

    Attributes
    ----------
    suffix : str
        For writing: ``txt``, ``gz`` or ``bz2``.
    covered : bool
        For writing: whether edges say how many source words their head covers, as Moses' tuner
        expects; without, it is cdec's form.
    """

    suffix: str = "gz"
    covered: bool = True

    def __post_init__(self) -> None:
        check_suffix(self, self.suffix)

    def sniff(self, source: Source) -> bool:
        """Look for a directory whose file of sentence 0 begins as it should."""
        return bool(_START.match(first_bytes(source)))

    def read(
        self, source: Source, words: Vocabulary, feature_names: Vocabulary
    ) -> Iterator[tuple[int, Forest]]:
        """Read the forests in the order of sentences; memory is needed for one only."""
        if not source.is_directory:
            raise FormatError(f"{source.name}: is a file; Moses' hypergraphs are a directory")
        for sentence, path in enumerate(numbered_files(source)):
            text = read_whole(path)
            yield sentence, parse_moses_hypergraph(text, str(path), words, feature_names)

    def write(self, forests: Iterable[tuple[int, Forest]], path: Path) -> None:
        """Write a directory, which must not exist; it appears whole or not at all."""
        write_numbered(
            path,
            forests,
            lambda forest: format_moses_hypergraph(forest, covered=self.covered),
            self.suffix,
        )
