"""Charts as Plotly figures, and Plotly itself, to be put into a page that needs nothing else.

Colors are numbers of our own colors (``"@3"``, ``"@ink"``), which the page's script replaces: a
page may be light or dark.
"""

import textwrap
from collections.abc import Sequence
from html import escape
from importlib import resources

from hopefear.errors import ConfigError
from hopefear.reporting.chart import Band, Boxes, Chart, Line, Mark, Points

__all__ = ["figure", "library"]

Table = dict[str, object]

SYMBOLS = {
    "circle": "circle",
    "ring": "circle-open",
    "square": "square",
    "diamond": "diamond",
    "triangle": "triangle-up",
}
HEIGHT, ROW = 420, 22
LINE = 72  # letters of a label in a line


def library() -> str:
    """Return the source of Plotly, from its Python package; the package itself is not loaded."""
    try:
        file = resources.files("plotly") / "package_data" / "plotly.min.js"
        return file.read_text(encoding="utf-8")
    except (ImportError, OSError) as error:
        raise ConfigError(
            f"interactive pictures need the Python package 'plotly' ({error}): install it, or "
            "write a static report"
        ) from error


def figure(chart: Chart) -> Table:
    """Return the traces and the layout of a chart."""
    traces = [trace for mark in chart.marks for trace in _traces(mark)]
    height = 110 + ROW * len(chart.rows) if chart.rows else HEIGHT
    layout: Table = {
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "xaxis": _axis(chart.x_label),
        "yaxis": _axis(chart.y_label),
        "hovermode": "closest",
        "barmode": "overlay",
        "bargap": 0,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "font": {"color": "@ink", "family": "system-ui, sans-serif", "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }
    if chart.rows:
        count = len(chart.rows)
        layout["yaxis"] = _axis(chart.y_label) | {
            "tickvals": list(range(count)),
            "ticktext": [_text(name) for name in chart.rows],
            "range": [count - 0.5, -0.5],
        }
    return {"data": traces, "layout": layout}


def _axis(label: str) -> Table:
    colors = {"gridcolor": "@grid", "linecolor": "@grid", "zerolinecolor": "@grid"}
    return {"title": {"text": _text(label)}, "automargin": True, **colors}


def _traces(mark: Mark) -> list[Table]:
    color = f"@{mark.color}"
    shared: Table = {"name": _text(mark.name), "showlegend": bool(mark.name)}
    match mark:
        case Line():
            line = {"color": color, "width": 2, "dash": "dash" if mark.dashed else "solid"}
            shown = {"type": "scatter", "mode": "lines", "line": line}
            return [shared | shown | {"x": list(mark.x), "y": list(mark.y)}]
        case Band():
            x = [*mark.x, *reversed(mark.x)]
            y = [*mark.high, *reversed(mark.low)]
            shown = {"type": "scatter", "mode": "lines", "line": {"width": 0, "color": color}}
            filled = {"fill": "toself", "fillcolor": f"{color}/0.18", "hoverinfo": "skip"}
            return [shared | shown | filled | {"x": x, "y": y}]
        case Points():
            marker = {"color": color, "symbol": SYMBOLS[mark.symbol], "size": 2 * mark.size}
            shown = {"type": "scatter", "mode": "markers", "marker": marker}
            points = {"x": list(mark.x), "y": list(mark.y)}
            return [shared | shown | points | _labels(mark.labels)]
        case Boxes():
            edges = list(zip(mark.left, mark.right, strict=True))
            sizes = {
                "x": [(left + right) / 2 for left, right in edges],
                "width": [right - left for left, right in edges],
                "base": list(mark.bottom),
                "y": [t - b for b, t in zip(mark.bottom, mark.top, strict=True)],
            }
            return [
                shared | {"type": "bar", "marker": {"color": color}} | sizes | _labels(mark.labels)
            ]


def _labels(labels: Sequence[str]) -> Table:
    if not labels:
        return {}
    return {
        "hovertext": [_text("\n".join(textwrap.wrap(label, LINE))) for label in labels],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _text(text: str) -> str:
    """Return text as Plotly has it: it takes some tags for its own, so there must be none."""
    return escape(text, quote=False).replace("\n", "<br>")
