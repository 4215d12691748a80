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
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hopefear.candidates.derived import MARK
from hopefear.candidates.discretized import learn_bins
from hopefear.candidates.table import Columns
from hopefear.candidates.tabulate import tabulate
from hopefear.errors import HopefearWarning
from hopefear.events import Event, Warned
from hopefear.fitting.fitted import Fitted
from hopefear.fitting.judge import AnyMetric, Judge
from hopefear.learners import AnyLearner
from hopefear.runs import TuneSettings, build_settings, run
from hopefear.runs.given import Given, GivenReferences
from hopefear.settings.tree import keyword_options
from hopefear.translation.features.bins import FeatureBins

__all__ = ["fit", "prepare", "settings_and_data"]


def fit(
    candidates: object,
    references: GivenReferences | None = None,
    *,
    metric: AnyMetric = "bleu",
    learner: str | AnyLearner = "auto",
    dev: tuple[object, GivenReferences | None] | object | None = None,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
    **settings: Any,
) -> Fitted:
    """Learn the weights under which the candidates with the highest scores are the best ones.

    Parameters
    ----------
    candidates : object
        A list of records for each sentence, records or columns that name their sentence, or a
        frame of pandas, polars, Arrow or datasets; see `hopefear.candidates.tabulate`.
    references : sequence or mapping, optional
        A reference, or several, for each sentence. Not needed if a column of the candidates has
        them, or if the metric is a column.
    metric : str, Metric or callable
        What to optimize: a metric (``"bleu"``, ``"chrf"``, ``"ter"``, ``"wer"``), the name of a
        column of scores, or a function of a text and the references of its sentence. Of a
        function or a column, higher is better and the mean over sentences counts.
    learner : str or Learner
        ``"auto"``, which chooses by the data; a learner, a preset, or a TOML file of settings.
    dev : pair of candidates and references, optional
        Held-out data, by which the best epoch is chosen.
    columns : mapping, optional
        What columns are called, as in ``{"text": "mt", "sentence": "seg_id"}``.
    features : sequence of str, optional
        The columns that are features; by default all with numbers. Names with a plus sign, as in
        ``["+words", "+agreement:chrf"]``, are derived from the texts.
    ignore : sequence of str
        Columns that are not features although they have numbers.
    on_event : callable, optional
        Called with each event as it happens, see `hopefear.events`.
    **settings
        Settings of `hopefear.tune`: ``epochs``, ``scale_features``, ``seed``, ``threads``,
        ``learner__max_step``, ``tokenize``, ``replicas`` and all others.
    """
    derived = [name for name in features or () if name.startswith(MARK)]
    named = [name for name in features or () if not name.startswith(MARK)]
    chosen, data, judge = prepare(
        learner,
        candidates,
        references,
        metric=metric,
        dev=dev,
        columns=Columns(**(columns or {}), features=named or None, ignore=tuple(ignore)),
        settings=settings | ({"features": derived} if derived else {}),
    )
    events: list[Event] = []
    final = [chosen]
    for event in run(chosen, given=data, settled=final.append):
        events.append(event)
        if isinstance(event, Warned):
            warnings.warn(event.message, HopefearWarning, stacklevel=2)
        if on_event is not None:
            on_event(event)
    bins: FeatureBins = {}
    if chosen.discretize is not None:
        bins = learn_bins(data["tuning"].table.lists().nbest, chosen.discretize)
    return Fitted(settings=final[-1], events=tuple(events), judge=judge, bins=bins)


def prepare(
    learner: str | Path | AnyLearner,
    candidates: object,
    references: GivenReferences | None,
    *,
    metric: AnyMetric = "bleu",
    dev: tuple[object, GivenReferences | None] | object | None = None,
    columns: Columns | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
    assignments: Sequence[str] = (),
) -> tuple[TuneSettings, dict[str, Given], Judge]:
    """Return the settings and the data of a run on candidates in memory; see `fit`."""
    named = columns or Columns()
    table = tabulate(candidates, named)
    judge = Judge.of(metric, table, named)
    data = {"tuning": judge.given(candidates, references, table)}
    if dev is not None:
        pair = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        data["dev"] = judge.given(*pair)
    options = keyword_options(TuneSettings, {"metric": judge.metric} | dict(settings), "fit")
    for role, given in data.items():
        options |= {f"{role}.{name}": value for name, value in given.settings.items()}
    return build_settings(learner, options, assignments=assignments), data, judge


def settings_and_data(
    learner: str | Path | AnyLearner, keywords: Mapping[str, Any], assignments: Sequence[str]
) -> tuple[TuneSettings, dict[str, Given]]:
    """Return the settings of `hopefear.tune`, and its data if they are in memory."""
    if not _is_in_memory(keywords.get("nbest")):
        options = keyword_options(TuneSettings, keywords, "tune")
        return build_settings(learner, options, assignments=assignments), {}
    own = dict(keywords)
    dev, dev_references = own.pop("dev_nbest", None), own.pop("dev_refs", None)
    chosen, given, _ = prepare(
        learner,
        own.pop("nbest"),
        own.pop("refs", None),
        metric=own.pop("metric", "bleu"),
        dev=None if dev is None else (dev, dev_references),
        settings=own,
        assignments=assignments,
    )
    return chosen, given


def _is_in_memory(nbest: object) -> bool:
    """Whether lists are objects, not names of files."""
    if nbest is None or isinstance(nbest, str | Path | int | float):
        return False
    named = isinstance(nbest, list | tuple) and all(isinstance(one, str | Path) for one in nbest)
    return not named
