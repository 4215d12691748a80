"""Sentences side by side: the start, the result of each run and the reference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import GRAY, Chart, Line, Mark, Points
from hopefear.reporting.curves import run_colors
from hopefear.reporting.differences import Piece, compared
from hopefear.reporting.page import Section, Table
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.standing import ROLES, Standing, same_sentences
from hopefear.runs.sentences import Sentences, SentenceTexts
from hopefear.types import FloatArray, IntArray

__all__ = ["lengths_section", "sentences_section"]

# The longest sentences of each group; one more group has all that are longer.
LENGTHS = (10, 20, 30, 40, 50, 60)


def sentences_section(standings: Sequence[Standing], *, shown: int) -> Section | None:
    """Return sentences side by side: a list for all runs that are judged by the same ones.

    The list with the best run comes first, with so many sentences. The others share as many.
    """
    lists: list[list[_Judged]] = []
    for one in sorted(standings, key=lambda one: not one.best):
        if (sentences := one.run.sentences) is None:
            continue
        found = (runs for runs in lists if same_sentences(runs[0].sentences, sentences))
        if (runs := next(found, None)) is None:
            lists.append(runs := [])
        runs.append(_Judged(name=one.name, sentences=sentences))
    each = max(1, shown // max(1, len(lists) - 1))
    made = [_list(runs, each if i else shown) for i, runs in enumerate(lists)]
    data = {"lists": [one for one in made if one is not None]}
    return Section(title="Sentences", macro="sentences", data=data) if data["lists"] else None


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """A run and the sentences that judge it."""

    name: str
    sentences: Sentences


def _list(runs: Sequence[_Judged], shown: int) -> dict[str, object] | None:
    """Return the sentences that say most about some runs; None if the runs changed none."""
    first, several = runs[0].sentences, len(runs) > 1
    before = np.stack([run.sentences.metric.gains(run.sentences.start) for run in runs])
    after = np.stack([run.sentences.metric.gains(run.sentences.result) for run in runs])
    chosen = _telling(before, after, shown)
    texts = [run.sentences.texts(chosen) for run in runs]
    items = [
        {
            "number": number,
            "name": here[0].name,
            "source": here[0].source,
            "references": here[0].references,
            "spread": float(np.ptp(after[:, number])),
            "changes": (after - before)[:, number].tolist(),
            "cells": list(_cells(runs, here, 100 * before[:, number], 100 * after[:, number])),
        }
        for number, here in zip(chosen, zip(*texts, strict=True), strict=True)
        if len({text for one in here for text in (one.start, one.result)}) > 1
    ]
    if not items:
        return None  # candidates without texts, perhaps
    counts = [[int((a > b).sum()), int((a < b).sum())] for a, b in zip(after, before, strict=True)]
    against = [[int((a > after[0]).sum()), int((a < after[0]).sum())] for a in after]
    role, metric, best = ROLES.get(first.role, first.role), first.metric.name, runs[0].name
    than_best = [f"higher than {best}", f"lower than {best}"]
    rows = [
        [run.name, *map(str, counts[i]), *(map(str, against[i]) if i else ("", ""))]
        for i, run in enumerate(runs)
    ]
    table = Table(
        caption=f"How many of {len(after[0]):,} sentences of the {role} data have a higher or a "
        f"lower {metric} than at the start, and than in {best}.",
        header=["run", "higher than start", "lower than start", *than_best],
        rows=rows,
    )
    return {
        "names": [run.name for run in runs],
        "role": role,
        "metric": metric,
        "items": items,
        "total": len(after[0]),
        "better": counts[0][0],
        "worse": counts[0][1],
        "counts": table if several else None,
    }


def _telling(before: FloatArray, after: FloatArray, shown: int) -> list[int]:
    """Return the sentences in which runs differ most and, in turn, those that a run changed most.

    They are ordered by how much runs differ, and those of a single run by how much it changed them.
    """
    sizes = [np.abs(after - before).max(axis=0)]
    if len(after) > 1:
        sizes.insert(0, np.ptp(after, axis=0))
    orders = [np.argsort(-size, kind="stable").tolist() for size in sizes]
    mixed = dict.fromkeys(chain.from_iterable(zip(*orders, strict=True)))
    return sorted(islice(mixed, shown), key=lambda number: [-size[number] for size in sizes])


def _cells(
    runs: Sequence[_Judged],
    texts: Sequence[SentenceTexts],
    before: FloatArray,
    after: FloatArray,
) -> Iterator[dict[str, object]]:
    """Yield what is side by side: starts and then results, each text once."""
    starts: dict[str, list[int]] = {}
    results: dict[tuple[str, str], list[int]] = {}
    for i, text in enumerate(texts):
        starts.setdefault(text.start, []).append(i)
        results.setdefault((text.start, text.result), []).append(i)
    references = texts[0].references

    def named(of: Sequence[int]) -> str:
        return "all runs" if len(of) == len(runs) else ", ".join(runs[i].name for i in of)

    for start, of in starts.items():
        pieces = [Piece(text=start)] if start else []
        if len(runs) == 1:  # what is marked is what this run has lost
            pieces = compared(start, texts[0].result, references)[0]
        label = "start" if len(starts) == 1 else f"start of {named(of)}"
        if unchanged := results.pop((start, start), None):
            label += f", {named(unchanged)}"
        score = format_scores([before[of[0]]])[0]
        yield {"label": label, "score": score, "pieces": pieces, "tag": "del"}
    for (start, result), of in results.items():
        old, new = before[of[0]], after[of[0]]
        score, change = format_scores([new, new - old])
        change = change.replace("-", "−") if new < old else f"+{change}"
        yield {
            "label": "result" if len(runs) == 1 else named(of),
            "score": f"{score} ({change})",
            "pieces": compared(start, result, references)[1],
            "tag": "ins",
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
