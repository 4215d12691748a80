"""What the tests of runs share."""

import pytest

from hopefear.runs import run_directory


@pytest.fixture(autouse=True)
def checkpoint_after_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a checkpoint after every epoch: those of tests take less than a second."""
    monkeypatch.setattr(run_directory, "CHECKPOINT_SECONDS", 0.0)
