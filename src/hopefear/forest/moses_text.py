"""Forests as text in the form that Moses and cdec share."""

from __future__ import annotations

from hopefear import _core
from hopefear.forest.forest import Forest
from hopefear.types import Vocabulary

__all__ = ["format_moses_hypergraph", "parse_moses_hypergraph"]


def parse_moses_hypergraph(
    text: bytes, file: str, words: Vocabulary, feature_names: Vocabulary
) -> Forest:
    """Return the forest of a text; errors begin with `file` and the line."""
    return Forest(_core.parse_moses_hypergraph(text, file, words, feature_names))


def format_moses_hypergraph(forest: Forest, *, covered: bool = True) -> bytes:
    """Return the text of a forest in Moses' form, or without `covered` in cdec's."""
    return _core.format_moses_hypergraph(forest.core, covered)
