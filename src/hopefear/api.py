"""The commands as Python functions.

Each takes the settings of its command as keyword arguments: an option ``--dev-refs`` is called
``dev_refs``, and a dotted one, ``--learner.max-step``, is ``learner__max_step``, or
``learner={"max_step": 0.1}``. They are checked against the same declarations.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hopefear.commands import (
    ConvertSettings,
    EvaluateSettings,
    InspectSettings,
    ReportSettings,
    ReproduceSettings,
    RerankSettings,
    SimulateClusterSettings,
)
from hopefear.errors import ConfigError
from hopefear.formats.files import tell_nobody
from hopefear.settings import config
from hopefear.settings.tree import keyword_options, signature

if TYPE_CHECKING:
    from hopefear.candidates.reranking import ForestReranking, Reranking
    from hopefear.evaluation import Evaluation
    from hopefear.events import Event
    from hopefear.inspection import Cloud
    from hopefear.learners import AnyLearner
    from hopefear.reproduction import Reproduction
    from hopefear.reproduction.outcomes import Outcome
    from hopefear.runs.planning import ClusterEstimate, Comparison, Plan
    from hopefear.translation.model import Model
    from hopefear.translation.training.stages import Stage
    from hopefear.types import Weights

__all__ = [
    "TuneResult",
    "convert",
    "evaluate",
    "inspect",
    "report",
    "reproduce",
    "rerank",
    "resume_events",
    "resume_tuning",
    "simulate_cluster",
    "train",
    "tune",
    "tune_events",
]

PathLike = str | Path
Progress = Callable[[str, int, int], None]
"""Called now and then with what is being done, how much of it is done, and of how much (or 0)."""


T = TypeVar("T")


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
    from hopefear.fitting.reported import reported
    from hopefear.runs import run

    chosen, given = settings_and_data(learner, settings, _assignments(set))
    directory = None if out is None else Path(out)
    events = run(chosen, out=directory, force=force, tell=progress or tell_nobody, given=given)
    return events if directory is None or not report else reported(events, directory)


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
    from hopefear.fitting.reported import reported
    from hopefear.runs import run
    from hopefear.runs.run_directory import check_stopped, is_over, load_run_settings

    path = Path(out)
    if report and is_over(path) and not (path / "report.html").exists():
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
    events = run(settings, out=path, resume=True, tell=progress or tell_nobody)
    return reported(events, path) if report else events


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


def train(
    file: PathLike | None = None,
    *,
    out: PathLike,
    set: Sequence[str] = (),
    progress: Progress | None = None,
    on_stage: "Callable[[Stage], None] | None" = None,
    **settings: Any,
) -> "Model":
    """Build a translation model from a bitext, or from rule tables and language models.

    Parameters
    ----------
    file : path, optional
        A TOML file of settings.
    out : path
        The directory of the model. What an earlier run finished there is not done again.
    set : sequence of str
        Settings as in ``extraction.tight=false``, which go over all others.
    progress : callable, optional
        Progress callback: called with what is being done, how much of it, and of how much.
    on_stage : callable, optional
        Called with each stage when it is finished.
    **settings
        The settings of `hopefear.translation.training.settings.TrainSettings`; those not given are
        the file's or the defaults.
    """
    from hopefear.translation.training.build import build
    from hopefear.translation.training.settings import TrainSettings, build_train_settings

    options = keyword_options(TrainSettings, settings, "train")
    chosen = build_train_settings(file, options, _assignments(set))
    return build(
        chosen,
        Path(out),
        tell=progress or tell_nobody,
        finished=on_stage or (lambda stage: None),
    )


def rerank(*, progress: Progress | None = None, **settings: Any) -> "Reranking | ForestReranking":
    """Choose the best candidate of each sentence.

    Iterating over the result gives the best texts; its `segments` are the lists in their new order.

    Parameters
    ----------
    progress : callable, optional
        Progress callback: called with a file, how many of its bytes are read, and of how many.
    **settings
        The settings of `hopefear.commands.RerankSettings`; `weights` may also be a mapping.
    """
    from hopefear.candidates.rerank_files import rerank_files

    chosen = _decode(RerankSettings, settings, "rerank")
    return rerank_files(chosen, progress or tell_nobody)


def evaluate(*, progress: Progress | None = None, **settings: Any) -> "Evaluation":
    """Score systems against references, and compare each with the first.

    Parameters
    ----------
    progress : callable, optional
        Progress callback: called with a system and a metric, how many of them are done, and of
        how many.
    **settings
        The settings of `hopefear.commands.EvaluateSettings`. `hyp` may also be a mapping from names
        to lists of texts, or to lists of replicas, which are lists of texts or paths; `refs` may
        have lists of texts, and `metric` may be a mapping from names to metrics.

    Examples
    --------
    >>> texts = ["a dog barks at the moon"]
    >>> found = evaluate(hyp={"ours": texts}, refs=[texts], metric=["chrf"])
    >>> found.systems[0].metrics["chrf"].score
    100.0
    """
    from hopefear.commands.evaluating import evaluate as evaluate_files

    chosen = _decode(EvaluateSettings, settings, "evaluate")
    return evaluate_files(chosen, progress or tell_nobody)


def inspect(
    run: PathLike | None = None,
    *,
    progress: Progress | None = None,
    **settings: Any,
) -> "Cloud":
    """Find the 1-best, the hope and the fear of a sentence, and the cloud around them.

    With a run, the cloud is saved in its directory, and reports of the run show it.

    Parameters
    ----------
    run : path, optional
        The directory of a run: its data, its metric and its weights.
    progress : callable, optional
        Progress callback: called with a file, how many of its bytes are read, and of how many.
    **settings
        The settings of `hopefear.commands.InspectSettings`; `weights` may also be a mapping.
        Without `out`, nothing is drawn.
    """
    from hopefear.reporting.inspecting import inspect as inspect_sentence

    if isinstance(settings.get("sentence"), int):
        settings = settings | {"sentence": str(settings["sentence"])}
    chosen = _decode(InspectSettings, {"run": run, **settings}, "inspect")
    return inspect_sentence(**vars(chosen), tell=progress or tell_nobody)


def convert(
    source: PathLike, target: PathLike, *, progress: Progress | None = None, **settings: Any
) -> None:
    """Convert n-best lists, weights or forests from one tool's format to another's.

    Parameters
    ----------
    source, target : path
        Files, plain or gzip, or ``-`` for standard input and output. Forests may be directories.
    progress : callable, optional
        Progress callback: called with a file, how many of its bytes are read, and of how many.
    **settings
        The settings of `hopefear.commands.ConvertSettings`.
    """
    from hopefear.formats.conversion import convert as convert_file

    keywords = {"source": source, "target": target, **settings}
    chosen = _decode(ConvertSettings, keywords, "convert")
    convert_file(
        chosen.source,
        chosen.target,
        to=chosen.to,
        from_=chosen.format,
        kind=chosen.kind,
        tell=progress or tell_nobody,
    )


def report(runs: PathLike | Sequence[PathLike], **settings: Any) -> Path:
    """Write what runs did as one HTML file that needs no network, and return its path.

    With `watch`, serve it to this machine as well, up to date while runs go on, until Ctrl-C.

    Parameters
    ----------
    runs : path or several
        The directories of runs. A run that was killed or failed is shown as far as it came.
    **settings
        The settings of `hopefear.commands.ReportSettings`.
    """
    from hopefear.reporting import write_pictures, write_report

    chosen = _decode(ReportSettings, {"runs": runs, **settings}, "report")
    home = chosen.runs[0] if len(chosen.runs) == 1 else Path()
    path = home / "report.html" if chosen.out is None else chosen.out
    write_report(chosen.runs, path, top=chosen.top, sentences=chosen.sentences)
    if chosen.pictures is not None:
        write_pictures(chosen.runs, chosen.pictures, top=chosen.top)
    if chosen.watch:
        from hopefear.reporting.watching import watch_report

        watch_report(
            chosen.runs,
            port=chosen.port,
            top=chosen.top,
            sentences=chosen.sentences,
            ready=lambda url: print(f"report: {url} (Ctrl-C ends it)", flush=True),
        )
    return path


def reproduce(
    paper: str,
    *,
    progress: Progress | None = None,
    on_row: "Callable[[Outcome], None] | None" = None,
    **settings: Any,
) -> "Reproduction":
    """Run the tables and figures of a paper on a corpus, and judge its claims.

    Parameters
    ----------
    paper : str
        "chiang2012", "gimpel2012", "clark2014" or "watanabe2012".
    progress, on_row : callable, optional
        Called with what is being done, and with each row when it is done.
    **settings
        The settings of `hopefear.commands.ReproduceSettings`.
    """
    from hopefear.reproduction.reproducing import reproduce as run_rows

    chosen = _decode(ReproduceSettings, {"paper": paper, **settings}, "reproduce")
    return run_rows(chosen, tell=progress or tell_nobody, on_row=on_row or (lambda row: None))


def simulate_cluster(
    runs: PathLike | Sequence[PathLike], **settings: Any
) -> "tuple[Plan, list[ClusterEstimate], list[Comparison]]":
    """Estimate what an epoch would take with more learners, from runs that were measured.

    Returns what is assumed, the estimates for mixing and for asynchronous learners, and measured
    runs beside the estimates for them.

    Parameters
    ----------
    runs : path or several
        The directories of runs of one online learner, on the same data.
    **settings
        The settings of `hopefear.commands.SimulateClusterSettings`.
    """
    from hopefear.runs.planning import simulate

    chosen = _decode(SimulateClusterSettings, {"runs": runs, **settings}, "simulate-cluster")
    return simulate(**vars(chosen))


def _decode(kind: type[T], keywords: Mapping[str, object], source: str) -> T:
    """Make settings from keyword arguments; None stands for the default."""
    return config.decode(kind, keyword_options(kind, keywords, source), source=source)


def _assignments(given: Sequence[str]) -> Sequence[str]:
    return cast("tuple[str, ...]", config.decode_value(tuple[str, ...], given, "set"))


_SETTINGS = {
    **dict.fromkeys(
        ("convert", "evaluate", "inspect", "report", "reproduce", "rerank", "simulate_cluster"),
        "hopefear.commands",
    ),
    "train": "hopefear.translation.training.settings",
    "tune": "hopefear.runs.settings",
    "tune_events": "hopefear.runs.settings",
}


def signed(name: str) -> object:
    """Return a function with the signature that its settings give it, for help() and editors."""
    function = globals()[name]
    if name in _SETTINGS and not hasattr(function, "__signature__"):
        title = name.removesuffix("_events").title().replace("_", "")
        kind = getattr(import_module(_SETTINGS[name]), f"{title}Settings")
        function.__signature__ = signature(kind, function)
    return function
