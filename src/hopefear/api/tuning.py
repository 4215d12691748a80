"""Learning from files, a model or a decoder, at once or event by event."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopefear.api.keywords import PathLike, Progress, decode_assignments
from hopefear.errors import ConfigError
from hopefear.formats.files import tell_nobody

if TYPE_CHECKING:
    from hopefear.events import Event
    from hopefear.learners import AnyLearner
    from hopefear.types import Weights

__all__ = ["TuneResult", "resume_events", "resume_tuning", "tune", "tune_events"]


@dataclass(frozen=True, kw_only=True)
class TuneResult:
    """What a tuning run found.

    Attributes
    ----------
    weights : Weights
        The weights to use.
    metric : str
        The metric of the scores.
    tuning_score, dev_score : float, optional
        Their scores on the data learned from and on held-out data, where these are known.
    start_tuning_score, start_dev_score : float, optional
        The scores of the start weights.
    directory : Path, optional
        The directory of the run.
    events : tuple of Event
        All that happened, see `hopefear.events`; the last one is the result.
    """

    weights: "Weights"
    metric: str
    tuning_score: float | None
    dev_score: float | None
    start_tuning_score: float | None
    start_dev_score: float | None
    directory: Path | None
    events: tuple["Event", ...]


def tune(
    learner: "PathLike | AnyLearner",
    /,
    *,
    out: PathLike | None = None,
    force: bool = False,
    set: Sequence[str] = (),
    report: bool = True,
    progress: Progress | None = None,
    on_event: "Callable[[Event], None] | None" = None,
    **settings: Any,
) -> TuneResult:
    """Learn weights from n-best lists, forests or a decoder, with references or scores.

    Parameters
    ----------
    learner : str, Path or Learner
        A preset, a learner, a TOML file of settings, or a learner object.
    out : path, optional
        The directory of the run; nothing is written without one.
    force : bool
        Replace a run that is in the directory.
    set : sequence of str
        Settings as in ``learner.max_step=0.1``, which go over all others.
    report : bool
        Write ``report.html`` into the directory at the end.
    progress : callable, optional
        Progress callback: called with what is being done, how much of it, and of how much.
    on_event : callable, optional
        Called with each event as it happens, see `hopefear.events`.
    **settings
        The settings of `hopefear.runs.TuneSettings`; those not given are the file's, the preset's
        or the defaults. `nbest` and `refs`, `dev_nbest` and `dev_refs` may also be candidates and
        references in memory, as `hopefear.fit` takes them.
    """
    found = tune_events(
        learner, out=out, force=force, set=set, report=report, progress=progress, **settings
    )
    return _result(found, out, on_event)


def tune_events(
    learner: "PathLike | AnyLearner",
    /,
    *,
    out: PathLike | None = None,
    force: bool = False,
    set: Sequence[str] = (),
    report: bool = True,
    progress: Progress | None = None,
    **settings: Any,
) -> "Iterator[Event]":
    """Learn weights as `tune` does, and yield events: learning goes on as they are taken.

    The last event, RunFinished or ReplicasFinished, has the weights to use.
    """
    from hopefear.fitting.fitting import settings_and_data
    from hopefear.fitting.reported import cloud_keeper, reported
    from hopefear.runs import run

    chosen, given = settings_and_data(learner, settings, decode_assignments(set))
    directory = None if out is None else Path(out)
    tell = progress or tell_nobody
    if directory is None or not report:
        return run(chosen, out=directory, force=force, tell=tell, given=given)
    keep = cloud_keeper(directory)
    events = run(chosen, out=directory, force=force, tell=tell, given=given, learned_from=keep)
    return reported(events, directory)


def resume_tuning(
    out: PathLike,
    *,
    cluster: str | None = None,
    report: bool = True,
    progress: Progress | None = None,
    on_event: "Callable[[Event], None] | None" = None,
) -> TuneResult:
    """Resume a run of `tune` that was stopped.

    The run keeps its settings, and ends as if it had not been stopped, bit for bit. Its files are
    found from where it was started, wherever this is called.

    Parameters
    ----------
    out : path
        The directory of the run.
    cluster : str, optional
        The cluster to go on with; by default that of the run.
    report, progress, on_event
        As for `tune`.
    """
    events = resume_events(out, cluster=cluster, report=report, progress=progress)
    return _result(events, out, on_event)


def resume_events(
    out: PathLike,
    *,
    cluster: str | None = None,
    report: bool = True,
    progress: Progress | None = None,
) -> "Iterator[Event]":
    """Resume a run as `resume_tuning` does, and yield the events that are left."""
    from hopefear.events import read_log
    from hopefear.fitting.reported import cloud_keeper, has_report, reported
    from hopefear.runs import run
    from hopefear.runs.run_directory import check_stopped, is_over, load_run_settings

    path = Path(out)
    if report and is_over(path) and not has_report(path):
        return reported(read_log(path / "events.jsonl"), path)  # killed before it was written
    check_stopped(path)
    settings = load_run_settings(path)
    if settings.in_memory:
        raise ConfigError(f"{path}: cannot be resumed: its candidates were in memory")
    if once := settings.from_standard_input:
        raise ConfigError(
            f"{path}: cannot be resumed: {', '.join(once)} was read from standard input, which is "
            "gone; start again with files"
        )
    tell = progress or tell_nobody
    if not report:
        return run(settings, out=path, resume=True, tell=tell)
    keep = cloud_keeper(path)
    return reported(run(settings, out=path, resume=True, tell=tell, learned_from=keep), path)


def _result(
    events: "Iterator[Event]",
    out: PathLike | None,
    on_event: "Callable[[Event], None] | None",
) -> TuneResult:
    from hopefear.events import ReplicasFinished, RunFinished, RunStarted

    found = []
    for event in events:
        found.append(event)
        if on_event is not None:
            on_event(event)
    start = next((event for event in found if isinstance(event, RunStarted)), None)
    last = found[-1]
    assert isinstance(last, RunFinished | ReplicasFinished)  # what else has happened is an error
    return TuneResult(
        weights=last.weights,
        metric=last.metric,
        tuning_score=last.tuning_score,
        dev_score=last.dev_score,
        start_tuning_score=None if start is None else start.tuning_score,
        start_dev_score=None if start is None else start.dev_score,
        directory=None if out is None else Path(out),
        events=tuple(found),
    )
