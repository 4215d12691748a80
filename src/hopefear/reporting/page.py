"""The page that sections become: one file, readable on any screen, which loads nothing."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import count

from hopefear.reporting.chart import Chart
from hopefear.reporting.colors import page_colors
from hopefear.reporting.markup import Markup, element, join
from hopefear.reporting.plotly_figures import figure, library
from hopefear.reporting.svg import chart_svg

__all__ = ["Page", "Section", "details", "table"]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page: its title, and markup and charts in their order."""

    title: str
    content: Sequence[Markup | Chart]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole page.

    Parameters
    ----------
    title, subtitle : str
        What it is.
    sections : sequence of Section
        Those without content are left out.
    footer : str
        The last line.
    """

    title: str
    subtitle: str
    sections: Sequence[Section]
    footer: str

    @property
    def charts(self) -> list[Chart]:
        """All charts, in their order."""
        return [x for section in self.sections for x in section.content if isinstance(x, Chart)]

    def html(self, *, interactive: bool) -> str:
        """Return the file; `interactive` puts Plotly in, some megabytes of it."""
        charts = self.charts
        numbers = count()
        sections = [section for section in self.sections if section.content]
        body = [_section(section, f"section-{i}", numbers) for i, section in enumerate(sections, 1)]
        links = [
            element("a", section.title, href=f"#section-{i}")
            for i, section in enumerate(sections, 1)
        ]
        scripts = [library(), _resource("page.js")] if interactive and charts else []
        scripts = [script.replace("\r\n", "\n").replace("\r", "\n") for script in scripts]
        return "".join(
            [
                "<!doctype html>\n",
                '<html lang="en">\n',
                element("head", *self._head(scripts)),
                "\n<body>\n",
                element("header", element("h1", self.title), element("p", self.subtitle)),
                element("nav", *links, aria_label="Sections") if len(links) > 1 else "",
                "\n",
                element("main", *body),
                "\n",
                element("footer", element("p", self.footer)),
                *_scripts(scripts, charts),
                "\n</body>\n</html>\n",
            ]
        )

    def _head(self, scripts: Sequence[str]) -> Iterator[Markup]:
        allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
        # The browser is told to load nothing from anywhere, and to run no script but ours.
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
            f"script-src {allowed}; base-uri 'none'; form-action 'none'"
        )
        yield Markup('<meta charset="utf-8">')
        yield Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
        yield Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">')
        yield element("title", self.title)
        yield element("style", Markup(page_colors() + "\n" + _resource("page.css")))


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, texts: int = 1
) -> Markup:
    """Return a table; the first `texts` columns are text, the others are numbers."""

    def cells(kind: str, row: Sequence[str]) -> Markup:
        sides = [None if i < texts else "right" for i in range(len(row))]
        items = [element(kind, cell, class_=side) for cell, side in zip(row, sides, strict=True)]
        return element("tr", *items)

    head = element("thead", cells("th", header))
    body = element("tbody", *[cells("td", row) for row in rows])
    # A caption of its own would be as wide as the table, which may be wider than the screen.
    inner = element("table", head, body, aria_label=caption)
    frame = element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return join(element("p", caption, class_="caption"), frame)


def details(summary: str, *content: str) -> Markup:
    """Return content that shows when it is asked for."""
    return element("details", element("summary", summary), *content)


def _section(section: Section, identifier: str, numbers: Iterator[int]) -> Markup:
    parts = []
    for item in section.content:
        if isinstance(item, Chart):
            picture = element("div", chart_svg(item), data_figure=str(next(numbers)))
            caption = element("figcaption", item.description)
            parts.append(element("h3", item.title))
            parts.append(element("figure", picture, caption))
        else:
            parts.append(item)
    title = element("h2", section.title, id=f"{identifier}-title")
    return element("section", title, *parts, id=identifier, aria_labelledby=f"{identifier}-title")


def _scripts(scripts: Sequence[str], charts: Sequence[Chart]) -> Iterator[Markup]:
    if not scripts:
        return
    figures = json.dumps([figure(chart) for chart in charts], allow_nan=False)
    # Within a script nothing is escaped by HTML, so no tag may show up there.
    for mark in "<>&":
        figures = figures.replace(mark, f"\\u{ord(mark):04x}")
    yield Markup(f'\n<script type="application/json" id="figures">{figures}</script>')
    yield from (Markup(f"\n<script>{script}</script>") for script in scripts)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _resource(name: str) -> str:
    return (resources.files("hopefear.reporting") / name).read_text(encoding="utf-8")
