"""The pictures of the documentation are up to date, as far as they need no download."""

import re
from pathlib import Path

import pytest
from examples.learner_pictures import CHARTS
from examples.learner_pictures import draw as draw_learners
from examples.pictures import RUNS, draw, prepare

from hopefear.demo import generated_corpus

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_the_script_draws_the_pictures_of_verses_from_any_corpus(tmp_path: Path) -> None:
    prepare(tmp_path / "data", generated_corpus(train=300, dev=30, test=10), size=20)
    draw(tmp_path / "data", tmp_path / "pictures", sentence=3)
    for name, said in {
        "learning-curves.svg": [*RUNS, "epoch"],
        "hope-and-fear.svg": ["hope"],
    }.items():
        ours = (PICTURES / name).read_text(encoding="utf-8")
        new = (tmp_path / "pictures" / name).read_text(encoding="utf-8")
        assert len(ours) < 100_000
        assert all(word in ours and word in new for word in said)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    draw_learners(folder / "learners")
    return folder


@pytest.mark.parametrize("name", [f"learners/{chart}.svg" for chart in CHARTS])
def test_the_script_draws_the_committed_picture(drawn: Path, name: str) -> None:
    ours = (PICTURES / name).read_text(encoding="utf-8")
    new = (drawn / name).read_text(encoding="utf-8")
    assert len(ours) < 100_000
    assert NUMBER.sub("#", new) == NUMBER.sub("#", ours)
    # Other machines round differently, by less than a pixel.
    numbers = [[float(x) for x in NUMBER.findall(text)] for text in (new, ours)]
    assert numbers[0] == pytest.approx(numbers[1], abs=1.0)
