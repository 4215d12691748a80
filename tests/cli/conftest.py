"""The command line, for its tests."""

import pytest

from command_line import Hopefear


@pytest.fixture
def hopefear(capsys: pytest.CaptureFixture[str]) -> Hopefear:
    """Return the command line as a function."""
    return Hopefear(capsys)
