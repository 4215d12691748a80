"""What makes data worthless to tune on, or doubtful: found before the user has to.

What leaves something to learn is a warning, a sentence that goes into the run's report. What leaves
nothing is an error.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import cast

import numpy as np

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.values import describe_large_value
from hopefear.errors import DataError
from hopefear.metrics import Bleu
from hopefear.registry import suggest
from hopefear.runs.load import Loaded
from hopefear.runs.settings import TuneSettings
from hopefear.types import FloatArray, IntArray, Vocabulary, Weights

__all__ = [
    "check_common_features",
    "check_features",
    "check_forest_features",
    "check_forests",
    "check_lists",
    "check_references",
    "check_repeatable",
    "check_same_features",
    "check_schema",
    "check_start",
    "check_values",
    "some",
]

# Texts that have nothing to do with each other have about as much, even the best of many.
LEAST_BLEU = 3.0
# A feature that most hypotheses have should be in all of them; one that few have is a sparse one.
MOST, SOME = 0.9, 0.2
LOOKED_AT = 50


def check_repeatable(settings: TuneSettings) -> Iterator[str]:
    """Look for what can be read only once."""
    if once := settings.from_standard_input:
        yield (
            f"{some(once)} {number_word(len(once), 'is', 'are')} read from standard input, which "
            "is there only once: the run can be neither resumed nor repeated; put it into a file "
            "if that matters"
        )


def check_values(data: Loaded) -> None:
    """Refuse values of features so large that scores lose their digits in them, or overflow."""
    candidates = data.candidates if isinstance(data.candidates, ForestSet) else data.nbest
    message = describe_large_value(candidates, data.sentence)
    if message is not None:
        raise DataError(f"{data.files}: {message}")


def check_lists(data: Loaded) -> Iterator[str]:
    """Look for lists that teach nothing; give a warning for each kind of them."""
    nbest, role = data.nbest, data.role
    sizes = np.diff(nbest.offsets)
    if not len(nbest):
        raise DataError(f"the {role} data has no hypotheses at all")
    if sizes.max() == 1:
        raise DataError(
            f"no sentence of the {role} data has more than one hypothesis, so that there is "
            "nothing to choose; n-best lists need an n above 1"
        )
    if len(empty := nbest.empty_sentences):
        yield (
            f"{count(len(empty), 'sentence')} of the {role} data {have(len(empty))} no "
            f"hypotheses and {number_word(len(empty), 'is', 'are')} left out: "
            f"{sentence_list(data, empty)}"
        )
    if len(single := np.flatnonzero(sizes == 1)):
        yield (
            f"{count(len(single), 'sentence')} of the {role} data {have(len(single))} one "
            f"hypothesis only, which teaches nothing: {sentence_list(data, single)}"
        )
    if len(rows := nbest.rows_without_words()):
        where = np.unique(np.searchsorted(nbest.offsets, rows, side="right") - 1)
        yield (
            f"{count(len(rows), 'hypothesis', 'hypotheses')} of the {role} data "
            f"{number_word(len(rows), 'is', 'are')} empty, in sentences "
            f"{sentence_list(data, where)}; they count as empty texts"
        )
    equal = _equal_in_metric(data)
    if len(equal) == np.count_nonzero(sizes):
        raise DataError(
            f"{data.candidates.metric.name} gives all hypotheses of each sentence of the {role} "
            "data the same score, so that none is better than another; are these the right "
            "references?"
        )
    equal = equal[sizes[equal] > 1]
    if len(equal):
        yield (
            f"{count(len(equal), 'sentence')} of the {role} data {have(len(equal))} hypotheses "
            f"that are all equally good by {data.candidates.metric.name}: "
            f"{sentence_list(data, equal)}"
        )


def check_references(data: Loaded) -> Iterator[str]:
    """Look for references that have nothing to do with the candidates."""
    best, metric = data.candidates.oracle_score, data.candidates.metric
    if best is not None and isinstance(metric, Bleu) and best < LEAST_BLEU:
        yield (
            f"even the best candidates of the {data.role} data have a BLEU of {best:.2f} only: are "
            "the references in their order, in their language, and tokenized as they are?"
        )


def check_features(data: Loaded) -> Iterator[str]:
    """Look for features that cannot be learned, or that some hypotheses lack."""
    nbest = data.nbest
    counts, names = nbest.count_features(), nbest.feature_names
    rows, present = counts.hypotheses, counts.hypotheses > 0
    if not present.any():
        raise DataError(f"the hypotheses of the {data.role} data have no features")
    constant = np.flatnonzero(present & (data.candidates.feature_spread == 0))
    if len(constant) == np.count_nonzero(present):
        raise DataError(
            f"every feature of the {data.role} data has the same value in all hypotheses of a "
            f"sentence, so that no weight changes any choice: {feature_list(names, constant)}"
        )
    if len(constant):
        yield (
            "features with the same value in all hypotheses of a sentence cannot be learned; their "
            f"weights stay as they started: {feature_list(names, constant)}"
        )
    lacking = np.flatnonzero((rows >= MOST * len(nbest)) & (rows < len(nbest)))
    if len(lacking):
        missing = len(nbest) - int(rows[lacking].min())
        yield (
            f"nearly all hypotheses of the {data.role} data, but not {missing} of them, have these "
            f"features (absent ones count as 0): {feature_list(names, lacking)}"
        )
    share = rows / len(nbest)
    dense_where_present = rows == counts.hypotheses_of_lists
    partial = np.flatnonzero(dense_where_present & (share >= SOME) & (share < MOST))
    if len(partial):
        yield (
            f"some lists of the {data.role} data have these features in every hypothesis, others "
            f"in none, as if they were of different systems: {feature_list(names, partial)}"
        )
    scattered = np.flatnonzero(~dense_where_present & (share >= SOME) & (share < MOST))
    # Of many, the first ones will do: each is looked up in all hypotheses.
    looked_at = scattered[:LOOKED_AT].tolist()
    if missed := [i for i in looked_at if _has_fractions(nbest.column(i))]:
        yield (
            f"many hypotheses of the {data.role} data have these features and many do not, as if "
            "they were of different systems or one name were misspelled; absent ones count as 0: "
            f"{feature_list(names, missed)}"
        )


def _has_fractions(column: FloatArray) -> bool:
    """Whether most values are no whole numbers: those of indicators and counts may be absent."""
    values = column[column != 0]
    return bool(2 * np.count_nonzero(values != np.rint(values)) > len(values))


def check_same_features(tuning: Loaded, dev: Loaded) -> Iterator[str]:
    """Compare the features of the data that is learned from with those of the held-out data."""
    in_tuning, in_dev = tuning.present_features, dev.present_features
    if not in_tuning & in_dev:
        raise DataError(
            "the tuning and the dev data have no feature in common: "
            f"{some(sorted(in_tuning))} against {some(sorted(in_dev))}"
        )
    for lacking, having, role in ((in_dev, in_tuning, "dev"), (in_tuning, in_dev, "tuning")):
        if missing := sorted(having - lacking):
            other = "tuning" if role == "dev" else "dev"
            yield f"the {role} data lacks features of the {other} data: {some(missing)}"


def check_schema(features: Sequence[str], data: Loaded) -> None:
    """Require the features of the lists to be those that were announced, if any were."""
    if not features:
        return
    present, announced = data.present_features, set(features)
    if unknown := sorted(present - announced):
        raise DataError(
            f"the {data.role} data has features that were not announced: {some(unknown)}"
            f"{suggest(unknown[0], features)}",
            settings=("features",),
        )
    if missing := sorted(announced - present):
        problem = f"the {data.role} data lacks announced features: {some(missing)}"
        raise DataError(problem, settings=("features",))


def check_common_features(start: Weights, known: Collection[str]) -> None:
    """Refuse start weights of none of the features that there are."""
    if start and set(known).isdisjoint(start):
        raise DataError(
            "the start weights and the data have no feature in common: "
            f"{some(start.names)} against {some(sorted(known))}"
        )


def check_start(start: Weights, data: Loaded) -> Iterator[str]:
    """Compare the features of the start weights with those of the lists."""
    listed = data.present_features
    check_common_features(start, listed)
    if unknown := [name for name in start if name not in listed]:
        yield f"start weights of features that no candidate has: {some(unknown)}"
    if missing := sorted(name for name in listed if name not in start):
        yield f"features without a start weight start at 0: {some(missing)}"


def _equal_in_metric(data: Loaded) -> IntArray:
    """Return the sentences with hypotheses whose gains are all the same."""
    offsets, gains = data.nbest.offsets, cast(ListSet, data.candidates).gains
    filled = np.flatnonzero(np.diff(offsets))
    first = offsets[filled]
    differ = np.maximum.reduceat(gains, first) > np.minimum.reduceat(gains, first)
    return np.delete(filled, np.flatnonzero(differ))


def check_forests(data: Loaded, forests: ForestSet) -> Iterator[str]:
    """Look for forests that teach nothing; give a warning for each kind of them."""
    role = data.role
    missing = [i for i, forest in enumerate(forests.forests) if forest is None]
    # Every node has an edge, and belongs to a derivation.
    single = [
        i
        for i, forest in enumerate(forests.forests)
        if forest is not None and forest.edge_count == forest.node_count
    ]
    if len(missing) + len(single) == forests.sentence_count:
        raise DataError(
            f"no forest of the {role} data has more than one derivation, so that there is nothing "
            "to choose"
        )
    if missing:
        yield (
            f"{count(len(missing), 'sentence')} of the {role} data {have(len(missing))} no "
            f"forest and {number_word(len(missing), 'is', 'are')} left out: "
            f"{sentence_list(data, missing)}"
        )
    if single:
        yield (
            f"{count(len(single), 'sentence')} of the {role} data {have(len(single))} one "
            f"derivation only, which teaches nothing: {sentence_list(data, single)}"
        )


def check_forest_features(data: Loaded, forests: ForestSet) -> Iterator[str]:
    """Look for features that cannot be learned."""
    names, present = forests.feature_names, forests.feature_counts > 0
    if not present.any():
        raise DataError(f"the edges of the {data.role} data have no features")
    constant = np.flatnonzero(present & (forests.feature_spread == 0))
    if len(constant) == np.count_nonzero(present):
        raise DataError(
            f"every feature of the {data.role} data has the same value in all derivations of a "
            f"sentence, so that no weight changes any choice: {feature_list(names, constant)}"
        )
    if len(constant):
        yield (
            "features with the same value in all derivations of a sentence cannot be learned; "
            f"their weights stay as they started: {feature_list(names, constant)}"
        )


def sentence_list(data: Loaded, numbers: Iterable[int]) -> str:
    """Name sentences as their files do; the first ones if there are many."""
    return some([data.sentence(int(number)) for number in numbers])


def feature_list(names: Vocabulary, ids: Iterable[int]) -> str:
    """Name features; the first ones if there are many."""
    return some([names[int(i)] for i in ids])


def some(names: Sequence[str], most: int = 10) -> str:
    """Join names; the first ones if there are many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {number_word(number, one, many or one + 's')}"


def have(number: int) -> str:
    """Return the verb for so many."""
    return number_word(number, "has", "have")


def number_word(number: int, one: str, many: str) -> str:
    """Return the word for one, or for several."""
    return one if number == 1 else many
