"""Looking at one sentence of a run, of n-best lists or of forests: what `hopefear inspect` does."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from hopefear.arguments import weights_or_file
from hopefear.errors import ConfigError
from hopefear.evaluation import choose_metrics
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.inspection import Cloud, write_cloud
from hopefear.inspection.build import CloudOptions
from hopefear.inspection.sources import inspect_forests, inspect_lists, inspect_run
from hopefear.reporting.clouds import write_picture
from hopefear.runs import DataSettings
from hopefear.search import Search, searches
from hopefear.types import Weights

__all__ = ["inspect", "picture_path"]


def inspect(
    run: PathLike | None = None,
    *,
    sentence: int | str,
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
    interactive: bool = True,
    tell: Tell = tell_nobody,
) -> Cloud:
    """Find the 1-best, the hope and the fear of a sentence, and the cloud around them.

    Parameters
    ----------
    run : path, optional
        The directory of a run: its data, its metric and its weights. The cloud is saved there, and
        reports of the run will show it.
    sentence : int or str
        Its number from 0, or its key.
    dev : bool
        Look at the held-out data of the run.
    nbest, forests, refs
        Without a run: the lists or the forests, and their references.
    weights : path or mapping, optional
        Weights in place of those that the run learned; needed without a run.
    metric, tokenize, lowercase, format
        Without a run: how texts are judged, and the format of the lists or forests.
    listed, others : int
        Show so many of the model's best, and so many others, drawn at random.
    seed : int
        Decides which are drawn.
    search : str or Search, optional
        How hope and fear are found in forests: nbest, rerank or linear; if not given, as the run's
        learner does, or by reranking.
    temperature : float, optional
        Of the distribution over a forest from which derivations are drawn. If not given, it is the
        distance of the best from the worst of those listed.
    out : path, optional
        Where to write a page (``.html``) or the picture alone (``.svg``).
    interactive : bool
        Put Plotly into the page.
    tell : callable
        Called with a file, how many of its bytes are read and how many it has.
    """
    options = CloudOptions(
        listed=listed,
        others=others,
        seed=seed,
        search=searches[search]() if isinstance(search, str) else search,
        temperature=temperature,
    )
    model, name = _weights(weights), str(sentence)
    if run is not None:
        if nbest or refs or forests is not None:
            raise ConfigError("give either a run, or the data")
        cloud = inspect_run(Path(run), name, options, dev=dev, weights=model, tell=tell)
        _save(Path(run), cloud)
    else:
        if model is None or bool(nbest) == (forests is not None) or not refs:
            raise ConfigError("give a run, or weights, refs, and either nbest or forests")
        if forests is not None and metric == "bleu" and tokenize is None:
            tokenize = "none"  # the words of forests are tokens already
        (judge,) = choose_metrics([metric], tokenize=tokenize, lowercase=lowercase).values()
        if forests is not None:
            cloud = inspect_forests(
                Path(forests), _paths(refs), judge, model, name, options, format=format, tell=tell
            )
        else:
            data = DataSettings(nbest=_paths(nbest), references=_paths(refs), format=format)
            cloud = inspect_lists(data, judge, model, name, options, tell=tell)
    if out is not None:
        write_picture(Path(out), cloud, interactive=interactive)
    return cloud


def _save(run: Path, cloud: Cloud) -> None:
    """Keep the cloud for reports of the run."""
    target = run / "clouds" / f"{_file_name(cloud.sentence)}.json"
    target.parent.mkdir(exist_ok=True)
    write_cloud(target, cloud)


def picture_path(run: PathLike | None, sentence: str) -> Path:
    """Return where the page about a sentence goes: to the clouds of the run, or here."""
    name = _file_name(sentence)
    return Path(f"sentence-{name}.html") if run is None else Path(run) / "clouds" / f"{name}.html"


def _file_name(sentence: str) -> str:
    """Return a name that is a file's, whatever a key says."""
    return quote(sentence, safe="")


def _weights(weights: PathLike | Mapping[str, float] | None) -> Weights | None:
    return None if weights is None else weights_or_file("weights", weights)


def _paths(paths: PathLike | Sequence[PathLike]) -> tuple[Path, ...]:
    return tuple(map(Path, [paths] if isinstance(paths, str | Path) else paths))
