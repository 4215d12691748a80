"""From files to tuning data: n-best lists or forests, and the metric that judges them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np

from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.candidates.added import CountedForests, count_in_lists, read_sources
from hopefear.candidates.derived import MARK, derive_features, source_lines
from hopefear.candidates.discretized import discretize_forest, discretize_lists
from hopefear.candidates.read_lists import read_lists
from hopefear.errors import DataError
from hopefear.forest import Forest, without_boundaries
from hopefear.formats import (
    SentenceKeys,
    detect_forests,
    read_forests,
)
from hopefear.formats.files import Tell, tell_nobody
from hopefear.formats.keyed import in_order_of_keys, offered_keys
from hopefear.formats.texts import named_references, read_references, references_of
from hopefear.metrics import Column, Metric, References, TextMetric, check_tokenization
from hopefear.nbest import NBest, NBestBuilder
from hopefear.runs.fingerprints import (
    Fingerprints,
    fingerprint_candidates,
    fingerprint_numbers,
    fingerprint_texts,
)
from hopefear.runs.settings import DataSettings
from hopefear.translation.features.bins import FeatureBins
from hopefear.translation.features.counting import WordCounter
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["Loaded", "discretized", "load_data", "tokenization_warnings"]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Candidates, and what their files call things.

    Attributes
    ----------
    candidates : Candidates
    role : str
        "tuning" or "dev".
    signature : str
        What the metric's score depends on.
    fingerprints : mapping
        What tells the data from other data.
    keys : SentenceKeys
        What the files call the sentences.
    format : str
        The format of the first file; empty for candidates from a decoder.
    files : str
        Where the candidates come from.
    warnings : tuple of str
        What the user should know.
    added : frozenset of str
        The features that are not in the files.
    references : References, optional
        What texts are compared with, in the order of the sentences.
    """

    candidates: Candidates
    role: str
    signature: str
    fingerprints: Fingerprints
    keys: SentenceKeys = field(default_factory=SentenceKeys)
    format: str = ""
    files: str = ""
    warnings: tuple[str, ...] = ()
    added: frozenset[str] = frozenset()
    references: References | None = None

    @property
    def nbest(self) -> NBest:
        """The lists, if the candidates are lists."""
        return cast(ListSet, self.candidates).nbest

    @cached_property
    def feature_counts(self) -> IntArray:
        """How many hypotheses, or forests, have each feature."""
        if isinstance(self.candidates, ForestSet):
            return self.candidates.feature_counts
        return self.nbest.count_features().hypotheses

    @property
    def present_features(self) -> set[str]:
        """The features that some candidate has."""
        names = self.candidates.feature_names
        return {names[int(i)] for i in np.flatnonzero(self.feature_counts)}

    def sentence(self, number: int) -> str:
        """Return what the files call a sentence: its number from 0, or its key."""
        names = self.keys.names
        return names[number] if names else str(number)


def load_data(
    settings: DataSettings,
    metric: Metric,
    *,
    role: str = "tuning",
    feature_names: Vocabulary | None = None,
    threads: int = 0,
    memory_limit: int = 0,
    counter: WordCounter | None = None,
    derived: Sequence[str] = (),
    tell: Tell = tell_nobody,
) -> Loaded:
    """Read n-best lists, and let the metric judge every hypothesis; or read forests.

    Parameters
    ----------
    settings : DataSettings
        Which files.
    metric : Metric
        Compares texts with references, or is a `Column` of scores.
    role : str
        What messages call the data.
    feature_names : Vocabulary, optional
        Names to share with other lists.
    threads : int
        0 for one per core. The result does not depend on it.
    memory_limit : int
        Bytes beyond which the lists move to a temporary file; 0 for no limit.
    counter : WordCounter, optional
        Counts features of words, which the candidates get in addition to their own.
    derived : sequence of str
        Features of texts that lists get in addition to their own; see `candidates.derived`.
    tell : callable
        Called with what is being done, how much of it is done and how much there is (0: unknown).
    """
    warnings: tuple[str, ...] = ()
    references: References | None = None
    names = Vocabulary() if feature_names is None else feature_names
    if settings.forests is not None:
        return _load_forests(
            settings, cast(TextMetric, metric), role, names, threads, counter, tell
        )
    files = named_references(settings.references)
    keys = offered_keys([lines for _, lines in files], settings.keyed_references)
    builder = NBestBuilder(feature_names=names, memory_limit=memory_limit)
    read = read_lists(settings, builder, keys, tell)
    nbest = read.nbest
    if counter is not None:
        sources = read_sources(cast(Path, settings.source), nbest.sentence_count)
        nbest = count_in_lists(nbest, counter, sources, read.links)
    nbest = derive_features(nbest, derived, source_lines(settings.source), threads=threads)
    if isinstance(metric, Column):
        values = cast(FloatArray, read.scores)
        nbest.set_statistics(metric.statistics(values))
        signature = f"mean of {settings.score_feature or settings.scores}"
        judged_by = {"scores": fingerprint_numbers(values)} if settings.scores else {}
    else:
        references = _references(settings, files, keys, nbest)
        what = f"{_files(settings.nbest)} has n-best lists"
        from_one = len(nbest.empty_sentences) > 0 and nbest.empty_sentences[0] == 0
        _check_length(nbest.sentence_count, references, what, settings, role, from_one=from_one)
        tell(f"{role} data: {metric.name}", 0, 0)
        text_metric = cast(TextMetric, metric)
        text_metric.prepare(references).set_statistics(nbest, threads=threads)
        signature = text_metric.signature(references)
        judged_by = {"references": fingerprint_texts(references.sentences)}
        warnings = tokenization_warnings(metric, references)
    tuning_set = ListSet(nbest=nbest, metric=metric, threads=threads)
    return Loaded(
        candidates=tuning_set,
        keys=keys,
        role=role,
        signature=signature,
        format=read.format,
        files=_files(settings.nbest),
        fingerprints=_of_role(role, judged_by | {"nbest": fingerprint_candidates(tuning_set)}),
        warnings=warnings,
        added=frozenset(() if counter is None else counter.names)
        | {MARK + name for name in derived},
        references=references,
    )


def _load_forests(
    settings: DataSettings,
    metric: TextMetric,
    role: str,
    names: Vocabulary,
    threads: int,
    counter: WordCounter | None,
    tell: Tell,
) -> Loaded:
    """Read forests; sentences that have none have None."""
    path = cast(Path, settings.forests)
    references = read_references(settings.references)
    forests: list[Forest | None] = [None] * len(references)
    counted = None if counter is None else CountedForests(counter, cast(Path, settings.source))
    last = settings.sentences - 1
    for sentence, forest in read_forests(path, settings.format, feature_names=names, tell=tell):
        if sentence < len(forests):
            # At once, so that there are never two of all.
            found = without_boundaries(forest)
            forests[sentence] = found if counted is None else counted.count(sentence, found)
        last = max(last, sentence)
    _check_length(last + 1, references, f"{path} has forests", settings, role)
    tell(f"{role} data: {metric.name}", 0, 0)
    forest_set = ForestSet(forests, references, metric, threads=threads)
    # The references first: if they are others, the candidates are not to blame.
    fingerprints = {
        "references": fingerprint_texts(references.sentences),
        "forests": fingerprint_candidates(forest_set),
    }
    return Loaded(
        candidates=forest_set,
        keys=SentenceKeys(),
        role=role,
        signature=metric.signature(references),
        format=settings.format.partition(":")[0] if settings.format else detect_forests(path),
        files=str(path),
        fingerprints=_of_role(role, fingerprints),
        warnings=tokenization_warnings(metric, references),
        added=frozenset() if counter is None else counter.names,
        references=references,
    )


def discretized(data: Loaded, bins: FeatureBins, names: Vocabulary) -> Loaded:
    """Return data whose candidates have bins as features; `names` is their vocabulary."""
    if isinstance(forests := data.candidates, ForestSet):
        found: Candidates = ForestSet(
            [None if f is None else discretize_forest(f, bins, names) for f in forests.forests],
            forests.references,
            cast(TextMetric, forests.metric),
            threads=forests.threads,
        )
    else:
        lists = cast(ListSet, data.candidates)
        found = replace(lists, nbest=discretize_lists(lists.nbest, bins, names))
    return replace(data, candidates=found)


def tokenization_warnings(metric: Metric, references: References) -> tuple[str, ...]:
    """Return a warning if the tokenizer of the metric does not suit the references."""
    warning = check_tokenization(getattr(metric, "tokenize", None), references)
    return () if warning is None else (warning,)


def _of_role(role: str, fingerprints: Fingerprints) -> Fingerprints:
    return {f"{role}.{name}": value for name, value in fingerprints.items()}


def _references(
    settings: DataSettings,
    files: Sequence[tuple[str, Sequence[str]]],
    keys: SentenceKeys,
    nbest: NBest,
) -> References:
    lists = map(nbest.rows, range(nbest.sentence_count))
    candidates = [nbest.text(rows[0]) if rows else "" for rows in lists]
    streams = [
        in_order_of_keys(lines, name, keys, settings.keyed_references, candidates)
        for name, lines in files
    ]
    return references_of(files, streams)


def _check_length(
    sentences: int,
    references: References,
    source: str,
    settings: DataSettings,
    role: str,
    *,
    from_one: bool = False,
) -> None:
    """Compare the number of sentences with that of references.

    `from_one`: the first sentence has no candidates.
    """
    if sentences == len(references):
        return
    what = "list" if settings.forests is None else "forest"
    problem = (
        f"{source} of {sentences} sentences, but "
        f"{_files(settings.references)} has references for {len(references)}"
    )
    if sentences > len(references):
        begins = (
            "; there is no sentence 0, from which they are counted: if these are from 1, subtract "
            "1, or begin each reference with its number and a tab"
        )
        raise DataError(problem + (begins if from_one else ""))
    key = f"{role}.sentences"
    hint = f"if the last sentences have no {what}, say so with {key} = {len(references)}"
    raise DataError(f"{problem}; {hint}", settings=(key,))


def _files(paths: tuple[Path, ...]) -> str:
    return ", ".join(map(str, paths))
