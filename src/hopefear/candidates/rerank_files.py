"""From files of candidates and of weights to candidates in their new order."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, cast

from hopefear.candidates.added import CountedForests, count_in_lists, read_sources
from hopefear.candidates.derived import DERIVED, MARK, derive_features, needs_source, source_lines
from hopefear.candidates.read_lists import Lists, read_lists
from hopefear.candidates.reranking import ForestReranking, Reranking, check_features
from hopefear.candidates.values import describe_large_value
from hopefear.errors import ConfigError, DataError
from hopefear.formats import SentenceKeys
from hopefear.formats.files import Tell
from hopefear.formats.weights import read_run_weights
from hopefear.nbest import NBestBuilder
from hopefear.translation.features.bins import run_bins
from hopefear.translation.features.counting import WordCounter

__all__ = ["Files", "rerank_files"]


class Files(Lists, Protocol):
    """Settings that say where candidates and weights are; see `commands.RerankSettings`."""

    @property
    def forests(self) -> Path | None:
        """Forests instead of lists."""

    @property
    def weights(self) -> Path | Mapping[str, float]:
        """A run, a file of weights, or weights."""

    @property
    def patterns(self) -> Path | None:
        """What to count."""

    @property
    def source(self) -> Path | None:
        """The sentences that the candidates translate."""

    @property
    def size(self) -> int:
        """The size of lists that are made of forests."""

    @property
    def threads(self) -> int:
        """The number of threads."""

    @property
    def memory_limit(self) -> int:
        """The size beyond which lists move to a temporary file."""


def rerank_files(files: Files, tell: Tell) -> Reranking | ForestReranking:
    """Read candidates and weights; features that only the weights name are derived."""
    weights, bins = read_run_weights(files.weights), run_bins(files.weights)
    counter = None if files.patterns is None else WordCounter.read(files.patterns)
    named = [name[1:] for name in (*weights, *bins) if name.startswith(MARK)]
    derived = [name for name in dict.fromkeys(named) if name in DERIVED]
    if files.source is not None and counter is None and not needs_source(derived):
        problem = "the source is for patterns and for weights of +length-ratio and +copy"
        raise ConfigError(problem, settings=("source", "patterns"))
    if files.forests is not None:
        return ForestReranking(
            forests=files.forests,
            weights=weights,
            bins=bins,
            counted=None if counter is None else CountedForests(counter, cast(Path, files.source)),
            format=files.format,
            sentences=files.sentences,
            size=files.size,
            tell=tell,
        )
    keys, builder = SentenceKeys(), NBestBuilder(memory_limit=files.memory_limit)
    read = read_lists(files, builder, keys, tell)
    lists = read.nbest
    if counter is not None and files.source is not None:
        sources = read_sources(files.source, lists.sentence_count)
        lists = count_in_lists(lists, counter, sources, read.links)
    lists = derive_features(lists, derived, source_lines(files.source), threads=files.threads)
    if message := describe_large_value(lists, lambda i: keys.names[i] if keys.names else str(i)):
        raise DataError(f"{', '.join(map(str, files.nbest))}: {message}")
    found = Reranking(lists=lists, weights=weights, bins=bins, keys=keys, threads=files.threads)
    check_features(weights, list(found.scored.feature_names) if len(lists) else (), "lists")
    return found
