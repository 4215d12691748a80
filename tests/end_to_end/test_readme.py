"""What the README shows is what happens."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hopefear.demo import generated_corpus, run_demo

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_demonstration_and_the_tests() -> None:
    assert blocks("sh")[:2] == ["make demo\n", "make test\n"]


def test_the_table_of_the_made_up_demonstration_is_what_it_prints(tmp_path: Path) -> None:
    shown = [line.split() for line in blocks("text")[0].splitlines() if line]
    scores = run_demo(tmp_path, generated_corpus()).scores
    assert [name for name, *_ in shown[1:]] == ["start", "tuned"]
    for name, *figures in shown[1:]:
        assert [f"{getattr(scores[data], name):.2f}" for data in shown[0]] == figures


def test_the_console_examples_run(tmp_path: Path) -> None:
    lines = [line for block in blocks("console") for line in block.splitlines()]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    assert commands
    for command in commands:
        words, _, target = command.partition(" > ")
        words, _, source = words.partition(" < ")
        program, *arguments = shlex.split(words)
        assert program == "hopefear"
        run = subprocess.run(
            [sys.executable, "-c", "from hopefear.cli.program import main; main()", *arguments],
            cwd=tmp_path,
            input=(tmp_path / source).read_text(encoding="utf-8") if source else "",
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, f"{command}\n{run.stderr}"
        if target:
            (tmp_path / target).write_text(run.stdout, encoding="utf-8")


@pytest.mark.parametrize("session", blocks("python"), ids=lambda text: text.splitlines()[0][4:])
def test_the_python_examples_give_what_they_show(session: str) -> None:
    before = "".join(blocks("python")).split(session)[0]
    parser = doctest.DocTestParser()
    test = parser.get_doctest(before + session, {}, "README", "README.md", 0)
    output: list[str] = []
    assert doctest.DocTestRunner().run(test, out=output.append).failed == 0, "".join(output)
