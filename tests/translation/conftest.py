"""A small trained model that several tests look at."""

from pathlib import Path

import pytest

from hopefear import Model
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from small_models import write_bitext


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return its folder, which tests leave as it is."""
    folder = tmp_path_factory.mktemp("model")
    source, target = write_bitext(folder, every=7)
    build(TrainSettings(source=source, target=target), folder / "model")
    return folder / "model"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """Return a copy, which tests may change."""
    return Model(made).save(tmp_path / "copy").path
