"""Where the workers of a run work: on threads of this machine, or on a Ray cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from hopefear.candidates import Candidates, DecodedSet
from hopefear.cluster import connected
from hopefear.formats.files import tell_nobody
from hopefear.parallel import Executor, Threads
from hopefear.parallel.parcels import Parcel, pack_candidates, vocabulary_of
from hopefear.parallel.remote import RemoteWorkers
from hopefear.runs.load_decoder import load_corpora
from hopefear.runs.run_directory import from_folder
from hopefear.runs.settings import TuneSettings

__all__ = ["executor_of"]


@contextmanager
def executor_of(settings: TuneSettings, folder: Path) -> Iterator[Executor]:
    """Give what carries out the passes of a run; a cluster is left in the end."""
    if settings.cluster is None or settings.replicas > 1:  # replicas are shared out as they are
        yield Threads()
        return

    def parcel(data: Candidates) -> Parcel:
        if isinstance(data, DecodedSet):
            return _Corpus.of(settings, folder, data)
        return pack_candidates(data)

    with connected(settings.cluster, threads=settings.threads):
        workers = RemoteWorkers(parcel)
        try:
            yield workers
        finally:
            workers.close()


@dataclass(frozen=True, kw_only=True)
class _Corpus:
    """What a model translates; its files are on a path that all machines share."""

    settings: TuneSettings
    folder: Path
    names: tuple[str, ...]
    scaled: bool
    sentences: tuple[int, ...]

    @classmethod
    def of(cls, settings: TuneSettings, folder: Path, data: DecodedSet) -> "_Corpus":
        own = replace(settings, dev=None, cluster=None, threads=1)
        return cls(
            settings=from_folder(own, Path.cwd()),
            folder=folder.absolute(),
            names=tuple(data.feature_names),
            scaled=data.is_scaled,
            sentences=tuple(data.sentences),
        )

    def open(self) -> DecodedSet:
        # The names come first, so that features have the same numbers on all machines.
        names = vocabulary_of(self.names)
        corpora = load_corpora(self.settings, self.folder, names, tell_nobody)
        data = cast(DecodedSet, corpora.data.candidates)
        return (data.scaled if self.scaled else data).subset(self.sentences)
