"""The compiled core of hopefear."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Vocabulary:
    """Strings numbered from 0 in order of first appearance."""

    def __init__(self) -> None: ...

    def add(self, text: str) -> int:
        """The id of a string, which is added if it is new."""

    def find(self, text: str) -> int | None:
        """The id of a string, or None."""

    def find_all(self, texts: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The ids of many strings; -1 for those that are not here."""

    def texts(self) -> list[str]:
        """All strings in the order of their ids."""

    def __getitem__(self, id: int) -> str: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

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
        """One more than the largest feature id: how long weights have to be."""

    @property
    def words(self) -> Vocabulary:
        """What target sides number."""

    @property
    def feature_names(self) -> Vocabulary:
        """What feature ids number."""

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

    @property
    def source_begin(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """First source word of each node; -1: not known."""

    @property
    def covered(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Number of source words that each node covers."""

class ForestBuilder:
    """Builds a forest from nodes and edges that come in any order."""

    def __init__(self, words: Vocabulary, feature_names: Vocabulary) -> None: ...

    def add_node(self, begin: int = -1, covered: int = 0) -> int:
        """
        Add a node that covers so many source words, from `begin` on (-1: not known).
        """

    def add_edge(self, head: int, tails: Sequence[int], feature_ids: Sequence[int], feature_values: Sequence[float], target: Sequence[int]) -> int:
        """
        Add an edge; in its target side a number >= 0 is a word, ~slot stands for a tail.
        """

    def set_root(self, node: int) -> None:
        """Set the root."""

    def build(self) -> Forest:
        """
        Check everything and make the forest of what the root can reach and complete.
        """

    @property
    def words(self) -> Vocabulary:
        """What target sides number."""

    @property
    def feature_names(self) -> Vocabulary:
        """What feature ids number."""

    @property
    def node_count(self) -> int:
        """Nodes added."""

    @property
    def edge_count(self) -> int:
        """Edges added."""

class LanguageModel:
    """An n-gram model in ARPA or KenLM binary form."""

    def __init__(self, path: str) -> None: ...

    @property
    def order(self) -> int: ...

    def __contains__(self, word: str) -> bool: ...

    def score(self, words: Sequence[str], *, begin: bool = True, end: bool = True) -> float:
        """log10 p(words), from <s> and up to </s> unless told otherwise."""

class NBest:
    """All hypotheses of a data set, sorted by sentence."""

    @property
    def sentence_count(self) -> int:
        """Sentences, also those without any."""

    @property
    def hypothesis_count(self) -> int:
        """Hypotheses: rows."""

    @property
    def feature_count(self) -> int:
        """One more than the largest feature id: how long weights have to be."""

    @property
    def words(self) -> Vocabulary:
        """What word ids number."""

    @property
    def feature_names(self) -> Vocabulary:
        """What feature ids number."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """First row of each sentence, and end."""

    @property
    def empty_sentences(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """The sentences that have no hypotheses."""

    @property
    def statistics(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)] | None:
        """What a metric counted for each row, a matrix; None until it is set."""

    def set_statistics(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Set the statistics, a matrix with one row for each hypothesis."""

    @property
    def nbytes(self) -> int:
        """Bytes in use for features, text and names, in memory or in files."""

    @property
    def spilled(self) -> bool:
        """Whether the data lie in temporary files."""

    def feature_ids(self, row: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', writable=False)]:
        """Ids of a hypothesis' features, increasing."""

    def feature_values(self, row: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]:
        """Values of a hypothesis' features, in the order of their ids."""

    def word_ids(self, row: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Ids of a hypothesis' words."""

    def text(self, row: int) -> str:
        """The text of a hypothesis."""

class NBestBuilder:
    """Collects hypotheses in any order; of equal ones the first is kept."""

    def __init__(self, words: Vocabulary, feature_names: Vocabulary, *, memory_limit: int = 0, directory: str = '') -> None: ...

    def add(self, sentence: int, text: str, feature_ids: Sequence[int], feature_values: Sequence[float]) -> bool:
        """Add a hypothesis; False if there is an equal one."""

    def add_all(self, lists: NBest) -> int:
        """Add all hypotheses of other lists; returns how many were new."""

    def finish(self, sentences: int = 0) -> NBest:
        """
        Make the lists, at least `sentences` of them; the builder is empty afterwards.
        """

    @property
    def words(self) -> Vocabulary:
        """What word ids number."""

    @property
    def feature_names(self) -> Vocabulary:
        """What feature ids number."""

    @property
    def hypothesis_count(self) -> int:
        """Hypotheses so far."""

    @property
    def duplicate_count(self) -> int:
        """Hypotheses left out so far."""

class ReferenceWords:
    """The references of each sentence as numbered words."""

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        """
        references[i] are those of sentence i, their words separated by white space.
        """

    def __len__(self) -> int: ...

class Hypotheses:
    """Hypotheses in the numbers of the references' words."""

    def __len__(self) -> int: ...

def text_hypotheses(references: ReferenceWords, texts: Sequence[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Hypotheses:
    """
    Texts as hypotheses; sentences[i] is the sentence that texts[i] translates.
    """

def nbest_hypotheses(references: ReferenceWords, lists: NBest, spellings: Sequence[str] | None = None) -> Hypotheses:
    """
    The rows of n-best lists as hypotheses; spellings, if given, are looked up in place of the lists' words.
    """

class WordMetric:
    """References as a metric that compares words sees them."""

    @property
    def dimension(self) -> int:
        """How many numbers the statistics of a hypothesis are."""

    def statistics(self, hypotheses: Hypotheses, *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """A row of statistics for each hypothesis."""

    def set_statistics(self, lists: NBest, hypotheses: Hypotheses, *, threads: int = 0) -> None:
        """
        Store the statistics with the n-best lists that the hypotheses were made of.
        """

class ReferenceLength(enum.Enum):
    """Which reference length BLEU counts."""

    closest = 0
    """To the hypothesis; the shorter of two."""

    shortest = 1

    average = 2

MAX_NGRAM_ORDER: int = 16

class BleuReferences(WordMetric):
    """Statistics m_1 .. m_K, n_1 .. n_K, rho of BLEU."""

    def __init__(self, references: ReferenceWords, *, order: int = 4, length: ReferenceLength = ReferenceLength.closest) -> None: ...

class WerReferences(WordMetric):
    """Edits and reference words of the closest reference."""

    def __init__(self, references: ReferenceWords) -> None: ...

class TerReferences(WordMetric):
    """Edits with shifts, and the average number of reference words."""

    def __init__(self, references: ReferenceWords) -> None: ...

class ChrfOptions:
    """How chrF is counted and computed."""

    def __init__(self, *, character_order: int = 6, word_order: int = 0, beta: int = 2, whitespace: bool = False, epsilon_smoothing: bool = False) -> None: ...

    @property
    def dimension(self) -> int:
        """How many numbers the statistics of a hypothesis are."""

class ChrfReferences:
    """References as chrF sees them."""

    def __init__(self, references: Sequence[Sequence[str]], options: ChrfOptions = ...) -> None: ...

    def statistics(self, texts: Sequence[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """
        A row of n-grams in the hypothesis, in the reference and in both for each order.
        """

class Smoothing(enum.Enum):
    """What BLEU does about orders without a match."""

    none = 0
    """The score is 0."""

    floor = 1
    """The value counts as matches."""

    add_k = 2
    """The value is added to all counts of orders above 1."""

    exponential = 3
    """1/2, 1/4, ... count as matches."""

class BleuOptions:
    """How BLEU is computed from statistics."""

    def __init__(self, *, smoothing: Smoothing = Smoothing.none, value: float = 0.0, effective_order: bool = False) -> None: ...

BLEU_PLUS_ONE: BleuOptions = ...

class CorpusScore:
    """A metric's score of summed statistics; higher is better."""

    @property
    def dimension(self) -> int:
        """How many statistics it takes."""

    def __call__(self, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The score of each row of statistics."""

class BleuScore(CorpusScore):
    """BLEU, from 0 to 1."""

    def __init__(self, order: int = 4, options: BleuOptions = ...) -> None: ...

class ChrfScore(CorpusScore):
    """chrF, from 0 to 1."""

    def __init__(self, options: ChrfOptions = ...) -> None: ...

class ErrorRateScore(CorpusScore):
    """Minus the edits for each reference word."""

    def __init__(self) -> None: ...

class MeanScore(CorpusScore):
    """The mean of a sum and a count, or minus the mean."""

    def __init__(self, *, higher_is_better: bool = True) -> None: ...

def perfect_sentence(order: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Statistics of one sentence of K words without a mistake."""

def document_gains(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    n_1 (BLEU(document + b) - BLEU(document)) for each row b of statistics.
    """

def linear_bleu(document: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """The gradient of document_gains at b = 0."""

class SimplexQpSolution:
    """What solve_simplex_qp found."""

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def iterations(self) -> int: ...

    @property
    def gap(self) -> float:
        """The largest violation of the optimality conditions that is left."""

def solve_simplex_qp(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, budget: float, tolerance: float = 1e-09, max_iterations: int = 100000) -> SimplexQpSolution:
    """
    Maximize linear.alpha - alpha'gram alpha / 2 for alpha >= 0 with sum alpha = budget.
    """
