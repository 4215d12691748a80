"""The settings of `hopefear report`."""

from pathlib import Path

from hopefear.settings import setting, settings


@settings
class ReportSettings:
    """What a report shows."""

    runs: tuple[Path, ...] = setting(help="Directories of runs.", argument=True, metavar="RUN")
    out: Path | None = setting(
        None,
        "The file to write.",
        short="o",
        shown="report.html in RUN, or here if there are several",
    )
    top: int = setting(30, "Number of features to show: those that moved most.", least=1)
    pictures: Path | None = setting(
        None, "Also write every picture as SVG into this directory.", metavar="DIR"
    )
