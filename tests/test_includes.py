"""The folders of the core include one another only as cpp/check_includes.py declares."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CPP = Path(__file__).parent.parent / "cpp"


def check(cpp: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CPP / "check_includes.py"), str(cpp)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the core's headers that a test may spoil."""
    shutil.copytree(CPP / "include", tmp_path / "include")
    return tmp_path


def test_the_core_keeps_to_its_include_contracts() -> None:
    assert check(CPP).returncode == 0, check(CPP).stdout


def test_an_include_against_the_contracts_is_reported_with_its_place(copy: Path) -> None:
    header = copy / "include" / "hopefear" / "base" / "hash.hpp"
    header.write_text('#include "hopefear/forest/forest.hpp"\n' + header.read_text())
    result = check(copy)
    assert result.returncode == 1
    assert f"{header}:1: base must not include hopefear/forest/forest.hpp" in result.stdout


def test_a_header_outside_the_folders_is_reported(copy: Path) -> None:
    stray = copy / "include" / "hopefear" / "stray.hpp"
    stray.write_text("#pragma once\n")
    result = check(copy)
    assert result.returncode == 1
    assert str(stray) in result.stdout
