"""The report of one or more runs: one HTML file that needs nothing else."""

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
from hopefear.reporting.run_record import RunRecord, read_run
from hopefear.reporting.times import times_section
from hopefear.reporting.weights import weights_section

__all__ = ["report_html", "write_report"]


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
    if isinstance(run_directories, str | Path):
        raise ConfigError("run_directories is a list of directories; got a single one")
    if not run_directories:
        raise ConfigError("a report needs the directory of at least one run")
    if top < 1:
        raise ConfigError(f"top must be at least 1, got {top}")
    runs = [read_run(directory) for directory in run_directories]
    text = report_html(runs, interactive=interactive, top=top)
    with open_output(path) as out:
        out.write(text)
    return len(text.encode())


def report_html(runs: Sequence[RunRecord], *, interactive: bool = True, top: int = 30) -> str:
    """Return the report as text; the same runs give the same text."""
    names = [run.name for run in runs]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ConfigError(f"the run '{twice[0]}' is given twice")
    page = Page(
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
    return page.html(interactive=interactive)


def _subtitle(runs: Sequence[RunRecord]) -> str:
    failed = sum(run.failure is not None for run in runs)
    count = "One run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"{count}, {failed} without a result." if failed else f"{count}."
