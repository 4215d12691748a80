"""What tells good candidates from bad ones: a metric and references, a column, or a function."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, cast

from hopefear.candidates.table import Columns, Table
from hopefear.candidates.tabulate import tabulate
from hopefear.errors import ConfigError
from hopefear.metrics import Column, Metric, metrics
from hopefear.registry import suggest
from hopefear.runs.given import Given, GivenReferences, TextScore, given_data

__all__ = ["AnyMetric", "Judge"]

AnyMetric = str | Metric | TextScore | Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A metric, and what the columns of candidates are called.

    Attributes
    ----------
    columns : Columns
    metric : str, Metric or mapping
        As settings have it.
    score : callable, optional
        The function that gives scores, if the metric is their mean.
    """

    columns: Columns
    metric: str | Metric | Mapping[str, object]
    score: TextScore | None = None

    @classmethod
    def of(cls, metric: AnyMetric, table: Table, columns: Columns) -> Self:
        """Return what a metric stands for: itself, a column, or a function."""
        if isinstance(metric, Column):
            return cls(columns=replace(columns, score=metric.label), metric=metric)
        if isinstance(metric, Mapping):
            return cls(columns=columns, metric=metric)
        if isinstance(metric, str):
            if metric in metrics:
                return cls(columns=columns, metric=metric)
            if metric not in {*table.columns, *table.sparse.names}:
                known = [*metrics, *table.columns]
                raise ConfigError(
                    f"metric: '{metric}' is neither a metric nor a column of numbers"
                    f"{suggest(metric, known)}",
                    settings=("metric",),
                )
            return cls(columns=replace(columns, score=metric), metric=Column(label=metric))
        if hasattr(metric, "corpus_score"):
            return cls(columns=columns, metric=cast(Metric, metric))
        label = getattr(metric, "__name__", "score")
        return cls(columns=columns, metric=Column(label=label), score=metric)

    def given(
        self, candidates: object, references: GivenReferences | None, table: Table | None = None
    ) -> Given:
        """Return candidates with what judges them; `table` is theirs, if it is known."""
        if table is None or self.columns.score is not None:
            table = tabulate(candidates, self.columns)
        return given_data(table, references, self.score)
