"""Derivations: trees of edges in a forest, from the root to the leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.types import FloatArray, Vocabulary

__all__ = ["Derivation", "SparseFeatures"]


class SparseFeatures(NamedTuple):
    """Features by id: `ids` increase, and other ids have the value 0."""

    ids: NDArray[np.int32]
    values: FloatArray

    def named(self, feature_names: Vocabulary) -> dict[str, float]:
        """Return the values by name."""
        pairs = zip(self.ids.tolist(), self.values.tolist(), strict=True)
        return {feature_names[i]: value for i, value in pairs}


@dataclass(frozen=True, eq=False, slots=True)
class Derivation:
    """A tree of edges from the root of a forest to its leaves.

    Attributes
    ----------
    forest
        The compiled forest.
    edges
        The edges in pre-order: each edge is followed by the derivations of its tails, from left to
        right.
    score
        The sum of the edges' scores.
    """

    forest: _core.Forest
    edges: NDArray[np.int32]
    score: float

    @property
    def word_ids(self) -> NDArray[np.int32]:
        """The ids of the words, from left to right."""
        return _core.derivation_words(self.forest, self.edges)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, from left to right."""
        vocabulary = self.forest.words
        return tuple(vocabulary[word] for word in self.word_ids.tolist())

    @property
    def text(self) -> str:
        """The words, separated by spaces."""
        return " ".join(self.words)

    @property
    def sparse_features(self) -> SparseFeatures:
        """The sum of the edges' features, by id."""
        return SparseFeatures(*_core.derivation_features(self.forest, self.edges))

    @property
    def features(self) -> dict[str, float]:
        """The sum of the edges' features, by name."""
        return self.sparse_features.named(self.forest.feature_names)

    def show(self) -> str:
        """Return the derivation as an indented tree with one line per edge.

        Each line has the edge's number, its target side with tails as [0], [1], ..., and the source
        words that its head covers, if known.
        """
        depths = _core.derivation_depths(self.forest, self.edges).tolist()
        lines = zip(depths, self.edges.tolist(), strict=True)
        return "\n".join(f"{'  ' * depth}{self._show_edge(edge)}" for depth, edge in lines)

    def _show_edge(self, edge: int) -> str:
        forest = self.forest
        begin, end = forest.target_begin[edge : edge + 2]
        symbols = forest.targets[begin:end].tolist()
        target = " ".join(forest.words[s] if s >= 0 else f"[{~s}]" for s in symbols)
        head = forest.heads[edge]
        first, covered = int(forest.source_begin[head]), int(forest.covered[head])
        place = f" <{first}:{first + covered}>" if first >= 0 else ""
        return f"{edge}: {target}{place}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        return self.forest is other.forest and bool(np.array_equal(self.edges, other.edges))

    def __hash__(self) -> int:
        return hash(self.edges.tobytes())

    def __repr__(self) -> str:
        return f"Derivation({self.score:.6g}, {self.text!r})"


def split(
    forest: _core.Forest,
    edges: NDArray[np.int32],
    begin: NDArray[np.int64],
    scores: FloatArray,
) -> Iterator[Derivation]:
    """Yield derivations that are concatenated in one array."""
    ends = begin.tolist()
    for i, score in enumerate(scores.tolist()):
        yield Derivation(forest, edges[ends[i] : ends[i + 1]], score)
