"""The commands beside tuning as functions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopefear.api.keywords import PathLike, Progress, decode, decode_assignments
from hopefear.commands import (
    ConvertSettings,
    EvaluateSettings,
    InspectSettings,
    ReportSettings,
    ReproduceSettings,
    RerankSettings,
    SimulateClusterSettings,
)
from hopefear.formats.files import tell_nobody
from hopefear.settings.tree import keyword_options

if TYPE_CHECKING:
    from hopefear.candidates.reranking import ForestReranking, Reranking
    from hopefear.evaluation import Evaluation
    from hopefear.inspection import Cloud
    from hopefear.reproduction import Reproduction
    from hopefear.reproduction.outcomes import Outcome
    from hopefear.runs.planning import ClusterEstimate, Comparison, Plan
    from hopefear.translation.model import Model
    from hopefear.translation.training.stages import Stage

__all__ = [
    "convert",
    "evaluate",
    "inspect",
    "report",
    "reproduce",
    "rerank",
    "simulate_cluster",
    "train",
]


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
    chosen = build_train_settings(file, options, decode_assignments(set))
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

    chosen = decode(RerankSettings, settings, "rerank")
    return rerank_files(chosen, progress or tell_nobody)


def evaluate(*, progress: Progress | None = None, **settings: Any) -> "Evaluation":
    """Score systems against references, and compare each with the first.

    With candidates, also show the best and the worst that could be chosen from them.

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

    chosen = decode(EvaluateSettings, settings, "evaluate")
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
    chosen = decode(InspectSettings, {"run": run, **settings}, "inspect")
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
    chosen = decode(ConvertSettings, keywords, "convert")
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

    chosen = decode(ReportSettings, {"runs": runs, **settings}, "report")
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

    chosen = decode(ReproduceSettings, {"paper": paper, **settings}, "reproduce")
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

    chosen = decode(SimulateClusterSettings, {"runs": runs, **settings}, "simulate-cluster")
    return simulate(**vars(chosen))
