"""Sentences side by side, and scores by length."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from hopefear.errors import FormatError
from hopefear.metrics import Bleu, References, evaluate
from hopefear.reporting import read_run, report_html
from hopefear.reporting.chart import Line
from hopefear.reporting.page import Section
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.sentences import lengths_section, sentences_section
from hopefear.reporting.standing import standings
from hopefear.runs.sentences import SENTENCES_FILE
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run, write_sentence_lines

WEIGHTS = [Weights({"lm": 1.0}), Weights({"lm": 0.5})]
TEXTS = [
    ("the same words", "the same words", "the same words"),
    ("a bad start of it", "a good end of it", "a good end of it"),
    ("a good end of all", "a bad start of all", "a good end of all"),
    ("one word of " * 9, "one word in " * 9, "one word in " * 9),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = write_run(tmp_path / "run", events_of_a_run(WEIGHTS, scores=[31.0]))
    return write_sentence_lines(path, TEXTS)


def listed(section: Section | None) -> list[dict[str, Any]]:
    assert section is not None
    lists = section.data["lists"]
    assert isinstance(lists, list)
    return lists


def cells(item: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the label and the text of each cell."""
    return [(cell["label"], "".join(p.text for p in cell["pieces"])) for cell in item["cells"]]


def test_the_largest_changes_come_first_and_no_more_than_asked_for(run: Path) -> None:
    (only,) = listed(sentences_section(standings([read_run(run)]), shown=3))
    changes = [abs(item["changes"][0]) for item in only["items"]]
    assert changes == sorted(changes, reverse=True)
    assert 0 not in [item["number"] for item in only["items"]]  # nothing changed there
    page = report_html([read_run(run)], sentences=3)
    assert "2 of 4 sentences" in page
    assert "Shown are the 3 that changed most." in page
    assert page.count("<li data-number=") == 3
    assert '<ins class="known">good end</ins>' in page
    assert "<del>bad start</del>" in page


def write_runs(folder: Path, texts: dict[str, list[tuple[str, str, str]]]) -> list[RunRecord]:
    """Write runs with these sentences, each better than the one before it."""
    runs = []
    for number, (name, sentences) in enumerate(texts.items()):
        path = write_run(folder / name, events_of_a_run(WEIGHTS, scores=[30.0 + number]))
        runs.append(write_sentence_lines(path, sentences))
    return [read_run(run) for run in runs]


def test_results_of_all_runs_are_side_by_side_and_each_text_once(tmp_path: Path) -> None:
    right, wrong, idle = ("one two", "1 2", "1 2"), ("one two", "3 4", "1 2"), ("a", "a", "b")
    still = ("one two", "one two", "1 2")
    records = write_runs(
        tmp_path,
        {"idle": [still, still, idle], "worse": [wrong, right, idle], "best": [right, right, idle]},
    )
    (only,) = listed(sentences_section(standings(records), shown=9))
    assert only["names"] == ["best", "idle", "worse"]
    first, second = only["items"]
    assert cells(first) == [("start, idle", "one two"), ("best", "1 2"), ("worse", "3 4")]
    assert cells(second) == [("start, idle", "one two"), ("best, worse", "1 2")]
    assert only["counts"].rows == [
        ["best", "2", "0", "", ""],
        ["idle", "0", "0", "0", "2"],
        ["worse", "1", "0", "0", "1"],
    ]
    page = report_html(records)
    assert page.count("<li data-number=") == 2
    assert '<ins class="known">1 2</ins>' in page


def test_where_runs_differ_comes_first_and_then_what_all_changed(tmp_path: Path) -> None:
    gained, lost, kept = ("x y", "1 2", "1 2"), ("x 2", "x y", "1 2"), ("x 2", "x 2", "1 2")
    all_gain, tied = [gained] * 10, [kept] * 10
    records = write_runs(
        tmp_path,
        {"a": [*all_gain, *[lost] * 10, *tied], "best": [*all_gain, *[kept] * 10, *tied]},
    )
    (only,) = listed(sentences_section(standings(records), shown=6))
    assert [item["number"] for item in only["items"]] == [10, 11, 12, 0, 1, 2]


def test_runs_on_other_sentences_have_their_own_list(tmp_path: Path) -> None:
    texts = {name: [("old", name, f"r {i}") for i in range(50)] for name in ("a", "b", "best")}
    texts["b"] = [("old", "b", f"longer {i} ones") for i in range(50)]
    lists = listed(sentences_section(standings(write_runs(tmp_path, texts)), shown=12))
    assert [(one["names"], len(one["items"])) for one in lists] == [
        (["best", "a"], 12),
        (["b"], 12),
    ]


def test_the_size_of_a_report_does_not_grow_with_the_sentences(tmp_path: Path) -> None:
    sizes = []
    for count in (200, 2000):
        path = write_run(tmp_path / str(count), events_of_a_run(WEIGHTS, scores=[31.0]))
        write_sentence_lines(path, [(f"a {i}", f"b {i}", f"b {i}") for i in range(count)])
        sizes.append(len(report_html([read_run(path)], sentences=50)))
    assert abs(sizes[1] - sizes[0]) < 1000


def test_scores_by_length_are_those_of_the_sentences_of_each_length(run: Path) -> None:
    section = lengths_section([read_run(run)])
    assert section is not None
    (chart,) = section.charts
    start, result = (mark for mark in chart.marks if isinstance(mark, Line))
    metric = Bleu(tokenize="none")
    for line, i in ((start, 0), (result, 1)):
        expected = [
            evaluate(metric, [t[i] for t in group], References([[t[2]] for t in group])).value
            for group in (TEXTS[:3], TEXTS[3:])
        ]
        assert list(line.y) == pytest.approx(expected)
    assert list(start.x) == [pytest.approx((3 + 5 + 5) / 3), 27.0]


def test_a_run_without_sentences_has_no_such_sections(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", events_of_a_run(WEIGHTS, scores=[31.0]))
    page = report_html([read_run(path)])
    assert 'id="sentences"' not in page
    assert 'id="lengths"' not in page


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", r"gz:2: not JSON"),
        ("[1]", r"gz:2: expected an object"),
        ('{"name": "0"}', r"gz:2: is not about a sentence"),
        (
            '{"name":"0","references":[],"start":"","result":"","statistics":[[1],[2]]}',
            r"gz:2: expected 2 rows of 9 statistics",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_line(run: Path, line: str, message: str) -> None:
    with gzip.open(run / SENTENCES_FILE, "rt", encoding="utf-8") as file:
        header = file.readline()
    with gzip.open(run / SENTENCES_FILE, "wt", encoding="utf-8") as out:
        out.write(f"{header}{line}\n")
    with pytest.raises(FormatError, match=message):
        read_run(run)


def test_hostile_sentences_make_no_element(run: Path) -> None:
    evil = "<script>alert(1)</script> <b onclick=x>"
    write_sentence_lines(run, [(evil, f"{evil} more", evil)])
    page = report_html([read_run(run)])
    assert page.count("<script") == 1
    assert not re.search(r"<b\b", page)
