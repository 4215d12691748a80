"""A whole tuning run: from settings to events, and to the files of its directory."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hopefear.errors import HopefearError
from hopefear.events import (
    EpochFinished,
    Event,
    Progress,
    RunFailed,
    RunFinished,
    RunStarted,
    Warned,
)
from hopefear.learners import Learner, Scaled, learners
from hopefear.tuning.data import LoadedSet, load_data
from hopefear.tuning.guards import (
    check_features,
    check_lists,
    check_replicas,
    check_same_features,
    check_start,
)
from hopefear.tuning.loop import learn
from hopefear.tuning.replicas import summarize_replicas
from hopefear.tuning.run_directory import RunDirectory, check_target
from hopefear.tuning.settings import DataSettings, TuneSettings
from hopefear.tuning.start import start_weights
from hopefear.tuning.weights_output import choose_output
from hopefear.types import Vocabulary, Weights

__all__ = ["run"]

Report = Callable[[Progress], None]


def run(
    settings: TuneSettings,
    *,
    out: Path | None = None,
    force: bool = False,
    report: Report = lambda progress: None,
) -> Iterator[Event]:
    """Carry out a run; every event is in its directory before it is given.

    Parameters
    ----------
    settings : TuneSettings
        What to do.
    out : Path, optional
        The run's directory; without one nothing is written.
    force : bool
        Replace a run that is in the directory.
    report : callable
        Called every now and then with what is being done.
    """
    if out is not None:
        check_target(out, force=force)
    names = Vocabulary()
    data = _load(settings, settings.tuning, "tuning", names, report)
    dev = None if settings.dev is None else _load(settings, settings.dev, "dev", names, report)
    output, warning = choose_output(settings, names)
    tuning = _Tuning(settings, data, dev, start_weights(settings, data.nbest), report)
    directory = None if out is None else RunDirectory(out, settings, output)
    try:
        if warning:
            yield from _written(iter([Warned(message=warning)]), directory)
        yield from _written(tuning.events(directory), directory)
    except HopefearError as error:
        if directory is not None:
            directory.write(RunFailed(message=str(error)))
        raise
    finally:
        if directory is not None:
            directory.close()


def _load(
    settings: TuneSettings, data: DataSettings, role: str, names: Vocabulary, report: Report
) -> LoadedSet:
    report(Progress(epoch=0, done=0, total=0, seconds=0.0, task=f"reading the {role} data"))
    return load_data(
        data,
        settings.metric,
        role=role,
        feature_names=names,
        threads=settings.threads,
        memory_limit=settings.memory_limit,
    )


def _written(events: Iterator[Event], directory: RunDirectory | None) -> Iterator[Event]:
    for event in events:
        if directory is not None:
            directory.write(event)
        yield event


@dataclass(frozen=True)
class _Tuning:
    """The run proper: everything is loaded."""

    settings: TuneSettings
    data: LoadedSet
    dev: LoadedSet | None
    start: Weights
    report: Report

    def events(self, directory: RunDirectory | None) -> Iterator[Event]:
        """Give the warnings, then the events of one run or of all replicas."""
        yield from (Warned(message=message) for message in self._warnings())
        if self.settings.replicas == 1:
            yield from self._run(self.settings.seed)
            return
        finished: list[RunFinished] = []
        for number in range(1, self.settings.replicas + 1):
            if directory is not None:
                directory.begin_replica(number)
            for event in self._run(self.settings.seed + number - 1, replica=number):
                if isinstance(event, RunFinished):
                    finished.append(event)
                yield event
        if directory is not None:
            directory.end_replicas()
        for message in check_replicas([replica.weights for replica in finished]):
            yield Warned(message=message)
        dev = None if self.dev is None else self.dev.tuning_set
        average = self.settings.average
        yield summarize_replicas(finished, self.data.tuning_set, dev, average=average)

    def _warnings(self) -> Iterator[str]:
        yield from check_lists(self.data)
        yield from check_features(self.data)
        yield from check_start(self.start, self.data)
        if self.dev is None:
            yield (
                "no held-out data: scores are on the tuning data and flatter the weights; give a "
                "dev set to see what they are worth"
            )
        else:
            yield from check_lists(self.dev)
            yield from check_same_features(self.data, self.dev)

    def _run(self, seed: int, replica: int | None = None) -> Iterator[Event]:
        learner: Learner = self.settings.learner
        name = learners.name_of(type(learner))
        if self.settings.scale_features:
            learner = Scaled(learner=learner)
        task = name if replica is None else f"{name}, replica {replica}"
        clock = _EpochClock(task, self.report)
        for event in learn(
            self.data.tuning_set,
            learner,
            start=self.start,
            name=name,
            dev=None if self.dev is None else self.dev.tuning_set,
            seed=seed,
            stopping=self.settings.stopping,
            progress=clock.report,
        ):
            if isinstance(event, RunStarted):
                event = replace(event, signature=self.data.signature, replica=replica)
            elif isinstance(event, EpochFinished):
                clock.next_epoch()
            yield event


class _EpochClock:
    """Makes reports of what a learner says of its progress."""

    def __init__(self, task: str, report: Report) -> None:
        self._task, self._report = task, report
        self._epoch = 0
        self.next_epoch()

    def next_epoch(self) -> None:
        """Begin an epoch."""
        self._epoch += 1
        self._began = time.perf_counter()

    def report(self, done: int, total: int) -> None:
        """Pass on how much of the epoch is done."""
        self._report(
            Progress(
                epoch=self._epoch,
                done=done,
                total=total,
                seconds=time.perf_counter() - self._began,
                task=self._task,
                unit="steps",
            )
        )
