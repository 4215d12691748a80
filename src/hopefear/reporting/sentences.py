"""Sentences side by side: the start, the result and the reference, largest changes first."""

from collections.abc import Sequence

import numpy as np

from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import GRAY, Chart, Line, Mark, Points
from hopefear.reporting.curves import run_colors
from hopefear.reporting.differences import compared
from hopefear.reporting.page import Section, Table
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.standing import ROLES, Standing
from hopefear.runs.sentences import Sentences
from hopefear.types import FloatArray, IntArray

__all__ = ["lengths_section", "sentences_section"]

# The longest sentences of each group; one more group has all that are longer.
LENGTHS = (10, 20, 30, 40, 50, 60)


def sentences_section(standings: Sequence[Standing], *, shown: int) -> Section | None:
    """Return the sentences that each run changed most: the best run first, with so many of them.

    The others share as many, so that a report of many runs stays small.
    """
    ranked = sorted(standings, key=lambda one: not one.best)
    known = [(one.name, one.run.sentences) for one in ranked if one.run.sentences is not None]
    each = max(1, shown // max(1, len(known) - 1))
    runs = [
        changed
        for i, (name, sentences) in enumerate(known)
        if (changed := _changed(name, sentences, shown if i == 0 else each)) is not None
    ]
    data = {"runs": runs, "several": len(standings) > 1}
    return Section(title="Sentences", macro="sentences", data=data) if runs else None


def _changed(name: str, sentences: Sentences, shown: int) -> dict[str, object] | None:
    """Return the sentences that a run changed most; None if it changed none."""
    before, after = (sentences.metric.gains(rows) for rows in (sentences.start, sentences.result))
    changes = after - before
    order = np.argsort(-np.abs(changes), kind="stable")[:shown].tolist()
    items = []
    for number, text in zip(order, sentences.texts(order), strict=True):
        if text.start == text.result:
            continue
        start, result = compared(text.start, text.result, text.references)
        scores = format_scores([100 * before[number], 100 * after[number], 100 * changes[number]])
        scores[-1] = scores[-1].replace("-", "−") if changes[number] < 0 else f"+{scores[-1]}"
        items.append(
            {
                "number": number,
                "name": text.name,
                "source": text.source,
                "references": text.references,
                "start": start,
                "result": result,
                "change": float(changes[number]),
                "scores": scores,
            }
        )
    if not items:
        return None  # candidates without texts, perhaps
    return {
        "name": name,
        "role": ROLES.get(sentences.role, sentences.role),
        "metric": sentences.metric.name,
        "items": items,
        "total": len(changes),
        "better": int((changes > 0).sum()),
        "worse": int((changes < 0).sum()),
    }


def lengths_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the metric of short and of long sentences, before and after."""
    judged = [run for run in runs if run.sentences is not None]
    metrics = dict.fromkeys(run.sentences.metric.name for run in judged if run.sentences)
    if not judged:
        return None
    metric = next(iter(metrics))
    shown = [run for run in judged if run.sentences and run.sentences.metric.name == metric]
    first = shown[0].sentences
    assert first is not None
    groups = _groups(first)
    if len(groups) < 2:
        return None
    colors, places = run_colors(runs), [at for _, at, _ in groups]
    start = _scores(first, first.start, groups)
    marks: list[Mark] = [Line(name="start", x=places, y=start, color=GRAY, dashed=True)]
    columns = [("start", start)]
    for run in shown:
        sentences = run.sentences
        assert sentences is not None
        own = _groups(sentences)
        if [name for name, _, _ in own] != [name for name, _, _ in groups]:
            continue  # other data
        scores = _scores(sentences, sentences.result, own)
        labels = [f"{run.name}: {name} words" for name, _, _ in groups]
        color = colors[run.name]
        marks += [
            Line(name=run.name, x=places, y=scores, color=color),
            Points(name=run.name, listed=False, x=places, y=scores, color=color, labels=labels),
        ]
        columns.append((run.name, scores))
    counts = [f"{len(rows):,}" for _, _, rows in groups]
    figures = Table(
        caption=f"{metric} by the length of the reference",
        header=["words", "sentences", *[name for name, _ in columns]],
        rows=[
            [name, counts[i], *format_scores([scores[i] for _, scores in columns])]
            for i, (name, _, _) in enumerate(groups)
        ],
    )
    chart = Chart(
        title=f"{metric} by length",
        description=f"{metric} of sentences by the number of words of their (first) reference, at "
        "the mean length of each group.",
        x_label="words of the reference",
        y_label=metric,
        marks=marks,
    )
    data = {"chart": chart, "figures": figures}
    return Section(title="Score by length", macro="lengths", data=data)


def _groups(sentences: Sentences) -> list[tuple[str, float, IntArray]]:
    """Return the groups that have sentences: name, mean length, and the sentences."""
    found = []
    lengths = sentences.lengths
    for low, high in zip((-1, *LENGTHS), (*LENGTHS, np.inf), strict=True):
        rows = np.flatnonzero((lengths > low) & (lengths <= high))
        if len(rows):
            name = f"over {low}" if high == np.inf else f"{low + 1} to {high:g}"
            found.append((name, float(lengths[rows].mean()), rows))
    return found


def _scores(
    sentences: Sentences,
    statistics: FloatArray,
    groups: Sequence[tuple[str, float, IntArray]],
) -> list[float]:
    score = sentences.metric.score
    return [float(score(statistics[rows].sum(axis=0))) for _, _, rows in groups]
