"""Where the time went."""

from collections.abc import Sequence

from hopefear.reporting.chart import Boxes, Chart
from hopefear.reporting.figures import format_seconds
from hopefear.reporting.markup import Markup
from hopefear.reporting.page import Section, details, table
from hopefear.reporting.run_record import RunRecord

__all__ = ["times_section"]

COLORS = (0, 1, 4, 5, 6, 2, 3)


def times_section(runs: Sequence[RunRecord]) -> Section:
    """Return the time of each stage of each run."""
    times = {run.name: _stages(run) for run in runs}
    stages = list(dict.fromkeys(stage for stage_times in times.values() for stage in stage_times))
    if not stages:
        return Section(title="Time", content=[])
    ends = dict.fromkeys(times, 0.0)
    marks = []
    for number, stage in enumerate(stages):
        shown = [(row, name) for row, name in enumerate(times) if stage in times[name]]
        lengths = [times[name][stage] for _, name in shown]
        left = [ends[name] for _, name in shown]
        marks.append(
            Boxes(
                name=stage,
                left=left,
                right=[a + b for a, b in zip(left, lengths, strict=True)],
                bottom=[row - 0.35 for row, _ in shown],
                top=[row + 0.35 for row, _ in shown],
                color=COLORS[number % len(COLORS)],
                labels=[
                    f"{name}: {stage} took {format_seconds(times[name][stage])}"
                    for _, name in shown
                ],
            )
        )
        for (_, name), length in zip(shown, lengths, strict=True):
            ends[name] += length
    chart = Chart(
        title="Time by stage",
        description="What the time of each run was spent on.",
        x_label="seconds",
        y_label="",
        marks=marks,
        rows=list(times),
    )
    rows = [
        [name, *[format_seconds(of[stage]) if stage in of else "" for stage in stages]]
        for name, of in times.items()
    ]
    figures = table(["run", *stages], rows, caption="Time by stage")
    content: list[Markup | Chart] = [chart, details("The figures", figures)]
    return Section(title="Time", content=content)


def _stages(run: RunRecord) -> dict[str, float]:
    """Return the seconds of each stage, as far as the run has told."""
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
