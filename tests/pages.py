"""Run what a page of the documentation shows, and compare it with what it says.

It needs nothing but the package, so that `make wheel` runs pages where nothing else is installed::

    python tests/pages.py README.md docs/fit.md
"""

import doctest
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

__all__ = ["run_page"]

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\S+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def install(folder: Path) -> None:
    """Do what `pip install --editable .` would: declare the entry points of a pyproject.toml."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    information = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {module}" for name, module in entries.items())]
    (information / "entry_points.txt").write_text("\n".join(lines) + "\n")


def shell(command: str, folder: Path) -> str:
    """Run a line of a console with our programs, and our examples, at hand."""
    if command == "pip install --editable .":
        install(folder)
        return ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def run_page(page: Path, folder: Path) -> None:
    """Run a page in an empty folder, which has to be the current one."""
    variables: dict[str, object] = {}
    for kind, file, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if file:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        elif kind == "python":
            test = doctest.DocTestParser().get_doctest(text, variables, page.name, str(page), 0)
            output: list[str] = []
            runner = doctest.DocTestRunner()
            assert runner.run(test, out=output.append, clear_globs=False).failed == 0, output
            variables = test.globs
        elif kind == "console":
            for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, expected = session.partition("\n")
                printed = shell(command, folder)
                if expected:
                    same = doctest.OutputChecker().check_output(expected, printed, FLAGS)
                    assert same, f"{command}\n{expected}\n---- printed ----\n{printed}"


def main(pages: Sequence[str]) -> None:
    """Run pages, each in an empty folder."""
    for page in [Path(name).resolve() for name in pages]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            run_page(page, Path(folder))
            os.chdir(page.parent)
        print(f"{page.name}: as it says")


if __name__ == "__main__":
    main(sys.argv[1:])
