"""Reports in a real browser: the script runs under the page's policy, and hostile text does not."""

import shutil
import subprocess
from pathlib import Path

import pytest

from hopefear.events import Warned
from hopefear.reporting import write_report
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
QUIET += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
EVIL = "<img src=x onerror='document.title=1'></title><script>document.title = 'evil'</script>"

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium to show a page in")


def shown(page: Path, profile: Path) -> str:
    """Return what the page is after its script has run."""
    assert BROWSER is not None
    command = [BROWSER, *QUIET, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=180)
    return done.stdout


def test_the_script_runs_and_hostile_text_does_not(tmp_path: Path) -> None:
    weights = [Weights({EVIL: w, "lm": 1.0}) for w in (1.0, 2.0, 1.5)]
    events = [Warned(message=EVIL), *events_of_a_run(weights, scores=[31.0, 32.0])]
    run = write_run(tmp_path / "run", events, settings=f"# {EVIL}\n")
    write_report([run], tmp_path / "report.html")
    page = shown(tmp_path / "report.html", tmp_path / "profile")
    assert "<title>Tuning: run</title>" in page
    assert '<div class="tip" hidden="">' in page
    assert 'aria-pressed="true"' in page
    assert page.count("<script") == 1
    assert "<img" not in page
