"""The pictures of the documentation are up to date."""

import re
from pathlib import Path

import pytest
from examples.learner_pictures import CHARTS
from examples.learner_pictures import draw as draw_learners
from examples.pictures import draw

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    draw(folder)
    draw_learners(folder / "learners")
    return folder


@pytest.mark.parametrize(
    "name",
    ["learning-curves.svg", "hope-and-fear.svg", *(f"learners/{chart}.svg" for chart in CHARTS)],
)
def test_the_script_draws_the_committed_picture(drawn: Path, name: str) -> None:
    ours = (PICTURES / name).read_text(encoding="utf-8")
    new = (drawn / name).read_text(encoding="utf-8")
    assert len(ours) < 100_000
    assert NUMBER.sub("#", new) == NUMBER.sub("#", ours)
    # Other machines round differently, by less than a pixel.
    numbers = [[float(x) for x in NUMBER.findall(text)] for text in (new, ours)]
    assert numbers[0] == pytest.approx(numbers[1], abs=1.0)
