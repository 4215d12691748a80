"""The top of a report: what was run, the best run, and where all runs stand."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import BEST, GRAY, Chart, Line, Mark, Points
from hopefear.reporting.page import Section, Table, format_seconds
from hopefear.reporting.run_record import RunRecord, flat_settings
from hopefear.reporting.standing import ROLES, SHUFFLES, Standing, best_of, format_p

__all__ = ["summary_section", "what_was_run"]


def what_was_run(runs: Sequence[RunRecord]) -> str:
    """Return a sentence: how many runs, of what, on what data."""
    running = sum(run.running and run.failure is not None for run in runs)
    failed = sum(run.failure is not None for run in runs) - running
    count = "One run" if len(runs) == 1 else f"{len(runs)} runs"
    names = dict.fromkeys(run.started.name for run in runs if run.started is not None)
    learners = f" of {' and '.join(names)}" if 0 < len(names) < 3 else ""
    about = f"{count}{learners}{_data(runs)}"
    rest = [f"{running} still running"] if running else []
    rest += [f"{failed} without a result"] if failed else []
    return f"{'; '.join([about, *rest])}."


def _data(runs: Sequence[RunRecord]) -> str:
    """Return what all runs learned from, as far as they agree on it."""
    starts = [run.started for run in runs if run.started is not None]
    sizes = {(one.sentences, one.hypotheses, one.features) for one in starts}
    files = {_files(run) for run in runs}
    if len(sizes) != 1:
        return ""
    sentences, hypotheses, features = sizes.pop()
    inside = "" if hypotheses is None else f"{hypotheses:,} hypotheses, "
    file = f" of {files.pop()}" if len(files) == 1 and files != {""} else ""
    return f" on {sentences:,} sentences{file} ({inside}{features:,} features)"


def _files(run: RunRecord) -> str:
    """Return the names of the files that a run learned from, without their folders."""
    table = flat_settings(run.settings or "")
    for kind in ("nbest", "forests", "source"):
        if given := table.get(f"tuning.{kind}"):
            return ", ".join(PurePath(file).name for file in given.split(", "))
    return ""


def summary_section(runs: Sequence[RunRecord], found: Sequence[Standing]) -> Section:
    """Return the best run, the scores of all, and why some have no result."""
    best = best_of(found)
    return Section(
        title="Summary",
        macro="summary",
        data={
            "best": None if best is None else _highlight(best, found),
            "apart": len({one.data for one in found}) > 1,
            "chart": _before_and_after(found) if len(found) > 1 else None,
            "scores": _scores(runs, {one.name: one for one in found}),
            "replicas": [_replicas(run) for run in runs if run.summary is not None],
            "unfinished": [
                {"name": run.name, "reason": run.failure, "running": run.running}
                for run in runs
                if run.failure is not None
            ],
            "warnings": sum(len(run.warnings) for run in runs),
        },
    )


def _highlight(best: Standing, found: Sequence[Standing]) -> dict[str, object]:
    """Return what is said of the best run."""
    shown = [best.start, best.result, best.change, best.deviation, best.mean]
    start, result, _, deviation, mean = format_scores(shown)
    rivals = [one for one in found if one.against_best is not None]
    facts = []
    if best.against_start is not None:
        facts.append(f"against the start: p {_relation(best.against_start)}")
    if deviation and best.run.summary is not None:
        facts.append(f"mean of {best.run.summary.replicas} replicas: {mean} ± {deviation}")
    if rivals:
        next_best = max(rivals, key=lambda one: _signed(one))
        gap = format_scores([abs(_signed(best) - _signed(next_best)), best.mean])[0]
        p = _relation(next_best.against_best)
        several = best.deviation is not None or next_best.deviation is not None
        how = "on average ahead" if several else "ahead"
        facts.append(f"{how} of {next_best.name} by {gap}: p {p}")
    return {
        "name": best.name,
        "label": _label(best, found),
        "metric": best.metric,
        "role": ROLES[best.role],
        "start": start,
        "result": result,
        "change": _signed_change(best),
        "oracle": format_scores([best.oracle])[0],
        "way": best.way,
        "facts": facts,
    }


def _label(best: Standing, found: Sequence[Standing]) -> str:
    if best.run.failure is not None:
        return "So far"
    return "Result" if len(found) == 1 else "Best run"


def _relation(p: float | None) -> str:
    text = format_p(p)
    return text if text.startswith("<") else f"= {text}"


def _signed(one: Standing) -> float:
    mean = 0.0 if one.mean is None else one.mean
    return mean if one.higher_is_better else -mean


def _signed_change(one: Standing) -> str:
    if one.change is None:
        return ""
    text = format_scores([one.change, one.result])[0]
    return text.replace("-", "−") if one.change < 0 else f"+{text}"


def _before_and_after(found: Sequence[Standing]) -> Chart | None:
    """Return a row for each run with a result, from the start to the result."""
    ended = [one for one in found if one.start is not None and one.result is not None]
    if len({(one.metric, one.role) for one in ended}) != 1:
        return None
    starts = [one.start or 0.0 for one in ended]
    results = [one.result or 0.0 for one in ended]
    rows = list(range(len(ended)))
    joined = [(x, row) for row in rows for x in (starts[row], results[row], None)]
    spans = [
        (x, row)
        for row, one in enumerate(ended)
        for x in (*_span(one), None)
        if one.deviation is not None
    ]
    marks: list[Mark] = [
        _lines("", joined, GRAY),
        Points(
            name="start",
            x=starts,
            y=rows,
            color=GRAY,
            symbol="ring",
            size=5,
            labels=[f"{one.name}: {one.start:.2f} at the start" for one in ended],
        ),
    ]
    if spans:
        marks.append(_lines("replicas: mean ± deviation", spans, 1))
    marks.append(
        Points(
            name="result",
            x=results,
            y=rows,
            color=BEST,
            size=5,
            labels=[f"{one.name}: {one.result:.2f}" for one in ended],
        )
    )
    metric, role = ended[0].metric, ROLES[ended[0].role]
    return Chart(
        title="Before and after",
        description=f"{metric} on the {role} data at the start and in the result of each run.",
        x_label=metric,
        y_label="",
        marks=marks,
        rows=[f"★ {one.name}" if one.best else one.name for one in ended],
    )


def _span(one: Standing) -> tuple[float, float]:
    mean, deviation = one.mean or 0.0, one.deviation or 0.0
    return mean - deviation, mean + deviation


def _lines(name: str, points: Sequence[tuple[float | None, int]], color: int) -> Line:
    """Return lines along rows, with a gap wherever x is None."""
    known = [at for at, _ in points if at is not None]
    fill = known[0] if known else 0.0
    x = [fill if at is None else at for at, _ in points]
    return Line(name=name, x=x, y=[None if at is None else row for at, row in points], color=color)


def _scores(runs: Sequence[RunRecord], found: Mapping[str, Standing]) -> Table:
    """Return all scores, those of the data that judge the runs first."""
    roles = ["dev", "tuning"]
    if all(one.role == "tuning" for one in found.values()):
        roles.reverse()
    header = ["run", "learner"]
    several = len({one.metric for one in found.values()}) > 1
    if several:
        header.append("metric")
    header += [f"{ROLES[roles[0]]}: start", f"{ROLES[roles[0]]}: result", "change", "± replicas"]
    header += ["p (start)", "p (best)", f"{ROLES[roles[0]]}: oracle"]
    header += [f"{ROLES[roles[1]]}: {what}" for what in ("start", "result", "oracle")]
    best = [i for i, run in enumerate(runs) if run.name in found and found[run.name].best]
    caption = "Scores of the initial weights and of the learned weights."
    if any(one.oracle is not None for one in found.values()):
        caption += " The oracle is the best candidate of every sentence."
    if any(one.against_start is not None for one in found.values()):
        caption += " p is the probability of so large a difference by chance, by "
        caption += f"{SHUFFLES:,} rounds of stratified approximate randomization: p (start) "
        caption += "against the start"
        compared = any(one.against_best is not None for one in found.values())
        caption += ", p (best) against the best run." if compared else "."
    return Table(
        caption=caption,
        header=[*header, "epochs", "time"],
        rows=[_row(run, found.get(run.name), roles, several=several) for run in runs],
        texts=3 if several else 2,
        compact=True,
        marked=best if len(runs) > 1 else (),
    )


def _row(
    run: RunRecord, standing: Standing | None, roles: Sequence[str], *, several: bool
) -> list[str]:
    started, end = run.started, run.summary or run.log.finished
    epochs = sum(len(replica.epochs) for replica in run.learned)
    seconds = sum(event.seconds for replica in run.learned for event in replica.epochs)
    endings = [replica.finished for replica in run.learned]
    if all(ending is not None for ending in endings):
        seconds = sum(ending.seconds for ending in endings if ending is not None)
    cells = [run.name, "" if started is None else started.name]
    if several:
        cells.append("" if started is None else started.metric)
    results = {role: getattr(end, f"{role}_score", None) for role in roles}
    if standing is not None:  # its best score so far, if it has not ended
        results[standing.role] = standing.result
    first, second = (
        format_scores(
            [
                getattr(started, f"{role}_score", None),
                results[role],
                getattr(started, f"{role}_oracle", None),
            ]
        )
        for role in roles
    )
    about = [""] * 4
    if standing is not None:
        deviation = format_scores([standing.deviation, standing.result])[0]
        p_values = [format_p(standing.against_start), format_p(standing.against_best)]
        about = [_signed_change(standing), deviation, *p_values]
    return [*cells, *first[:2], *about, first[2], *second, str(epochs), format_seconds(seconds)]


def _replicas(run: RunRecord) -> dict[str, object]:
    """Return how far the scores of the replicas of a run spread."""
    summary = run.summary
    assert summary is not None
    scores = [("tuning", summary.tuning_mean, summary.tuning_deviation)]
    scores.append(("held-out", summary.dev_mean, summary.dev_deviation))
    spread = [
        f"{' ± '.join(format_scores([mean, deviation]))} on the {kind} data"
        for kind, mean, deviation in scores
        if mean is not None and deviation is not None
    ]
    return {
        "name": run.name,
        "count": summary.replicas,
        "metric": summary.metric,
        "spread": " and ".join(spread),
        "chosen": summary.chosen,
    }
