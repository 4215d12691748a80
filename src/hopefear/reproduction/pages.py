"""What came out, as a page of Markdown with pictures, and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopefear.formats.files import open_output
from hopefear.reporting.chart import SERIES_COLORS, Band, Chart, Line, Mark, Points
from hopefear.reporting.svg import picture_svg
from hopefear.reproduction.claims import Claim, Verdict, p_text
from hopefear.reproduction.outcomes import Outcome, Outcomes
from hopefear.reproduction.paper import Figure, Paper, Row, Table

__all__ = ["Judged", "claim_rows", "table_rows", "write_json", "write_page"]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A claim and its verdict."""

    claim: Claim
    verdict: Verdict


def table_rows(table: Table, outcomes: Outcomes) -> list[list[str]]:
    """Return a table with a header: the paper's figures, ours, and p against the first row."""
    rows = [row for row in table.rows if row in outcomes]
    several, counted = len(rows) > 1, "features" in table.columns
    header = ["", *(f"paper: {column}" for column in table.columns)]
    header += [*(["features"] if counted else []), "tuning", "dev", "test"]
    found = [header + (["p"] if several else [])]
    for number, row in enumerate(rows):
        outcome = outcomes[row]
        paper = [f"{row.paper[c]:g}" if c in row.paper else "" for c in table.columns]
        scores = [f"{outcome.features}"] if counted else []
        scores += [_with_deviation(outcome, data) for data in ("tuning", "dev", "test")]
        p = p_text(outcomes.compare(row, rows[0]).p_value)[2:].lstrip("= ") if number else ""
        chosen = ", ".join(f"{k.split('.')[-1]} {v}" for k, v in outcome.chosen.items())
        label = f"{row.label} ({chosen})" if chosen else row.label
        found.append([label, *paper, *scores, *([p] if several else [])])
    return found


def claim_rows(judged: Sequence[Judged]) -> list[list[str]]:
    """Return the claims as a table with a header."""
    rows = [[j.claim.text, j.claim.where, j.verdict.result, j.verdict.evidence] for j in judged]
    return [["claim", "where", "here", "figures"], *rows]


def _with_deviation(outcome: Outcome, data: str) -> str:
    deviation = outcome.deviation(data)
    mean = f"{outcome.mean(data):.2f}"
    return mean if deviation is None else f"{mean} ± {deviation:.2f}"


def write_page(
    out: Path,
    paper: Paper,
    outcomes: Outcomes,
    judged: Sequence[Judged],
    facts: dict[str, str],
) -> Path:
    """Write ``PAPER.md`` and its pictures."""
    lines = [f"# {paper.title}", ""]
    lines += [f"- {key}: {value}" for key, value in facts.items()]
    lines += ["", "## Claims", *_markdown(claim_rows(judged)), ""]
    for table in paper.tables:
        lines += [
            f"## {table.heading}: {table.title}",
            *_markdown(table_rows(table, outcomes)),
        ]
        lines += [""]
    lines += [
        "Scores of ours are means over replicas with their standard deviation; p compares the test "
        "set with that of the first row by stratified approximate randomization over replicas.",
        "",
    ]
    for figure in paper.figures:
        for name, chart in _charts(figure, outcomes):
            file = out / "figures" / f"{paper.name}-{name}.svg"
            file.parent.mkdir(parents=True, exist_ok=True)
            with open_output(file) as stream:
                stream.write(picture_svg(chart))
            alternative = chart.title.replace("[", "(").replace("]", ")")
            lines += [f"![{alternative}](figures/{file.name})", "", chart.description, ""]
    page = out / f"{paper.name}.md"
    with open_output(page) as stream:
        stream.write("\n".join(lines))
    return page


def write_json(
    out: Path, paper: Paper, outcomes: Outcomes, judged: Sequence[Judged], facts: dict[str, str]
) -> Path:
    """Write ``PAPER.json``: all scores and verdicts."""
    found = {
        "paper": paper.name,
        "facts": facts,
        "rows": {
            name: {
                "label": one.row.label,
                "paper": dict(one.row.paper),
                "chosen": dict(one.chosen),
                "tuning": one.scores("tuning"),
                "dev": one.scores("dev"),
                "test": one.test,
                "curve": one.curve(),
                "features": one.features,
                "seconds": one.seconds,
            }
            for name, one in outcomes.found.items()
        },
        "claims": [
            {
                "claim": one.claim.text,
                "where": one.claim.where,
                "result": one.verdict.result,
                "evidence": one.verdict.evidence,
            }
            for one in judged
        ],
    }
    path = out / f"{paper.name}.json"
    with open_output(path) as stream:
        json.dump(found, stream, indent=1, ensure_ascii=False)
    return path


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    rule = ["---"] * len(cells[0])
    return ["| " + " | ".join(row) + " |" for row in (cells[0], rule, *cells[1:])]


def _charts(figure: Figure, outcomes: Outcomes) -> Iterator[tuple[str, Chart]]:
    rows = [row for row in figure.rows if row in outcomes]
    title = f"Figure {figure.number}: {figure.title}"
    match figure.kind if rows else None:
        case "curves":
            yield f"figure-{figure.number}", _curves(title, rows, outcomes, figure.data)
        case "scatter":
            yield f"figure-{figure.number}", _scatter(title, rows, outcomes)
        case "shapes":
            yield from _shapes(figure, [outcomes[row] for row in rows])
        case "cloud":
            yield f"figure-{figure.number}", _cloud(title, outcomes[rows[0]])


def _curves(title: str, rows: Sequence[Row], outcomes: Outcomes, data: str) -> Chart:
    marks: list[Mark] = []
    for number, row in enumerate(rows):
        color = SERIES_COLORS[number % len(SERIES_COLORS)]
        curves = outcomes[row].curves(data)
        mean = outcomes[row].curve(data)
        epochs = list(range(1, len(mean) + 1))
        if len(curves) > 1:
            columns = [[curve[i] for curve in curves] for i in range(len(mean))]
            low, high = [min(c) for c in columns], [max(c) for c in columns]
            marks.append(
                Band(name=row.label, listed=False, x=epochs, low=low, high=high, color=color)
            )
        dashed = number >= len(SERIES_COLORS)
        marks.append(Line(name=row.label, x=epochs, y=mean, color=color, dashed=dashed))
    marks.sort(key=lambda mark: not isinstance(mark, Band))
    return Chart(
        title=title,
        description=f"BLEU on {'held-out' if data == 'dev' else data} data after each epoch or "
        "decoding; the band extends from the lowest to the highest replica, where there are "
        "several.",
        x_label="epoch",
        y_label="BLEU",
        marks=marks,
        whole_x=True,
    )


def _scatter(title: str, rows: Sequence[Row], outcomes: Outcomes) -> Chart:
    marks: list[Mark] = []
    for number, row in enumerate(rows):
        outcome = outcomes[row]
        color = SERIES_COLORS[number % len(SERIES_COLORS)]
        x, y = outcome.scores("tuning"), outcome.test
        labels = [f"{row.label}: tuning {a:.2f}, test {b:.2f}" for a, b in zip(x, y, strict=True)]
        marks.append(Points(name=row.label, x=x, y=y, color=color, labels=labels))
    return Chart(
        title=title,
        description="Each point is a run: its BLEU on tuning and on test data.",
        x_label="tuning BLEU",
        y_label="test BLEU",
        marks=marks,
    )


def _shapes(figure: Figure, outcomes: Sequence[Outcome]) -> Iterator[tuple[str, Chart]]:
    """Yield the shapes of features, each as the first row that has it learned it."""
    from hopefear.reporting.shapes import shape_chart
    from hopefear.translation.features.bins import run_bins

    drawn: set[str] = set()
    for outcome in outcomes:
        for feature, bins in run_bins(outcome.run).items():
            shape = np.array([outcome.weights.get(name, 0.0) for name in bins.names(feature)])
            if feature not in drawn and np.ptp(shape) > 0:
                drawn.add(feature)
                name = "".join(c if c.isalnum() else "-" for c in feature)
                title = f" in {outcome.row.label}"
                yield f"figure-{figure.number}-{name}", shape_chart(feature, bins, shape, title)


def _cloud(title: str, outcome: Outcome) -> Chart:
    from hopefear.reporting.clouds import cloud_chart
    from hopefear.reporting.inspecting import inspect
    from hopefear.reproduction.searches import search_gains

    telling = int(search_gains(outcome).min(axis=1).argmax())  # where lists miss both
    cloud = inspect(run=outcome.run, sentence=str(telling))
    return cloud_chart(cloud, title)
