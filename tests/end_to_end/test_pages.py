"""Everything that the README and the pages of the documentation show is run."""

import re
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from hopefear.cli.commands import make_command
from hopefear.translation.features import templates
from pages import run_page

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\S*).*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # A page may register features of its own, which other tests must not see.
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))
    run_page(page, tmp_path)


def not_run() -> list[str]:
    """Return the commands of all pages that need another program, or hours, to run."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for kind, block in BLOCK.findall(text):
            if kind not in ("console", "python"):
                found += re.findall(r"^(?:\$ )?(hopefear .*)$", block, re.MULTILINE)
    return found


@pytest.mark.parametrize("command", not_run())
def test_a_command_that_is_not_run_has_options_that_exist(command: str) -> None:
    words = [*takewhile(lambda word: word not in "<>|", shlex.split(command)[1:])]
    made = make_command(words[0])
    with made.make_context(words[0], words[1:]):
        pass
