"""The sections about whole runs: time, warnings, configuration, environment."""

from collections.abc import Sequence

from hopefear.reporting.chart import SERIES_COLORS, Boxes, Chart
from hopefear.reporting.page import Section, Table, format_seconds
from hopefear.reporting.run_record import RunRecord, flat_settings

__all__ = [
    "configuration_section",
    "environment_section",
    "times_section",
    "warnings_section",
]


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
    tables = [flat_settings(text) for text in written.values()]
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
