"""The report of one or more runs: one HTML file that needs nothing else."""

import re
from collections.abc import Sequence
from pathlib import Path

from hopefear.errors import ConfigError
from hopefear.formats.files import PathLike, open_output
from hopefear.reporting.clouds import clouds_section
from hopefear.reporting.curves import curves_section
from hopefear.reporting.learners import learners_section
from hopefear.reporting.overview import (
    configuration_section,
    environment_section,
    times_section,
    warnings_section,
)
from hopefear.reporting.page import Section, render_page
from hopefear.reporting.run_record import RunRecord, read_runs
from hopefear.reporting.sentences import lengths_section, sentences_section
from hopefear.reporting.shapes import shapes_section
from hopefear.reporting.standing import best_of, standings
from hopefear.reporting.summary import summary_section, what_was_run
from hopefear.reporting.svg import picture_svg
from hopefear.reporting.weights import weights_section

__all__ = ["read_given_runs", "report_html", "write_pictures", "write_report"]

NAMED = 6  # runs that the title names


def write_report(
    run_directories: Sequence[PathLike],
    path: PathLike,
    *,
    top: int = 30,
    sentences: int = 100,
    durable: bool = True,
) -> int:
    """Write the report of runs, and return its size in bytes.

    Parameters
    ----------
    run_directories : sequence of paths
        The directories of the runs. A run that failed or was killed is shown as far as it got.
    path : path
        The file to write. If writing fails, it is left as it was.
    top : int
        The number of features to show: those that matter most.
    sentences : int
        The number of sentences to show: those in which runs differ most or that changed most.
    durable : bool
        Wait until the file is on the disk.
    """
    text = report_html(read_given_runs(run_directories), top=top, sentences=sentences)
    with open_output(path, durable=durable) as out:
        out.write(text)
    return len(text.encode())


def write_pictures(
    run_directories: Sequence[PathLike], directory: PathLike, *, top: int = 30
) -> list[Path]:
    """Write every chart of a report as an SVG file, and return the files.

    Parameters
    ----------
    run_directories, top
        As for `write_report`.
    directory : path
        Where to write the files; it is created if it does not exist.
    """
    sections = _sections(read_given_runs(run_directories), top, 0)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, chart in enumerate((c for section in sections for c in section.charts), 1):
        words = re.sub(r"[^a-z0-9]+", "-", chart.title.lower()).strip("-")
        files.append(folder / f"{number:02}-{words[:60]}.svg")
        with open_output(files[-1]) as out:
            out.write(picture_svg(chart))
    return files


def read_given_runs(directories: Sequence[PathLike]) -> list[RunRecord]:
    """Read the directories of the runs of a report; there is at least one."""
    if isinstance(directories, str | Path):
        raise ConfigError("run_directories must be a list of directories, got a single one")
    if not directories:
        raise ConfigError("a report needs the directory of at least one run")
    return read_runs(directories)


def report_html(
    runs: Sequence[RunRecord], *, top: int = 30, sentences: int = 100, version: str = ""
) -> str:
    """Return the report as text; the same runs give the same text.

    With a version, the page asks its server for newer ones; see `watching`.
    """
    names = [run.name for run in runs]
    named = ", ".join(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} others"
    return render_page(
        title=f"Tuning: {named}",
        subtitle=what_was_run(runs),
        sections=_sections(runs, top, sentences),
        version=version,
    )


def _sections(runs: Sequence[RunRecord], top: int, sentences: int) -> list[Section]:
    """Return the sections for which there are data."""
    if top < 1:
        raise ConfigError(f"top must be at least 1, got {top}")
    names = [run.name for run in runs]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ConfigError(f"the run '{twice[0]}' is given twice")
    found = standings(runs)
    best = best_of(found)
    sections = [
        summary_section(runs, found),
        curves_section(runs),
        learners_section(runs),
        weights_section(runs, top=top),
        shapes_section(runs, top=top),
        clouds_section(runs, "" if best is None else best.name),
        sentences_section(found, shown=sentences) if sentences else None,
        lengths_section(runs),
        times_section(runs),
        warnings_section(runs),
        configuration_section(runs),
        environment_section(runs),
    ]
    return [section for section in sections if section is not None]
