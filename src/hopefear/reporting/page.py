"""Pages from templates: one file, readable on any screen, that loads nothing from anywhere.

A page is a list of sections. A section is one function in Python, which collects the data, and one
macro of the same name in `templates/sections.html`, which lays them out. Everything that a template
inserts is escaped.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
)
from jinja2.bccache import Bucket

from hopefear import __version__
from hopefear.reporting.chart import COLORS, Chart

__all__ = [
    "CompiledTemplates",
    "Section",
    "Table",
    "format_bytes",
    "format_seconds",
    "format_weight",
    "render",
    "render_page",
]

LIVE_SCRIPT = "live.js"
SCRIPTS = ("charts.js", "sentences.js", "page.js")
_TEMPLATES = Path(__file__).parent / "templates"
# Characters that XML 1.0 cannot contain, however they are written, and lone surrogates.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table whose first `texts` columns are text and the others numbers.

    With `compact`, columns without any content are left out, except the text columns. The rows
    whose numbers are in `marked` stand out.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    compact: bool = False
    marked: Sequence[int] = ()

    @property
    def columns(self) -> list[int]:
        """The numbers of the columns to show."""
        return [
            i
            for i in range(len(self.header))
            if not self.compact or i < self.texts or any(row[i] for row in self.rows)
        ]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page: the macro that lays it out, and its arguments.

    An argument is a text, a Chart, a Table, or a list or mapping of them.
    """

    title: str
    macro: str
    data: Mapping[str, object]

    @property
    def charts(self) -> list[Chart]:
        """All charts of the section, in order."""
        return list(_charts(self.data))


def _charts(value: object) -> Iterator[Chart]:
    if isinstance(value, Chart):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _charts(item)


def render_page(
    title: str, subtitle: str, sections: Sequence[Section | None], *, version: str = ""
) -> str:
    """Return a page; sections that are None are left out.

    A page with a version asks its server for a newer one.
    """
    script = "".join(map(_resource, (LIVE_SCRIPT, *SCRIPTS) if version else SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        "page.html",
        title=title,
        subtitle=subtitle,
        sections=[section for section in sections if section is not None],
        style=_resource("page.css"),
        script=script,
        digest=digest,
        colors=COLORS,
        version=__version__,
        live=version,
    )


def render(template: str, **values: object) -> str:
    """Return what a template makes of some values, all of them escaped."""
    return _environment().get_template(template).render(values)


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates, kept as Python keeps compiled modules: beside them, if possible."""

    def __init__(self, directory: Path) -> None:
        super().__init__(str(directory))

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is one."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        with suppress(OSError):  # the package may be on a read-only file system
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@cache
def _environment() -> Environment:
    from hopefear.reporting.svg import chart_svg  # which renders a template of its own

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        bytecode_cache=CompiledTemplates(_TEMPLATES / "__pycache__"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["chart_svg"] = chart_svg
    environment.filters["place"] = lambda position: f"{position + 0.0:.1f}".removesuffix(".0")
    environment.filters["end"] = lambda number: f"{number:.9g}"
    environment.filters["value"] = lambda number: f"{number + 0.0:.5g}"
    return environment


def _cleaned(value: object) -> object:
    """Replace what no file may contain; the type stays, as markup is not escaped again."""
    if isinstance(value, str) and _FORBIDDEN.search(value):
        return type(value)(_FORBIDDEN.sub("\ufffd", value))
    return value


@cache
def _resource(name: str) -> str:
    """Return a script or a style without indentation and without lines that are comments."""
    lines = (_TEMPLATES / name).read_text(encoding="utf-8").splitlines()
    kept = [line for text in lines if (line := text.strip()) and not line.startswith(("//", "/*"))]
    return "\n".join(kept) + "\n"


def format_weight(weight: float) -> str:
    """Return a number with four significant digits.

    Examples
    --------
    >>> format_weight(-0.123456), format_weight(1234.5), format_weight(0.0)
    ('-0.1235', '1234', '0')
    """
    return f"{weight + 0.0:.4g}"


def format_seconds(seconds: float) -> str:
    """Return a duration.

    Examples
    --------
    >>> format_seconds(0.0042), format_seconds(75.3), format_seconds(4000.0)
    ('0.004 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 60:
        return f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def format_bytes(size: int) -> str:
    """Return the size of a file.

    Examples
    --------
    >>> format_bytes(900), format_bytes(48_300), format_bytes(4_912_000)
    ('900 bytes', '48.3 kB', '4.9 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    if size < 1e9:
        return f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"
    return f"{size / 1e9:.1f} GB"
