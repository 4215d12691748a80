"""The sections about whole runs: time, warnings, configuration, environment."""

from collections.abc import Sequence

from hopefear.reporting.chart import SERIES_COLORS, Boxes, Chart
from hopefear.reporting.page import Section, Table, format_bytes, format_seconds
from hopefear.reporting.run_record import RunRecord, flat_settings

__all__ = [
    "configuration_section",
    "environment_section",
    "times_section",
    "warnings_section",
]


def times_section(runs: Sequence[RunRecord]) -> Section | None:
    """Return the time of each stage of each run; several runs are compared in a chart."""
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
    memory = [[_memory(run, kind) for kind in ("reading_memory", "memory")] for run in runs]
    figures = Table(
        caption="Time by stage, and the most memory that the process had until the end of a stage",
        header=["run", *stages, "memory: reading", "memory: end"],
        rows=[[*row, *peaks] for row, peaks in zip(rows, memory, strict=True)],
        compact=True,
    )
    data = {"chart": chart if len(runs) > 1 else None, "figures": figures}
    return Section(title="Time and memory", macro="times", data=data)


def _memory(run: RunRecord, kind: str) -> str:
    """Return the peak that the events of any replica tell."""
    events = [event for replica in run.learned for event in (replica.started, replica.finished)]
    known = [peak for event in events if (peak := getattr(event, kind, None)) is not None]
    return format_bytes(max(known)) if known else ""


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
    """Return the warnings, each once, with the runs that gave it."""
    warned: dict[str, list[str]] = {}
    for run in runs:
        for message in run.warnings:
            warned.setdefault(message, []).append(run.name)
    every = "all runs" if len(runs) > 1 else ""
    messages = [
        (every if len(names) == len(runs) else ", ".join(names), message)
        for message, names in warned.items()
    ]
    data = {"messages": messages}
    return Section(title="Warnings", macro="warnings", data=data) if messages else None


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
    """Return what is needed to repeat the runs: data, versions, seeds and machines.

    What all runs share is said once; a table has the rest, with a row for each run.
    """
    known = {run.name: found for run in runs if (found := _environment(run))}
    if not known:
        return None
    parts = dict.fromkeys(part for one in known.values() for part in one)
    values = {part: [one.get(part, "") for one in known.values()] for part in parts}
    differ = [part for part in parts if len(set(values[part])) > 1]
    apart = Table(
        caption="What differs between the runs",
        header=["run", *differ],
        rows=[[name, *[one.get(part, "") for part in differ]] for name, one in known.items()],
        texts=1 + len(differ),
    )
    shared = Table(
        caption="What the results depend on",
        header=["part", next(iter(known)) if len(known) == 1 else "all runs"],
        rows=[[part, values[part][0]] for part in parts if part not in differ],
        texts=2,
    )
    data = {"tables": [table for table in (apart, shared) if table.rows and table.header[1:]]}
    return Section(title="Environment", macro="environment", data=data)


def _environment(run: RunRecord) -> dict[str, str]:
    """Return the parts of a run's environment by name, as far as its logs tell."""
    starts = [replica.started for replica in run.learned if replica.started is not None]
    if not starts:
        return {}
    first = starts[0]
    found = {
        "started": first.started.replace("T", " ").replace("+00:00", " UTC"),
        "seed": ", ".join(str(start.seed) for start in starts if start.seed is not None),
        "metric signature": f"{first.metric}|{first.signature}"
        if ":" in first.signature  # sacreBLEU's
        else first.signature,
        "sentences": f"{first.sentences:,}",
        "hypotheses": "" if first.hypotheses is None else f"{first.hypotheses:,}",
        "features": f"{first.features:,}",
        "hopefear": first.version,
        **run.environment,
    }
    return {part: value for part, value in found.items() if value}
