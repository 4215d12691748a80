"""The sections about whole runs: results, time, warnings, configuration, environment."""

import tomllib
from collections.abc import Mapping, Sequence

from hopefear.metrics.base import format_scores
from hopefear.reporting.chart import SERIES_COLORS, Boxes, Chart
from hopefear.reporting.page import Section, Table, format_seconds
from hopefear.reporting.run_record import RunRecord

__all__ = [
    "configuration_section",
    "environment_section",
    "results_section",
    "times_section",
    "warnings_section",
]


def results_section(runs: Sequence[RunRecord]) -> Section:
    """Return the scores of the runs, and why some have no result."""
    header = ["run", "learner", "metric", "tuning: start", "tuning: result", "tuning: oracle"]
    header += ["dev: start", "dev: result", "dev: oracle", "epochs", "time"]
    scores = Table(
        caption="Scores of the initial weights, of the learned weights, and of the oracle: the "
        "best candidate of every sentence.",
        header=header,
        rows=[_result(run) for run in runs],
        texts=3,
        compact=True,
    )
    replicas = [_replicas(run) for run in runs if run.summary is not None]
    failures = {run.name: run.failure for run in runs if run.failure is not None}
    return Section(
        title="Results",
        macro="results",
        data={"scores": scores, "replicas": replicas, "failures": failures},
    )


def _result(run: RunRecord) -> list[str]:
    started, end = run.started, run.summary or run.log.finished
    epochs = sum(len(replica.epochs) for replica in run.learned)
    seconds = sum(event.seconds for replica in run.learned for event in replica.epochs)
    endings = [replica.finished for replica in run.learned]
    if all(ending is not None for ending in endings):
        seconds = sum(ending.seconds for ending in endings if ending is not None)
    cells = [run.name]
    cells += ["", ""] if started is None else [started.name, started.metric]
    for kind in ("tuning", "dev"):
        values = [
            getattr(started, f"{kind}_score", None),
            getattr(end, f"{kind}_score", None),
            getattr(started, f"{kind}_oracle", None),
        ]
        cells += format_scores(values)
    return [*cells, str(epochs), format_seconds(seconds)]


def _replicas(run: RunRecord) -> dict[str, object]:
    """Return how far the scores of the replicas of a run spread."""
    summary = run.summary
    assert summary is not None
    scores = [("tuning", summary.tuning_mean, summary.tuning_deviation)]
    scores.append(("dev", summary.dev_mean, summary.dev_deviation))
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


def times_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the time of each stage of each run."""
    times = {run.name: _stages(run) for run in runs}
    stages = list(dict.fromkeys(stage for stage_times in times.values() for stage in stage_times))
    if not stages:
        return None
    ends = dict.fromkeys(times, 0.0)
    marks = []
    for number, stage in enumerate(stages):
        shown = [(row, name) for row, name in enumerate(times) if stage in times[name]]
        left = [ends[name] for _, name in shown]
        for _, name in shown:
            ends[name] += times[name][stage]
        marks.append(
            Boxes(
                name=stage,
                left=left,
                right=[ends[name] for _, name in shown],
                bottom=[row - 0.35 for row, _ in shown],
                top=[row + 0.35 for row, _ in shown],
                color=SERIES_COLORS[number % len(SERIES_COLORS)],
                labels=[
                    f"{name}: {stage}, {format_seconds(times[name][stage])}" for _, name in shown
                ],
            )
        )
    chart = Chart(
        title="Time by stage",
        description="How long each run took to read the data, to learn, and to compute scores.",
        x_label="seconds",
        y_label="",
        marks=marks,
        rows=list(times),
    )
    rows = [
        [name, *[format_seconds(of[stage]) if stage in of else "" for stage in stages]]
        for name, of in times.items()
    ]
    figures = Table(caption="Time by stage", header=["run", *stages], rows=rows)
    return Section(title="Time", macro="times", data={"chart": chart, "figures": figures})


def _stages(run: RunRecord) -> dict[str, float]:
    """Return the seconds of each stage, as far as the log tells."""
    times: dict[str, float] = {}
    if run.started is not None and run.started.reading_seconds is not None:
        times["reading"] = run.started.reading_seconds
    learned = [replica for replica in run.learned if replica.epochs]
    if learned:
        times["learning"] = sum(event.seconds for r in learned for event in r.epochs)
    whole = [replica.finished.seconds for replica in learned if replica.finished is not None]
    if whole and len(whole) == len(learned):
        times["scoring"] = max(0.0, sum(whole) - times["learning"])
    return times


def warnings_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the warnings of the runs."""
    warned = {run.name: run.warnings for run in runs if run.warnings}
    return Section(title="Warnings", macro="warnings", data={"runs": warned}) if warned else None


def configuration_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the settings of each run, and a table of those that differ."""
    written = {run.name: run.settings for run in runs if run.settings is not None}
    tables = [_flat(text) for text in written.values()]
    keys = dict.fromkeys(key for flat in tables for key in flat)
    rows = [[key, *[flat.get(key, "") for flat in tables]] for key in keys]
    differences = Table(
        caption="Settings that differ between the runs.",
        header=["setting", *written],
        rows=[row for row in rows if len(set(row[1:])) > 1],
        texts=1 + len(written),
    )
    data = {"differences": differences if differences.rows else None, "settings": written}
    return Section(title="Configuration", macro="configuration", data=data) if written else None


def _flat(text: str) -> dict[str, str]:
    """Return settings by dotted key; none if the text is not TOML."""
    try:
        return dict(_flattened("", tomllib.loads(text)))
    except (ValueError, RecursionError):
        return {}


def _flattened(key: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        inner = [(f"{key}.{name}" if key else str(name), item) for name, item in value.items()]
        return [pair for name, item in inner for pair in _flattened(name, item)]
    if isinstance(value, list):
        return [(key, ", ".join(map(str, value)))]
    return [(key, str(value).lower() if isinstance(value, bool) else str(value))]


def environment_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return what is needed to repeat the runs: data, versions and seeds."""
    rows = []
    for run in runs:
        for replica in run.learned:
            if (start := replica.started) is None:
                continue
            name = run.name if replica.number is None else f"{run.name}, replica {replica.number}"
            hypotheses = "" if start.hypotheses is None else f"{start.hypotheses:,}"
            seed = "" if start.seed is None else str(start.seed)
            numbers = [seed, f"{start.sentences:,}", hypotheses, f"{start.features:,}"]
            rows.append(
                [name, start.version, start.started.replace("T", " "), start.signature, *numbers]
            )
    header = ["run", "hopefear", "started", "metric signature"]
    header += ["seed", "sentences", "hypotheses", "features"]
    table = Table(
        caption="What the results depend on.", header=header, rows=rows, texts=4, compact=True
    )
    return Section(title="Environment", macro="environment", data={"runs": table}) if rows else None
