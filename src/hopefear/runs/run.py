"""A whole tuning run: from settings to events, and to the files of its directory."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from hopefear.events import Event, ReplicasFinished, RunFinished, RunStarted, Warned
from hopefear.formats.files import Tell, tell_nobody
from hopefear.learners import ForestSet, Learner, Scaled, TuningData, learners, suited
from hopefear.runs.corpora import Corpora, LoadedCorpus, load_corpora
from hopefear.runs.data import LoadedSet, load_data
from hopefear.runs.fingerprints import Fingerprints, fingerprint_weights
from hopefear.runs.forest_guards import check_forest_features, check_forests
from hopefear.runs.guards import (
    check_features,
    check_lists,
    check_references,
    check_repeatable,
    check_same_features,
    check_schema,
    check_start,
    check_values,
)
from hopefear.runs.loop import learn
from hopefear.runs.replicas import summarize_replicas
from hopefear.runs.result_guards import check_better, check_replicas
from hopefear.runs.run_directory import RunDirectory, check_stopped, check_target
from hopefear.runs.settings import DataSettings, TuneSettings
from hopefear.runs.start import start_weights
from hopefear.runs.weights_output import choose_output
from hopefear.types import Vocabulary, Weights

__all__ = ["run"]


def run(
    settings: TuneSettings,
    *,
    out: Path | None = None,
    force: bool = False,
    resume: bool = False,
    tell: Tell = tell_nobody,
) -> Iterator[Event]:
    """Carry out a run; every event is in its directory before it is given.

    Before the run starts there are only warnings, which are in the directory when it does: a run
    that fails before leaves no directory, and an old one as it was.

    Parameters
    ----------
    settings : TuneSettings
        What to do.
    out : Path, optional
        The run's directory; without one nothing is written.
    force : bool
        Replace a run that is in the directory.
    resume : bool
        Go on with the run that is in the directory, which has these settings and was stopped. It
        ends as if it had not been stopped, bit for bit.
    tell : callable
        Called every now and then with what is being done, how much of it is done and how much
        there is (0 if that is not known): files, then epochs.
    """
    if out is not None and resume:
        check_stopped(out)
    elif out is not None:
        check_target(out, force=force)
    if out is not None:
        yield from _carry_out(settings, RunDirectory(out, settings, resume=resume), out, tell)
    elif settings.translates:
        with TemporaryDirectory(prefix="hopefear-") as folder:
            yield from _carry_out(settings, None, Path(folder), tell)
    else:
        yield from _carry_out(settings, None, Path(), tell)


def _carry_out(
    settings: TuneSettings, directory: RunDirectory | None, folder: Path, tell: Tell
) -> Iterator[Event]:
    try:
        since = time.perf_counter()
        names = Vocabulary()
        tuning: _Tuning = (_Translating if settings.translates else _Listed).load(
            settings, folder, names, tell
        )
        seconds = time.perf_counter() - since
        output, warning = choose_output(settings, names, tuning.format())
        if directory is not None:
            directory.take_data(tuning.fingerprints())
            directory.output = output
        if warning:
            yield from _written(iter([Warned(message=warning)]), directory)
        yield from _written(_with_time(tuning.events(directory), seconds), directory)
    except BaseException as error:
        if directory is not None:
            directory.fail(error)
        raise
    finally:
        if directory is not None:
            directory.close()


def _with_time(events: Iterator[Event], reading_seconds: float) -> Iterator[Event]:
    """Let the beginning of the run, or of the first replica, tell how long reading took."""
    for event in events:
        if isinstance(event, RunStarted) and event.replica in (None, 1):
            event = replace(event, reading_seconds=reading_seconds)
        yield event


def _load(
    settings: TuneSettings, data: DataSettings, role: str, names: Vocabulary, tell: Tell
) -> LoadedSet:
    return load_data(
        data,
        settings.metric,
        role=role,
        feature_names=names,
        threads=settings.threads,
        memory_limit=settings.memory_limit,
        tell=tell,
    )


def _written(events: Iterator[Event], directory: RunDirectory | None) -> Iterator[Event]:
    for event in events:
        if directory is not None:
            directory.write(event)
        yield event


def _suited(settings: TuneSettings, data: TuningData) -> Learner:
    return suited(settings.learner, data, k=settings.list_size, iterations=settings.iterations)


def _check_candidates(data: LoadedSet) -> Iterator[str]:
    if isinstance(data.tuning_set, ForestSet):
        yield from check_forests(data, data.tuning_set)
    else:
        yield from check_lists(data)
    yield from check_references(data)


def _check_candidate_features(data: LoadedSet) -> Iterator[str]:
    if isinstance(data.tuning_set, ForestSet):
        return check_forest_features(data, data.tuning_set)
    return check_features(data)


@dataclass(frozen=True)
class _Tuning(ABC):
    """The run proper: everything is loaded."""

    settings: TuneSettings
    start: Weights
    tell: Tell

    @abstractmethod
    def data(self) -> tuple[TuningData, TuningData | None]:
        """Return the data to learn from, and that to judge by."""

    @abstractmethod
    def sets(self) -> list[LoadedSet] | list[LoadedCorpus]:
        """Return the tuning data, and the dev data if there is any, as they were loaded."""

    def fingerprints(self) -> Fingerprints:
        """Return what tells the data of this run, and given start weights, from others."""
        found = {name: value for data in self.sets() for name, value in data.fingerprints.items()}
        if self.settings.start_file is not None:
            found["start_file"] = fingerprint_weights(self.start)
        return found

    @abstractmethod
    def signature(self) -> str:
        """Return what the metric's score depends on."""

    def format(self) -> str:
        """Return the format of the candidates' files; empty if there are none."""
        return ""

    @abstractmethod
    def learner(self) -> Learner:
        """Return the learner, as it learns from such data."""

    @abstractmethod
    def warnings(self) -> Iterator[str]:
        """Give what the user should know before anything is learned."""

    def events(self, directory: RunDirectory | None) -> Iterator[Event]:
        """Give the warnings, then the events of one run or of all replicas."""
        messages = chain(check_repeatable(self.settings), self.warnings())
        yield from (Warned(message=message) for message in messages)
        if self.settings.replicas == 1:
            yield from self._run(self.settings.seed, directory)
        else:
            yield from self._run_replicas(directory)

    def _run_replicas(self, directory: RunDirectory | None) -> Iterator[Event]:
        finished: list[RunFinished] = []
        for number in range(1, self.settings.replicas + 1):
            if directory is not None:
                if (ended := directory.finished_replica(number)) is not None:
                    finished.append(ended)
                    continue
                directory.begin_replica(number)
            seed = self.settings.seed + number - 1
            for event in self._run(seed, directory, replica=number):
                if isinstance(event, RunFinished):
                    finished.append(event)
                yield event
        if directory is not None:
            directory.end_replicas()
        summary = summarize_replicas(finished, *self.data(), average=self.settings.average)
        for message in check_replicas([replica.weights for replica in finished]):
            yield Warned(message=message)
        for message in self._check_summary(summary):
            yield Warned(message=message)
        yield summary

    def _check_summary(self, summary: ReplicasFinished) -> Iterator[str]:
        """Compare the weights that are taken of all replicas with those of the start."""
        data, dev = self.data()
        role, judge, found = "tuning", data, summary.tuning_score
        if dev is not None:
            role, judge, found = "dev", dev, summary.dev_score
        start = judge.score(self.start.vector(judge.feature_names))
        return check_better(data.metric, start, cast(float, found), role)

    def _run(
        self, seed: int, directory: RunDirectory | None, replica: int | None = None
    ) -> Iterator[Event]:
        learner = self.learner()
        name = learners.name_of(type(self.settings.learner))
        if self.settings.scale_features:
            learner = Scaled(learner=learner)
        data, dev = self.data()
        once = self.settings.from_standard_input
        for event in learn(
            data,
            learner,
            start=self.start,
            name=name,
            dev=dev,
            seed=seed,
            stopping=self.settings.stopping,
            progress=lambda done, total: self.tell(name, done, total),
            checkpoint=None if directory is None or once else directory.checkpoint,
        ):
            if isinstance(event, RunStarted):
                event = replace(event, signature=self.signature(), replica=replica)
            yield event


NO_DEV = (
    "no held-out data: scores are on the tuning data and flatter the weights; give a dev set to "
    "see what they are worth"
)


@dataclass(frozen=True)
class _Listed(_Tuning):
    """A run on n-best lists or forests."""

    tuning: LoadedSet
    dev: LoadedSet | None
    about_start: str

    @classmethod
    def load(cls, settings: TuneSettings, folder: Path, names: Vocabulary, tell: Tell) -> "_Listed":
        """Read the lists or forests."""
        data = _load(settings, settings.tuning, "tuning", names, tell)
        dev = None if settings.dev is None else _load(settings, settings.dev, "dev", names, tell)
        for loaded in (data, dev):
            if loaded is not None:
                check_values(loaded)
        start, about_start = start_weights(settings, data)
        return cls(settings, start, tell, data, dev, about_start)

    def data(self) -> tuple[TuningData, TuningData | None]:
        """Return the lists or forests."""
        return self.tuning.tuning_set, None if self.dev is None else self.dev.tuning_set

    def sets(self) -> list[LoadedSet]:
        """Return what was loaded."""
        return [self.tuning] if self.dev is None else [self.tuning, self.dev]

    def signature(self) -> str:
        """Return what the metric's score depends on."""
        return self.tuning.signature

    def format(self) -> str:
        """Return the format of the first file of lists, or of the forests."""
        return self.tuning.format

    def learner(self) -> Learner:
        """Return the learner itself, or one that lists derivations of forests for it."""
        return _suited(self.settings, self.tuning.tuning_set)

    def warnings(self) -> Iterator[str]:
        """Give what is wrong with the data, or doubtful."""
        check_schema(self.settings.features, self.tuning)
        yield from (message for message in (self.tuning.warning, self.about_start) if message)
        yield from _check_candidates(self.tuning)
        yield from _check_candidate_features(self.tuning)
        yield from check_start(self.start, self.tuning)
        if self.dev is None:
            yield NO_DEV
        else:
            check_schema(self.settings.features, self.dev)
            yield from _check_candidates(self.dev)
            yield from check_same_features(self.tuning, self.dev)


@dataclass(frozen=True)
class _Translating(_Tuning):
    """A run around a decoder."""

    corpora: Corpora

    @classmethod
    def load(
        cls, settings: TuneSettings, folder: Path, names: Vocabulary, tell: Tell
    ) -> "_Translating":
        """Read sources and references, and parse or translate."""
        corpora = load_corpora(settings, folder, names, tell)
        return cls(settings, corpora.start, tell, corpora)

    def data(self) -> tuple[TuningData, TuningData | None]:
        """Return the data."""
        dev = self.corpora.dev
        return self.corpora.data.tuning_set, None if dev is None else dev.tuning_set

    def sets(self) -> list[LoadedCorpus]:
        """Return what was loaded."""
        data, dev = self.corpora.data, self.corpora.dev
        return [data] if dev is None else [data, dev]

    def signature(self) -> str:
        """Return what the metric's score depends on."""
        return self.corpora.data.signature

    def learner(self) -> Learner:
        """Return the learner itself, or one that lists translations for it."""
        return _suited(self.settings, self.corpora.data.tuning_set)

    def warnings(self) -> Iterator[str]:
        """Say where the run starts, if not where one would think, and if there is no dev data."""
        if self.corpora.about_start:
            yield self.corpora.about_start
        if self.corpora.dev is None:
            yield NO_DEV
