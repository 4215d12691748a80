"""Checks of the data before a run starts.

Data from which something can still be learned gives a warning, which also goes into the run's
report. Data from which nothing can be learned is an error.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import cast

import numpy as np

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.values import describe_large_value
from hopefear.errors import DataError
from hopefear.formats.fields import numbering_conflict
from hopefear.learners import AnyLearner, learners
from hopefear.learners.base import is_unit_free
from hopefear.metrics import Bleu
from hopefear.registry import suggest
from hopefear.runs.load import Loaded
from hopefear.runs.regression import dense_features
from hopefear.runs.settings import TuneSettings
from hopefear.threads import thread_count
from hopefear.types import FloatArray, IntArray, Vocabulary, Weights

__all__ = [
    "check_common_features",
    "check_features",
    "check_forest_features",
    "check_forests",
    "check_lists",
    "check_order",
    "check_reference_counts",
    "check_references",
    "check_repeatable",
    "check_same_features",
    "check_scales",
    "check_schema",
    "check_start",
    "check_values",
    "some",
]

# Even the best of many unrelated texts reach about this BLEU by chance.
LEAST_BLEU = 3.0
# A feature of most hypotheses should be in all of them; a feature of few hypotheses is sparse.
MOST, SOME = 0.9, 0.2
LOOKED_AT = 50
# Spreads within lists that differ as much, from one feature to another, are of different units.
MIXED_UNITS = 30.0
# As many sentences in a row fit another reference before that is no chance; of so many, evenly
# chosen, the words are compared.
SHIFTED, ORDER_SAMPLE = 8, 400


def check_repeatable(settings: TuneSettings) -> Iterator[str]:
    """Warn about data that can be read only once, and about results that depend on chance."""
    if not settings.strategy.repeatable and thread_count(settings.threads) > 1:
        yield (
            "learners that hear each other while they work give other weights in every run, since "
            "no two runs deliver messages at the same moments; --threads 1 repeats a run"
        )
    if once := settings.from_standard_input:
        yield (
            f"{some(once)} {number_word(len(once), 'is', 'are')} read from standard input, so this "
            "run can be neither resumed nor repeated; to allow that, save the data to a file"
        )


def check_values(data: Loaded) -> None:
    """Refuse feature values so large that scores lose precision or overflow."""
    candidates = data.candidates if isinstance(data.candidates, ForestSet) else data.nbest
    message = describe_large_value(candidates, data.sentence)
    if message is not None:
        raise DataError(f"{data.files}: {message}")


def check_lists(data: Loaded) -> Iterator[str]:
    """Warn about lists that teach nothing, once for each reason."""
    nbest, role = data.nbest, data.role
    sizes = np.diff(nbest.offsets)
    if not len(nbest):
        raise DataError(f"the {role} data has no hypotheses")
    if sizes.max() == 1:
        raise DataError(
            f"no sentence of the {role} data has more than one hypothesis, so there is "
            "nothing to choose; create n-best lists with n > 1"
        )
    if len(empty := nbest.empty_sentences):
        yield (
            f"{count(len(empty), 'sentence')} of the {role} data {have(len(empty))} no "
            f"hypotheses and {number_word(len(empty), 'is', 'are')} skipped: "
            f"{sentence_list(data, empty)}"
        )
    if len(single := np.flatnonzero(sizes == 1)):
        yield (
            f"{count(len(single), 'sentence')} of the {role} data {have(len(single))} one "
            f"hypothesis only and {number_word(len(single), 'is', 'are')} not learned from: "
            f"{sentence_list(data, single)}"
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
            "data the same score, so there is nothing to learn; check that these are the right "
            "references"
        )
    equal = equal[sizes[equal] > 1]
    if len(equal):
        yield (
            f"{count(len(equal), 'sentence')} of the {role} data {have(len(equal))} hypotheses "
            f"that are all equally good by {data.candidates.metric.name}: "
            f"{sentence_list(data, equal)}"
        )


def check_references(data: Loaded) -> Iterator[str]:
    """Warn about references that seem unrelated to the candidates."""
    best, metric = data.candidates.oracle_score, data.candidates.metric
    if best is not None and isinstance(metric, Bleu) and best < LEAST_BLEU:
        yield (
            f"even the best candidates of the {data.role} data reach a BLEU of only {best:.2f}; "
            "check that the references are in the same order, language and tokenization"
        )


def check_order(data: Loaded) -> Iterator[str]:
    """Warn if candidates fit the references of their neighbors: a line is missing, or too many."""
    references = data.references
    if references is None or len(references) < 2 * SHIFTED:
        return
    nbest, words = data.nbest, [_words(texts) for texts in references.sentences]
    filled = np.flatnonzero(np.diff(nbest.offsets) > 0)
    looked_at = filled[:: max(1, len(filled) // ORDER_SAMPLE)].tolist()
    first = {i: _words([nbest.text(nbest.rows(i).start)]) for i in looked_at}
    own = {i: _overlap(first[i], words[i]) for i in looked_at}
    for shift, place in ((-1, "before"), (1, "after")):
        better = []
        for sentence in looked_at:
            if 0 <= sentence + shift < len(words):
                other = _overlap(first[sentence], words[sentence + shift])
                better.append((sentence, other > own[sentence] + 0.1))
        run = _longest_run(better)
        if len(run) >= SHIFTED:
            yield (
                f"{references.prefix}from sentence {data.sentence(run[0])} to "
                f"{data.sentence(run[-1])}, candidates of the {data.role} data fit the reference "
                f"of the sentence {place} better than their own: is a line missing, or one too "
                "many? The scores below mean nothing until that is repaired"
            )


def check_reference_counts(tuning: Loaded, dev: Loaded | None) -> Iterator[str]:
    """Warn if sentences, or the two data sets, have different numbers of references."""
    sets = [(data, data.references.counts) for data in (tuning, dev) if data and data.references]
    for data, counts in sets:
        if len(counts) > 1:
            numbers = " or ".join(map(str, sorted(counts)))
            yield f"sentences of the {data.role} data have {numbers} references each"
    if len(sets) == 2 and sets[0][1] != sets[1][1]:
        both = [" or ".join(map(str, sorted(counts))) for _, counts in sets]
        yield (
            f"the tuning data has {both[0]} references per sentence and the dev data has "
            f"{both[1]}: their scores cannot be compared, and lengths are learned for the former"
        )


def _words(texts: Sequence[str]) -> set[str]:
    return {word for text in texts for word in text.lower().split()}


def _overlap(first: set[str], second: set[str]) -> float:
    return len(first & second) / max(1, min(len(first), len(second)))


def _longest_run(better: Sequence[tuple[int, bool]]) -> list[int]:
    """Return the longest stretch in which nearly all are better; single others do not end it."""
    best: list[int] = []
    run: list[int] = []
    misses = 0
    for sentence, is_better in better:
        misses = 0 if is_better else misses + 1
        if is_better:
            run.append(sentence)
        elif misses > 1:
            run = []
        best = max(best, run, key=len).copy()
    return best


def check_features(data: Loaded) -> Iterator[str]:
    """Warn about features that cannot be learned or that some hypotheses lack."""
    nbest = data.nbest
    counts, names = nbest.count_features(), nbest.feature_names
    rows, present = counts.hypotheses, counts.hypotheses > 0
    if not present.any():
        raise DataError(
            f"the hypotheses of the {data.role} data have no features; numbers in quotes are "
            "texts, and --features +words,+agreement:chrf makes features of the texts"
        )
    constant = np.flatnonzero(present & (data.candidates.feature_spread == 0))
    if len(constant) == np.count_nonzero(present):
        raise DataError(
            f"every feature of the {data.role} data has the same value in all hypotheses of a "
            f"sentence, so no weight can change a choice: {feature_list(names, constant)}"
        )
    if len(constant):
        yield (
            "features with the same value in all hypotheses of a sentence cannot be learned; their "
            f"weights stay at the start values: {feature_list(names, constant)}"
        )
    lacking = np.flatnonzero((rows >= MOST * len(nbest)) & (rows < len(nbest)))
    if len(lacking):
        missing = len(nbest) - int(rows[lacking].min())
        yield (
            f"{count(missing, 'hypothesis', 'hypotheses')} of the {data.role} data "
            f"{number_word(missing, 'lacks', 'lack')} these features, which all others have; "
            f"absent ones count as 0: {feature_list(names, lacking)}"
        )
    share = rows / len(nbest)
    dense_where_present = rows == counts.hypotheses_of_lists
    partial = np.flatnonzero(dense_where_present & (share >= SOME) & (share < MOST))
    if len(partial):
        yield (
            f"some lists of the {data.role} data have these features in every hypothesis and "
            "others in none, as if they came from different systems: "
            f"{feature_list(names, partial)}"
        )
    scattered = np.flatnonzero(~dense_where_present & (share >= SOME) & (share < MOST))
    # Each look-up reads all hypotheses, so only the first features are looked at.
    looked_at = scattered[:LOOKED_AT].tolist()
    if missed := [i for i in looked_at if _has_fractions(nbest.column(i))]:
        yield (
            f"many hypotheses of the {data.role} data have these features and many do not, as "
            "if they came from different systems or a name were misspelled; absent ones count as "
            f"0: {feature_list(names, missed)}"
        )


def check_scales(learner: AnyLearner, data: Loaded) -> Iterator[str]:
    """Warn about features of different units, if a learner takes them as they are."""
    lists = data.candidates
    if is_unit_free(learner) or not isinstance(lists, ListSet):
        return
    dense = dense_features(lists)
    spreads = lists.feature_spread[dense]
    largest, least = dense[spreads.argmax()], dense[spreads.argmin()]
    ratio = float(spreads.max() / spreads.min())
    if ratio >= MIXED_UNITS:
        names = data.nbest.feature_names
        yield (
            f"'{names[largest]}' varies {ratio:,.0f} times as much within a list as "
            f"'{names[least]}', and {learners.name_of(type(learner))} learns badly from such "
            "features: set scale_features, or let auto choose the learner"
        )


def _has_fractions(column: FloatArray) -> bool:
    """Whether most values are fractions; indicators and counts, which may be absent, are not."""
    values = column[column != 0]
    return bool(2 * np.count_nonzero(values != np.rint(values)) > len(values))


def check_same_features(tuning: Loaded, dev: Loaded) -> Iterator[str]:
    """Compare the features of the tuning data with those of the held-out data."""
    in_tuning, in_dev = tuning.present_features, dev.present_features
    if not in_tuning & in_dev:
        raise DataError(
            "the tuning and the dev data have no feature in common: the tuning data has "
            f"{some(sorted(in_tuning))}, the dev data has {some(sorted(in_dev))}"
        )
    for lacking, having, role in ((in_dev, in_tuning, "dev"), (in_tuning, in_dev, "tuning")):
        if missing := sorted(having - lacking):
            other = "tuning" if role == "dev" else "dev"
            yield f"the {role} data lacks features of the {other} data: {some(missing)}"


def check_schema(features: Sequence[str], data: Loaded) -> None:
    """Require that the data has exactly the expected features, if any are given."""
    if not features:
        return
    present, announced = data.present_features, set(features)
    if unknown := sorted(present - announced):
        raise DataError(
            f"the {data.role} data has unexpected features: {some(unknown)}"
            f"{suggest(unknown[0], features)}",
            settings=("features",),
        )
    if missing := sorted(announced - present):
        problem = f"the {data.role} data lacks expected features: {some(missing)}"
        raise DataError(problem, settings=("features",))


def check_common_features(start: Weights, known: Collection[str]) -> None:
    """Refuse start weights that share no feature with the data, or that number values otherwise."""
    if (conflict := numbering_conflict(known, start)) is not None:
        raise DataError(f"the start weights do not fit the data: {conflict}")
    if start and set(known).isdisjoint(start):
        raise DataError(
            "the start weights and the data have no feature in common: "
            f"the weights are for {some(start.names)}, the data has {some(sorted(known))}"
        )


def check_start(start: Weights, data: Loaded) -> Iterator[str]:
    """Compare the features of the start weights with those of the lists."""
    listed = data.present_features
    check_common_features(start, listed)
    if unknown := [name for name in start if name not in listed]:
        yield f"start weights for features that no candidate has: {some(unknown)}"
    if missing := sorted(name for name in listed if name not in start):
        yield f"features without a start weight start at 0: {some(missing)}"


def _equal_in_metric(data: Loaded) -> IntArray:
    """Return the sentences whose hypotheses all have the same gain."""
    offsets, gains = data.nbest.offsets, cast(ListSet, data.candidates).gains
    filled = np.flatnonzero(np.diff(offsets))
    first = offsets[filled]
    differ = np.maximum.reduceat(gains, first) > np.minimum.reduceat(gains, first)
    return np.delete(filled, np.flatnonzero(differ))


def check_forests(data: Loaded, forests: ForestSet) -> Iterator[str]:
    """Warn about forests that teach nothing, once for each reason."""
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
            f"no forest of the {role} data has more than one derivation, so there is nothing to "
            "choose"
        )
    if missing:
        yield (
            f"{count(len(missing), 'sentence')} of the {role} data {have(len(missing))} no "
            f"forest and {number_word(len(missing), 'is', 'are')} skipped: "
            f"{sentence_list(data, missing)}"
        )
    if single:
        yield (
            f"{count(len(single), 'sentence')} of the {role} data {have(len(single))} one "
            f"derivation only and {number_word(len(single), 'is', 'are')} not learned from: "
            f"{sentence_list(data, single)}"
        )


def check_forest_features(data: Loaded, forests: ForestSet) -> Iterator[str]:
    """Warn about features that cannot be learned."""
    names, present = forests.feature_names, forests.feature_counts > 0
    if not present.any():
        raise DataError(f"the edges of the {data.role} data have no features")
    constant = np.flatnonzero(present & (forests.feature_spread == 0))
    if len(constant) == np.count_nonzero(present):
        raise DataError(
            f"every feature of the {data.role} data has the same value in all derivations of a "
            f"sentence, so no weight can change a choice: {feature_list(names, constant)}"
        )
    if len(constant):
        yield (
            "features with the same value in all derivations of a sentence cannot be learned; "
            f"their weights stay at the start values: {feature_list(names, constant)}"
        )


def sentence_list(data: Loaded, numbers: Iterable[int]) -> str:
    """Join the names that files give to sentences, at most ten of them."""
    return some([data.sentence(int(number)) for number in numbers])


def feature_list(names: Vocabulary, ids: Iterable[int]) -> str:
    """Join the names of features, at most ten of them."""
    return some([names[int(i)] for i in ids])


def some(names: Sequence[str], most: int = 10) -> str:
    """Join names, at most `most` of them."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {number_word(number, one, many or one + 's')}"


def have(number: int) -> str:
    """Return "has" or "have", whichever agrees with the number."""
    return number_word(number, "has", "have")


def number_word(number: int, one: str, many: str) -> str:
    """Return the singular or the plural, whichever agrees with the number."""
    return one if number == 1 else many
