"""Tuning data out of candidates that are in memory, for runs that read no files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from hopefear.candidates import ListSet
from hopefear.candidates.derived import MARK, derive_features, source_lines
from hopefear.candidates.table import Lists, Table
from hopefear.errors import DataError
from hopefear.formats import SentenceKeys
from hopefear.metrics import Column, Metric, References, TextMetric
from hopefear.runs.load import Loaded, tokenization_warnings
from hopefear.runs.settings import IN_MEMORY
from hopefear.types import FloatArray, Vocabulary

__all__ = ["Given", "GivenReferences", "given_data", "load_given"]

GivenReferences = Sequence[str] | Sequence[Sequence[str]] | Mapping[str, str | Sequence[str]]
TextScore = Callable[[str, Sequence[str]], float]
"""Scores a text against the references of its sentence; higher is better."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """Candidates in memory, and what tells good ones from bad ones.

    Attributes
    ----------
    table : Table
        The candidates, with scores if these take the place of references.
    references : References, optional
        Those of all sentences.
    """

    table: Table
    references: References | None = None

    @property
    def settings(self) -> dict[str, object]:
        """The settings that name such data."""
        judge = "scores" if self.references is None else "references"
        named = [str(IN_MEMORY)]
        return {"nbest": named, judge: named if judge == "references" else str(IN_MEMORY)}


def given_data(
    table: Table, references: GivenReferences | None, score: TextScore | None = None
) -> Given:
    """Return candidates with the references of their sentences, or with scores.

    Parameters
    ----------
    table : Table
        The candidates.
    references : sequence or mapping, optional
        A reference, or several, for each sentence in order, or by its key; those of the table if
        not given.
    score : callable, optional
        Gives the score of a text with the references of its sentence.
    """
    if references is None and table.references is not None:
        references = table.references
    if references is None:
        if score is not None:
            table = replace(table, scores=_scores(table, None, score))
        elif table.scores is None:
            raise DataError(
                "candidates: give references, one or several for each sentence; or let the metric "
                "be a column of scores"
            )
        return Given(table=table)
    found = _aligned(table, references)
    if score is not None:
        return Given(table=replace(table, scores=_scores(table, found, score)))
    if table.scores is not None:
        return Given(table=table)
    table = replace(table, count=len(found.sentences))
    return Given(table=table, references=found)


def _aligned(table: Table, references: GivenReferences) -> References:
    """Return the references in the order of the sentences."""
    if isinstance(references, str):
        raise DataError("references: expected one for each sentence, got a single text")
    if isinstance(references, Mapping):
        by_key = {str(key): value for key, value in references.items()}
        names = table.keys or tuple(str(number) for number in range(table.count))
        present = set(table.sentences.tolist())
        missing = [name for i, name in enumerate(names) if name not in by_key and i in present]
        if missing:
            raise DataError(f"references: there is none for sentence {missing[0]!r}")
        return References([_several(by_key.get(name, ())) for name in names])
    given = [_several(one) for one in references]
    if len(given) != table.count and (table.keys or len(given) < table.count):
        by_key_hint = "; give a mapping from the sentences to their references"
        raise DataError(
            f"there are references for {len(given)} sentences, but candidates of {table.count}"
            f"{by_key_hint if table.keys or len(given) else ''}"
        )
    return References(given)


def _several(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _scores(table: Table, references: References | None, score: TextScore) -> FloatArray:
    sentences = () if references is None else references.sentences
    numbers = table.sentences.tolist()
    return np.array(
        [
            float(score(text, sentences[number] if sentences else ()))
            for text, number in zip(table.texts, numbers, strict=True)
        ]
    )


def load_given(
    given: Given,
    metric: Metric,
    *,
    role: str = "tuning",
    feature_names: Vocabulary | None = None,
    threads: int = 0,
    derived: Sequence[str] = (),
    source: Path | None = None,
) -> Loaded:
    """Make lists of candidates in memory, and let the metric judge each; see `load_data`."""
    lists = given.table.lists(feature_names)
    nbest = derive_features(lists.nbest, derived, source_lines(source), threads=threads)
    lists = replace(lists, nbest=nbest)
    warnings: tuple[str, ...] = ()
    if isinstance(metric, Column):
        lists.nbest.set_statistics(metric.statistics(_kept(given.table, lists)))
        signature = f"mean of {metric.label}"
    else:
        references = cast(References, given.references)
        judge = cast(TextMetric, metric)
        judge.prepare(references).set_statistics(lists.nbest, threads=threads)
        signature = judge.signature(references)
        warnings = tokenization_warnings(metric, references)
    return Loaded(
        candidates=ListSet(nbest=lists.nbest, metric=metric, threads=threads),
        keys=SentenceKeys(given.table.keys),
        role=role,
        signature=signature,
        files="candidates",
        fingerprints={},
        warnings=warnings,
        added=frozenset(MARK + name for name in derived),
        references=given.references,
    )


def _kept(table: Table, lists: Lists) -> FloatArray:
    """Return the score of each row of the lists."""
    return cast(FloatArray, table.scores)[lists.first]
