"""Parses of a corpus: made once, kept in a file, rescored whenever weights have changed."""

from collections.abc import Sequence
from pathlib import Path

from hopefear.formats.files import Tell, tell_nobody
from hopefear.formats.forests.store import ForestStore, ForestWriter
from hopefear.translation import Decoder, ForestRescorer, PreparedForest

__all__ = ["Parses", "write_parses"]


def write_parses(
    path: Path,
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    *,
    threads: int = 0,
    tell: Tell = tell_nobody,
) -> None:
    """Parse sentences and write their forests, without language models, to a file.

    The file appears when all are there. A sentence without words has no forest.

    Parameters
    ----------
    path : Path
        A shard of a forest store.
    decoder : Decoder
        Its grammars and options count, its weights only for which rules are considered.
    sentences : sequence of lists of words
    threads : int
        How many to use; 0 means one per core. The result does not depend on it.
    tell : callable
        Called with what is being done, how many sentences are done and how many there are.
    """
    numbers = [number for number, words in enumerate(sentences) if words]
    parsed = decoder.parse_all((sentences[number] for number in numbers), threads=threads)
    path.parent.mkdir(parents=True, exist_ok=True)
    with ForestWriter.open(path, level=1) as writer:
        for number, forest in zip(numbers, parsed, strict=True):
            writer.add(number, forest)
            tell("parsing", number + 1, len(sentences))


class Parses:
    """The forests of a store, ready to be rescored.

    Parameters
    ----------
    store : ForestStore
        Forests without language models.
    rescorer : ForestRescorer
        What will rescore them.
    memory_limit : int
        Bytes of forests that are kept in memory; the others are read whenever they are asked for.
        0 for no limit.
    """

    def __init__(
        self, store: ForestStore, rescorer: ForestRescorer, *, memory_limit: int = 0
    ) -> None:
        self.store = store
        self._rescorer, self._limit = rescorer, memory_limit
        self._kept: dict[int, PreparedForest] = {}
        self._bytes = 0

    def __getitem__(self, sentence: int) -> PreparedForest | None:
        """Return the forest of a sentence; None if it has none."""
        if sentence in self._kept:
            return self._kept[sentence]
        if sentence not in self.store:
            return None
        prepared = self._rescorer.prepare(self.store[sentence])
        size = prepared.nbytes
        # Several threads may come here at once: then a forest is made twice, and kept once.
        if not self._limit or self._bytes + size <= self._limit:
            self._kept[sentence] = prepared
            self._bytes += size
        return prepared
