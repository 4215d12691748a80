"""What `hopefear.fit` returns: weights, and what can be done with them."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
import tomli_w

from hopefear.candidates.derived import MARK, derive_features, derived_names
from hopefear.candidates.discretized import discretize_lists
from hopefear.candidates.reranking import check_features
from hopefear.candidates.table import Columns, Table
from hopefear.candidates.tabulate import reordered, tabulate
from hopefear.errors import ConfigError
from hopefear.events import (
    CrossValidated,
    Event,
    ReplicasFinished,
    RunFinished,
    RunStarted,
    read_log,
)
from hopefear.fitting.judge import Judge
from hopefear.formats.files import PathLike, open_output
from hopefear.learners import learners
from hopefear.metrics.base import format_scores
from hopefear.nbest import NBest
from hopefear.runs import TuneSettings
from hopefear.runs.given import GivenReferences, TextScore, load_given
from hopefear.runs.run_directory import RunDirectory
from hopefear.settings import config
from hopefear.translation.features.bins import FeatureBins, run_bins
from hopefear.types import FloatArray, IntArray, Vocabulary, Weights

__all__ = ["Fitted"]

COLUMNS_FILE = "fit.toml"
MOST_SHOWN = 20
Row = tuple[str, float, float | None]


@dataclass(frozen=True, kw_only=True, repr=False)
class Fitted:
    """Weights that were learned, and what can be done with them.

    Attributes
    ----------
    settings : TuneSettings
        The settings of the run, with every default.
    events : tuple of Event
        All that happened, see `hopefear.events`.
    judge : Judge
        The metric, and what the columns of candidates are called.
    bins : mapping
        The bins of discretized features, if there are any.
    """

    settings: TuneSettings
    events: tuple[Event, ...]
    judge: Judge
    bins: FeatureBins = field(default_factory=dict)

    @cached_property
    def _end(self) -> RunFinished | ReplicasFinished:
        ends = RunFinished | ReplicasFinished
        return [event for event in self.events if isinstance(event, ends)][-1]

    @property
    def weights(self) -> Weights:
        """The weights to use; a notebook shows them as a table."""
        return self._end.weights

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self._end.metric

    @property
    def tuning_score(self) -> float | None:
        """The metric on the data that the weights were learned from."""
        return self._end.tuning_score

    @property
    def dev_score(self) -> float | None:
        """The metric on held-out data, if there are any."""
        return self._end.dev_score

    @property
    def folds_score(self) -> float | None:
        """The metric by cross-validation, on sentences not learned from, if there was any."""
        found = [event for event in self.events if isinstance(event, CrossValidated)]
        return found[-1].score if found else None

    def predict(self, candidates: object) -> list[str]:
        """Return the best text of each sentence that has candidates.

        Sentences come in the order of their numbers, or as in the candidates if they have keys.
        """
        table = tabulate(candidates, self.judge.columns)
        best = self._order(table)
        firsts = np.unique(table.sentences[best], return_index=True)[1]
        return [table.texts[row] for row in best[firsts].tolist()]

    def rerank(self, candidates: Any) -> Any:
        """Return the candidates by sentence, the best first.

        Lists stay lists of the same records, and a frame stays a frame with its rows in order.
        """
        table = tabulate(candidates, self.judge.columns)
        return reordered(candidates, table, self._order(table), self.judge.columns)

    def score(self, candidates: object, references: GivenReferences | None = None) -> float:
        """Return the metric of the best candidates, as it is printed."""
        return float(self.settings.metric.score(self._chosen(candidates, references)))

    def gain(self, candidates: object, references: GivenReferences | None = None) -> float:
        """Return the metric of the best candidates as learners see it: higher is always better."""
        metric = self.settings.metric
        return float(metric.corpus_score()(self._chosen(candidates, references)))

    def _chosen(self, candidates: object, references: GivenReferences | None) -> FloatArray:
        table = tabulate(candidates, self.judge.columns)
        given = self.judge.given(candidates, references, table)
        names = Vocabulary()
        data = load_given(given, self.settings.metric, feature_names=names, threads=self._threads)
        lists, scored = data.nbest, self._scored(data.nbest)
        best = scored.best(self.weights.vector(scored.feature_names), threads=self._threads)
        return lists.sum_statistics(best)

    def model_scores(self, candidates: object) -> FloatArray:
        """Return the score of each candidate under the weights, w · h."""
        return self._scores(tabulate(candidates, self.judge.columns))

    def save(self, path: PathLike, *, force: bool = False) -> Path:
        """Write the directory of the run, as `hopefear tune` does, and return it.

        Parameters
        ----------
        path : path
            The directory.
        force : bool
            Replace a run that is there.
        """
        target = Path(path)
        with RunDirectory(target, self.settings, force=force) as directory:
            directory.bins = self.bins
            for event in self.events:
                if isinstance(event, RunStarted) and event.replica is not None:
                    directory.begin_replica(event.replica)
                if isinstance(event, ReplicasFinished):
                    directory.end_replicas()
                directory.write(event)
        named = {
            one.name: list(value) if isinstance(value, tuple) else value
            for one in fields(Columns)
            if (value := getattr(self.judge.columns, one.name))
        }
        table = {"columns": named, "function": self.judge.score is not None}
        with open_output(target / COLUMNS_FILE) as file:
            file.write(tomli_w.dumps(table))
        return target

    @classmethod
    def load(cls, path: PathLike, *, metric: TextScore | None = None) -> Self:
        """Read what `save` wrote, or the directory of a run of `hopefear tune`.

        Parameters
        ----------
        path : path
            The directory.
        metric : callable, optional
            The metric, if it was a function: functions are not saved.
        """
        folder = Path(path)
        if not (folder / "weights.tsv").is_file():
            raise ConfigError(f"{folder}: is not the directory of a finished run: no weights.tsv")
        own: dict[str, Any] = {}
        if (file := folder / COLUMNS_FILE).is_file():
            own = tomllib.loads(file.read_text(encoding="utf-8"))
        settings = config.load(TuneSettings, folder / "config.toml")
        score = metric or (_not_saved if own.get("function") else None)
        judge = Judge(
            columns=Columns(**own.get("columns", {})), metric=settings.metric, score=score
        )
        events = tuple(read_log(folder / "events.jsonl"))
        return cls(settings=settings, events=events, judge=judge, bins=run_bins(folder))

    def report(self, path: PathLike = "report.html") -> Path:
        """Write the report of the run as one HTML file, and return its path."""
        from hopefear.reporting import write_report

        with TemporaryDirectory() as folder:
            write_report([self.save(Path(folder) / self._name)], path)
        return Path(path)

    @property
    def _name(self) -> str:
        return learners.name_of(type(self.settings.learner))

    @property
    def _threads(self) -> int:
        return self.settings.threads

    def _scored(self, lists: NBest) -> NBest:
        """Return lists with the features that the weights are for."""
        derived = derived_names(name for name in self.weights if name.startswith(MARK))
        lists = derive_features(lists, derived, threads=self._threads)
        return discretize_lists(lists, self.bins, Vocabulary()) if self.bins else lists

    def _scores(self, table: Table) -> FloatArray:
        lists = table.lists()
        scored = self._scored(lists.nbest)
        check_features(self.weights, list(scored.feature_names), "candidates")
        vector = self.weights.vector(scored.feature_names)
        return scored.scores(vector, self._threads)[lists.rows]

    def _order(self, table: Table) -> IntArray:
        """Return the candidates by sentence, the best first; of equal ones the earlier."""
        return np.lexsort((-self._scores(table), table.sentences))

    def _rows(self) -> Iterator[Row]:
        """Give features, weights and what they are worth, those that matter most first."""
        started = [event for event in self.events if isinstance(event, RunStarted)]
        spread = started[0].spread if started else None
        found: list[Row] = [
            (name, value, None if spread is None else value * spread.get(name, 0.0))
            for name, value in self.weights.items()
        ]
        yield from sorted(found, key=lambda row: -abs(row[1] if row[2] is None else row[2]))

    @property
    def _title(self) -> str:
        scores = {
            "tuning": self.tuning_score,
            "held-out": self.dev_score,
            "cross-validated": self.folds_score,
        }
        known = [
            f"{metric} {text}"
            for metric, text in zip(
                (f"{name} {self.metric}" for name, score in scores.items() if score is not None),
                format_scores([score for score in scores.values() if score is not None]),
                strict=True,
            )
        ]
        return f"Fitted({', '.join([self._name, *known])}, {len(self.weights):,} features)"

    def __repr__(self) -> str:
        rows = list(self._rows())
        lines = [self._title, f"{'feature':20} {'weight':>12} {'x spread':>12}"]
        for name, weight, worth in rows[:MOST_SHOWN]:
            lines.append(f"{name:20} {weight:12.6g} {'' if worth is None else f'{worth:12.4g}'}")
        if len(rows) > MOST_SHOWN:
            lines.append(f"... {len(rows) - MOST_SHOWN:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{weight:.6g}</td>"
            f"<td>{'' if worth is None else f'{worth:.4g}'}</td></tr>"
            for name, weight, worth in list(self._rows())[:MOST_SHOWN]
        )
        head = "<tr><th>feature</th><th>weight</th><th>weight × spread</th></tr>"
        return f"<p>{escape(self._title)}</p><table>{head}{rows}</table>"


def _not_saved(text: str, references: object) -> float:
    raise ConfigError(
        "the metric was a Python function, which is not saved; give it again: "
        "Fitted.load(path, metric=function)"
    )
