"""From files of candidates to their oracle scores."""

from collections.abc import Mapping
from pathlib import Path

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.derived import DERIVED, MARK
from hopefear.candidates.reranking import check_features
from hopefear.evaluation import CandidateOracles
from hopefear.evaluation.oracles import forest_oracles, list_oracles
from hopefear.formats.files import Tell
from hopefear.formats.weights import read_run_weights
from hopefear.metrics import TextMetric
from hopefear.runs.load import discretized, load_data
from hopefear.runs.settings import DataSettings
from hopefear.translation.features.bins import run_bins
from hopefear.types import Vocabulary

__all__ = ["oracles_of_files"]


def oracles_of_files(
    data: DataSettings,
    metrics: Mapping[str, TextMetric],
    weights: Path | Mapping[str, float] | None,
    *,
    size: int,
    threads: int,
    tell: Tell,
) -> CandidateOracles:
    """Return the oracle scores of n-best lists or forests by each metric.

    Parameters
    ----------
    data : DataSettings
        Which files.
    metrics : mapping
        The metrics by name.
    weights : path or mapping, optional
        A run, a file of weights or weights, which order the candidates.
    size : int
        The size of lists that are made of forests.
    threads : int
        The number of threads; 0 for one per core. It does not change the result.
    tell : callable
        Progress callback.
    """
    chosen = None if weights is None else read_run_weights(weights)
    bins = run_bins(weights)
    named = [name[1:] for name in (*(chosen or ()), *bins) if name.startswith(MARK)]
    derived = [name for name in dict.fromkeys(named) if name in DERIVED]
    first = next(iter(metrics.values()))
    loaded = load_data(data, first, threads=threads, derived=derived, tell=tell)
    if bins:
        loaded = discretized(loaded, bins, Vocabulary())
    if chosen is not None:
        what = "lists" if data.nbest else "forests"
        check_features(chosen, list(loaded.candidates.feature_names), what)
    found = {}
    for number, (name, metric) in enumerate(metrics.items()):
        tell(f"oracles: {name}", number, len(metrics))
        if isinstance(loaded.candidates, ForestSet):
            found[name] = forest_oracles(loaded.candidates, metric, chosen, size=size)
        elif isinstance(loaded.candidates, ListSet) and loaded.references is not None:
            found[name] = list_oracles(loaded.candidates, metric, loaded.references, chosen)
    return CandidateOracles(
        files=loaded.files,
        sentences=loaded.candidates.sentence_count,
        ordered=chosen is not None,
        metrics=found,
    )
