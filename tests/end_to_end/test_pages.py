"""Everything that the README and the pages of the documentation show is run."""

from pathlib import Path

import pytest

from hopefear.translation.features import templates
from pages import run_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # A page may register features of its own, which other tests must not see.
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))
    run_page(page, tmp_path)
