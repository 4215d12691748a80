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
    top: int = setting(30, "Number of features to show: those that matter most.", least=1)
    sentences: int = setting(
        100, "Number of sentences to show: those that differ or changed most.", least=0
    )
    pictures: Path | None = setting(
        None, "Also write every picture as SVG into this directory.", metavar="DIR"
    )
    watch: bool = setting(
        False,
        "Serve the report to a browser on this machine, and update it while runs go on; Ctrl-C "
        "ends it.",
    )
    port: int = setting(0, "Port of --watch.", shown="any that is free", least=0)
