"""A whole tuning run: from settings to events, and to the files of its directory."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hopefear.errors import HopefearError
from hopefear.events import (
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    Warned,
)
from hopefear.formats.files import Tell, tell_nobody
from hopefear.learners import Learner, Scaled, learners
from hopefear.tuning.data import LoadedSet, load_data
from hopefear.tuning.guards import (
    check_features,
    check_lists,
    check_replicas,
    check_same_features,
    check_schema,
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


def run(
    settings: TuneSettings,
    *,
    out: Path | None = None,
    force: bool = False,
    tell: Tell = tell_nobody,
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
    tell : callable
        Called every now and then with what is being done, how much of it is done and how much
        there is (0 if that is not known): files, then epochs.
    """
    if out is not None:
        check_target(out, force=force)
    names = Vocabulary()
    data = _load(settings, settings.tuning, "tuning", names, tell)
    dev = None if settings.dev is None else _load(settings, settings.dev, "dev", names, tell)
    output, warning = choose_output(settings, names)
    start, about_start = start_weights(settings, data.nbest)
    tuning = _Tuning(settings, data, dev, start, about_start, tell)
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


@dataclass(frozen=True)
class _Tuning:
    """The run proper: everything is loaded."""

    settings: TuneSettings
    data: LoadedSet
    dev: LoadedSet | None
    start: Weights
    about_start: str
    tell: Tell

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
        check_schema(self.settings.features, self.data)
        yield from (message for message in (self.data.warning, self.about_start) if message)
        yield from check_lists(self.data)
        yield from check_features(self.data)
        yield from check_start(self.start, self.data)
        if self.dev is None:
            yield (
                "no held-out data: scores are on the tuning data and flatter the weights; give a "
                "dev set to see what they are worth"
            )
        else:
            check_schema(self.settings.features, self.dev)
            yield from check_lists(self.dev)
            yield from check_same_features(self.data, self.dev)

    def _run(self, seed: int, replica: int | None = None) -> Iterator[Event]:
        learner: Learner = self.settings.learner
        name = learners.name_of(type(learner))
        if self.settings.scale_features:
            learner = Scaled(learner=learner)
        for event in learn(
            self.data.tuning_set,
            learner,
            start=self.start,
            name=name,
            dev=None if self.dev is None else self.dev.tuning_set,
            seed=seed,
            stopping=self.settings.stopping,
            progress=lambda done, total: self.tell(name, done, total),
        ):
            if isinstance(event, RunStarted):
                event = replace(event, signature=self.data.signature, replica=replica)
            yield event
