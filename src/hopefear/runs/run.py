"""A whole tuning run: from settings to events, and to the files of its directory."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import cast

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.discretized import add_bin_names, learn_bins
from hopefear.cluster.tasks import carry_out
from hopefear.errors import DataError
from hopefear.events import Event, Note, Noted, ReplicasFinished, RunFinished, told
from hopefear.formats.files import Tell, tell_nobody
from hopefear.learners import learners
from hopefear.parallel import Executor, Threads
from hopefear.runs.auto import choose
from hopefear.runs.cluster import executor_of
from hopefear.runs.course import Passes, plan
from hopefear.runs.environment import peak_memory
from hopefear.runs.fingerprints import Fingerprints, fingerprint_weights
from hopefear.runs.folds import cross_validate
from hopefear.runs.given import Given, load_given
from hopefear.runs.guards import (
    check_features,
    check_forest_features,
    check_forests,
    check_lists,
    check_order,
    check_reference_counts,
    check_references,
    check_repeatable,
    check_same_features,
    check_scales,
    check_schema,
    check_start,
    check_values,
    some,
)
from hopefear.runs.load import Loaded, discretized, load_data
from hopefear.runs.load_decoder import load_corpora
from hopefear.runs.loop import About, learn
from hopefear.runs.regression import regression_weights
from hopefear.runs.replicas import summarize_replicas
from hopefear.runs.result_guards import check_better, check_replicas
from hopefear.runs.run_directory import RunDirectory
from hopefear.runs.sentences import SENTENCES_FILE, write_sentences
from hopefear.runs.settings import TuneSettings
from hopefear.runs.start import random_weights, regresses, start_weights, with_decoder
from hopefear.runs.weights_output import choose_output
from hopefear.translation.features.bins import Discretization, FeatureBins, spread
from hopefear.translation.features.counting import WordCounter
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["run"]

NONE_GIVEN: Mapping[str, Given] = MappingProxyType({})
NO_DEV = Note(
    "no held-out data: these scores are optimistic; give a dev set to see how good they are"
)


def run(
    settings: TuneSettings,
    *,
    out: Path | None = None,
    force: bool = False,
    resume: bool = False,
    tell: Tell = tell_nobody,
    given: Mapping[str, Given] = NONE_GIVEN,
    settled: Callable[[TuneSettings], None] = lambda settings: None,
    learned_from: Callable[[Loaded, Weights], None] = lambda data, weights: None,
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
        Resume the run in the directory, which has these settings and was stopped. It ends as if it
        had not been stopped, bit for bit.
    tell : callable
        Called every now and then with what is being done, how much of it is done and how much
        there is (0 if that is not known): files, then epochs.
    given : mapping
        Candidates in memory, "tuning" and "dev", in place of the files of the settings.
    settled : callable
        Called with the settings when ``auto`` has chosen.
    learned_from : callable
        Called at the end with the tuning data and the weights, if the run has a directory.
    """
    settings = with_decoder(settings)
    with ExitStack() as stack:
        names = Vocabulary()
        directory = None
        if out is not None:
            directory = RunDirectory(out, settings, force=force, resume=resume)
        if directory is not None:
            stack.push(directory)
            folder = directory.path
        elif settings.translates:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="hopefear-")))
        else:
            folder = Path()
        since = time.perf_counter()
        chosen: list[str] = []
        loaded = _load(settings, folder, names, tell, given)
        data = replace(loaded, folder=folder.absolute(), given=given, learned_from=learned_from)
        if settings.auto:
            settings, reason = _chosen(settings, data)
            chosen.append(reason)
            settled(settings)
            if directory is not None:
                directory.settings = settings
        seconds = time.perf_counter() - since
        output, warning = choose_output(settings, names, data.tuning.format)
        if directory is not None:
            directory.take_data(data.fingerprints(settings))
            directory.output, directory.bins = output, data.bins
        found = chain([warning] if warning else [], _warnings(settings, data))
        about = About(
            name=learners.name_of(type(settings.learner)),
            seed=settings.seed,
            signature=data.tuning.signature,
            regressed=settings.regress_start,
            reading_seconds=seconds,
            reading_memory=peak_memory(),
        )
        executor = stack.enter_context(executor_of(settings, folder))
        learned = (_learn_alone if settings.replicas == 1 else _learn_replicas)(
            settings, data, about, directory, executor, tell
        )
        notes = (Noted(message=message) for message in chosen)
        for event in chain(map(told, found), notes, _normalized(settings, learned)):
            if directory is not None:
                directory.write(event)
            yield event


def _chosen(settings: TuneSettings, data: "_Data") -> tuple[TuneSettings, str]:
    """Return the settings with all that is chosen by the data, and why."""
    return choose(
        settings,
        cast(ListSet, data.tuning.candidates),
        held_out=data.dev is not None,
        regresses=regresses(settings),
    )


def _normalized(settings: TuneSettings, events: Iterator[Event]) -> Iterator[Event]:
    """Give events whose final weights have absolute values that sum to 1, if settings say so."""
    for event in events:
        if settings.normalize and isinstance(event, RunFinished | ReplicasFinished):
            event = replace(event, weights=event.weights / (event.weights.norm(1) or 1.0))
        yield event


@dataclass(frozen=True, kw_only=True)
class _Data:
    """Everything that a run is started with, and what it was loaded from."""

    tuning: Loaded
    dev: Loaded | None
    start: Weights
    about_start: str = ""
    bins: FeatureBins = field(default_factory=dict)
    folder: Path = Path()
    given: Mapping[str, Given] = field(default_factory=dict)
    learned_from: Callable[[Loaded, Weights], None] = lambda data, weights: None

    @property
    def judge(self) -> Loaded:
        return self.tuning if self.dev is None else self.dev

    def fingerprints(self, settings: TuneSettings) -> Fingerprints:
        found = dict(self.tuning.fingerprints) | dict(self.dev.fingerprints if self.dev else {})
        if settings.start_file is not None:
            found["start_file"] = fingerprint_weights(self.start)
        return found


def _load(
    settings: TuneSettings,
    folder: Path,
    names: Vocabulary,
    tell: Tell,
    given: Mapping[str, Given],
) -> _Data:
    if settings.translates:
        corpora = load_corpora(settings, folder, names, tell)
        return _Data(
            tuning=corpora.data,
            dev=corpora.dev,
            start=corpora.start,
            about_start=corpora.about_start,
            bins=corpora.bins,
        )
    counter = None if settings.patterns is None else WordCounter.read(settings.patterns)
    own = Vocabulary() if settings.discretize else names
    sets = [
        load_given(
            given[role],
            settings.metric,
            role=role,
            feature_names=own,
            threads=settings.threads,
            derived=settings.derived,
            source=data.source,
        )
        if role in given
        else load_data(
            data,
            settings.metric,
            role=role,
            feature_names=own,
            threads=settings.threads,
            memory_limit=settings.memory_limit,
            counter=counter,
            derived=settings.derived,
            tell=tell,
        )
        for role, data in (("tuning", settings.tuning), ("dev", settings.dev))
        if data is not None
    ]
    for loaded in sets:
        check_values(loaded)
    start, about_start = start_weights(settings, sets[0])
    dev = sets[1] if len(sets) > 1 else None
    data = _Data(tuning=sets[0], dev=dev, start=start, about_start=about_start)
    return _discretized(data, settings.discretize, names) if settings.discretize else data


def _discretized(data: _Data, how: Discretization, names: Vocabulary) -> _Data:
    """Return the data with bins in place of features: those of the tuning data."""
    raw = data.tuning.candidates
    forests = raw.forests if isinstance(raw, ForestSet) else ()
    bins = learn_bins(
        [forest for forest in forests if forest is not None] or data.tuning.nbest, how
    )
    if not bins:
        raise DataError(
            f"discretize: no feature that varies matches {', '.join(how.features)}; the tuning "
            f"data have {some(sorted(data.tuning.present_features))}",
            settings=("discretize.features",),
        )
    add_bin_names(bins, names)
    return replace(
        data,
        tuning=discretized(data.tuning, bins, names),
        dev=None if data.dev is None else discretized(data.dev, bins, names),
        start=spread(data.start, bins, start=how.start),
        bins=bins,
    )


def _warnings(settings: TuneSettings, data: _Data) -> Iterator[str]:
    """Give what the user should know before anything is learned."""
    yield from check_repeatable(settings)
    sets = [data.tuning] if data.dev is None else [data.tuning, data.dev]
    for loaded in sets:
        yield from loaded.warnings
    yield from check_reference_counts(data.tuning, data.dev)
    if data.about_start:
        yield data.about_start
    if not settings.translates:
        for loaded in sets:
            yield from _candidate_warnings(settings, loaded)
        yield from check_start(data.start, data.tuning)
    if data.dev is None:
        if not settings.folds:
            yield NO_DEV
    elif not settings.translates:
        yield from check_same_features(data.tuning, data.dev)


def _candidate_warnings(settings: TuneSettings, data: Loaded) -> Iterator[str]:
    forests = data.candidates if isinstance(data.candidates, ForestSet) else None
    check_schema(settings.expected_features, data)
    yield from check_lists(data) if forests is None else check_forests(data, forests)
    yield from check_references(data)
    if forests is None:
        yield from check_order(data)
    if data.role == "tuning":
        yield from (
            check_features(data) if forests is None else check_forest_features(data, forests)
        )
        if not settings.scale_features:
            yield from check_scales(settings.learner, data)


def _learn(
    settings: TuneSettings,
    data: _Data,
    about: About,
    directory: RunDirectory | None,
    executor: Executor,
    tell: Tell,
) -> Iterator[Event]:
    tuning = data.tuning.candidates
    start = random_weights(data.start, about.seed) if settings.random_start else data.start
    course = plan(
        tuning,
        settings.learner,
        settings.rhythm,
        settings.strategy,
        origin=start.vector(tuning.feature_names),
        seed=about.seed,
        scaled=settings.scale_features,
        executor=executor,
    )
    validated = None
    if settings.folds:

        def start_of(lists: ListSet) -> FloatArray:
            if settings.regress_start:
                return regression_weights(lists)
            return start.vector(lists.feature_names)

        validated = cross_validate(
            cast(Passes, course),
            start_of,
            settings.folds,
            regressed=settings.regress_start,
            progress=lambda done, total: tell(f"{about.name}, folds", done, total),
        )
    once = settings.in_memory or settings.from_standard_input
    kept = directory is not None and not once
    return learn(
        course,
        start,
        about,
        dev=None if data.dev is None else data.dev.candidates,
        stopping=settings.stopping,
        progress=lambda done, total: tell(about.name, done, total),
        checkpoint=cast(RunDirectory, directory).checkpoint if kept else None,
        validated=validated,
    )


def _learn_alone(
    settings: TuneSettings,
    data: _Data,
    about: About,
    directory: RunDirectory | None,
    executor: Executor,
    tell: Tell,
) -> Iterator[Event]:
    """Learn, and keep what the result makes of the sentences."""
    for event in _learn(settings, data, about, directory, executor, tell):
        if directory is not None and isinstance(event, RunFinished):
            _keep_translations(settings, data, directory, event.weights)
        yield event


def _keep_translations(
    settings: TuneSettings,
    data: _Data,
    directory: RunDirectory,
    result: Weights,
    replicas: Sequence[Weights] = (),
) -> None:
    start = random_weights(data.start, settings.seed) if settings.random_start else data.start
    used = settings.tuning if settings.dev is None else settings.dev
    path = directory.path / SENTENCES_FILE
    write_sentences(path, data.judge, used.source, start, result, replicas)
    data.learned_from(data.tuning, result)


def _learn_replicas(
    settings: TuneSettings,
    data: _Data,
    about: About,
    directory: RunDirectory | None,
    executor: Executor,
    tell: Tell,
) -> Iterator[Event]:
    """Learn with one seed after the other, or on a cluster; then choose among the results."""
    finished: list[RunFinished] = []
    elsewhere = _replicas_elsewhere(settings, data, about, directory)
    for number in range(1, settings.replicas + 1):
        if directory is not None:
            if (ended := directory.finished_replica(number)) is not None:
                finished.append(ended)
                continue
            directory.begin_replica(number)
        this = replace(about, seed=about.seed + number - 1, replica=number)
        if number > 1:
            this = replace(this, reading_seconds=None, reading_memory=None)
        learned = _learn(settings, data, this, directory, executor, tell)
        for event in learned if elsewhere is None else next(elsewhere):
            if isinstance(event, RunFinished):
                finished.append(event)
            yield event
    if directory is not None:
        directory.end_replicas()
    yield from _summary(settings, data, directory, finished)


def _replicas_elsewhere(
    settings: TuneSettings, data: _Data, about: About, directory: RunDirectory | None
) -> Iterator[list[Event]] | None:
    """Give the events of each replica that is left, carried out on a cluster; None without one."""
    if settings.cluster is None:
        return None
    left = [
        number
        for number in range(1, settings.replicas + 1)
        if directory is None or directory.finished_replica(number) is None
    ]
    alone = replace(settings, cluster=None, threads=1)
    given = dict(data.given)
    replicas = [_Replica(alone, about, number, data.folder, given) for number in left]
    return carry_out(replicas, settings.cluster)


@dataclass(frozen=True)
class _Replica:
    """A replica that another machine carries out, with data that it loads itself."""

    settings: TuneSettings
    about: About
    number: int
    folder: Path
    given: Mapping[str, Given]

    def __call__(self) -> list[Event]:
        own = self.folder
        if self.settings.decoder is not None:  # whose files replicas do not share
            own = own / "decoder" / f"replica-{self.number}"
        data = _load(self.settings, own, Vocabulary(), tell_nobody, self.given)
        about = replace(self.about, seed=self.about.seed + self.number - 1, replica=self.number)
        return list(_learn(self.settings, data, about, None, Threads(), tell_nobody))


def _summary(
    settings: TuneSettings,
    data: _Data,
    directory: RunDirectory | None,
    finished: Sequence[RunFinished],
) -> Iterator[Event]:
    """Choose among the replicas, and compare what was chosen with the start."""
    summary = summarize_replicas(finished, data.tuning, data.dev, average=settings.average)
    weights = [replica.weights for replica in finished]
    for message in check_replicas(weights):
        yield told(message)
    if directory is not None:
        _keep_translations(settings, data, directory, summary.weights, weights)
    judge = data.judge
    found = summary.tuning_score if data.dev is None else summary.dev_score
    start = judge.candidates.score(data.start.vector(judge.candidates.feature_names))
    for message in check_better(settings.metric, start, cast(float, found), judge.role):
        yield told(message)
    yield summary
