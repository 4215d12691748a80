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


def listed(section: Section) -> list[dict[str, Any]]:
    runs = section.data["runs"]
    assert isinstance(runs, list)
    return runs


def test_the_largest_changes_come_first_and_no_more_than_asked_for(run: Path) -> None:
    section = sentences_section(standings([read_run(run)]), shown=3)
    assert section is not None
    items = listed(section)[0]["items"]
    changes = [abs(item["change"]) for item in items]
    assert changes == sorted(changes, reverse=True)
    assert [item["name"] for item in items if item["number"] == 0] == []  # nothing changed there
    page = report_html([read_run(run)], sentences=3)
    assert "2 of 4 sentences" in page
    assert "The 3 that changed most are here." in page
    assert page.count("<li data-number=") == 3
    assert '<ins class="known">good end</ins>' in page
    assert "<del>bad start</del>" in page


def test_the_best_run_comes_first_and_the_others_share_as_many_sentences(tmp_path: Path) -> None:
    runs = []
    for name, score in (("a", 30.0), ("best", 33.0), ("c", 31.0), ("nothing", 28.0)):
        path = write_run(tmp_path / name, events_of_a_run(WEIGHTS, scores=[score]))
        result = "old" if name == "nothing" else name
        runs.append(write_sentence_lines(path, [("old", result, f"r {i}") for i in range(50)]))
    records = [read_run(run) for run in runs]
    section = sentences_section(standings(records), shown=12)
    assert section is not None
    counts = [(run["name"], len(run["items"])) for run in listed(section)]
    assert counts == [("best", 12), ("a", 4), ("c", 4)]
    page = report_html(records, sentences=12)
    assert page.count("<li data-number=") == 20
    assert page.index('<details class="run" open><summary>best') < page.index(
        "<summary>a</summary>"
    )
    assert [page.count(f'id="sentence-list-{i}"') for i in (2, 3, 4)] == [1, 1, 0]


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
