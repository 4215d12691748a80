"""The report of one or more runs: one HTML file that needs nothing else."""

import re
from collections.abc import Sequence
from pathlib import Path

from hopefear import __version__
from hopefear.errors import ConfigError
from hopefear.formats.files import PathLike, open_output
from hopefear.reporting.clouds import clouds_section
from hopefear.reporting.configuration import configuration_section
from hopefear.reporting.curves import curves_section
from hopefear.reporting.overview import environment_section, overview_section, warnings_section
from hopefear.reporting.page import Page
from hopefear.reporting.run_record import RunRecord, read_runs
from hopefear.reporting.svg import picture_svg
from hopefear.reporting.times import times_section
from hopefear.reporting.weights import weights_section

__all__ = ["report_html", "report_page", "write_pictures", "write_report"]


def write_report(
    run_directories: Sequence[PathLike],
    path: PathLike,
    *,
    interactive: bool = True,
    top: int = 30,
) -> int:
    """Write the report of runs, and return its size in bytes.

    Parameters
    ----------
    run_directories : sequence of paths
        The directories of the runs. A run that was killed or failed is shown as far as it came.
    path : path
        The file to write; it is there as a whole or not at all.
    interactive : bool
        Put Plotly into the file: pictures can then be zoomed and tell their figures. It takes some
        megabytes; without it the same pictures are drawings.
    top : int
        How many features are shown of each run: those that moved most.
    """
    text = report_html(_read_runs(run_directories), interactive=interactive, top=top)
    with open_output(path) as out:
        out.write(text)
    return len(text.encode())


def write_pictures(
    run_directories: Sequence[PathLike], directory: PathLike, *, top: int = 30
) -> list[Path]:
    """Write every picture of a report as an SVG file of its own, and return the files.

    Parameters
    ----------
    run_directories, top
        As of a report.
    directory : path
        Where the files go; it is made if it is not there.
    """
    charts = report_page(_read_runs(run_directories), top=top).charts
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, chart in enumerate(charts, 1):
        words = re.sub(r"[^a-z0-9]+", "-", chart.title.lower()).strip("-")
        files.append(folder / f"{number:02}-{words[:60]}.svg")
        with open_output(files[-1]) as out:
            out.write(picture_svg(chart))
    return files


def _read_runs(directories: Sequence[PathLike]) -> list[RunRecord]:
    if isinstance(directories, str | Path):
        raise ConfigError("run_directories is a list of directories; got a single one")
    if not directories:
        raise ConfigError("a report needs the directory of at least one run")
    return read_runs(directories)


def report_html(runs: Sequence[RunRecord], *, interactive: bool = True, top: int = 30) -> str:
    """Return the report as text; the same runs give the same text."""
    return report_page(runs, top=top).html(interactive=interactive)


def report_page(runs: Sequence[RunRecord], *, top: int = 30) -> Page:
    """Return the report as a page of sections."""
    if top < 1:
        raise ConfigError(f"top must be at least 1, got {top}")
    names = [run.name for run in runs]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ConfigError(f"the run '{twice[0]}' is given twice")
    return Page(
        title=f"Tuning: {', '.join(names)}",
        subtitle=_subtitle(runs),
        sections=[
            overview_section(runs),
            curves_section(runs),
            weights_section(runs, top=top),
            clouds_section(runs),
            times_section(runs),
            warnings_section(runs),
            configuration_section(runs),
            environment_section(runs),
        ],
        footer=f"Written by hopefear {__version__}. This file needs no network.",
    )


def _subtitle(runs: Sequence[RunRecord]) -> str:
    failed = sum(run.failure is not None for run in runs)
    count = "One run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"{count}, {failed} without a result." if failed else f"{count}."
