"""What all tests share: the corpora beside the repository, and how hypothesis draws."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Where a change is judged every run must draw the same examples; while developing, new ones help.
settings.register_profile("ci", derandomize=True, print_blob=True, deadline=None)
settings.register_profile("dev", print_blob=True, deadline=None)
# Sanitizers see in a few examples what they see in many, and take several times as long.
settings.register_profile("sanitize", print_blob=True, deadline=None, max_examples=10)
SANITIZED = "HOPEFEAR_CORE" in os.environ
settings.load_profile("sanitize" if SANITIZED else "ci" if os.environ.get("CI") else "dev")

ROOT = Path(__file__).parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot work with a core of ``make sanitize``."""
    if SANITIZED:
        for item in items:
            if found := item.get_closest_marker("unsanitized"):
                item.add_marker(pytest.mark.skip(reason=found.args[0]))


@pytest.fixture(autouse=True)
def no_waiting_for_disks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait until files are on the disk, except where that is what is tested."""
    if "durable" not in request.keywords:
        monkeypatch.setattr("hopefear.formats.files._to_disk", lambda path: None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder with the corpora for trials, which are no part of the repository."""
    shared = Path(os.environ.get("HOPEFEAR_SHARED", ROOT.parent / "shared"))
    data = shared / "data"
    if not data.is_dir():
        pytest.skip("the shared corpora are not here (set HOPEFEAR_SHARED to the folder of data/)")
    return data
