"""`hopefear.fit`: learn weights from candidates that are in memory.

>>> from hopefear import fit
>>> candidates = [
...     [{"text": "a cat on a mat", "lm": -2.5}, {"text": "the cat is on the mat", "lm": -2.0}],
...     [{"text": "a dog barks at me", "lm": -3.0}, {"text": "dog barks at the me", "lm": -4.5}],
... ]
>>> references = ["the cat is on the mat", "a dog barks at me"]
>>> fitted = fit(candidates, references, learner="kbest-mira", start={"lm": -1.0})
>>> fitted.predict(candidates)
['the cat is on the mat', 'a dog barks at me']
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from hopefear.candidates.reranking import check_features
from hopefear.candidates.table import Columns, Table, tabulate
from hopefear.errors import ConfigError, HopefearWarning
from hopefear.events import Event, ReplicasFinished, RunFinished, Warned
from hopefear.learners import AnyLearner
from hopefear.metrics import Column, Metric, metrics
from hopefear.registry import suggest
from hopefear.runs import TuneSettings, build_settings, run
from hopefear.runs.given import Given, GivenReferences, TextScore, given_data, load_given
from hopefear.runs.run import NO_DEV
from hopefear.settings.tree import keyword_options
from hopefear.types import FloatArray, IntArray, Weights

__all__ = ["Fitted", "fit"]

AnyMetric = str | Metric | TextScore


def fit(
    candidates: object,
    references: GivenReferences | None = None,
    *,
    metric: AnyMetric = "bleu",
    learner: str | AnyLearner = "kbest-mira",
    dev: tuple[object, GivenReferences | None] | object | None = None,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
    **settings: Any,
) -> "Fitted":
    """Learn the weights under which the candidates with the highest scores are the best ones.

    Parameters
    ----------
    candidates : object
        A list of records for each sentence, records or columns that name their sentence, or a
        frame of pandas, polars, Arrow or datasets; see `hopefear.candidates.table`.
    references : sequence or mapping, optional
        A reference, or several, for each sentence. Not needed if a column of the candidates has
        them, or if the metric is a column.
    metric : str, Metric or callable
        What to optimize: a metric (``"bleu"``, ``"chrf"``, ``"ter"``, ``"wer"``), the name of a
        column of scores, or a function of a text and the references of its sentence. Of a
        function or a column, higher is better and the mean over sentences counts.
    learner : str or Learner
        A learner, a preset, or a TOML file of settings.
    dev : pair of candidates and references, optional
        Held-out data, by which the best epoch is chosen.
    columns : mapping, optional
        What columns are called, as in ``{"text": "mt", "sentence": "seg_id"}``.
    features : sequence of str, optional
        The columns that are features; by default all with numbers.
    ignore : sequence of str
        Columns that are not features although they have numbers.
    on_event : callable, optional
        Called with each event as it happens, see `hopefear.events`.
    **settings
        Settings of `hopefear.tune`: ``epochs``, ``scale_features``, ``seed``, ``threads``,
        ``learner__max_step``, ``tokenize``, ``replicas`` and all others.
    """
    named = Columns(**(columns or {}), features=features, ignore=tuple(ignore))
    table = tabulate(candidates, named)
    judge = _Judge.of(metric, table, named)
    data = {"tuning": judge.given(candidates, references, table)}
    if dev is not None:
        pair = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        data["dev"] = judge.given(*pair)
    options = keyword_options(TuneSettings, judge.settings | settings, "fit")
    for role, given in data.items():
        options |= {f"{role}.{name}": value for name, value in given.settings.items()}
    chosen = build_settings(learner, options)
    events = []
    for event in run(chosen, given=data):
        events.append(event)
        if isinstance(event, Warned) and event.message != NO_DEV:
            warnings.warn(event.message, HopefearWarning, stacklevel=2)
        if on_event is not None:
            on_event(event)
    return Fitted(settings=chosen, events=tuple(events), judge=judge)


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """What tells good candidates from bad ones, and what their columns are called."""

    columns: Columns
    metric: str | Metric
    score: TextScore | None = None

    @classmethod
    def of(cls, metric: AnyMetric, table: Table, columns: Columns) -> "_Judge":
        """Return what a metric stands for: itself, a column, or a function."""
        if isinstance(metric, Column):
            return cls(columns=_scored(columns, metric.label), metric=metric)
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
            return cls(columns=_scored(columns, metric), metric=Column(label=metric))
        if hasattr(metric, "corpus_score"):
            return cls(columns=columns, metric=cast(Metric, metric))
        label = getattr(metric, "__name__", "score")
        return cls(columns=columns, metric=Column(label=label), score=metric)

    @property
    def settings(self) -> dict[str, object]:
        return {"metric": self.metric}

    def given(
        self,
        candidates: object,
        references: GivenReferences | None,
        table: Table | None = None,
    ) -> Given:
        """Return candidates with what judges them."""
        if table is None or self.columns.score is not None:
            table = tabulate(candidates, self.columns)
        return given_data(table, references, self.score)


def _scored(columns: Columns, name: str) -> Columns:
    return replace(columns, score=name)


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """Weights that were learned, and what can be done with them.

    Attributes
    ----------
    settings : TuneSettings
        The settings of the run, with every default.
    events : tuple of Event
        All that happened, see `hopefear.events`.
    """

    settings: TuneSettings
    events: tuple[Event, ...] = field(repr=False)
    judge: _Judge = field(repr=False)

    @property
    def _end(self) -> RunFinished | ReplicasFinished:
        return cast("RunFinished | ReplicasFinished", self.events[-1])

    @property
    def weights(self) -> Weights:
        """The weights to use."""
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

    def predict(self, candidates: object) -> list[str]:
        """Return the best text of each sentence.

        Sentences come in the order of their numbers, or as in the candidates if they have keys.
        """
        table = tabulate(candidates, self.judge.columns)
        best = self._order(table)
        sentences = table.sentences[best]
        return [table.texts[best[i]] for i in np.unique(sentences, return_index=True)[1].tolist()]

    def score(self, candidates: object, references: GivenReferences | None = None) -> float:
        """Return the metric of the best candidates, as it is printed."""
        given = self.judge.given(candidates, references)
        data = load_given(given, self.settings.metric, threads=self.settings.threads)
        return data.candidates.score(self.weights.vector(data.candidates.feature_names))

    def model_scores(self, candidates: object) -> FloatArray:
        """Return the score of each candidate under the weights: w · h."""
        return self._scores(tabulate(candidates, self.judge.columns))

    def _scores(self, table: Table) -> FloatArray:
        lists = table.lists()
        check_features(self.weights, list(lists.nbest.feature_names), "candidates")
        vector = self.weights.vector(lists.nbest.feature_names)
        return lists.nbest.scores(vector, self.settings.threads)[lists.rows]

    def _order(self, table: Table) -> IntArray:
        """Return the candidates by sentence, the best first; of equal ones the earlier."""
        return np.lexsort((-self._scores(table), table.sentences))
