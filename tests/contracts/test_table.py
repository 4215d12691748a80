"""The table of what goes together, in the documentation, says what the program does."""

import re
from pathlib import Path

import pytest

from hopefear.learners import learners
from hopefear.metrics import Bleu, Column, metrics
from hopefear.parallel import Serial, strategies
from hopefear.runs.course import lists_are_made
from hopefear.runs.kinds import FORESTS, KINDS, LISTS, refusal

PAGE = (Path(__file__).parents[2] / "docs" / "learners.md").read_text(encoding="utf-8")
HEAD = ["learner", *(kind.name for kind in KINDS), "strategies", "metrics"]
BLEU = Bleu(tokenize="none")


def table() -> dict[str, list[str]]:
    section = PAGE.split("## What goes together\n")[1].split("\n## ")[0]
    rows = [re.split(r" *\| *", line.strip("| \n")) for line in section.splitlines() if "|" in line]
    assert rows[0] == HEAD
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


def row(name: str) -> list[str]:
    learner = learners[name]()
    cells = []
    for kind in KINDS:
        refused = refusal(learner, kind, Serial(), BLEU) is not None
        made = lists_are_made(learner, kind.data)
        cells.append("no" if refused else "by lists" if made else "yes")
    kind = LISTS if cells[0] == "yes" else FORESTS
    fitting = [s for s in strategies if refusal(learner, kind, strategies[s](), BLEU) is None]
    others = [metrics[m]() for m in metrics if metrics[m] is not Column]
    any_metric = all(refusal(learner, kind, Serial(), metric) is None for metric in others)
    return [*cells, ", ".join(fitting), "any" if any_metric else "BLEU on words"]


def test_every_learner_has_a_row() -> None:
    assert sorted(table()) == sorted(learners)


@pytest.mark.parametrize("name", learners)
def test_a_row_says_what_the_program_does(name: str) -> None:
    assert table()[name] == row(name)


def test_the_reasons_are_those_of_the_program() -> None:
    for name in learners:
        for strategy in strategies:
            reason = strategies[strategy]().refuse(learners[name]())
            assert reason is None or reason in " ".join(PAGE.split())
