"""Reports of runs: the file, and what a browser sees in it."""

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.events import (
    ReplicasFinished,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
)
from hopefear.reporting import read_run, report_html, write_pictures, write_report
from hopefear.reporting.chart import Band, Boxes, Line, Points
from hopefear.reporting.curves import curve_charts, curves_section
from hopefear.reporting.overview import environment_section, times_section
from hopefear.reporting.page import Table
from hopefear.reporting.run_record import read_runs
from hopefear.types import Weights
from run_directories import epoch, events_of_a_run, write_run

EVIL = "<script>alert(1)</script>\"'&--><b onload=x>"
WEIGHTS = [
    Weights({"lm": 1.0, "words": 0.0}),
    Weights({"lm": 0.5, "words": -0.25}),
    Weights({"lm": 0.75, "words": -0.125}),
]


class Page(HTMLParser):
    """What a browser makes of a page: its elements, its text, and what is in scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.scripts, self._inside = "", [""], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def count(self, tag: str) -> int:
        return sum(tag == other for other, _ in self.elements)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", events_of_a_run(WEIGHTS, scores=[35.5, 33.25]))


def html(*runs: Path, top: int = 30) -> str:
    return report_html([read_run(path) for path in runs], top=top)


def test_the_report_says_what_the_run_did(run: Path) -> None:
    text = Page(html(run)).text
    for said in ("35.50", "33.50", "30.00", "sgd", "BLEU", "words", "0.5", "nrefs:1", "seed = 7"):
        assert said in text
    assert "without a result" not in text


def test_the_same_runs_give_the_same_bytes(run: Path, tmp_path: Path) -> None:
    sizes = [write_report([run], tmp_path / name) for name in ("a.html", "b.html")]
    first, second = ((tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second
    assert sizes == [len(first)] * 2


def test_nothing_is_loaded_from_anywhere(run: Path) -> None:
    page = Page(html(run))
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a) or ""
    assert "default-src 'none'" in policy
    assert "http" not in policy
    text = html(run)
    addresses = set(re.findall(r"https?://[^\s\"'<]*", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|innerHTML|eval\(|fetch\(", text)


def test_only_the_scripts_of_the_page_may_run(run: Path) -> None:
    page = Page(html(run))
    scripts = [script for script in page.scripts if script]
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a) or ""
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    assert allowed == digests
    assert len(digests) == 1


def test_a_report_is_small(run: Path) -> None:
    assert len(html(run)) < 45_000


def hostile_run(path: Path, text: str) -> Path:
    """Return a run that has a text wherever a user or a file can put one."""
    weights = [Weights({text: w, "lm": 1.0}) for w in (1.0, 2.0)]
    started, *rest = events_of_a_run(weights, scores=[31.0])
    assert isinstance(started, RunStarted)
    hostile = replace(started, name=text, version=text, metric=text, started=text, signature=text)
    events = [Warned(message=text), hostile, *rest, RunFailed(message=text)]
    return write_run(path, events, settings=f"# {text}\n")


def test_hostile_text_is_shown_and_makes_no_element(tmp_path: Path) -> None:
    plain = Page(html(hostile_run(tmp_path / "plain", "harmless")))
    evil = Page(html(hostile_run(tmp_path / "a<script>x", EVIL)))
    assert evil.tags() == plain.tags()
    assert evil.count("script") == 1
    assert evil.text.count(EVIL) >= 10
    for _, attributes in evil.elements:
        assert not any(name.startswith("on") for name in attributes)
    assert "alert" not in "".join(evil.scripts)


def test_hostile_names_of_runs_and_settings_are_escaped(tmp_path: Path) -> None:
    names = ["<b>1", "<b>2"]
    runs = [
        write_run(
            tmp_path / name,
            events_of_a_run(WEIGHTS, scores=[31.0, 32.0 + i]),
            settings=f"'{name}' = ['<i>']\n[learner]\n'<u>' = {i}\n",
        )
        for i, name in enumerate(names)
    ]
    page = Page(html(*runs))
    assert not page.tags() & {"b", "i", "u"}
    for text in (*names, "<i>", "learner.<u>"):
        assert text in page.text


def test_hostile_text_in_pictures_is_escaped(tmp_path: Path) -> None:
    for file in write_pictures([hostile_run(tmp_path / "run", EVIL)], tmp_path / "pictures"):
        tags = {element.tag.rpartition("}")[2] for element in ET.parse(file).iter()}
        assert tags <= {"svg", "title", "desc", "style", "g", "text", "path", "circle", "rect"}


def test_runs_share_one_chart_and_their_settings_are_compared(run: Path, tmp_path: Path) -> None:
    other = write_run(
        tmp_path / "other",
        events_of_a_run(WEIGHTS, scores=[36.0, 36.5]),
        settings="seed = 8\n[learner]\nname='sgd'\n",
    )
    text = html(run, other)
    assert text.count("BLEU by epoch") == 2  # the heading, and the name of the chart
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    (seeds,) = [row for row in rows if row.startswith("<td>seed</td><td>7</td><td>")]
    assert seeds == "<td>seed</td><td>7</td><td>8</td>"
    assert not any(row.startswith("<td>learner.name</td>") for row in rows)


def test_replicas_have_a_mean_and_a_band(tmp_path: Path) -> None:
    path = write_run(
        tmp_path / "run",
        [
            ReplicasFinished(
                metric="BLEU",
                weights=WEIGHTS[1],
                replicas=2,
                chosen=2,
                tuning_mean=34.5,
                tuning_deviation=0.71,
            )
        ],
    )
    for number, score in ((1, 34.0), (2, 35.0)):
        events = events_of_a_run(WEIGHTS[:2], scores=[score], replica=number)
        write_run(path / f"replica-{number}", events)
    run = read_run(path)
    assert run.failure is None
    (chart,) = curve_charts([run])
    bands = [mark for mark in chart.marks if isinstance(mark, Band)]
    lines = [mark for mark in chart.marks if isinstance(mark, Line)]
    assert [(list(b.low), list(b.high)) for b in bands] == [
        ([28, 32], [28, 33]),
        ([30, 34], [30, 35]),
    ]
    assert [list(line.y) for line in lines] == [[28, 32.5], [30, 34.5]]
    text = Page(report_html([run])).text
    assert "The result is the weights of replica 2" in text
    assert "34.50 ± 0.71 on the tuning data" in text


def test_every_chart_can_be_written_as_a_picture(run: Path, tmp_path: Path) -> None:
    files = write_pictures([run], tmp_path / "new" / "pictures")
    assert files == sorted((tmp_path / "new" / "pictures").iterdir())
    assert files[0].name == "01-bleu-by-epoch.svg"
    for file in files:
        assert ET.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert len(files) == html(run).count("<figure>")


def test_the_time_of_each_stage_is_shown(tmp_path: Path) -> None:
    started, *rest = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    assert isinstance(started, RunStarted)
    path = write_run(tmp_path / "run", [replace(started, reading_seconds=4.0), *rest])
    other = write_run(tmp_path / "other", [started, *rest])
    section = times_section([read_run(path), read_run(other)])
    assert section is not None
    (chart,) = section.charts
    boxes = [mark for mark in chart.marks if isinstance(mark, Boxes)]
    assert [(b.name, list(b.left), list(b.right)) for b in boxes] == [
        ("reading", [0.0], [4.0]),
        ("learning", [4.0, 0.0], [4.5, 0.5]),
        ("scoring", [4.5, 0.5], [6.0, 2.0]),
    ]
    alone = times_section([read_run(path)])
    assert alone is not None
    figures = alone.data["figures"]
    assert isinstance(figures, Table)
    assert figures.rows == [["run", "4.0 s", "0.500 s", "1.5 s", "", ""]]


def test_only_the_top_of_thousands_of_features_are_in_the_report(tmp_path: Path) -> None:
    names = [f"sparse_{i}" for i in range(20_000)]
    start = Weights.from_arrays(names, [0.0] * len(names))
    last = Weights.from_arrays(names, [float(i % 1000) for i in range(len(names))])
    path = write_run(tmp_path / "run", events_of_a_run([start, last], scores=[31.0]))
    text = html(path, top=10)
    assert len(text) < 60_000
    assert len(set(re.findall(r"sparse_\d+", text))) == 10
    assert "19,980 of 20,000 weights changed" in text
    assert "All weights of" in text


def test_a_killed_run_is_shown_as_far_as_it_got(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])[:-1]
    path = write_run(tmp_path / "run", events)
    with (path / "events.jsonl").open("a") as log:
        log.write('{"event": "epoch_fin')
    page = html(path)
    assert "<td>28.00</td><td>33.50</td><td>+5.50</td>" in page  # the best so far
    text = Page(page).text
    assert "was stopped: 2 of 9 epochs" in text
    assert "1 without a result" in text
    assert "33.25" in text


def test_of_many_runs_a_chart_has_the_data_alone_that_judge_them(tmp_path: Path) -> None:
    runs = []
    for number in range(9):
        events = events_of_a_run(WEIGHTS, scores=[31.0 + number, 32.0])
        runs.append(read_run(write_run(tmp_path / f"run{number}", events)))
    (few,) = curve_charts(runs[:4])
    assert len([mark for mark in few.marks if isinstance(mark, Line)]) == 8
    (chart,) = curve_charts(runs)
    assert chart.title == "BLEU by epoch, held-out data"
    lines = [mark for mark in chart.marks if isinstance(mark, Line)]
    assert [(line.name, line.dashed) for line in lines] == [
        (f"run{number}", number >= 7) for number in range(9)
    ]
    section = curves_section(runs)
    assert section is not None
    more = section.data["more"]
    assert isinstance(more, list)
    assert more[0].title == "BLEU by epoch, tuning data"
    assert "<title>Tuning: run0 and 8 others</title>" in report_html(runs)


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [RunFailed(message="weights are not finite")])
    assert "failed: weights are not finite" in Page(html(path)).text


def test_a_run_that_failed_and_was_resumed_has_a_result(tmp_path: Path) -> None:
    first, *rest = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    again = [RunFailed(message="no disk"), RunResumed(epoch=1)]
    path = write_run(tmp_path / "run", [first, *again, *rest])
    assert read_run(path).failure is None


def test_a_run_that_has_only_begun_has_a_report(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [])
    assert "has not started to learn" in Page(html(path)).text


def test_runs_are_named_by_their_distinguishing_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/run", "b/run", "b/more"):
        write_run(tmp_path / name, [])
    monkeypatch.chdir(tmp_path / "b")
    assert [run.name for run in read_runs(["run", tmp_path / "b/more"])] == ["run", "more"]
    assert [run.name for run in read_runs(["../a/run", "run"])] == ["a/run", "b/run"]
    monkeypatch.chdir(tmp_path / "b/run")
    assert [run.name for run in read_runs(["."])] == ["run"]
    assert read_run(".").name == "run"


def test_a_repeated_epoch_counts_once(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    again = [*events[:3], epoch(2, WEIGHTS[0], score=40.0)]
    replica = read_run(write_run(tmp_path / "run", again)).log
    assert [(e.epoch, e.tuning_score) for e in replica.epochs] == [(1, 35.5), (2, 40.0)]
    assert replica.history.row(2).tolist() == [1.0, 0.0]
    assert len(replica.history) == 3


def test_a_log_of_two_starts_is_about_the_second(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    path = write_run(tmp_path / "run", [*events[:2], *events])
    replica = read_run(path).log
    assert [event.epoch for event in replica.epochs] == [1, 2]
    assert len(replica.history) == 3
    path = write_run(tmp_path / "other", [*events[:2], events[0]])
    assert "was stopped: 0 of 9 epochs" in Page(html(path)).text


def test_features_may_appear_later(tmp_path: Path) -> None:
    grown = Weights({"new": 3.0, "lm": 2.0})
    replica = read_run(
        write_run(tmp_path / "run", events_of_a_run([Weights({"lm": 1.0}), grown], scores=[31.0]))
    ).log
    assert replica.history.columns([0, 1]).tolist() == [[1.0, 0.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"event": "epoch_finished"}\n', r"events.jsonl:1: .*is missing"),
        ("nonsense\n", r"events.jsonl:1: not JSON"),
        ('{"event": "nobody"}\n', r"events.jsonl:1: unknown event 'nobody'"),
        ("\udcff\n", r"events.jsonl:1: is not UTF-8"),
        ('{"event": "warned", "message": "\\ud800"}\n', r"events.jsonl:1: not JSON: .*surrogates"),
        (
            '{"event": "warned", "message": 1e999}\n',
            r"events.jsonl:1: not JSON: .*not JSON compliant",
        ),
        (
            '{"event": "warned", "message": NaN}\n',
            r"events.jsonl:1: not JSON: .*not JSON compliant",
        ),
        (
            '{"event":"epoch_finished","epoch":1,"metric":"B","weights":{},"seconds":1}\n',
            r"events.jsonl: epoch 1 finishes before the run starts",
        ),
    ],
)
def test_a_broken_log_is_refused_with_file_and_line(
    content: str, message: str, tmp_path: Path
) -> None:
    path = write_run(tmp_path / "run", [])
    (path / "events.jsonl").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FormatError, match=message):
        read_run(path)


def test_a_directory_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_run(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"neither config.toml nor events.jsonl"):
        read_run(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is not a directory"):
        read_run(tmp_path / "file")


def test_a_failed_report_leaves_nothing_behind(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.html"
    target.parent.mkdir()
    with pytest.raises(DataError):
        write_report([run, tmp_path / "nothing"], target)
    with pytest.raises(FormatError, match="cannot be written"):
        write_report([run], tmp_path / "no" / "report.html")
    assert list(target.parent.iterdir()) == []


def test_invalid_options_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one run"):
        write_report([], tmp_path / "r.html")
    with pytest.raises(ConfigError, match="top must be at least 1, got 0"):
        write_report([run], tmp_path / "r.html", top=0)


def test_a_warning_of_several_runs_is_shown_once(tmp_path: Path) -> None:
    for name, messages in (("a", ["both", "one"]), ("b", ["both"])):
        events = [Warned(message=message) for message in messages]
        write_run(tmp_path / name, [*events, *events_of_a_run(WEIGHTS[:2], scores=[31.0])])
    text = html(tmp_path / "a", tmp_path / "b")
    assert text.count("</strong>: both</li>") == 1
    assert "<strong>all runs</strong>: both" in text
    assert "<strong>a</strong>: one" in text


def test_weights_of_all_runs_are_in_one_table_on_a_comparable_scale(tmp_path: Path) -> None:
    spread = Weights({"lm": 3.0, "words": 2.0})
    runs = []
    for name, scale in (("a", 1.0), ("b", 100.0)):
        last = Weights({"lm": scale, "words": -0.5 * scale})
        started, *rest = events_of_a_run([WEIGHTS[0], last], scores=[31.0])
        assert isinstance(started, RunStarted)
        runs.append(write_run(tmp_path / name, [replace(started, spread=spread), *rest]))
    text = html(*runs)
    table = text[text.index("Weights of all runs") :]
    rows = re.findall(r"<tr><td>(\w+)</td>(.*?)</tr>", table[: table.index("</table>")])
    shares = {name: re.findall(r'title="[^"]*">([^<]*)<', cells) for name, cells in rows}
    assert shares == {
        "lm": ["100.0 %", "75.0 %", "75.0 %"],
        "words": ["0.0 %", "−25.0 %", "−25.0 %"],
    }


def test_memory_and_machine_are_shown(tmp_path: Path) -> None:
    started, *rest, finished = events_of_a_run(WEIGHTS[:2], scores=[31.0])
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    events = [replace(started, reading_memory=5_000_000, reading_seconds=1.0), *rest]
    path = write_run(tmp_path / "run", [*events, replace(finished, memory=7_500_000_000)])
    (path / "run.json").write_text('{"folder": "/", "environment": {"processor": "fast one"}}')
    text = Page(html(path)).text
    for said in ("5.0 MB", "7.5 GB", "fast one"):
        assert said in text


def test_the_environment_says_once_what_all_runs_share(tmp_path: Path) -> None:
    runs = []
    for name, seed, machine in (("a", 7, "fast"), ("b", 8, "fast"), ("c", 8, "slow")):
        started, *rest = events_of_a_run(WEIGHTS[:2], scores=[31.0])
        assert isinstance(started, RunStarted)
        runs.append(write_run(tmp_path / name, [replace(started, seed=seed), *rest]))
        environment = f'{{"processor": "{machine}", "cores": "2"}}'
        (runs[-1] / "run.json").write_text(f'{{"folder": "/", "environment": {environment}}}')
    section = environment_section([read_run(run) for run in runs])
    assert section is not None
    apart, shared = cast("list[Table]", section.data["tables"])
    assert apart.header == ["run", "seed", "processor"]
    assert apart.rows == [["a", "7", "fast"], ["b", "8", "fast"], ["c", "8", "slow"]]
    assert shared.header == ["part", "all runs"]
    assert ["metric signature", "BLEU|nrefs:1"] in shared.rows
    assert ["cores", "2"] in shared.rows
    alone = environment_section([read_run(runs[0])])
    assert alone is not None
    (table,) = cast("list[Table]", alone.data["tables"])
    assert ["seed", "7"] in table.rows


def test_replicas_of_one_epoch_are_visible(tmp_path: Path) -> None:
    path = write_run(
        tmp_path / "run",
        [ReplicasFinished(metric="BLEU", weights=WEIGHTS[1], replicas=2, chosen=2)],
    )
    for number in (1, 2):
        started, *rest = events_of_a_run(WEIGHTS[:2], scores=[34.0], replica=number)
        assert isinstance(started, RunStarted)
        unknown = replace(started, tuning_score=None, dev_score=None)
        write_run(path / f"replica-{number}", [unknown, *rest])
    (chart,) = curve_charts([read_run(path)])
    assert "the band extends" in chart.description
    assert "diamond" not in chart.description
    points = [mark for mark in chart.marks if isinstance(mark, Points)]
    assert [(list(mark.x), list(mark.y)) for mark in points] == [([1], [32]), ([1], [34])]


def test_the_size_of_a_report_does_not_grow_with_the_epochs(tmp_path: Path) -> None:
    sizes = []
    for count in (300, 3000):
        weights = [Weights({"lm": 1.0 + 0.001 * i}) for i in range(count + 1)]
        scores = [30.0 + (i == 177) for i in range(count)]
        path = write_run(tmp_path / str(count), events_of_a_run(weights, scores=scores))
        text = html(path)
        sizes.append(len(text))
        assert "the result is the weights of epoch 178" in text
        assert "<td>178</td><td>31.00</td>" in text
        assert f"<td>{count}</td>" in text
    assert sizes[1] < 1.2 * sizes[0]
