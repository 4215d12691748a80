"""The package itself: what it exports, and what importing it costs."""

import subprocess
import sys

import pytest

import hopefear


def imported(code: str) -> set[str]:
    """Return the modules that are loaded after running some code in a new interpreter."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_every_name_of_the_package_is_there() -> None:
    assert [name for name in hopefear.__all__ if not hasattr(hopefear, name)] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert imported("import hopefear").isdisjoint({"numpy", "sacrebleu", "scipy", "click"})


def test_help_needs_no_arrays_and_no_metrics() -> None:
    code = "from hopefear.cli.program import run\nrun(['--help'])"
    assert imported(code).isdisjoint({"numpy", "sacrebleu", "scipy"})


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'hopefear' has no attribute 'tunes'"):
        hopefear.__getattr__("tunes")
