"""Translation on the machines of a Ray cluster, which find the model on a path that all share."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hopefear.cluster import Crew, Member, connected
from hopefear.cluster.ordered import map_in_order
from hopefear.forest import Derivation, Forest
from hopefear.formats.forests.store import ForestDecoder, ForestEncoder
from hopefear.translation.translate import Job, Translation, Translator
from hopefear.types import Vocabulary

__all__ = ["RemoteTranslator", "translate_remotely"]


@dataclass(frozen=True, kw_only=True)
class _Message:
    """A translation as bytes: a forest, and the derivations as trees in it."""

    translation: Translation  # without what follows
    forest: bytes
    vocabularies: tuple[bytes, bytes]
    derivations: tuple[tuple[NDArray[np.int32], float], ...]

    @classmethod
    def of(cls, translation: Translation) -> "_Message":
        if translation.error is not None:
            return cls(translation=translation, forest=b"", vocabularies=(b"", b""), derivations=())
        encoder = ForestEncoder()
        forest = encoder.encode(Forest(translation.best.forest))
        return cls(
            translation=replace(translation, derivations=[], forest=None),
            forest=forest,
            vocabularies=encoder.vocabularies(),
            derivations=tuple((one.edges, one.score) for one in translation.derivations),
        )

    def open(self, *, forests: bool) -> Translation:
        if self.translation.error is not None:
            return self.translation
        decoder = ForestDecoder(*self.vocabularies, Vocabulary(), Vocabulary())
        forest = decoder.decode(self.forest)
        return replace(
            self.translation,
            derivations=[Derivation(forest.core, *one) for one in self.derivations],
            forest=forest if forests else None,
        )


class RemoteTranslator(Member):
    """Translates some sentences after the other; the model is loaded with the first."""

    def __init__(self) -> None:
        self._job: Job | None = None
        self._work: Translator | None = None
        self._done = 0

    def beat(self) -> tuple[int, int]:
        """Say how many sentences are translated."""
        return self._done, 0

    def translate(self, items: Sequence[tuple[int, str]], job: Job) -> list[_Message]:
        """Return the translations of numbered lines."""
        if self._work is None or job != self._job:
            self._job, self._work = job, job.translator()
        found = []
        for item in items:
            found.append(_Message.of(self._work(item)))
            self._done += 1
        return found


def translate_remotely(job: Job, lines: Iterable[str], cluster: str) -> Iterator[Translation]:
    """Yield the translations of lines, in order; see `hopefear.translate`."""
    with connected(cluster):
        crew = Crew(RemoteTranslator)
        try:
            crew.arrange()
            for message in map_in_order(crew, "translate", enumerate(lines), job):
                yield message.open(forests=job.forests)
        finally:
            crew.close()
