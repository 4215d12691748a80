"""The compiled core of hopefear."""

from collections.abc import Callable, Iterator, Mapping, Sequence
import enum
from typing import Annotated, Final

import numpy
from numpy.typing import NDArray


def thread_count(threads: int) -> int:
    """
    The number of threads for an option `threads`: 0 means one per usable core.
    """

class Vocabulary:
    """Strings numbered from 0 in order of first appearance."""

    def __init__(self) -> None: ...

    def add(self, text: str) -> int:
        """The id of a string, which is added if it is new."""

    def find(self, text: str) -> int | None:
        """The id of a string, or None."""

    def find_all(self, texts: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The ids of many strings; -1 for unknown strings."""

    def __iter__(self) -> Iterator[str]:
        """All strings in the order of their ids."""

    def __contains__(self, text: str) -> bool: ...

    def __getitem__(self, id: int) -> str: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

class FeatureCounts:
    """How often each feature occurs."""

    @property
    def hypotheses(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Hypotheses that have it."""

    @property
    def lists(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Lists that have it."""

    @property
    def hypotheses_of_lists(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """All hypotheses of these lists."""

class NBest:
    """
    The n-best lists of a data set.

    A hypothesis is a row. Rows are sorted by sentence and, within a sentence, in order of
    arrival. Sentences are numbered from 0; some may have no hypotheses. Weights are indexed
    by the ids of `feature_names`. `threads` is 0 for one per core; no result depends on it.
    """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

    @property
    def sentence_count(self) -> int:
        """Number of sentences, including those without hypotheses."""

    @property
    def feature_count(self) -> int:
        """One more than the largest feature id; the minimum number of weights."""

    @property
    def words(self) -> Vocabulary:
        """The words of texts by id."""

    @property
    def feature_names(self) -> Vocabulary:
        """Names of features by id."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """First row of each sentence, and the end of the last."""

    @property
    def empty_sentences(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """The sentences that have no hypotheses."""

    @property
    def statistics(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')] | None:
        """
        A metric's statistics of each row, as a new matrix; None until they are set.
        """

    def statistics_of(self, begin: int, end: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')] | None:
        """Statistics of the rows from `begin` to `end`; None until they are set."""

    @property
    def statistics_nbytes(self) -> int:
        """Bytes in use for the statistics, in memory or in files."""

    def set_statistics(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Set the statistics, a matrix with one row per hypothesis."""

    def scaled(self, factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NBest:
        """
        The same lists with each feature multiplied by its factor; texts and statistics are shared.
        """

    def with_features(self, feature_names: Vocabulary, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NBest:
        """
        The same lists with other features: row i has entries offsets[i] to offsets[i + 1], and values of repeated ids are summed. Texts and statistics are shared.
        """

    def feature_arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        The features of all rows as offsets, ids and values; see `with_features`.
        """

    @property
    def nbytes(self) -> int:
        """Bytes in use for features, text and names, in memory or in files."""

    @property
    def spilled(self) -> bool:
        """Whether the data lie in temporary files."""

    def merged(self, other: NBest) -> NBest:
        """
        The hypotheses of these lists, followed by those that only the other lists have, with their statistics.
        """

    def subset(self, sentences: Sequence[int]) -> NBest:
        """
        The lists of these sentences with their statistics; the other lists are empty.
        """

    def rows(self, sentence: int) -> range:
        """Rows of a sentence."""

    def features_of(self, row: int) -> dict[str, float]:
        """Features of a hypothesis by name."""

    def feature_ids(self, row: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Ids of a hypothesis' features, increasing."""

    def feature_values(self, row: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """Values of a hypothesis' features, in the order of their ids."""

    def word_ids(self, row: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Ids of a hypothesis' words."""

    def text(self, row: int) -> str:
        """The text of a hypothesis."""

    def texts(self, sentence: int) -> list[str]:
        """The texts of a sentence's hypotheses."""

    def feature_rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        The features of all rows: how many each row has, their ids and their values.
        """

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """w · h of each row."""

    def sentence_scores(self, sentence: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """w · h of the rows of one sentence."""

    def sum_statistics(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Sum of the statistics of some rows, ignoring -1."""

    def column(self, feature: int, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Value of one feature in each row."""

    def feature_sum(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Sum of the feature vectors of some rows, each multiplied by its `x`."""

    def feature_spread(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """
        How much each feature varies within a list: the root of its mean variance; 0 for a feature that cannot change any choice.
        """

    def count_features(self) -> FeatureCounts:
        """How often each feature occurs; values of zero count."""

    def find_value_above(self, bound: float) -> tuple[int, int, float] | None:
        """
        Row, feature and value of the first value with a larger magnitude than `bound`.
        """

    def checksum(self) -> int:
        """A checksum of the features and the statistics."""

    def rows_without_words(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """The hypotheses whose text is empty."""

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, gain_scale: float = 1.0, threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        The row of each sentence with the greatest w · h + gain_scale · gain: the 1-best without gains, the hope with a scale of 1, the fear with -1. Ties go to the first row; a sentence without hypotheses has -1.
        """

    def best_of(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, gain_scale: float = 1.0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """The same rows as `best`, from the scores w · h."""

    def error_surface(self, origins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 0) -> ErrorSurface:
        """
        Summed statistics of the best rows along the line w + γ d, from w · h and d · h of each row. Och (2003), Minimum error rate training, section 5.
        """

class NBestBuilder:
    """Collects hypotheses in any order and drops duplicates."""

    def __init__(self, words: Vocabulary | None = None, feature_names: Vocabulary | None = None, *, memory_limit: int = 0, directory: str = '') -> None: ...

    def __len__(self) -> int: ...

    def add_ids(self, sentence: int, text: str, feature_ids: Sequence[int], feature_values: Sequence[float]) -> bool:
        """Add a hypothesis; returns False for a duplicate."""

    def add_table(self, sentences: NDArray[numpy.int64], texts: list[str], column_ids: Sequence[int], columns: Sequence[NDArray[numpy.float64]], offsets: NDArray[numpy.int64], ids: NDArray[numpy.int32], values: NDArray[numpy.float64]) -> NDArray[numpy.int64]:
        """
        Add hypotheses that are held in arrays; return for each its place in order of arrival, which is that of the first for duplicates. Columns have NaN where a hypothesis does not have the feature; row i of the sparse features, if there are any, has entries offsets[i] to offsets[i + 1].
        """

    def merge(self, lists: NBest) -> int:
        """Add all hypotheses of other lists; return the number of new ones."""

    def finish(self, sentences: int = 0) -> NBest:
        """
        Make the lists of at least `sentences` sentences; the builder is empty afterwards.
        """

    @property
    def words(self) -> Vocabulary:
        """The words of texts by id."""

    @property
    def feature_names(self) -> Vocabulary:
        """Names of features by id."""

    @property
    def duplicate_count(self) -> int:
        """Duplicates left out so far."""

class TextFeature(enum.Enum):
    """A feature of the text of a hypothesis."""

    words = 0
    """Words, separated by white space."""

    characters = 1
    """Characters, blanks included."""

    length_ratio = 2
    """Characters per character of the source."""

    copy = 3
    """The share of the words that are the source's."""

    repetition = 4
    """The share of the pairs of neighboring words that were there before."""

    rank = 5
    """The place in the list, from 0."""

def text_feature(lists: NBest, feature: TextFeature, sources: Sequence[str] = (), *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """A feature of each hypothesis; sources[i] is the source of sentence i."""

class Forest:
    """All derivations of a sentence: an acyclic hypergraph, in flat arrays."""

    @property
    def node_count(self) -> int:
        """Nodes; the last one is the root."""

    @property
    def edge_count(self) -> int:
        """Edges, in the order of their heads."""

    @property
    def feature_count(self) -> int:
        """One more than the largest feature id; the minimum number of weights."""

    @property
    def words(self) -> Vocabulary:
        """The words of target sides."""

    @property
    def feature_names(self) -> Vocabulary:
        """The names of features."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

    @property
    def edge_begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]:
        """First edge of each node, and end."""

    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Head of each edge."""

    @property
    def tails(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Tails, edge after edge."""

    @property
    def tail_begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]:
        """First tail of each edge, and end."""

    @property
    def targets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Target sides, edge after edge."""

    @property
    def target_begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]:
        """First symbol of each edge's target side, and end."""

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """Feature values, edge after edge."""

    @property
    def value_begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', writable=False)]:
        """First feature value of each edge, and end."""

    def feature_ids(self, edge: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Ids of an edge's features, increasing."""

    def scaled(self, factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Forest:
        """A copy with each feature multiplied by its factor."""

    def with_features(self, feature_names: Vocabulary, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Forest:
        """
        A copy with other features: edge i has entries offsets[i] to offsets[i + 1], and values of repeated ids are summed.
        """

    def feature_arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        The features of all edges as offsets, ids and values; see `with_features`.
        """

    def without_words(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Forest:
        """A copy without these words in its target sides."""

    @property
    def source_begin(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """First source word of each node; -1 if unknown."""

    @property
    def covered(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Number of source words that each node covers."""

class ForestBuilder:
    """Builds a forest from nodes and edges in any order."""

    def __init__(self, words: Vocabulary, feature_names: Vocabulary) -> None: ...

    def add_node(self, begin: int = -1, covered: int = 0) -> int:
        """
        Add a node that covers so many source words, from `begin` on (-1 if unknown).
        """

    def add_edge(self, head: int, tails: Sequence[int], feature_ids: Sequence[int], feature_values: Sequence[float], target: Sequence[int]) -> int:
        """
        Add an edge; in its target side a number >= 0 is a word and ~slot stands for a tail.
        """

    def set_root(self, node: int) -> None:
        """Set the root."""

    def build(self) -> Forest:
        """Check everything and return the forest of all derivations of the root."""

    @property
    def words(self) -> Vocabulary:
        """The words of target sides."""

    @property
    def feature_names(self) -> Vocabulary:
        """The names of features."""

    @property
    def node_count(self) -> int:
        """Nodes added."""

    @property
    def edge_count(self) -> int:
        """Edges added."""

class ForestSet:
    """The forests of a data set, one for each sentence."""

    def __init__(self, forests: Sequence[Forest | None]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def edge_count(self) -> int:
        """Edges of all forests."""

class FoundBefore:
    """The derivations that searches along lines have found."""

    def __init__(self) -> None: ...

class StringTable:
    """The distinct translations of each sentence."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def texts(self, begin: int, words: Vocabulary) -> tuple[list[str], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """The texts from number `begin` on, and the sentence of each."""

def score_forests(forests: ForestSet, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """w · h of each edge, forest after forest."""

def forest_feature_spread(forests: ForestSet, features: int, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    The standard deviation of each feature among derivations, and among the edges of a node.
    """

def forest_feature_counts(forests: ForestSet, features: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """The number of forests that have each feature."""

def find_edge_value_above(forests: ForestSet, bound: float) -> tuple[int, int, int, float] | None:
    """
    Sentence, edge, feature and value of the first value whose absolute value exceeds `bound`.
    """

def forest_checksum(forests: ForestSet) -> int:
    """A checksum of forests; words count by their ids."""

def forest_lines(forests: ForestSet, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: StringTable, before: FoundBefore, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    The upper envelope of each forest: where its lines begin; slope, intercept and string of each.
    """

def best_strings(forests: ForestSet, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: StringTable, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """The string of each forest's best derivation; -1 if there is no forest."""

def add_kbest(forests: ForestSet, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], builder: NBestBuilder, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, size: int, distinct: bool, limit: int, threads: int) -> int:
    """
    Add the k best derivations of some forests to n-best lists; returns how many were new.
    """

class KBestList:
    """The best translations of a sentence."""

    def __len__(self) -> int: ...

    def add_to(self, builder: NBestBuilder, sentence: int) -> int:
        """
        Add the list of a sentence to n-best lists; returns how many hypotheses were new.
        """

class BooleanSemiring:
    """(or, and): is there a derivation?"""

    def __init__(self) -> None: ...

    def zero(self) -> bool:
        """The value of the impossible."""

    def one(self) -> bool:
        """The value of the empty product."""

    def plus(self, a: bool, b: bool) -> bool:
        """Alternatives."""

    def times(self, a: bool, b: bool) -> bool:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[bool]) -> list[bool]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[bool]) -> list[bool]:
        """Outside values of all nodes."""

class CountSemiring:
    """(+, ×) on natural numbers of any size, given in hexadecimal."""

    def __init__(self) -> None: ...

    def zero(self) -> str:
        """The value of the impossible."""

    def one(self) -> str:
        """The value of the empty product."""

    def plus(self, a: str, b: str) -> str:
        """Alternatives."""

    def times(self, a: str, b: str) -> str:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[str]) -> list[str]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[str]) -> list[str]:
        """Outside values of all nodes."""

class ViterbiSemiring:
    """(max, +): the best score."""

    def __init__(self) -> None: ...

    def zero(self) -> float:
        """The value of the impossible."""

    def one(self) -> float:
        """The value of the empty product."""

    def plus(self, a: float, b: float) -> float:
        """Alternatives."""

    def times(self, a: float, b: float) -> float:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[float]) -> list[float]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[float]) -> list[float]:
        """Outside values of all nodes."""

class LogSemiring:
    """
    (log of the sum of exp, +), as the best score and the log of the sum relative to it.
    """

    def __init__(self) -> None: ...

    def zero(self) -> tuple[float, float]:
        """The value of the impossible."""

    def one(self) -> tuple[float, float]:
        """The value of the empty product."""

    def plus(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        """Alternatives."""

    def times(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Outside values of all nodes."""

class RealSemiring:
    """(+, ×): probabilities."""

    def __init__(self) -> None: ...

    def zero(self) -> float:
        """The value of the impossible."""

    def one(self) -> float:
        """The value of the empty product."""

    def plus(self, a: float, b: float) -> float:
        """Alternatives."""

    def times(self, a: float, b: float) -> float:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[float]) -> list[float]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[float]) -> list[float]:
        """Outside values of all nodes."""

class ExpectationSemiring:
    """Pairs of a probability and an expectation times it."""

    def __init__(self) -> None: ...

    def zero(self) -> tuple[float, float]:
        """The value of the impossible."""

    def one(self) -> tuple[float, float]:
        """The value of the empty product."""

    def plus(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        """Alternatives."""

    def times(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        """Combine parts of one derivation."""

    def inside(self, forest: Forest, edge_values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Inside values of all nodes."""

    def outside(self, forest: Forest, edge_values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Outside values of all nodes."""

def derivation_words(forest: Forest, edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """The word ids of a derivation, from left to right."""

def derivation_features(forest: Forest, edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """Ids and values of a derivation's features."""

def derivation_score(forest: Forest, edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The sum of the scores of a derivation's edges."""

def derivation_depths(forest: Forest, edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """The depth below the root of each edge of a derivation."""

def score_edges(forest: Forest, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """w · h of each edge; features without a weight have weight 0."""

def viterbi(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], float]:
    """The best derivation and its score."""

def max_marginals(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """For each edge the score of the best derivation that uses it."""

def count_derivations(forest: Forest) -> str:
    """The number of derivations, in hexadecimal."""

def kbest(forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, distinct: bool, limit: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The k best derivations: edges, the first edge of each, and scores."""

class KBest:
    """The best derivations, one after the other."""

    def __init__(self, forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: bool, limit: int) -> None: ...

    def next(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], float] | None:
        """The next derivation and its score, or None."""

class Distribution:
    """P(d) ∝ exp(score(d) / T) over the derivations of a forest."""

    def __init__(self, forest: Forest, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperature: float) -> None: ...

    @property
    def log_partition(self) -> float:
        """log of the sum of exp(score / T)."""

    @property
    def conditional(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """Probability of each edge given its head."""

    def posteriors(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Expected number of uses of each edge and of each node."""

    def expectation(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """Expectation of the sum of edge values over a derivation."""

    def expected_features(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Ids and values of the expected features."""

    def covariance(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Ids and values of the covariance of edge values with features."""

    def edge_covariance(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Covariance of edge values with the number of uses of each edge."""

    def sample(self, count: int, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Sampled derivations: edges, the first edge of each, and scores."""

class Envelope:
    """The upper envelope of a forest along a direction."""

    def __init__(self, forest: Forest, intercepts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def slopes(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Slope of each line, increasing."""

    @property
    def intercepts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Score of each line's derivation at step 0."""

    @property
    def breakpoints(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Step from which each line is the highest; the first is minus infinity."""

    def derivation(self, line: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The edges of a line's derivation."""

class CorpusScore:
    """From the summed statistics of a corpus to its score; higher is better."""

    @property
    def dimension(self) -> int:
        """The number of statistics."""

    def __call__(self, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

    def rows(self, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The score of each row of statistics."""

    def size(self, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The amount of text that the statistics describe, in the metric's unit."""

    def first_document(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """
        A small, perfect document, the context in which the first sentence is judged.
        """

class ReferenceWords:
    """The references of each sentence as numbered words."""

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        """
        references[i] are those of sentence i, their words separated by white space.
        """

    def __len__(self) -> int: ...

    def find_all(self, vocabulary: Vocabulary, spellings: Sequence[str] | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        The number of each word of a vocabulary, -1 for words that are in no reference; if spellings are given, they are looked up instead of the words.
        """

class Hypotheses:
    """Hypotheses with the references' word numbers."""

    def __len__(self) -> int: ...

def text_hypotheses(references: ReferenceWords, texts: Sequence[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Hypotheses:
    """
    Texts as hypotheses; sentences[i] is the sentence that texts[i] translates.
    """

def nbest_hypotheses(references: ReferenceWords, lists: NBest, spellings: Sequence[str] | None = None) -> Hypotheses:
    """
    The rows of n-best lists as hypotheses; if spellings are given, they are looked up instead of the lists' words.
    """

class WordMetric:
    """References prepared for a metric that compares words."""

    @property
    def dimension(self) -> int:
        """The number of statistics of a hypothesis."""

    def statistics(self, hypotheses: Hypotheses, *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """A row of statistics for each hypothesis."""

    def set_statistics(self, lists: NBest, hypotheses: Hypotheses, *, threads: int = 0) -> None:
        """
        Store the statistics with the n-best lists from which the hypotheses were made.
        """

class ReferenceLength(enum.Enum):
    """Which reference length BLEU uses."""

    closest = 0
    """Closest to the hypothesis; the shorter of two."""

    shortest = 1

    average = 2

MAX_NGRAM_ORDER: int = 16

class BleuReferences(WordMetric):
    """Statistics m_1 .. m_K, n_1 .. n_K, rho of BLEU."""

    def __init__(self, references: ReferenceWords, *, order: int = 4, length: ReferenceLength = ReferenceLength.closest) -> None: ...

class WerReferences(WordMetric):
    """Edits and reference words of the closest reference."""

    def __init__(self, references: ReferenceWords) -> None: ...

class WerParts(WordMetric):
    """Insertions, deletions and substitutions of WER's edits."""

    def __init__(self, references: ReferenceWords) -> None: ...

class TerReferences(WordMetric):
    """Edits with shifts, and the average number of reference words."""

    def __init__(self, references: ReferenceWords) -> None: ...

class ChrfOptions:
    """Options of chrF."""

    def __init__(self, *, character_order: int = 6, word_order: int = 0, beta: int = 2, whitespace: bool = False, epsilon_smoothing: bool = False) -> None: ...

    @property
    def dimension(self) -> int:
        """The number of statistics of a hypothesis."""

class ChrfReferences:
    """References prepared for chrF."""

    def __init__(self, references: Sequence[Sequence[str]], options: ChrfOptions = ...) -> None: ...

    def statistics(self, texts: Sequence[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """
        A row of n-grams in the hypothesis, in the reference and in both for each order.
        """

def chrf_agreement(lists: NBest, options: ChrfOptions, *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The mean chrF of each hypothesis against the others of its list, from 0 to 1.
    """

def bleu_agreement(lists: NBest, order: int = 4, *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The mean sentence BLEU+1 of each hypothesis against the others of its list.
    """

class Smoothing(enum.Enum):
    """How BLEU treats orders without a match."""

    none = 0
    """The score is 0."""

    floor = 1
    """The value counts as matches."""

    add_k = 2
    """The value is added to all counts of orders above 1."""

    exponential = 3
    """1/2, 1/4, ... count as matches."""

class BleuOptions:
    """Options of BLEU."""

    def __init__(self, *, smoothing: Smoothing = Smoothing.none, value: float = 0.0, effective_order: bool = False) -> None: ...

BLEU_PLUS_ONE: BleuOptions = ...

class BleuScore(CorpusScore):
    """BLEU, from 0 to 1."""

    def __init__(self, order: int = 4, options: BleuOptions = ...) -> None: ...

class ChrfScore(CorpusScore):
    """chrF, from 0 to 1."""

    def __init__(self, options: ChrfOptions = ...) -> None: ...

class ErrorRateScore(CorpusScore):
    """Minus the edits per reference word."""

    def __init__(self) -> None: ...

class MeanScore(CorpusScore):
    """The mean of a sum and a count, negated if lower is better."""

    def __init__(self, *, higher_is_better: bool = True) -> None: ...

def perfect_sentence(order: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Statistics of one perfect sentence of K words."""

def document_gains(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    n_1 (BLEU(document + b) - BLEU(document)) for each row b of statistics.
    """

def document_gain(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The same for one row."""

def next_document(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, decay: float, least: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """decay * (document + statistics), but no component below `least`."""

def are_counts(statistics: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
    """Whether all statistics are finite and not negative."""

def linear_bleu(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """The gradient of document_gains at b = 0."""

def forest_statistics(references: BleuReferences, forest: Forest, sentence: int, numbers: NDArray[numpy.int32], *, max_edges: int) -> tuple[Forest, NDArray[numpy.int32], NDArray[numpy.float64]]:
    """
    The forest split by reference k-grams, the original edge of each of its edges, and a row of BLEU statistics for each; numbers[w] is the number of word w in the references.
    """

def corpus_oracles(nbest: NBest, score: CorpusScore, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_passes: int = 10, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, size: int = 0, worst: bool = False) -> list[list[int]]:
    """
    For each sentence the rows of a greedy search for the best corpus score, or for the worst; among the first `size` rows of each list in the given order.
    """

class BleuForests:
    """Forests with statistics of BLEU on their edges."""

    def __init__(self, forests: ForestSet, references: BleuReferences, numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, growth: int, threads: int) -> None: ...

    @property
    def edge_count(self) -> int:
        """Edges of all split forests."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

def linear_gain(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The derivative of the gain with respect to each statistic, near this document.
    """

def hope_fear(forests: ForestSet, split: BleuForests, sentence: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float], tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float], tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]]:
    """
    Hope, fear and 1-best of a sentence: edges, exact statistics and score of each.
    """

def oracle_statistics(forests: ForestSet, split: BleuForests, score: CorpusScore) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The summed statistics of derivations that together score well, found by greedy search.
    """

class ForestReranker:
    """Searches a forest for hopes and fears, under several weights."""

    def __init__(self, forest: Forest, references: BleuReferences, sentence: int, numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def find(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, gain_weight: float, kept: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
        """
        Derivations with a large w · h + gain_weight B: edges, the first edge of each, w · h and statistics.
        """

def derivation_statistics(metric: WordMetric, forest: Forest, sentence: int, numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """A row of statistics for each derivation."""

def reference_derivation(forest: Forest, references: ReferenceWords, sentence: int, numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')] | None:
    """The best derivation whose string is a reference, or None."""

class LineSearchResult:
    """The result of a line search."""

    @property
    def step(self) -> float:
        """The best step; 0 if none is better."""

    @property
    def score(self) -> float:
        """The score there."""

    @property
    def score_at_zero(self) -> float:
        """The score where it began."""

class ErrorSurface:
    """The summed statistics of the best hypotheses along a line of weights."""

    @property
    def at_zero(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The statistics at step 0."""

    def table(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
        """The breakpoints, and the statistics before, between and after them."""

    def search(self, score: CorpusScore, lower: float = float('-inf'), upper: float = float('inf')) -> LineSearchResult:
        """Find the step with the best score between two bounds."""

    def search_scores(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], score_at_zero: float, lower: float = float('-inf'), upper: float = float('inf')) -> LineSearchResult:
        """
        The same, given a score for each row of the table and the score at step 0.
        """

def error_surface(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercepts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 0) -> ErrorSurface:
    """
    The surface of lines intercept + step * slope; those of sentence i are the ones from offsets[i] to offsets[i + 1].
    """

def uniform_size(frequencies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bins: int) -> float:
    """
    The population that bins should have if no value fills more than one of them.
    """

def uniform_bins(frequencies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bins: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """
    The first value of each bin, if values in order are cut into bins of nearly equal population.
    """

class Pool(enum.Enum):
    """Which hypotheses of a list compete on a side of a loss."""

    all = 0

    reference = 1

    least_cost = 2

    local = 3

    fixed = 4

class Side:
    """A max or log-sum-exp of score + cost over a pool."""

    def __init__(self, *, pool: Pool = Pool.all, cost: float = 0.0, soft: bool = False) -> None: ...

    @property
    def pool(self) -> Pool: ...

    @property
    def cost(self) -> float: ...

    @property
    def soft(self) -> bool: ...

class Loss:
    """What should go up and what should go down, or Bayes risk."""

    def __init__(self, *, up: Side = ..., down: Side = ..., risk: bool = False, local_size: int = 1) -> None: ...

    @property
    def up(self) -> Side: ...

    @property
    def down(self) -> Side: ...

    @property
    def risk(self) -> bool:
        """Whether it is Bayes risk, which has no sides."""

def loss_gradient(nbest: NBest, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost_scale: float, loss: Loss, threads: int) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    The loss over all sentences, and its gradient; costs are multiplied by cost_scale.
    """

def raised_shares(nbest: NBest, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost_scale: float, loss: Loss, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    How much the loss raises each hypothesis; the sum of a list is 1, or 0 if it is skipped.
    """

class RankingPairs:
    """Pairs of rows, one of which should rank above the other."""

    def __len__(self) -> int: ...

    @property
    def better(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """Rows that should score higher."""

    @property
    def worse(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """Rows that should score lower, in the same order."""

def sample_pairs(nbest: NBest, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, samples: int, kept: int, threshold: float, seed: int, threads: int) -> RankingPairs:
    """
    Pairs of each list whose gains differ most, among many drawn at random.
    """

def oracle_pairs(nbest: NBest, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], oracles: Sequence[Sequence[int]], *, most: int = 0) -> RankingPairs:
    """
    Every oracle (or at most `most` of each list) paired with every other hypothesis of its list.
    """

class SparseRows:
    """Sparse vectors: differences of feature vectors."""

    def __len__(self) -> int: ...

    def dot(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The product of each row with the weights."""

    def transposed_dot(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The sum of the rows, each multiplied by its x."""

def logistic_loss(nbest: NBest, pairs: RankingPairs, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The sum of log(1 + exp(-w.(h(better) - h(worse)))), and its gradient."""

def logistic_regression(nbest: NBest, pairs: RankingPairs, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, strength: float, margin: float = 0.0, tolerance: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Minimize strength |w - origin|^2 / 2 + sum of log(1 + exp(margin - w.(h(better) - h(worse)))).
    """

def pair_differences(nbest: NBest, pairs: RankingPairs) -> SparseRows:
    """h(better) - h(worse) for each pair."""

def violated_pairs(nbest: NBest, pairs: RankingPairs, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    How many pairs have a margin below 1, and the sum of h(better) - h(worse) over them.
    """

def softmax_tangents(nbest: NBest, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], oracles: Sequence[Sequence[int]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], SparseRows]:
    """log(Z_oracle / Z_nbest) of each sentence, and its gradients."""

class MarginSolution:
    """The result of solve_margins."""

    @property
    def tau(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def passes(self) -> int: ...

    @property
    def gap(self) -> float:
        """The largest projected gradient of the last pass."""

def solve_margins(rows: SparseRows, margins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bound: float, tolerance: float, max_passes: int, seed: int) -> MarginSolution:
    """Minimize |w - start|^2 / 2 + bound * sum of max(0, margin - w.row)."""

class SimplexQpSolution:
    """The result of solve_simplex_qp."""

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def iterations(self) -> int: ...

    @property
    def gap(self) -> float:
        """The largest remaining violation of the optimality conditions."""

def solve_simplex_qp(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, budget: float, tolerance: float = 1e-09, max_iterations: int = 100000) -> SimplexQpSolution:
    """
    Maximize linear.alpha - alpha'gram alpha / 2 for alpha >= 0 with sum alpha = budget.
    """

class OnlineWeights:
    """Weights that change a few features at a time, and their mean."""

    def __init__(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def current(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """The present weights: a view, which changes with them."""

    def add(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float) -> None:
        """w += step * values."""

    def step(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], copy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        w += rates * values, for these features; a copy of the weights follows.
        """

    def count(self, times: float = 1.0) -> None:
        """End a step: w enters the mean with weight `times`."""

    def average(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The mean over the steps."""

    def grown(self, features: int) -> OnlineWeights:
        """A copy with at least so many features; new ones have weight 0."""

    @staticmethod
    def merged(weights: Sequence[OnlineWeights]) -> OnlineWeights:
        """The mean of several weights."""

    def copy(self) -> OnlineWeights: ...

    def save(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The whole state as one array, for `load`."""

    @staticmethod
    def load(saved: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> OnlineWeights:
        """The saved state, bit for bit."""

class WorkingSet:
    """The hope and some fears: rows h(hope) - h(d), and losses."""

    def __init__(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: float) -> None: ...

    @staticmethod
    def taught(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> WorkingSet:
        """
        The set that another learner was taught by: all rows and losses but the hope's.
        """

    def __len__(self) -> int: ...

    @property
    def ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """All features of its derivations."""

    @property
    def rows(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """h(hope) - h(d) of each derivation."""

    @property
    def losses(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """B(hope) - B(d) of each derivation."""

    def add(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: float) -> None:
        """Add a derivation."""

    def violations(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """v(d) of each derivation."""

    def violation(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """v(d) of a derivation that need not be in the set."""

    def solve(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, tolerance: float, max_iterations: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The direction of the step."""

def solve_together(sets: Sequence[WorkingSet], weights: NDArray[numpy.float64], rates: NDArray[numpy.float64], trial: NDArray[numpy.float64], *, tolerance: float, gap: float, max_iterations: int, max_rounds: int) -> list[NDArray[numpy.float64]]:
    """
    The directions of the step of several working sets that are solved as one problem; `trial` is set to where the step leads, for the features of these sets.
    """

class SubgradientState:
    """The state of subgradient descent: weights and their mean."""

    def __init__(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def loss(self) -> float:
        """The sum of the losses in the last epoch."""

    def __len__(self) -> int: ...

    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def average(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def moved(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: SubgradientState) -> SubgradientState:
        """
        This state at other weights, which count in the mean for all steps since `before`.
        """

    @staticmethod
    def merged(states: Sequence[SubgradientState]) -> SubgradientState:
        """The mean of several states."""

    def save(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The whole state as one array, for `load`."""

    @staticmethod
    def load(saved: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> SubgradientState:
        """The saved state, bit for bit."""

def subgradient_epoch(nbest: NBest, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Loss, held: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, rate: float, shrinkage: float, l1: float, cost_scale: float = 1.0, state: SubgradientState) -> SubgradientState:
    """
    One epoch of subgradient steps; returns the next state. Costs are multiplied by their scale. `held` has the raised_shares that take the place of the side that goes up, if any.
    """

def raised_edges(forests: ForestSet, split: BleuForests, gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost_scale: float, loss: Loss, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    How often what the loss raises uses each edge of all forests; `gain` has the coefficients of the linear gain.
    """

def forest_subgradient_epoch(forests: ForestSet, split: BleuForests, gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Loss, held: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, rate: float, shrinkage: float, l1: float, cost_scale: float, state: SubgradientState) -> SubgradientState:
    """
    One epoch of subgradient steps on losses of whole forests; returns the next state. `held` has the raised_edges that take the place of the side that goes up.
    """

class KBestMiraState:
    """The state of batch MIRA: weights and document."""

    def __init__(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def loss(self) -> float:
        """The sum of the violations in the last epoch."""

    @property
    def updates(self) -> int:
        """How many of its sentences had a violation."""

    def __len__(self) -> int: ...

    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def average(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def moved(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: KBestMiraState) -> KBestMiraState:
        """
        This state at other weights, which count in the mean for all steps since `before`.
        """

    @staticmethod
    def merged(states: Sequence[KBestMiraState]) -> KBestMiraState:
        """The mean of several states."""

    def save(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The whole state as one array, for `load`."""

    @staticmethod
    def load(saved: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> KBestMiraState:
        """The saved state, bit for bit."""

def kbest_mira_epoch(nbest: NBest, score: CorpusScore, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_step: float, decay: float, hope_context: bool, state: KBestMiraState) -> KBestMiraState:
    """One epoch of k-best MIRA; returns the next state."""

def forest_mira_epoch(forests: ForestSet, split: BleuForests, score: CorpusScore, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_step: float, decay: float, hope_context: bool, state: KBestMiraState) -> KBestMiraState:
    """One epoch of forest MIRA; returns the next state."""

class Alignments:
    """The links between the words of many sentence pairs."""

    def __len__(self) -> int: ...

    def text(self, sentence: int) -> str:
        """The links of a sentence, as in Pharaoh files."""

    @property
    def link_count(self) -> int:
        """All links together."""

class AlignmentParser:
    """Reads Pharaoh files in pieces."""

    def __init__(self, file: str) -> None: ...

    def feed(self, piece: bytes) -> None:
        """Read the next bytes; lines may continue in the next piece."""

    def finish(self) -> Alignments:
        """
        End the file, whose last line may lack its newline, and return all links.
        """

class SymmetrizationBase(enum.Enum):
    """The points to start from."""

    intersection = 0

    union = 1

    grow = 2

class SymmetrizationFinal(enum.Enum):
    """Which words of a final point must have no link."""

    none = 0

    either = 1

    both = 2

def symmetrize_alignments(forward: Alignments, reverse: Alignments, base: SymmetrizationBase, diagonal: bool, final: SymmetrizationFinal) -> Alignments:
    """Combine two directed alignments into one."""

class FeatureKind(enum.Enum):
    """What the values of a feature are."""

    score = 0

    probability = 1

    count = 2

def score_of(kind: FeatureKind, value: float) -> float:
    """
    The value that the model uses: for a probability its logarithm, at least -100.
    """

class Link:
    """A link between two words, by their positions."""

    def __init__(self, source: int, target: int) -> None: ...

    @property
    def source(self) -> int:
        """The position of the source word."""

    @property
    def target(self) -> int:
        """The position of the target word."""

class Rule:
    """A rule of a grammar without its source side."""

    @property
    def id(self) -> int:
        """The position of the rule in its table."""

    @property
    def lhs(self) -> int:
        """The label of the left-hand side."""

    @property
    def source_length(self) -> int:
        """The length of the source side."""

    @property
    def arity(self) -> int:
        """Nonterminals on each side."""

    @property
    def target(self) -> list[int]:
        """A number >= 0 is a word, ~slot a nonterminal."""

    @property
    def alignment(self) -> list[Link]:
        """Links between words, sorted."""

    @property
    def features(self) -> list[float]:
        """The dense features."""

    @property
    def sparse_ids(self) -> list[int]:
        """The ids of other features."""

    @property
    def sparse_values(self) -> list[float]:
        """Their values."""

class Grammar:
    """Rules in a memory-mapped table behind a trie."""

    def __init__(self, path: str, verify: bool) -> None: ...

    @property
    def root(self) -> int:
        """The state before any symbol."""

    def child(self, state: int, symbol: int) -> int | None:
        """The child of a state under a symbol, or None."""

    def symbols(self, state: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """The symbols of the children of a state, increasing."""

    def first_child(self, state: int) -> int:
        """The state that the first of these symbols leads to; the others follow."""

    def rules(self, state: int) -> list[Rule]:
        """The rules whose source side ends at a state."""

    def read(self, id: int) -> Rule:
        """A rule by its id."""

    @property
    def rule_count(self) -> int:
        """All rules."""

    @property
    def source_count(self) -> int:
        """Distinct source sides."""

    @property
    def state_count(self) -> int:
        """States of the trie."""

    @property
    def nbytes(self) -> int:
        """The size of the file in bytes."""

    @property
    def dense_count(self) -> int:
        """Features that every rule has."""

    @property
    def kinds(self) -> list[FeatureKind]:
        """What the values of each feature are."""

    @property
    def source_words(self) -> Vocabulary:
        """Words of source sides."""

    @property
    def target_words(self) -> Vocabulary:
        """Words of target sides."""

    @property
    def labels(self) -> Vocabulary:
        """Names of nonterminals."""

    @property
    def feature_names(self) -> Vocabulary:
        """Names of features."""

    @property
    def notes(self) -> str:
        """How the grammar was made."""

    @property
    def name(self) -> str:
        """The file."""

class GrammarBuilder:
    """Makes a grammar from rules in any order."""

    def __init__(self) -> None: ...

    @property
    def source_words(self) -> Vocabulary:
        """Words of source sides."""

    @property
    def target_words(self) -> Vocabulary:
        """Words of target sides."""

    @property
    def labels(self) -> Vocabulary:
        """Names of nonterminals."""

    @property
    def feature_names(self) -> Vocabulary:
        """Names of features."""

    def feature(self, name: str, kind: FeatureKind) -> int:
        """The id of a feature, which is added if it is new."""

    def add(self, lhs: int, source: Sequence[int], target: Sequence[int], alignment: Sequence[Link], feature_ids: Sequence[int], feature_values: Sequence[float]) -> None:
        """Add a rule."""

    @property
    def rule_count(self) -> int:
        """Rules added."""

    def build(self, name: str) -> Grammar:
        """The grammar in memory."""

    def write(self, path: str, notes: str) -> None:
        """Write the grammar to a file."""

def checksum(path: str) -> int:
    """The checksum of a file; it detects damage, not tampering."""

class TextScore:
    """Sums over the words of a text, including the ends of sentences."""

    def __init__(self) -> None: ...

    @property
    def log10_probability(self) -> float:
        """log10 p of all tokens."""

    @property
    def log10_unknown(self) -> float:
        """The part due to unknown words."""

    @property
    def tokens(self) -> int:
        """Words and ends of sentences."""

    @property
    def unknown(self) -> int:
        """Words unknown to the model."""

class LanguageModel:
    """An n-gram model in ARPA or KenLM binary form."""

    def __init__(self, path: str, checksum: int | None = None) -> None: ...

    @property
    def order(self) -> int: ...

    def __contains__(self, word: str) -> bool: ...

    def score(self, words: Sequence[str], *, begin: bool = True, end: bool = True) -> float:
        """log10 p(words), from <s> and up to </s> unless told otherwise."""

    def score_line(self, line: str, sum: TextScore) -> None:
        """Add a sentence, words separated by blanks, to a sum."""

class OrderSummary:
    """The n-grams of one order, and their discounts."""

    @property
    def ngrams(self) -> int:
        """How many n-grams the model has."""

    @property
    def pruned(self) -> int:
        """How many were pruned."""

    @property
    def discounts(self) -> list[float]:
        """D1, D2, D3+."""

class EstimationSummary:
    """What a language model was estimated from."""

    @property
    def sentences(self) -> int:
        """Lines of text, empty ones included."""

    @property
    def tokens(self) -> int:
        """Words of text, without the ends of sentences."""

    @property
    def orders(self) -> list[OrderSummary]:
        """A summary of each order, from 1."""

class LanguageModelEstimator:
    """Interpolated modified Kneser-Ney estimation from a text in pieces."""

    def __init__(self, *, order: int, prune: Sequence[int], discount_fallback: Sequence[float] | None, skip_special_words: bool, memory: int, directory: str) -> None: ...

    def count_only(self, begin: int, end: int, *, of: int) -> None:
        """
        Of the text that follows, count only sentences whose number, from 0, has a remainder from `begin` up to `end` when it is divided by `of`.
        """

    def begin_file(self, name: str) -> None:
        """Begin a file; the name is used in messages."""

    def add(self, text: bytes) -> None:
        """Add the next piece of the file."""

    def end_file(self) -> None:
        """End the file."""

    def write_counts(self, path: str) -> None:
        """Write what was counted, instead of a model, for `add_counts`."""

    def add_counts(self, path: str) -> None:
        """Add what another process counted that was given the same text."""

    def write_arpa(self, path: str, progress: Callable[[str, int, int], None]) -> EstimationSummary:
        """Estimate the model, write it, and return a summary."""

def write_kenlm_binary(arpa: str, path: str, *, structure: str, memory: int, directory: str) -> None:
    """
    Write an ARPA file as KenLM's binary, of the structure 'probing' or 'trie'.
    """

class ModelNames:
    """The names of labels and features."""

    def __init__(self) -> None: ...

    @property
    def goal(self) -> str:
        """The label of a whole sentence."""

    @goal.setter
    def goal(self, arg: str, /) -> None: ...

    @property
    def pass_through(self) -> str:
        """The label of copied words."""

    @pass_through.setter
    def pass_through(self, arg: str, /) -> None: ...

    @property
    def word_penalty(self) -> str:
        """-1 for each word of a target side."""

    @word_penalty.setter
    def word_penalty(self, arg: str, /) -> None: ...

    @property
    def phrase_penalty(self) -> str:
        """1 for each rule."""

    @phrase_penalty.setter
    def phrase_penalty(self, arg: str, /) -> None: ...

    @property
    def unknown_word(self) -> str:
        """1 for each unknown word."""

    @unknown_word.setter
    def unknown_word(self, arg: str, /) -> None: ...

    @property
    def identity_rule(self) -> str:
        """1 for each copied word."""

    @identity_rule.setter
    def identity_rule(self, arg: str, /) -> None: ...

    @property
    def number_rule(self) -> str:
        """1 for each copied number."""

    @number_rule.setter
    def number_rule(self, arg: str, /) -> None: ...

    @property
    def name_rule(self) -> str:
        """1 for each copied name."""

    @name_rule.setter
    def name_rule(self, arg: str, /) -> None: ...

class FeatureView(enum.Enum):
    """How the model uses a value of a grammar."""

    none = 0

    value = 1

    logarithm = 2

    rarity = 3

class FeatureUse:
    """A feature computed from a feature of a grammar."""

    def __init__(self, of: str, view: FeatureView, name: str) -> None: ...

class FeatureBins:
    """The bins of a feature of rules."""

    def __init__(self, feature: str, borders: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kept: bool, overlap: bool) -> None:
        """
        The largest values of all bins but the last, whether the feature also stays as it is, and whether a value is also in the bins before and after its own.
        """

class GrammarUse:
    """A grammar of a model."""

    def __init__(self, grammar: Grammar, max_span: int, features: Sequence[FeatureUse]) -> None:
        """
        A grammar, how many source words its rules may cover (0 means no limit), and the features that are not used in the default way.
        """

class NamedLanguageModel:
    """A language model of a model."""

    def __init__(self, name: str, model: LanguageModel) -> None:
        """The name of its feature, and the model."""

class WordFeatures:
    """Features of words that no grammar has."""

    def __init__(self) -> None: ...

    def add_ngram(self, ngram: Sequence[str], name: str) -> None:
        """A feature that counts an n-gram."""

    def add_trigger(self, source: str, target: str, name: str) -> None:
        """
        A feature that counts a target word if a source word is in the sentence.
        """

class TranslationModel:
    """Grammars and language models with common feature ids."""

    def __init__(self, grammars: Sequence[GrammarUse], language_models: Sequence[NamedLanguageModel], names: ModelNames, feature_names: Vocabulary, word_features: WordFeatures, bins: Sequence[FeatureBins]) -> None: ...

    @property
    def feature_names(self) -> Vocabulary:
        """The names of features."""

    @property
    def language_model_names(self) -> list[str]:
        """The names of the features of language models."""

class DecoderOptions:
    """Options of a decoder."""

    def __init__(self) -> None: ...

    @property
    def rule_limit(self) -> int:
        """Rules of a source side to consider; 0 means all."""

    @rule_limit.setter
    def rule_limit(self, arg: int, /) -> None: ...

    @property
    def rule_weights(self) -> list[float]:
        """
        The weights that rank these rules, by feature id; empty for the weights of the decoder.
        """

    @rule_weights.setter
    def rule_weights(self, arg: Sequence[float], /) -> None: ...

    def choose_by(self, model: TranslationModel, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Rank these rules by other features of the same grammars, with weights by their ids.
        """

    @property
    def identity_rules(self) -> bool:
        """Whether every word may be copied."""

    @identity_rules.setter
    def identity_rules(self, arg: bool, /) -> None: ...

    @property
    def number_rules(self) -> bool:
        """Whether words of digits and punctuation may be copied."""

    @number_rules.setter
    def number_rules(self, arg: bool, /) -> None: ...

    @property
    def name_rules(self) -> bool:
        """Whether words that begin with a capital letter may be copied."""

    @name_rules.setter
    def name_rules(self, arg: bool, /) -> None: ...

    @property
    def pop_limit(self) -> int:
        """Candidates scored for each node of the chart; 0 means all."""

    @pop_limit.setter
    def pop_limit(self, arg: int, /) -> None: ...

    @property
    def beam(self) -> float:
        """
        How much worse than the best of its node a derivation may be; 0 means no limit.
        """

    @beam.setter
    def beam(self, arg: float, /) -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Bytes of memory for scored rules."""

    @cache_bytes.setter
    def cache_bytes(self, arg: int, /) -> None: ...

class Decoder:
    """Translates sentences; thread-safe."""

    def __init__(self, model: TranslationModel, templates: TemplateFeatures | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: DecoderOptions) -> None: ...

    def meet(self, words: Sequence[str]) -> None:
        """
        Score all rules of a sentence, so that the features of templates get their ids.
        """

    def rule_features(self, words: Sequence[str]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        The features of each rule that matches a sentence, as offsets, ids and values.
        """

    def parse(self, words: Sequence[str]) -> Forest:
        """All parses of a sentence, without language models."""

    def forest(self, words: Sequence[str]) -> Forest:
        """The result of cube pruning with language models."""

    def best(self, words: Sequence[str]) -> Forest:
        """The best derivation, as a forest with no other."""

    def forget_pages(self) -> None:
        """
        Take what was read of the grammars out of memory, until it is read again.
        """

class PassThrough(enum.Enum):
    """Why a word is copied."""

    unknown = 0

    identity = 1

    number = 2

    proper_name = 3

class RuleTemplate:
    """Computes features of rules."""

class PythonTemplate(RuleTemplate):
    """A template written in Python."""

    def __init__(self, names: Vocabulary, rules: Callable[[int, Sequence[int], Sequence[Rule]], Sequence[Sequence[tuple[str, float]]]], word: Callable[[PassThrough, str], Sequence[Sequence[tuple[str, float]]]]) -> None:
        """
        `rules` is called with the number of a grammar, a source side and its rules, `word` with the reason why a word is copied and the word; both return the features of each rule.
        """

class LexicalTemplate(RuleTemplate):
    """Features of words and of aligned pairs of them."""

    def __init__(self, *, model: TranslationModel, source_words: Sequence[str], target_words: Sequence[str], unknown: bool, names: Sequence[str], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Feature i counts target word target[i] with source word source[i], or with ANY or NULL. The number after the end of a list stands for all other words, if `unknown`.
        """

    ANY: Final[int] = ...
    """Any source word."""

    NULL: Final[int] = ...
    """No source word."""

class OovTemplate(RuleTemplate):
    """Features of words that language models do not know."""

    def __init__(self, model: TranslationModel, names: Sequence[str]) -> None:
        """Feature names[i] counts the words that language model i does not know."""

class TemplateFeatures:
    """A cache of the features that templates compute."""

    def __init__(self, model: TranslationModel, templates: Sequence[RuleTemplate], max_bytes: int) -> None: ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

class PreparedForest:
    """A forest in the form that rescoring needs, for any weights."""

    @property
    def bytes(self) -> int:
        """Bytes of memory in use."""

    @property
    def feature_names(self) -> Vocabulary:
        """The names of features."""

class ForestRescorer:
    """Adds language models to forests; thread-safe."""

    def __init__(self, language_models: Sequence[NamedLanguageModel], word_features: WordFeatures, pop_limit: int, beam: float) -> None: ...

    def prepare(self, forest: Forest) -> PreparedForest:
        """A forest in the form that rescoring needs, for any weights."""

    def rescore(self, forest: PreparedForest, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], only_best: bool) -> Forest:
        """The forest with language models, or only its best derivation."""

    def kbest(self, forest: PreparedForest, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, limit: int) -> KBestList:
        """
        The best derivations with different words of the forest with language models.
        """

class RuleSmoothing(enum.Enum):
    """How relative frequencies are smoothed."""

    none = 0

    good_turing = 1

class ExtractionOptions:
    """Limits on the rules that are extracted."""

    def __init__(self, *, max_phrase_length: int, max_source_symbols: int, max_nonterminals: int, min_nonterminal_span: int, adjacent_nonterminals: bool, tight: bool, fractional_counts: bool) -> None: ...

class ExtractionSummary:
    """Summary of an extraction."""

    @property
    def sentences(self) -> int:
        """Sentence pairs."""

    @property
    def phrase_pairs(self) -> int:
        """Initial phrase pairs."""

    @property
    def instances(self) -> int:
        """Occurrences of rules."""

    @property
    def rules(self) -> int:
        """Distinct rules written."""

    @property
    def sources(self) -> int:
        """Distinct source sides of these rules."""

    @property
    def bytes(self) -> int:
        """The size of the file in bytes."""

class TextParser:
    """Reads one side of a bitext in pieces."""

    def __init__(self, file: str) -> None: ...

    def feed(self, piece: bytes) -> None:
        """Read the next bytes; lines may continue in the next piece."""

    def finish(self) -> None:
        """End the file; the last line may lack its newline."""

class Bitext:
    """A word-aligned bitext."""

    def __init__(self, source: TextParser, target: TextParser, alignments: Alignments, alignment_file: str) -> None:
        """Both texts, whose parsers are empty afterwards, and their alignments."""

    def __len__(self) -> int: ...

class SourceFilter:
    """Source sides that can match given sentences."""

    def __init__(self, bitext: Bitext, max_phrase: int, max_span: int) -> None: ...

    def add(self, text: TextParser) -> None:
        """Add the sentences of a text."""

def extract_rules(*, bitext: Bitext, options: ExtractionOptions, smoothing: RuleSmoothing, filter: SourceFilter | None, memory: int, directory: str, threads: int, path: str, notes: str, progress: Callable[[str, int, int], None]) -> ExtractionSummary:
    """Extract and score rules and write them as a grammar."""

class SharedExtraction:
    """An extraction by several processes, which share a folder."""

    def __init__(self, *, bitext: Bitext, options: ExtractionOptions, smoothing: RuleSmoothing, filter: SourceFilter | None, memory: int, directory: str, threads: int) -> None: ...

    @property
    def partitions(self) -> int:
        """How many ranges of source sides there are to score."""

    def collect(self, begin: int, end: int, path: str) -> tuple[str, list[int], int, int]:
        """Write the occurrences of rules in some sentences, sorted, to a file."""

    def score(self, collected: Sequence[tuple[str, Sequence[int], int, int]], begin: int, end: int, directory: str) -> list[tuple[str, list[int]]]:
        """Write the scored rules of some ranges of source sides to files."""

    def targets(self, scored: Sequence[tuple[str, Sequence[int]]]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """With a filter: the target sides whose counts are needed."""

    def count(self, targets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, path: str) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], str, list[int]]:
        """With a filter: count target sides and rules in some sentences."""

    def write(self, *, collected: Sequence[tuple[str, Sequence[int], int, int]], scored: Sequence[tuple[str, Sequence[int]]], targets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Sequence[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], str, Sequence[int]]], path: str, notes: str, progress: Callable[[str, int, int], None]) -> ExtractionSummary:
        """Write what all processes have found as a grammar."""

class LexicalCounts:
    """Frequent words and the words they are linked to."""

    @property
    def source(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """The number of a source word, or LexicalTemplate.ANY or NULL."""

    @property
    def target(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """The number of a target word."""

    @property
    def count(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', writable=False)]:
        """The count of each pair."""

def count_lexical(bitext: Bitext, min_count: int, min_feature_count: int, progress: Callable[[str, int, int], None]) -> tuple[list[str], list[str], LexicalCounts]:
    """
    The frequent words of both sides and the counts of their links; the number after the last word stands for all other words.
    """

def frequent_links(bitext: Bitext, limit: int, progress: Callable[[str, int, int], None]) -> list[tuple[list[str], int]]:
    """
    The most frequent links, a source word and a target word, and their counts.
    """

def frequent_ngrams(bitext: Bitext, order: int, limit: int, progress: Callable[[str, int, int], None]) -> list[tuple[list[str], int]]:
    """The most frequent n-grams of the target side, and their counts."""

def best_triggers(bitext: Bitext, limit: int, progress: Callable[[str, int, int], None]) -> list[tuple[str, str, float]]:
    """
    The pairs of a source word and a target word with the highest mutual information.
    """

class DirectedAlignments:
    """Alignments in both directions."""

    @property
    def forward(self) -> Alignments:
        """Each target word has chosen its source word."""

    @property
    def reverse(self) -> Alignments:
        """Each source word has chosen its target word."""

class WordAligner:
    """Aligns the words of a bitext, in both directions."""

    def __init__(self, source: TextParser, target: TextParser, *, null_probability: float, tension: float, concentration: float, max_length: int, memory: int, threads: int) -> None:
        """Both texts, which must not change."""

    def __len__(self) -> int: ...

    def expect(self, begin: int, end: int) -> None:
        """Add the expected counts of some sentences."""

    def maximize(self) -> None:
        """Learn from the expected counts of all sentences."""

    def align(self, begin: int, end: int) -> DirectedAlignments:
        """The most probable links of some sentences."""

    def take_counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """Remove and return the expected counts since the last maximization."""

    def add_counts(self, counts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add the expected counts of another process."""

    def parameters(self) -> tuple[float, float, Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]:
        """The tensions of both directions, and all probabilities."""

    def set_parameters(self, forward_tension: float, reverse_tension: float, probabilities: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Go on with the parameters of another process."""

    @property
    def used(self) -> int:
        """How many sentence pairs the model is estimated from."""

class BarLayout:
    """
    The meaning of the fields of a line, counted from 0 or, if negative, from the end; field 0 is the sentence.
    """

    def __init__(self, *, text: int = 1, features: int | None = 2, total: int | None = 3, semicolons: bool = False, ignored: Sequence[str] = []) -> None: ...

    @property
    def text(self) -> int:
        """The field of the text."""

    @property
    def features(self) -> int | None:
        """The field of the features, or None."""

    @property
    def total(self) -> int | None:
        """The field of the model score, or None."""

    @property
    def semicolons(self) -> bool:
        """Whether ';' separates features, too."""

    @property
    def ignored(self) -> list[str]:
        """Labels that are not features."""

class BarHypothesis:
    """A hypothesis that was read from a line."""

    @property
    def sentence(self) -> int:
        """Its sentence, counted from 0."""

    @property
    def text(self) -> str:
        """Its text, without blanks around it."""

    @property
    def names(self) -> list[str]:
        """The names of its features, as written."""

    @property
    def values(self) -> list[float]:
        """Their values."""

    @property
    def total(self) -> float | None:
        """The model score, or None."""

    @property
    def others(self) -> list[str]:
        """All other fields."""

def parse_hypothesis(line: str, layout: BarLayout, where: str = '') -> BarHypothesis:
    """Parse a line; messages begin with `where`."""

def format_number(value: float) -> str:
    """The shortest decimal number that converts back to the same double."""

class NBestParser:
    """Reads n-best lists from pieces of a file into a builder."""

    def __init__(self, builder: NBestBuilder, layout: BarLayout, file: str) -> None: ...

    def feed(self, piece: bytes) -> None:
        """Read the next bytes; lines may continue in the next piece."""

    def finish(self) -> None:
        """End the file; the last line may lack its newline."""

    @property
    def line_count(self) -> int:
        """Lines so far."""

    @property
    def labels(self) -> list[tuple[str, int]]:
        """The labels with several values, and how many."""

def encode_forest(forest: Forest, words: Vocabulary, feature_names: Vocabulary) -> bytes:
    """
    The bytes of a forest; its words and features are added to the vocabularies.
    """

def decode_forest(bytes: bytes, words: Vocabulary, feature_names: Vocabulary, word_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], feature_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Forest:
    """Decode a forest; the ids are those of the stored numbers."""

def encode_vocabulary(vocabulary: Vocabulary) -> bytes:
    """The bytes of a vocabulary."""

def decode_vocabulary(bytes: bytes, vocabulary: Vocabulary) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """Add the strings to a vocabulary and return their ids."""

def parse_moses_hypergraph(text: bytes, file: str, words: Vocabulary, feature_names: Vocabulary, renamed: Mapping[str, str] = {}) -> Forest:
    """
    The forest of a file in Moses' or cdec's form; `file` is used in messages, and `renamed` says which features of the file have other names in the forest.
    """

def format_moses_hypergraph(forest: Forest, covered: bool, renamed: Mapping[str, str] = {}) -> bytes:
    """
    The text of a forest in Moses' form, or without `covered` in cdec's; `renamed` says which features of the forest have other names in the text.
    """

class RuleTable(enum.Enum):
    """How rules are written as text."""

    moses = 0

    hiero = 1

class RuleParser:
    """Reads rules from pieces of a file into a builder."""

    def __init__(self, builder: GrammarBuilder, table: RuleTable, label: str, negate: bool, file: str) -> None:
        """Numbers without names are named after the label."""

    def feed(self, piece: bytes) -> None:
        """Read the next bytes; lines may continue in the next piece."""

    def finish(self) -> None:
        """End the file; the last line may lack its newline."""

    @property
    def line_count(self) -> int:
        """Lines so far."""

def write_rules(grammar: Grammar, table: RuleTable, sink: Callable[[bytes], None]) -> None:
    """Write all rules as text, passed to `sink` in pieces."""
