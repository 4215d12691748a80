"""What the README says of the two commands is true; test_pages runs its other examples."""

import re
from pathlib import Path

from hopefear.demo import generated_corpus, run_demo

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_demo_and_the_tests() -> None:
    assert blocks("sh")[:2] == ["make demo\n", "make test\n"]


def test_the_table_of_the_generated_demo_is_what_it_prints(tmp_path: Path) -> None:
    shown = [line.split() for line in blocks("text")[0].splitlines() if line]
    scores = run_demo(tmp_path, generated_corpus()).scores
    assert [name for name, *_ in shown[1:]] == ["start", "tuned"]
    for name, *figures in shown[1:]:
        assert [f"{getattr(scores[data], name):.2f}" for data in shown[0]] == figures
