"""The Python interface: each command as a function with the names of its options."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hopefear.arguments import file_name, file_names, several_texts, weights_or_file
from hopefear.candidates.reranking import (
    ForestReranking,
    Reranking,
    check_features,
)
from hopefear.candidates.values import describe_large_value
from hopefear.errors import (
    ConfigError,
    DataError,
    FormatError,
    HopefearError,
    HopefearWarning,
    describe_file_error,
)
from hopefear.evaluation import Evaluation, choose_metrics
from hopefear.evaluation import evaluate as evaluate_systems
from hopefear.events import Event, Warned
from hopefear.formats import SentenceKeys, load_nbest
from hopefear.formats.conversion import convert
from hopefear.formats.fields import parse_number
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.formats.texts import Texts, name_of_texts, read_references, read_texts
from hopefear.learners import AnyLearner
from hopefear.metrics import Metric, TextMetric, check_tokenization
from hopefear.runs import build_settings, run
from hopefear.runs.run_directory import check_stopped, load_run_settings

__all__ = ["convert", "evaluate", "report", "rerank", "tune"]


def tune(
    learner: str | Path | AnyLearner,
    *,
    out: PathLike | None = None,
    force: bool = False,
    nbest: PathLike | Sequence[PathLike] = (),
    source: PathLike | None = None,
    refs: PathLike | Sequence[PathLike] = (),
    scores: PathLike | None = None,
    score_feature: str | None = None,
    format: str | None = None,
    keyed_refs: bool | None = None,
    sentences: int | None = None,
    forests: PathLike | None = None,
    dev_nbest: PathLike | Sequence[PathLike] = (),
    dev_source: PathLike | None = None,
    dev_forests: PathLike | None = None,
    dev_refs: PathLike | Sequence[PathLike] = (),
    dev_scores: PathLike | None = None,
    model: PathLike | None = None,
    decoder: str | None = None,
    decoder_format: str | None = None,
    parses: PathLike | None = None,
    pop_limit: int | None = None,
    list_size: int | None = None,
    iterations: int | None = None,
    features: Sequence[str] = (),
    metric: str | Metric | None = None,
    tokenize: str | None = None,
    lowercase: bool | None = None,
    start: PathLike | Mapping[str, float] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    replicas: int | None = None,
    average: bool | None = None,
    scale_features: bool | None = None,
    memory_limit: int | None = None,
    weights_format: str | None = None,
    moses_ini: PathLike | None = None,
    set: Sequence[str] = (),
    report: bool = True,
    tell: Tell = tell_nobody,
) -> Iterator[Event]:
    """Learn weights; give events while that goes on.

    The last event is RunFinished, or ReplicasFinished if there are several replicas, with the
    weights to use. Options that are not given are those of the TOML file, if one is given, or the
    defaults of `hopefear.runs.TuneSettings`.

    Parameters
    ----------
    learner : str, Path or Learner
        A preset, a learner, a file of settings (``.toml``), or a learner with its options.
    out : path, optional
        The directory of the run; nothing is written without one.
    force : bool
        Replace a run that is in the directory.
    nbest, forests, source, refs, scores, score_feature, format, keyed_refs, sentences
        The data to learn from, see `hopefear.runs.DataSettings`.
    dev_nbest, dev_forests, dev_source, dev_refs, dev_scores
        The data to judge by; the rest is as for the data to learn from.
    model, parses, pop_limit, list_size, iterations
        A model whose decoder translates the source, see `hopefear.runs.TuneSettings`.
    decoder, decoder_format
        A command that translates it, with ``{weights}`` and the like, and the format of its
        weights, see `hopefear.candidates.CommandDecoder`.
    features : sequence of str
        The features that there should be: a missing one or a further one is then an error.
    metric : str or Metric, optional
        BLEU if not given, or the mean of the scores.
    tokenize, lowercase
        Options of the metric.
    start : path or mapping, optional
        A file of weights, or the weights, also as in ``"lm=0.5 words=-1"``; "inferred" from the
        total scores of the lists, or "ones". Inferred if possible, else ones, if not given.
    seed, threads, replicas, average, scale_features, memory_limit, weights_format, moses_ini
        See `hopefear.runs.TuneSettings`.
    set : sequence of str
        Any other setting, as in ``learner.epochs=5``.
    report : bool
        Write ``report.html`` into the run's directory at the end, with drawn pictures.
    tell : callable
        Called every now and then with what is being done, how much of it is done and how much
        there is (0 if that is not known): files, then epochs.
    """
    held_out = dev_nbest or dev_forests
    kind = {"score_feature": score_feature, "format": format, "keyed_references": keyed_refs}
    options: dict[str, object] = {
        **_data_options("tuning", nbest, refs, scores, kind | {"sentences": sentences}),
        **_data_options("dev", dev_nbest, dev_refs, dev_scores, kind if held_out else {}),
        **_start_options(start),
        "tuning.forests": file_name("forests", forests),
        "dev.forests": file_name("dev_forests", dev_forests),
        "tuning.source": file_name("source", source),
        "dev.source": file_name("dev_source", dev_source),
        "model": file_name("model", model),
        "decoder.command": decoder,
        "decoder.weights_format": decoder_format,
        "parses": file_name("parses", parses),
        "pop_limit": pop_limit,
        "list_size": list_size,
        "iterations": iterations,
        "features": several_texts("features", features) or None,
        "seed": seed,
        "threads": threads,
        "replicas": replicas,
        "average": average,
        "scale_features": scale_features,
        "memory_limit": memory_limit,
        "weights_format": weights_format,
        "moses_ini": file_name("moses_ini", moses_ini),
    }
    settings = build_settings(
        learner,
        options,
        metric=metric,
        metric_options={"tokenize": tokenize, "lowercase": lowercase},
        assignments=several_texts("set", set),
    )
    directory = None if out is None else Path(out)
    events = run(settings, out=directory, force=force, tell=tell)
    return events if directory is None or not report else _reported(events, directory)


def _reported(events: Iterator[Event], directory: Path) -> Iterator[Event]:
    """Give the events of a run, and write its report at the end, even a bad one."""
    started = False
    try:
        for event in events:
            started = started or not isinstance(event, Warned)
            yield event
    except (HopefearError, OSError):
        if started:  # else there is no directory, or it is another run's
            with suppress(HopefearError, OSError):  # the run's own error is the one to tell
                _write_static(directory)
        raise
    try:
        _write_static(directory)
    except (HopefearError, OSError) as error:
        reason = describe_file_error(error) if isinstance(error, OSError) else str(error)
        raise HopefearError(
            f"the run is over and its weights are written, {directory / 'weights.tsv'}, but there "
            f"is no report: {reason}. Then 'hopefear report {directory}' makes it"
        ) from error


def _write_static(directory: Path) -> None:
    from hopefear.reporting import write_report  # what is not used need not be loaded

    write_report([directory], directory / "report.html")


def report(
    runs: PathLike | Sequence[PathLike],
    *,
    out: PathLike | None = None,
    top: int = 30,
    pictures: PathLike | None = None,
) -> Path:
    """Write what runs did as one HTML file that needs no network.

    Parameters
    ----------
    runs : path or several
        The directories of runs. One that was killed or failed is shown as far as it came.
    out : path, optional
        The file; if not given, ``report.html`` in the directory of the run, or here if there are
        several.
    top : int
        How many features are shown of each run: those that moved most.
    pictures : path, optional
        A directory: write every picture there too, as an SVG file.

    Returns
    -------
    Path
        The file.
    """
    from hopefear.reporting import write_pictures, write_report

    several = [runs] if isinstance(runs, str | Path) else list(runs)
    home = Path(several[0]) if len(several) == 1 else Path()
    path = home / "report.html" if out is None else Path(out)
    write_report(several, path, top=top)
    if pictures is not None:
        write_pictures(several, pictures, top=top)
    return path


def resume_tuning(
    out: PathLike, *, report: bool = True, tell: Tell = tell_nobody
) -> Iterator[Event]:
    """Go on with a run of `tune` that was stopped; give the events that are left.

    The run has the settings that it had, and ends as if it had not been stopped, bit for bit. Its
    files are found from where it was started, wherever this is called.

    Parameters
    ----------
    out : path
        The directory of the run.
    report, tell
        As for `tune`.
    """
    path = Path(out)
    check_stopped(path)
    settings = load_run_settings(path)
    if once := settings.from_standard_input:
        raise ConfigError(
            f"{path}: cannot go on: {', '.join(once)} was read from standard input, which is gone; "
            "begin again, with files"
        )
    events = run(settings, out=path, resume=True, tell=tell)
    return _reported(events, path) if report else events


def rerank(
    *,
    nbest: PathLike | Sequence[PathLike] = (),
    forests: PathLike | None = None,
    weights: PathLike | Mapping[str, float],
    format: str | None = None,
    sentences: int = 0,
    threads: int = 0,
    memory_limit: int = 0,
    size: int = 100,
    tell: Tell = tell_nobody,
) -> Reranking | ForestReranking:
    """Choose the best hypothesis of each sentence.

    Parameters
    ----------
    nbest : path or several
        N-best lists, of any registered format.
    forests : path, optional
        Forests in place of lists: a file or a directory.
    weights : path or mapping
        A run directory, a file of weights, or the weights.
    format : str, optional
        The format of the lists or forests; told by content if not given.
    sentences : int
        How many sentences there are at least: some at the end may have no hypotheses.
    threads : int
        0 for one per core. The result does not depend on it.
    memory_limit : int
        Bytes beyond which the lists move to a temporary file; 0 for no limit.
    size : int
        Derivations with different words in a list out of a forest.
    tell : callable
        Called with a file, how many of its bytes are read and how many it has.

    Returns
    -------
    Reranking or ForestReranking
        Iterating gives the best texts; `segments` gives the lists in their new order.
    """
    chosen = weights_or_file("weights", weights)
    lists_given = file_names("nbest", nbest)
    if (forests is None) == (lists_given is None):
        raise ConfigError("give either n-best lists or forests to rerank")
    if forests is not None:
        if memory_limit:
            problem = "memory_limit is for lists; forests are read one after the other"
            raise ConfigError(problem, settings=("memory_limit",))
        return ForestReranking(
            forests=forests,
            weights=chosen,
            format=format,
            sentences=sentences,
            size=size,
            tell=tell,
        )
    keys = SentenceKeys()
    lists = load_nbest(
        nbest, format, sentences=sentences, keys=keys, memory_limit=memory_limit, tell=tell
    )
    if message := describe_large_value(lists, lambda i: keys.names[i] if keys.names else str(i)):
        raise DataError(f"{', '.join(lists_given or ())}: {message}")
    check_features(chosen, lists.feature_names.texts() if len(lists) else (), "lists")
    return Reranking(lists=lists, weights=chosen, keys=keys, threads=threads)


def evaluate(
    *,
    hyp: Sequence[Texts] | Mapping[str, Sequence[str]],
    refs: Sequence[Texts],
    metric: Sequence[str] | Mapping[str, TextMetric] = ("bleu",),
    tokenize: str | None = None,
    lowercase: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    threads: int = 0,
    tell: Tell = tell_nobody,
) -> Evaluation:
    """Score systems against references and compare each with the first.

    Parameters
    ----------
    hyp : sequence of files, or mapping from names to lists of texts
        The output of each system, one line a sentence.
    refs : sequence of files or lists of texts
        One or more references, one line a sentence.
    metric : names, or mapping from names to metrics
        How to score.
    tokenize : str, optional
        The tokenizer of metrics that have a choice of them.
    lowercase : bool
        Ignore case.
    resamples : int
        Test sets of the paired bootstrap; 0 for scores alone.
    seed : int
        Decides which test sets are drawn.
    threads : int
        0 for one per core. The result does not depend on it.
    tell : callable
        Called with a system and a metric, how many of them are done and how many there are.

    Examples
    --------
    >>> texts = ["a dog barks at the moon"]
    >>> found = evaluate(hyp={"ours": texts}, refs=[texts], metric=["chrf"])
    >>> found.systems[0].metrics["chrf"].score
    100.0
    """
    if isinstance(hyp, str | Path) or isinstance(metric, str):
        raise ConfigError("hyp and metric are lists; got a single string")
    if isinstance(metric, Mapping):
        if tokenize is not None or lowercase:
            raise ConfigError("tokenize and lowercase are for metrics given by name")
        metrics = dict(metric)
    else:
        metrics = choose_metrics(metric, tokenize=tokenize, lowercase=lowercase)
    named = (
        list(hyp.items())
        if isinstance(hyp, Mapping)
        else [(name_of_texts(texts, i), read_texts(texts)) for i, texts in enumerate(hyp, 1)]
    )
    references = read_references(refs)
    for name, chosen in metrics.items():
        if message := check_tokenization(getattr(chosen, "tokenize", None), references):
            warnings.warn(f"{name}: {message}", HopefearWarning, stacklevel=2)
    return evaluate_systems(
        named, references, metrics, resamples=resamples, seed=seed, threads=threads, tell=tell
    )


def _data_options(
    role: str,
    nbest: PathLike | Sequence[PathLike],
    refs: PathLike | Sequence[PathLike],
    scores: PathLike | None,
    others: Mapping[str, object],
) -> dict[str, object]:
    """Return the settings of a data set; what is not given is None."""
    prefix = "" if role == "tuning" else f"{role}_"
    settings = {
        "nbest": file_names(f"{prefix}nbest", nbest),
        "references": file_names(f"{prefix}refs", refs),
        "scores": file_name(f"{prefix}scores", scores),
        **others,
    }
    return {f"{role}.{key}": value for key, value in settings.items()}


_START_RULES = {"inferred": True, "ones": False}


def _start_options(start: PathLike | Mapping[str, float] | None) -> dict[str, object]:
    """Return the setting of the start weights: a table, or a file."""
    if isinstance(start, Mapping):
        return {"start": dict(start)}
    if isinstance(start, str) and start in _START_RULES:
        return {"infer_start": _START_RULES[start]}
    if isinstance(start, str) and "=" in start and not _is_file(start):
        try:
            weights: dict[str, float] = {}
            for name, _, value in (word.rpartition("=") for word in start.split()):
                if not name or name in weights:
                    problem = f"'{name}' comes twice" if name else f"'{value}' has no name"
                    raise ConfigError(f"start weights '{start}': {problem}")
                weights[name] = parse_number(value)
            return {"start": weights}
        except FormatError as error:
            raise ConfigError(f"start weights '{start}': {error}") from None
    return {} if start is None else {"start_file": file_name("start", start)}


def _is_file(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:  # weights of many features are longer than the name of a file can be
        return False
