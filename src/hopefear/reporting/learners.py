"""Several learners at once: what they reach, and how much work each of them does for it.

Chiang (2012), JMLR 13, figures 4 and 5.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import Chart, Line
from hopefear.reporting.curves import run_colors
from hopefear.reporting.page import Section, Table, format_bytes
from hopefear.reporting.run_record import RunRecord

__all__ = ["learners_section"]


@dataclass(frozen=True, kw_only=True)
class _Shared:
    """A run whose sentences were shared out, or one that it can be compared with."""

    run: RunRecord
    strategy: str
    workers: int
    sentences: int
    scores: list[float]  # the mean over replicas, of the start and after each epoch

    @property
    def name(self) -> str:
        return f"{self.run.name}: {self.strategy}, {self.workers}"


def learners_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the metric by epoch and by the work of one learner; None without such runs."""
    shared = [found for run in runs if (found := _shared(run)) is not None]
    if all(one.workers == 1 for one in shared):
        return None
    colors = run_colors(runs)
    metric = " and ".join(
        dict.fromkeys(one.run.started.metric for one in shared if one.run.started is not None)
    )
    charts = [
        Chart(
            title=title,
            description=description,
            x_label=label,
            y_label=metric,
            marks=[
                Line(
                    name=one.name,
                    x=[number * (one.sentences / one.workers if work else 1.0) for number in steps],
                    y=one.scores,
                    color=colors[one.run.name],
                    dashed=one.strategy == "mixing",
                )
                for one in shared
                for steps in [range(len(one.scores))]
            ],
        )
        for work, title, label, description in (
            (
                False,
                f"{metric} of several learners by epoch",
                "epoch",
                "The same work in total: in every epoch all learners together visit all sentences. "
                "Dashed lines are learners that are mixed.",
            ),
            (
                True,
                f"{metric} by the work of one learner",
                "sentences that each learner has visited",
                "Time as it would be with a processor for each learner: the sentences that one of "
                "them visits, one after the other.",
            ),
        )
    ]
    return Section(
        title="Several learners", macro="learners", data={"charts": charts, "work": _work(shared)}
    )


def _shared(run: RunRecord) -> _Shared | None:
    if run.started is None:
        return None
    curves = []
    for replica in run.learned:
        events = [event for event in chain([replica.started], replica.epochs) if event is not None]
        held_out = run.started.dev_score is not None
        scores = [event.dev_score if held_out else event.tuning_score for event in events]
        curves.append([score for score in scores if score is not None])
    reached = [list(column) for column in zip(*curves, strict=False)]
    try:
        table = tomllib.loads(run.settings or "").get("strategy", {})
    except (ValueError, RecursionError):
        table = {}
    workers = table.get("workers", 1)
    return _Shared(
        run=run,
        strategy=str(table.get("name", "serial")),
        workers=workers if isinstance(workers, int) and workers > 0 else 1,
        sentences=run.started.sentences,
        scores=[sum(column) / len(column) for column in reached],
    )


def _work(shared: Sequence[_Shared]) -> Table:
    rows = []
    for one in shared:
        epochs = [event for replica in one.run.learned for event in replica.epochs]
        count = max(len(epochs), 1)
        messages = sum(event.messages or 0 for event in epochs) / count
        sent = sum(event.bytes_sent or 0 for event in epochs) / count
        waiting = max((event.waiting or 0 for event in epochs), default=0)
        rows.append(
            [
                one.run.name,
                one.strategy,
                str(one.workers),
                f"{one.sentences / one.workers:.1f}",
                f"{messages:,.0f}" if messages else "",
                format_bytes(round(sent)) if messages else "",
                str(waiting) if messages else "",
                *format_scores([max(one.scores, default=None)]),
            ]
        )
    header = ["run", "strategy", "learners", "sentences of each", "messages", "bytes"]
    return Table(
        caption="Work and traffic of an epoch: sentences that each learner visits, messages and "
        "bytes that all of them send, and the most messages that waited for one of them.",
        header=[*header, "longest queue", "best score"],
        rows=rows,
        texts=2,
        compact=True,
    )
