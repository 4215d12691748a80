"""`hopefear inspect`: one sentence of a run, of n-best lists or of forests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from hopefear.candidates import ListSet
from hopefear.errors import ConfigError
from hopefear.evaluation import choose_metrics
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.formats.weights import read_run_weights
from hopefear.inspection import Cloud, write_cloud
from hopefear.inspection.build import CloudOptions, list_cloud, most_interesting
from hopefear.inspection.sources import inspect_forests, inspect_lists, inspect_run
from hopefear.reporting.clouds import write_picture
from hopefear.runs import DataSettings
from hopefear.runs.load import Loaded
from hopefear.search import Search, searches
from hopefear.types import Weights

__all__ = ["inspect", "keep_cloud", "picture_path"]

MOST_KEPT = 200_000  # hypotheses


def inspect(
    run: PathLike | None = None,
    *,
    sentence: int | str | None = None,
    most_interesting: bool = False,
    dev: bool = False,
    nbest: PathLike | Sequence[PathLike] = (),
    forests: PathLike | None = None,
    refs: PathLike | Sequence[PathLike] = (),
    weights: PathLike | Mapping[str, float] | None = None,
    metric: str = "bleu",
    tokenize: str | None = None,
    lowercase: bool = False,
    format: str | None = None,
    listed: int = 100,
    others: int = 200,
    seed: int = 1,
    search: str | Search | None = None,
    temperature: float | None = None,
    out: PathLike | None = None,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Find the 1-best, the hope and the fear of a sentence, and other candidates around them.

    Parameters
    ----------
    run : path, optional
        The directory of a run, for its data, its metric and its weights. The cloud is saved there,
        and later reports of the run show it.
    sentence : int or str, optional
        The number of the sentence, counted from 0, or its key.
    most_interesting : bool
        Instead: the sentence of n-best lists whose 1-best is furthest from its hope.
    dev : bool
        Look at the held-out data of the run.
    nbest, forests, refs
        Instead of a run: n-best lists or forests, and their references.
    weights : path or mapping, optional
        Weights to use instead of those that the run learned; required without a run.
    metric, tokenize, lowercase, format
        Without a run: the metric and how it sees the text, and the format of the lists or forests.
    listed, others : int
        How many of the candidates with the highest model scores, and how many others, drawn at
        random, to show.
    seed : int
        The random seed of the draw.
    search : str or Search, optional
        How to find hope and fear in forests: nbest, rerank or linear. By default, the search of the
        run's learner, or rerank.
    temperature : float, optional
        The temperature of the distribution that derivations are drawn from. By default, the score
        range of the listed candidates.
    out : path, optional
        Where to write a page (``.html``) or only the chart (``.svg``).
    tell : callable
        Progress callback, called with a file, the bytes read so far and its size.
    """
    options = CloudOptions(
        listed=listed,
        others=others,
        seed=seed,
        search=searches[search]() if isinstance(search, str) else search,
        temperature=temperature,
    )
    if (sentence is None) != most_interesting:
        raise ConfigError("give either a sentence or most_interesting")
    model, name = _weights(weights), None if sentence is None else str(sentence)
    if run is not None:
        if nbest or refs or forests is not None:
            raise ConfigError("give either a run or the data (nbest, forests, refs), not both")
        cloud = inspect_run(Path(run), name, options, dev=dev, weights=model, tell=tell)
        _save(Path(run), cloud)
    else:
        if model is None or bool(nbest) == (forests is not None) or not refs:
            raise ConfigError("give a run, or weights and refs with either nbest or forests")
        if forests is not None and metric == "bleu" and tokenize is None:
            tokenize = "none"  # the words of forests are tokens
        (judge,) = choose_metrics([metric], tokenize=tokenize, lowercase=lowercase).values()
        if forests is not None:
            cloud = inspect_forests(
                Path(forests), _paths(refs), judge, model, name, options, format=format, tell=tell
            )
        else:
            data = DataSettings(nbest=_paths(nbest), references=_paths(refs), format=format)
            cloud = inspect_lists(data, judge, model, name, options, tell=tell)
    if out is not None:
        write_picture(Path(out), cloud)
    return cloud


def keep_cloud(run: Path, data: Loaded, weights: Weights) -> None:
    """Save the cloud of the most interesting sentence of a run on lists, for its report.

    Lists so long that this would take more than a moment are left to `inspect`.
    """
    lists = data.candidates
    if not isinstance(lists, ListSet) or not 0 < len(lists.nbest) <= MOST_KEPT:
        return
    number = most_interesting(lists, weights)
    references = () if data.references is None else data.references.sentences[number]
    name = data.sentence(number)
    few = CloudOptions(listed=50, others=50)
    _save(run, list_cloud(lists, weights, number, few, name=name, references=references))


def _save(run: Path, cloud: Cloud) -> None:
    """Save the cloud for reports of the run."""
    target = run / "clouds" / f"{_file_name(cloud.sentence)}.json"
    target.parent.mkdir(exist_ok=True)
    write_cloud(target, cloud)


def picture_path(run: PathLike | None, sentence: str) -> Path:
    """Return the default file for a sentence: among the clouds of the run, or here."""
    name = _file_name(sentence)
    return Path(f"sentence-{name}.html") if run is None else Path(run) / "clouds" / f"{name}.html"


def _file_name(sentence: str) -> str:
    """Return a safe file name for any key."""
    return quote(sentence, safe="")


def _weights(weights: PathLike | Mapping[str, float] | None) -> Weights | None:
    return None if weights is None else read_run_weights(weights)


def _paths(paths: PathLike | Sequence[PathLike]) -> tuple[Path, ...]:
    return tuple(map(Path, [paths] if isinstance(paths, str | Path) else paths))
