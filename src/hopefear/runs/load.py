"""From files to tuning data: n-best lists or forests, and the metric that judges them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np

from hopefear.candidates import Candidates, ForestSet, ListSet
from hopefear.errors import DataError, FormatError
from hopefear.forest import Forest, without_boundaries
from hopefear.formats import (
    NBestFormat,
    SentenceKeys,
    detect_forests,
    keyed_references,
    nbest_formats,
    read_forests,
    read_keyed_lines,
)
from hopefear.formats.base import choose_format
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source, Tell, open_source, tell_nobody
from hopefear.formats.nbest import add_nbest, finish_nbest
from hopefear.formats.texts import read_references
from hopefear.metrics import Column, Metric, References, TextMetric, check_tokenization
from hopefear.nbest import NBest, NBestBuilder
from hopefear.runs.fingerprints import (
    Fingerprints,
    fingerprint_candidates,
    fingerprint_numbers,
    fingerprint_texts,
)
from hopefear.runs.settings import DataSettings
from hopefear.types import FloatArray, IntArray, Vocabulary

__all__ = ["Loaded", "load_data", "tokenization_warnings"]


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
    """

    candidates: Candidates
    role: str
    signature: str
    fingerprints: Fingerprints
    keys: SentenceKeys = field(default_factory=SentenceKeys)
    format: str = ""
    files: str = ""
    warnings: tuple[str, ...] = ()

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
    tell : callable
        Called with what is being done, how much of it is done and how much there is (0: unknown).
    """
    warnings: tuple[str, ...] = ()
    names = Vocabulary() if feature_names is None else feature_names
    if settings.forests is not None:
        return _load_forests(settings, cast(TextMetric, metric), role, names, threads, tell)
    builder = NBestBuilder(feature_names=names, memory_limit=memory_limit)
    formats: list[str] = []
    sources = _sources(settings, formats)
    if isinstance(metric, Column):
        keys = SentenceKeys()
        nbest, values = _read_scored(settings, sources, builder, keys, tell)
        nbest.set_statistics(metric.statistics(values))
        signature = f"mean of {settings.score_feature or settings.scores}"
        judged_by = {"scores": fingerprint_numbers(values)} if settings.scores else {}
    else:
        text_metric = cast(TextMetric, metric)
        keyed = [
            read_keyed_lines(path) for path in settings.references if settings.keyed_references
        ]
        keys = SentenceKeys(keyed[0] if keyed else ())
        for source, format in sources:
            add_nbest(source, format, builder, keys, tell=tell)
        nbest = finish_nbest(builder, settings.nbest, settings.sentences)
        references = _references(settings, keyed, keys)
        what = f"{_files(settings.nbest)} has n-best lists"
        from_one = len(nbest.empty_sentences) > 0 and nbest.empty_sentences[0] == 0
        _check_length(nbest.sentence_count, references, what, settings, role, from_one=from_one)
        tell(f"{role} data: {metric.name}", 0, 0)
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
        format=formats[0],
        files=_files(settings.nbest),
        fingerprints=_of_role(role, judged_by | {"nbest": fingerprint_candidates(tuning_set)}),
        warnings=warnings,
    )


def _sources(settings: DataSettings, formats: list[str]) -> Iterator[tuple[Source, NBestFormat]]:
    """Open the files of lists one after the other; `formats` gets the name of each one's format."""
    for path in settings.nbest:
        with open_source(path) as source:
            format = choose_format(source, nbest_formats, settings.format)
            formats.append(nbest_formats.name_of(type(format)))
            yield source, format


def _load_forests(
    settings: DataSettings,
    metric: TextMetric,
    role: str,
    names: Vocabulary,
    threads: int,
    tell: Tell,
) -> Loaded:
    """Read forests; sentences that have none have None."""
    path = cast(Path, settings.forests)
    references = read_references(settings.references)
    forests: list[Forest | None] = [None] * len(references)
    last = settings.sentences - 1
    for sentence, forest in read_forests(path, settings.format, feature_names=names, tell=tell):
        if sentence < len(forests):
            # At once, so that there are never two of all.
            forests[sentence] = without_boundaries(forest)
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
    )


def tokenization_warnings(metric: Metric, references: References) -> tuple[str, ...]:
    """Return a warning if the tokenizer of the metric does not suit the references."""
    warning = check_tokenization(getattr(metric, "tokenize", None), references)
    return () if warning is None else (warning,)


def _of_role(role: str, fingerprints: Fingerprints) -> Fingerprints:
    return {f"{role}.{name}": value for name, value in fingerprints.items()}


def _references(
    settings: DataSettings, keyed: list[dict[str, str]], keys: SentenceKeys
) -> References:
    if not keyed:
        return read_references(settings.references)
    names = [str(path) for path in settings.references]
    streams = []
    for name, texts in zip(names, keyed, strict=True):
        try:
            streams.append(keyed_references(keys, texts))
        except DataError as error:
            raise DataError(f"{name}: {error}") from None
    return References.from_streams(streams, names)


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
        begins = "; there is no sentence 0, from which they are counted: are these from 1?"
        raise DataError(problem + (begins if from_one else ""))
    key = f"{role}.sentences"
    hint = f"if the last sentences have no {what}, say so with {key} = {len(references)}"
    raise DataError(f"{problem}; {hint}", settings=(key,))


def _read_scored(
    settings: DataSettings,
    sources: Iterable[tuple[Source, NBestFormat]],
    builder: NBestBuilder,
    keys: SentenceKeys,
    tell: Tell,
) -> tuple[NBest, FloatArray]:
    """Read lists whose hypotheses have scores; of equal hypotheses the first one's counts."""
    scores = None if settings.scores is None else _read_numbers(settings.scores)
    values: list[float] = []
    sentences: list[int] = []
    count = 0
    for source, format in sources:
        for segment in source.watched(format.read(source), tell):
            number = keys.number(segment.sentence)
            for hypothesis in segment.hypotheses:
                features = dict(hypothesis.features)
                if scores is None:
                    value = features.pop(cast(str, settings.score_feature), None)
                    place = f"{source.name}: sentence {segment.sentence}"
                    missing = f"'{hypothesis.text}' has no feature '{settings.score_feature}'"
                else:
                    value = next(scores, None)
                    place = str(settings.scores)
                    missing = (
                        f"has {count} scores, but {_files(settings.nbest)} has more hypotheses"
                    )
                if value is None:
                    raise DataError(f"{place}: {missing}")
                count += 1
                if builder.add(number, hypothesis.text, features):
                    values.append(value)
                    sentences.append(number)
    if scores is not None and (rest := sum(1 for _ in scores)):
        raise DataError(
            f"{settings.scores}: has {count + rest} scores, but {_files(settings.nbest)} has "
            f"{count} hypotheses"
        )
    # Rows are sorted by sentence, and otherwise in the order in which they came.
    order = np.argsort(np.array(sentences, dtype=np.int64), kind="stable")
    nbest = finish_nbest(builder, settings.nbest, settings.sentences)
    return nbest, np.array(values, dtype=np.float64)[order]


def _read_numbers(path: Path) -> Iterator[float]:
    with open_source(path) as source:
        for line, text in source:
            try:
                yield parse_number(text.strip())
            except FormatError as error:
                raise source.error(line, str(error)) from None


def _files(paths: tuple[Path, ...]) -> str:
    return ", ".join(map(str, paths))
