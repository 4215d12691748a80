"""From files to a tuning set: n-best lists with the statistics of a metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from hopefear.errors import DataError, FormatError
from hopefear.formats import (
    SentenceKeys,
    keyed_references,
    load_nbest,
    read_keyed_lines,
    read_nbest,
)
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Tell, open_source, tell_nobody
from hopefear.learners import TuningSet
from hopefear.metrics import Column, Metric, References, TextMetric, check_tokenization
from hopefear.nbest import NBest, NBestBuilder
from hopefear.texts import read_references
from hopefear.tuning.settings import DataSettings
from hopefear.types import FloatArray, Vocabulary

__all__ = ["LoadedSet", "load_data"]


@dataclass(frozen=True, kw_only=True)
class LoadedSet:
    """A tuning set, and what its files call things.

    `role` is "tuning" or "dev"; `signature` is what the metric's score depends on; `warning` is
    what is odd about the references, if anything is.
    """

    tuning_set: TuningSet
    keys: SentenceKeys
    role: str
    signature: str
    warning: str | None = None

    @property
    def nbest(self) -> NBest:
        """The lists."""
        return self.tuning_set.nbest

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
) -> LoadedSet:
    """Read n-best lists, and let the metric judge every hypothesis.

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
    warning = None
    if isinstance(metric, Column):
        builder = NBestBuilder(feature_names=feature_names, memory_limit=memory_limit)
        keys = SentenceKeys()
        nbest, values = _read_scored(settings, builder, keys, tell)
        nbest.set_statistics(metric.statistics(values))
        signature = f"mean of {settings.score_feature or settings.scores}"
    else:
        text_metric = cast(TextMetric, metric)
        keyed = [
            read_keyed_lines(path) for path in settings.references if settings.keyed_references
        ]
        keys = SentenceKeys(keyed[0] if keyed else ())
        nbest = load_nbest(
            settings.nbest,
            settings.format,
            feature_names=feature_names,
            sentences=settings.sentences,
            keys=keys,
            memory_limit=memory_limit,
            tell=tell,
        )
        references = _references(settings, keyed, keys)
        _check_length(nbest, references, settings)
        tell(f"{role} data: {metric.name}", 0, 0)
        text_metric.prepare(references).set_statistics(nbest, threads=threads)
        signature = text_metric.signature(references)
        warning = check_tokenization(getattr(metric, "tokenize", None), references)
    tuning_set = TuningSet(nbest=nbest, metric=metric, threads=threads)
    return LoadedSet(
        tuning_set=tuning_set, keys=keys, role=role, signature=signature, warning=warning
    )


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


def _check_length(nbest: NBest, references: References, settings: DataSettings) -> None:
    if nbest.sentence_count == len(references):
        return
    hint = (
        f"; if the last sentences have no list, say so with sentences = {len(references)}"
        if nbest.sentence_count < len(references)
        else ""
    )
    raise DataError(
        f"{_files(settings.nbest)} has n-best lists of {nbest.sentence_count} sentences, but "
        f"{_files(settings.references)} has references for {len(references)}{hint}"
    )


def _read_scored(
    settings: DataSettings, builder: NBestBuilder, keys: SentenceKeys, tell: Tell
) -> tuple[NBest, FloatArray]:
    """Read lists whose hypotheses have scores; of equal hypotheses the first one's counts."""
    scores = None if settings.scores is None else _read_numbers(settings.scores)
    values: list[float] = []
    sentences: list[int] = []
    count = 0
    for path in settings.nbest:
        for segment in read_nbest(path, settings.format, tell=tell):
            number = keys.number(segment.sentence)
            for hypothesis in segment.hypotheses:
                features = dict(hypothesis.features)
                if scores is None:
                    value = features.pop(cast(str, settings.score_feature), None)
                    place = f"{path}: sentence {segment.sentence}"
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
    return builder.finish(settings.sentences), np.array(values, dtype=np.float64)[order]


def _read_numbers(path: Path) -> Iterator[float]:
    with open_source(path) as source:
        for line, text in source:
            try:
                yield parse_number(text.strip())
            except FormatError as error:
                raise source.error(line, str(error)) from None


def _files(paths: tuple[Path, ...]) -> str:
    return ", ".join(map(str, paths))
