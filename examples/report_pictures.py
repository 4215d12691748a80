"""Photograph a report for the documentation: on a laptop, and on a phone at night.

    python -m examples.report_pictures docs/pictures

It needs Playwright and Chromium (``make browser``). The data are those of examples/pictures.py.
"""

import shutil
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hopefear
from examples.pictures import RUNS, prepare, tune
from hopefear.demo import choose_corpus

__all__ = ["main", "make_report", "photograph"]

SIZES = {"report": (1180, 850, "light"), "report-on-a-phone": (390, 1180, "dark")}


def make_report(data: Path, folder: Path) -> Path:
    """Tune with three learners, three times each, and return the report that compares them."""
    for name in RUNS:
        tune(data, folder, name, replicas=3)
    return hopefear.report([folder / name for name in RUNS], out=folder / "report.html")


def photograph(browser: Any, report: Path, directory: Path) -> list[Path]:
    """Write a picture of the top of a report for each size, and return them."""
    directory.mkdir(parents=True, exist_ok=True)
    pictures = []
    for name, (width, height, theme) in SIZES.items():
        size = {"width": width, "height": height}
        context = browser.new_context(viewport=size, color_scheme=theme)
        page = context.new_page()
        page.goto(report.absolute().as_uri())
        pictures.append(directory / f"{name}.png")
        page.screenshot(path=pictures[-1])
        context.close()
    return pictures


def main() -> None:
    """Write the pictures into the folder that is named."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    playwright = import_module("playwright.sync_api")
    with TemporaryDirectory() as scratch, playwright.sync_playwright() as started:
        data = Path(scratch) / "data"
        prepare(data, choose_corpus("verses", print))
        report = make_report(data, Path(scratch))
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for picture in photograph(browser, report, Path(sys.argv[1])):
            print(f"{picture} ({picture.stat().st_size:,} bytes)")
        browser.close()


if __name__ == "__main__":
    main()
