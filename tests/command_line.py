"""Running the command line in this process, or as a program of its own."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hopefear.cli.program import run

__all__ = ["Hopefear", "Outcome", "completed", "program"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Hopefear:
    """Calls ``hopefear`` with arguments, in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str | Path) -> Outcome:
        """Run a command and return what it printed and its exit code."""
        self._capture.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self._capture.readouterr()
        return Outcome(code=code, out=out, err=err)


def program(arguments: Sequence[str | Path]) -> list[str]:
    """Return the command that runs ``hopefear`` as a program of its own."""
    code = "from hopefear.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, arguments)]


def completed(arguments: Sequence[str | Path], folder: Path) -> Outcome:
    """Run ``hopefear`` as a program of its own."""
    done = subprocess.run(program(arguments), cwd=folder, capture_output=True, text=True)
    return Outcome(code=done.returncode, out=done.stdout, err=done.stderr)
