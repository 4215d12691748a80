"""Candidates from elsewhere with further features: counts of words and of pairs of words.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, section 4.3, add
patterns to the lattices and k-best lists of another system.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import DataError
from hopefear.forest import Forest
from hopefear.formats import read_lines
from hopefear.formats.files import PathLike
from hopefear.nbest import NBest
from hopefear.translation import ForestRescorer
from hopefear.translation.features.counting import Links, WordCounter
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["CountedForests", "count_in_lists", "read_sources"]

Arrays = tuple[IntArray, NDArray[np.int32], FloatArray]
"""Sparse rows: offsets, ids and values."""


def count_in_lists(
    nbest: NBest,
    counter: WordCounter,
    sources: Sequence[Sequence[str]],
    alignments: Sequence[Links] | None = None,
) -> NBest:
    """Return n-best lists with counts as further features; texts are shared.

    Parameters
    ----------
    nbest : NBest
        The lists; their vocabulary gets the new names.
    counter : WordCounter
        What to count.
    sources : sequence of lists of words
        The source sentences.
    alignments : sequence of links, optional
        Word alignments of each hypothesis, by row.
    """
    rows: list[Mapping[str, float]] = []
    for sentence in range(nbest.sentence_count):
        of_sentence = counter.of_sentence(sources[sentence])
        for row in nbest.rows(sentence):
            target = nbest.text(row).split()
            links = None if alignments is None else alignments[row]
            if links is not None:
                _check_links(links, len(sources[sentence]), len(target), sentence)
            rows.append(of_sentence.count(target, links=links) + counter.count_ngrams(target))
    names = nbest.feature_names
    return nbest.with_features(names, *_joined(nbest.feature_arrays(), rows, names))


class CountedForests:
    """Forests with counts as further features of their edges.

    N-grams reach across edges: a node is split by the words at its ends that an n-gram could go on
    with. All derivations stay. Forests that were made with a language model are split already, so
    that few nodes are added.

    Parameters
    ----------
    counter : WordCounter
        What to count.
    source : path
        The sentences that the forests translate.
    """

    def __init__(self, counter: WordCounter, source: PathLike) -> None:
        self._counter, self._path = counter, source
        self._sources = [line.split() for line in read_lines(source)]
        self._rescorer = ForestRescorer(
            {}, word_features=counter.features.word_features, pop_limit=0
        )

    def count(self, sentence: int, forest: Forest) -> Forest:
        """Return the forest of a sentence with counts; its vocabulary gets the new names."""
        if sentence >= len(self._sources):
            raise _missing(self._path, len(self._sources), sentence + 1)
        names = forest.feature_names
        rows = _joined(forest.core.feature_arrays(), self._rows(sentence, forest), names)
        local = Forest(forest.core.with_features(names, *rows))
        return self._rescorer.rescore(local, np.zeros(len(names)))

    def _rows(self, sentence: int, forest: Forest) -> list[Mapping[str, float]]:
        """Return what is counted on each edge by itself."""
        source = self._sources[sentence]
        of_sentence = self._counter.of_sentence(source)
        spans = _spans(forest, len(source))

        @cache
        def count(words: tuple[str, ...], places: frozenset[int]) -> Mapping[str, float]:
            return of_sentence.count(words, covered=[source[i] for i in sorted(places)])

        found = []
        for edge in range(forest.edge_count):
            words = tuple(word for word in forest.target(edge) if isinstance(word, str))
            places = frozenset(range(len(source)))
            if spans is not None:
                below = [spans[tail] for tail in forest.tails(edge).tolist()]
                places = spans[forest.head(edge)].difference(*below)
            found.append(count(words, places))
        return found


def _spans(forest: Forest, length: int) -> list[frozenset[int]] | None:
    """Return the source words under each node; None if they are not known."""
    begins, lengths = forest.core.source_begin.tolist(), forest.core.covered.tolist()
    if min(begins) < 0 or lengths[forest.root] != length:
        return None
    return [frozenset(range(i, i + n)) for i, n in zip(begins, lengths, strict=True)]


def read_sources(path: PathLike, sentences: int) -> list[list[str]]:
    """Read the words of the sentences that candidates translate; there must be so many."""
    lines = [line.split() for line in read_lines(path)]
    if len(lines) < sentences:
        raise _missing(path, len(lines), sentences)
    return lines


def _missing(path: PathLike, lines: int, sentences: int) -> DataError:
    return DataError(f"{path}: has {lines} sentences, but there are candidates of {sentences}")


def _check_links(links: Links, source: int, target: int, sentence: int) -> None:
    for i, j in links:
        if not (0 <= i < source and 0 <= j < target):
            raise DataError(
                f"word alignments: a hypothesis of sentence {sentence} has the link {i}-{j}, but "
                f"{source} source and {target} target words"
            )


def _joined(old: Arrays, rows: Sequence[Mapping[str, float]], names: Vocabulary) -> Arrays:
    """Return sparse rows with further entries by name."""
    offsets, ids, values = old
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    new_ids = np.array([names.add(name) for row in rows for name in row], dtype=np.int32)
    new_values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    # Row i has its old entries first: they move by the number of new ones in earlier rows.
    of_old = np.arange(len(ids)) + np.repeat(before[:-1], np.diff(offsets))
    of_new = np.arange(len(new_ids)) + np.repeat(offsets[1:], counts)
    all_ids = np.empty(len(ids) + len(new_ids), dtype=np.int32)
    all_values = np.empty(len(all_ids))
    all_ids[of_old], all_values[of_old] = ids, values
    all_ids[of_new], all_values[of_new] = new_ids, new_values
    return offsets + before, all_ids, all_values
