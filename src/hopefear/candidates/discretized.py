"""Fixed candidates with discretized features: indicators of bins in place of values.

Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation, TACL.
In a forest every edge is discretized before values are summed, as in the paper (section 3.1). A
hypothesis of a list has only sums: its bins are those of the whole hypothesis, which is a globally
non-linear model; rules with different values may share a sum.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.forest import Forest
from hopefear.formats.files import Tell, tell_nobody
from hopefear.nbest import NBest
from hopefear.threads import map_in_order
from hopefear.translation import Decoder
from hopefear.translation.features.bins import Bins, Discretization, FeatureBins
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = [
    "add_bin_names",
    "discretize_forest",
    "discretize_lists",
    "learn_bins",
    "learn_rule_bins",
]

Arrays = tuple[IntArray, NDArray[np.int32], FloatArray]
"""Sparse rows: offsets, ids and values."""


def learn_bins(candidates: NBest | Iterable[Forest], how: Discretization) -> FeatureBins:
    """Return bins of the values in hypotheses, or in edges.

    A feature that has the same value wherever it is stays as it is.
    """
    found: dict[str, list[FloatArray]] = {}
    for name, values in _columns(candidates):
        if how.chooses(name):
            found.setdefault(name, []).append(values)
    columns = ((name, np.concatenate(parts)) for name, parts in found.items())
    # Beside their bins, so that a model with bins is at least as rich as the model without: a sum
    # over a whole sentence differs more between sentences than within them.
    return {
        name: how.learn(name, values, kept=("*",)) for name, values in columns if np.ptp(values) > 0
    }


def learn_rule_bins(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    how: Discretization,
    *,
    threads: int = 0,
    tell: Tell = tell_nobody,
) -> FeatureBins:
    """Return bins of the values in the rules that match sentences, each rule once a sentence.

    Parameters
    ----------
    decoder : Decoder
        Its rules, and its features of them. Those of templates are not discretized.
    sentences : sequence of lists of words
        The tuning data.
    how : Discretization
    threads : int
        How many to use; 0 means one per core. The result does not depend on it.
    tell : callable
        Called with what is being done, how many sentences are done and how many there are.
    """
    counts: dict[str, Counter[float]] = {}
    found = map_in_order(decoder.rule_values, sentences, threads=threads)
    for done, columns in enumerate(found, 1):
        for name, values in columns.items():
            if name in decoder.rule_features and how.chooses(name):
                distinct, often = np.unique(values, return_counts=True)
                count = counts.setdefault(name, Counter())
                count.update(dict(zip(distinct.tolist(), often.tolist(), strict=True)))
        tell("discretizing", done, len(sentences))
    return {
        name: how.learn(
            name, np.array(list(count)), np.array(list(count.values())), kept=("WordPenalty",)
        )
        for name, count in counts.items()
        if len(count) > 1
    }


def _columns(candidates: NBest | Iterable[Forest]) -> Iterator[tuple[str, FloatArray]]:
    parts: Iterable[NBest | Forest] = [candidates] if isinstance(candidates, NBest) else candidates
    for part in parts:
        core = part if isinstance(part, NBest) else part.core
        _, ids, values = core.feature_arrays()
        for feature, places in _by_feature(ids):
            yield part.feature_names[feature], values[places]


def _by_feature(ids: NDArray[np.int32]) -> Iterator[tuple[int, IntArray]]:
    """Return features and the places where they are."""
    order = np.argsort(ids, kind="stable")
    features, begins = np.unique(ids[order], return_index=True)
    return zip(features.tolist(), np.split(order, begins[1:]), strict=True)


def add_bin_names(bins: FeatureBins, names: Vocabulary) -> None:
    """Add the names of all bins, whether candidates have them or not."""
    for feature, own in bins.items():
        for name in own.names(feature):
            names.add(name)


def discretize_lists(nbest: NBest, bins: FeatureBins, names: Vocabulary) -> NBest:
    """Return lists whose features are bins; texts and statistics are shared.

    `names` is the vocabulary of the result; see `add_bin_names`.
    """
    rows = _discretized(nbest.feature_arrays(), nbest.feature_names, bins, names)
    return nbest.with_features(names, *rows)


def discretize_forest(forest: Forest, bins: FeatureBins, names: Vocabulary) -> Forest:
    """Return a forest whose edges have bins as features; see `discretize_lists`."""
    rows = _discretized(forest.core.feature_arrays(), forest.feature_names, bins, names)
    return Forest(forest.core.with_features(names, *rows))


def _discretized(rows: Arrays, old: Vocabulary, bins: FeatureBins, new: Vocabulary) -> Arrays:
    offsets, ids, values = rows
    row_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    parts: list[tuple[IntArray, IntArray, FloatArray]] = []
    for feature, places in _by_feature(ids):
        name = old[feature]
        own = bins.get(name)
        if own is not None:
            parts.append(_fired(own, name, row_of[places], values[places], new))
        if own is None or own.kept:
            same = np.full(len(places), new.add(name))
            parts.append((row_of[places], same, values[places]))
    if not parts:
        return rows
    all_rows, all_ids, all_values = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(all_rows, kind="stable")
    counts = np.bincount(all_rows, minlength=len(offsets) - 1)
    begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return begins, all_ids[order].astype(np.int32), all_values[order]


def _fired(
    bins: Bins, name: str, rows: IntArray, values: FloatArray, names: Vocabulary
) -> tuple[IntArray, IntArray, FloatArray]:
    places, fired = bins.fired(values)
    ids = np.array([names.add(one) for one in bins.names(name)])
    return rows[places], ids[fired], np.ones(len(fired))
