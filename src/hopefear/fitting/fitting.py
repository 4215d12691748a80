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
from typing import Any

from hopefear.candidates.discretized import learn_bins
from hopefear.candidates.table import Columns
from hopefear.candidates.tabulate import tabulate
from hopefear.errors import HopefearWarning
from hopefear.events import Event, Warned
from hopefear.fitting.fitted import Fitted
from hopefear.fitting.judge import AnyMetric, Judge
from hopefear.learners import AnyLearner
from hopefear.runs import TuneSettings, build_settings, run
from hopefear.runs.given import GivenReferences
from hopefear.runs.run import NO_DEV
from hopefear.settings.tree import keyword_options
from hopefear.translation.features.bins import FeatureBins

__all__ = ["fit"]


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
    judge = Judge.of(metric, table, named)
    data = {"tuning": judge.given(candidates, references, table)}
    if dev is not None:
        pair = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        data["dev"] = judge.given(*pair)
    options = keyword_options(TuneSettings, {"metric": judge.metric} | settings, "fit")
    for role, given in data.items():
        options |= {f"{role}.{name}": value for name, value in given.settings.items()}
    chosen = build_settings(learner, options)
    events: list[Event] = []
    final = [chosen]
    for event in run(chosen, given=data, settled=final.append):
        events.append(event)
        if isinstance(event, Warned) and event.message != NO_DEV:
            warnings.warn(event.message, HopefearWarning, stacklevel=2)
        if on_event is not None:
            on_event(event)
    bins: FeatureBins = {}
    if chosen.discretize is not None:
        bins = learn_bins(data["tuning"].table.lists().nbest, chosen.discretize)
    return Fitted(settings=final[-1], events=tuple(events), judge=judge, bins=bins)
