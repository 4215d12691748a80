"""The Python interface: each command as a function with the names of its options."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from hopefear.conversion import convert
from hopefear.errors import ConfigError, DataError, HopefearWarning
from hopefear.evaluation import Evaluation, choose_metrics
from hopefear.evaluation import evaluate as evaluate_systems
from hopefear.formats import SentenceKeys, load_nbest, read_weights
from hopefear.formats.files import PathLike
from hopefear.metrics import TextMetric
from hopefear.nbest import NBest
from hopefear.reranking import Reranking
from hopefear.texts import Texts, name_of_texts, read_references, read_texts
from hopefear.types import Weights

__all__ = ["convert", "evaluate", "rerank"]


def rerank(
    *,
    nbest: PathLike | Sequence[PathLike],
    weights: PathLike | Mapping[str, float],
    format: str | None = None,
    sentences: int = 0,
    threads: int = 0,
    memory_limit: int = 0,
) -> Reranking:
    """Choose the best hypothesis of each sentence.

    Parameters
    ----------
    nbest : path or several
        N-best lists, of any registered format.
    weights : path or mapping
        A run directory, a file of weights, or the weights.
    format : str, optional
        The format of the lists; told by content if not given.
    sentences : int
        How many sentences there are at least: some at the end may have no hypotheses.
    threads : int
        0 for one per core. The result does not depend on it.
    memory_limit : int
        Bytes beyond which the lists move to a temporary file; 0 for no limit.

    Returns
    -------
    Reranking
        Iterating gives the best texts; `segments` gives the lists in their new order.
    """
    chosen = Weights(weights) if isinstance(weights, Mapping) else _run_weights(Path(weights))
    keys = SentenceKeys()
    lists = load_nbest(nbest, format, sentences=sentences, keys=keys, memory_limit=memory_limit)
    _check_features(chosen, lists)
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
    return evaluate_systems(
        named, references, metrics, resamples=resamples, seed=seed, threads=threads
    )


def _run_weights(path: Path) -> Weights:
    """Read the weights of a run, or a file of them."""
    if not path.is_dir():
        return read_weights(path)
    file = path / "weights.tsv"
    if not file.is_file():
        raise DataError(
            f"{path}: has no weights.tsv, so it is no run directory, or the run did not end well; "
            "those of a single epoch may be in weights/"
        )
    return read_weights(file, "tsv")


def _check_features(weights: Weights, lists: NBest) -> None:
    """Warn of features on one side only; none in common is an error."""
    present = lists.feature_names.texts()
    common = [name for name in present if name in weights]
    if len(lists) and not common:
        raise DataError(
            "the lists and the weights have no feature in common: the lists have "
            f"{_some(present)}, the weights have {_some(weights.names)}"
        )
    missing = [name for name in present if name not in weights]
    if missing:
        message = f"features of the lists without a weight count nothing: {_some(missing)}"
        warnings.warn(message, HopefearWarning, stacklevel=3)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5]) or "none"
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
