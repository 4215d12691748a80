"""Candidates on their way to another machine: bytes of the codec, and what they are read with."""

from dataclasses import dataclass
from typing import Protocol, cast

from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.errors import ConfigError
from hopefear.formats.forests.store import ForestDecoder, ForestEncoder
from hopefear.metrics import Metric, References, TextMetric
from hopefear.nbest import NBestBuilder
from hopefear.parallel.codec import decode, encode, pack, unpack
from hopefear.types import Vocabulary

__all__ = ["Parcel", "pack_candidates", "pack_lists", "unpack_lists", "vocabulary_of"]


class Parcel(Protocol):
    """Candidates that can be opened on another machine, where one thread works on them."""

    def open(self) -> Candidates:
        """Return the candidates, with the same numbers for sentences and features."""


def pack_candidates(data: Candidates) -> Parcel:
    """Return a parcel with candidates that are there: lists, or forests."""
    if isinstance(data, ListSet):
        return _Lists(
            lists=pack_lists(data),
            names=tuple(data.feature_names),
            metric=data.metric,
            sentences=data.sentence_count,
        )
    if isinstance(data, ForestSet):
        encoder = ForestEncoder()
        forests = tuple(None if one is None else encoder.encode(one) for one in data.forests)
        return _Forests(
            forests=forests,
            vocabularies=encoder.vocabularies(),
            names=tuple(data.feature_names),
            references=data.references,
            metric=cast(TextMetric, data.metric),
        )
    raise ConfigError(f"{data.description} cannot be sent to a cluster", settings=("cluster",))


def pack_lists(lists: ListSet) -> bytes:
    """Return lists as bytes."""
    return pack(encode(lists, "lists"))


def unpack_lists(message: bytes, data: Candidates) -> ListSet:
    """Return the lists of a message about the sentences and features of `data`."""
    lists: ListSet = decode(None, unpack(message), data, "lists")
    return lists


@dataclass(frozen=True, kw_only=True)
class _Lists:
    lists: bytes
    names: tuple[str, ...]
    metric: Metric
    sentences: int

    def open(self) -> ListSet:
        empty = NBestBuilder(feature_names=vocabulary_of(self.names)).finish(self.sentences)
        return unpack_lists(self.lists, ListSet(nbest=empty, metric=self.metric, threads=1))


@dataclass(frozen=True, kw_only=True)
class _Forests:
    forests: tuple[bytes | None, ...]
    vocabularies: tuple[bytes, bytes]
    names: tuple[str, ...]
    references: References
    metric: TextMetric

    def open(self) -> ForestSet:
        decoder = ForestDecoder(*self.vocabularies, Vocabulary(), vocabulary_of(self.names))
        forests = [None if one is None else decoder.decode(one) for one in self.forests]
        return ForestSet(forests, self.references, self.metric, threads=1)


def vocabulary_of(names: tuple[str, ...]) -> Vocabulary:
    """Return a vocabulary with these names, in this order."""
    vocabulary = Vocabulary()
    for name in names:
        vocabulary.add(name)
    return vocabulary
