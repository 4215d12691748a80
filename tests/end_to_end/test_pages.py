"""What the pages of the documentation show on the command line is what happens."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted(ROOT.glob("docs/*.md")) if "```console" in page.read_text()]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a console with our programs, and our examples, at hand."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_sessions_of_a_page_give_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    variables: dict[str, object] = {}
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            test = doctest.DocTestParser().get_doctest(text, variables, page.name, str(page), 0)
            output: list[str] = []
            runner = doctest.DocTestRunner()
            assert runner.run(test, out=output.append, clear_globs=False).failed == 0, output
            variables = test.globs
        elif kind == "console":
            for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, expected = session.partition("\n")
                done = shell(command, tmp_path)
                assert done.returncode == 0, f"{command}\n{done.stderr}"
                if expected:
                    same = doctest.OutputChecker().check_output(expected, done.stdout, FLAGS)
                    assert same, f"{command}\n{expected}\n---- printed ----\n{done.stdout}"
