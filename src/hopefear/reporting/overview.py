"""What came out of each run, what the user was told, and what is needed to repeat it."""

from collections.abc import Sequence

from hopefear.metrics.base import format_scores
from hopefear.reporting.figures import format_seconds
from hopefear.reporting.markup import Markup, element
from hopefear.reporting.page import Section, table
from hopefear.reporting.run_record import RunRecord

__all__ = ["environment_section", "overview_section", "warnings_section"]


def overview_section(runs: Sequence[RunRecord]) -> Section:
    """Return a table of results, and which runs have none."""
    header = ["run", "learner", "metric", "tuning: start", "tuning: result", "tuning: oracle"]
    header += ["dev: start", "dev: result", "dev: oracle", "epochs", "time"]
    rows = [_row(run) for run in runs]
    kept = [i for i in range(len(header)) if i < 3 or any(row[i] for row in rows)]
    results = table(
        [header[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        caption="Scores under the start weights, under the weights that were learned, and of the "
        "best hypotheses that there are (the oracle).",
        texts=3,
    )
    content = [results, *[_spread(run) for run in runs if run.summary is not None]]
    failures = [
        element("li", element("b", run.name), f" {run.failure}", class_="failed")
        for run in runs
        if run.failure is not None
    ]
    if failures:
        content.append(element("ul", *failures, class_="plain"))
    return Section(title="Result", content=content)


def _row(run: RunRecord) -> list[str]:
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


def _spread(run: RunRecord) -> Markup:
    summary = run.summary
    if summary is None:
        return Markup("")
    scores = [("tuning", summary.tuning_mean, summary.tuning_deviation)]
    scores.append(("dev", summary.dev_mean, summary.dev_deviation))
    told = [
        f"{kind} {' with a standard deviation of '.join(format_scores([mean, deviation]))}"
        for kind, mean, deviation in scores
        if mean is not None and deviation is not None
    ]
    taken = (
        "The mean of their weights is taken."
        if summary.chosen is None
        else f"The weights of replica {summary.chosen} are taken."
    )
    means = f"; mean {summary.metric} on {' and on '.join(told)}" if told else ""
    return element("p", element("b", run.name), f": {summary.replicas} replicas{means}. {taken}")


def warnings_section(runs: Sequence[RunRecord]) -> Section:
    """Return what the runs warned of."""
    content = []
    for run in runs:
        items = [element("li", message, class_="warning") for message in run.warnings]
        if items:
            content += [element("h3", run.name), element("ul", *items, class_="plain")]
    return Section(title="Warnings", content=content)


def environment_section(runs: Sequence[RunRecord]) -> Section:
    """Return the data, the versions and the seeds: what a result depends on."""
    rows = []
    for run in runs:
        for replica in run.learned:
            if (start := replica.started) is None:
                continue
            name = run.name if replica.number is None else f"{run.name}, replica {replica.number}"
            hypotheses = "" if start.hypotheses is None else f"{start.hypotheses:,}"
            seed = "" if start.seed is None else str(start.seed)
            numbers = [seed, f"{start.sentences:,}", hypotheses, f"{start.features:,}"]
            texts = [name, start.version, start.started, start.signature]
            rows.append([*texts, *numbers])
    header = ["run", "hopefear", "started", "signature of the metric"]
    header += ["seed", "sentences", "hypotheses", "features"]
    if not rows:
        return Section(title="Environment", content=[])
    caption = "What a result depends on."
    return Section(title="Environment", content=[table(header, rows, caption=caption, texts=4)])
