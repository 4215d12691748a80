"""References that are in the wrong order, or of different numbers, are warned about."""

from pathlib import Path
from typing import Any

import pytest

import hopefear
from hopefear.events import Warned

COUNT = 60


def texts(sentence: int) -> list[str]:
    good = f"speaker {sentence} says w{sentence} and x{sentence} today"
    return [good, f"speaker {sentence} says w{sentence} tomorrow", f"w{sentence}"]


def write(folder: Path, references: list[str]) -> dict[str, Any]:
    lines = [
        f"{sentence} ||| {text} ||| lm= {-(place + sentence % 3) % 4} tm= {place} ||| 0"
        for sentence in range(COUNT)
        for place, text in enumerate(texts(sentence))
    ]
    (folder / "nbest").write_text("\n".join(lines) + "\n")
    (folder / "refs").write_text("\n".join(references) + "\n")
    return {"nbest": [folder / "nbest"], "refs": [folder / "refs"]}


def warnings(files: dict[str, Any], **others: Any) -> list[str]:
    found = hopefear.tune("mert", **files, **others, tokenize="none")
    return [event.message for event in found.events if isinstance(event, Warned)]


@pytest.mark.parametrize("missing", [25, None])
def test_references_that_lost_a_line_in_the_middle_are_noticed(
    tmp_path: Path, missing: int | None
) -> None:
    references = [texts(sentence)[0] for sentence in range(COUNT)]
    if missing is not None:
        references = [*references[:missing], *references[missing + 1 :], "the end"]
    found = [line for line in warnings(write(tmp_path, references)) if "line missing" in line]
    assert len(found) == (missing is not None)
    for message in found:
        assert "from sentence 26 to 59" in message
        assert "of the sentence before" in message


def test_different_numbers_of_references_are_noticed(tmp_path: Path) -> None:
    references = [texts(sentence)[0] for sentence in range(COUNT)]
    files = write(tmp_path, references)
    two = {"dev_nbest": files["nbest"], "dev_refs": [*files["refs"], *files["refs"]]}
    found = warnings(files, **two)
    assert any("has 1 references per sentence and the dev data has 2" in line for line in found)
    same = {"dev_nbest": files["nbest"], "dev_refs": files["refs"]}
    assert not any("references per sentence" in line for line in warnings(files, **same))
