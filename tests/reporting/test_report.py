"""The report of runs, as a file and as what is seen in it."""

import base64
import hashlib
import json
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.events import ReplicasFinished, RunFailed, RunResumed, RunStarted, Warned
from hopefear.reporting import read_run, report_html, write_pictures, write_report
from hopefear.reporting.chart import Band, Boxes, Chart, Line
from hopefear.reporting.curves import curve_charts
from hopefear.reporting.run_record import read_runs
from hopefear.reporting.times import times_section
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


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", events_of_a_run(WEIGHTS, scores=[35.5, 33.25]))


def html(*runs: Path, interactive: bool = False, top: int = 30) -> str:
    return report_html([read_run(path) for path in runs], interactive=interactive, top=top)


def test_the_report_says_what_the_run_did(run: Path) -> None:
    text = Page(html(run)).text
    for said in ("35.50", "33.50", "30.00", "sgd", "BLEU", "words", "0.5", "nrefs:1", "seed = 7"):
        assert said in text
    assert "without a result" not in text


def test_the_report_is_the_same_every_time(run: Path, tmp_path: Path) -> None:
    sizes = [write_report([run], tmp_path / name) for name in ("a.html", "b.html")]
    first, second = ((tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second
    assert sizes == [len(first)] * 2


def test_nothing_is_loaded_from_anywhere(run: Path) -> None:
    page = Page(html(run, interactive=True))
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a) or ""
    assert "default-src 'none'" in policy
    assert "http" not in policy
    static = html(run)
    addresses = set(re.findall(r"https?://[^\s\"'<]*", static))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", static)


def test_only_the_scripts_of_the_page_may_run(run: Path) -> None:
    page = Page(html(run, interactive=True))
    scripts = [script for script in page.scripts if script and not script.startswith("[")]
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a) or ""
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    assert allowed == digests
    assert len(digests) == 2


def test_a_static_report_has_no_script_and_is_small(run: Path) -> None:
    text = html(run)
    assert "script" not in Page(text).tags()
    assert len(text) < 40_000


def test_whatever_names_say_they_are_text(tmp_path: Path) -> None:
    weights = [Weights({EVIL: w, "lm": 1.0}) for w in (1.0, 2.0)]
    events = [Warned(message=EVIL), *events_of_a_run(weights, scores=[31.0])]
    evil = write_run(tmp_path / "a<script>x", events, settings=f"# {EVIL}\n")
    for interactive in (False, True):
        page = Page(html(evil, interactive=interactive))
        assert page.tags() == Page(html(evil)).tags() | ({"script"} if interactive else set())
        assert "b" not in page.tags()
        assert page.text.count(EVIL) >= 4
        for _, attributes in page.elements:
            assert not any(name.startswith("on") for name in attributes)
    figures = next(script for script in page.scripts if script.startswith("["))
    assert "<" not in figures
    names = [t for f in json.loads(figures) for t in f["layout"]["yaxis"].get("ticktext", [])]
    assert any("&lt;script&gt;" in name for name in names)


def test_runs_are_drawn_into_one_picture_and_their_settings_compared(
    run: Path, tmp_path: Path
) -> None:
    other = write_run(
        tmp_path / "other",
        events_of_a_run(WEIGHTS, scores=[36.0, 36.5]),
        settings="seed = 8\n[learner]\nname='sgd'\n",
    )
    text = html(run, other)
    assert text.count("BLEU by epoch") == 2  # the heading, and the title of the picture
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    (seeds,) = [row for row in rows if row.startswith("<td>seed</td>")]
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
    text = Page(report_html([run], interactive=False)).text
    assert "The weights of replica 2 are taken" in text
    assert "34.50 with a standard deviation of 0.71" in text


def test_pictures_are_files_of_their_own(run: Path, tmp_path: Path) -> None:
    files = write_pictures([run], tmp_path / "new" / "pictures")
    assert files == sorted((tmp_path / "new" / "pictures").iterdir())
    assert files[0].name == "01-bleu-by-epoch.svg"
    for file in files:
        assert ET.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert len(files) == html(run).count("<figure>")


def test_the_time_of_each_stage_is_told(tmp_path: Path) -> None:
    started, *rest = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    assert isinstance(started, RunStarted)
    path = write_run(tmp_path / "run", [replace(started, reading_seconds=4.0), *rest])
    (chart, *_) = times_section([read_run(path)]).content
    assert isinstance(chart, Chart)
    boxes = [mark for mark in chart.marks if isinstance(mark, Boxes)]
    assert [(b.name, *b.left, *b.right) for b in boxes] == [
        ("reading", 0.0, 4.0),
        ("learning", 4.0, 4.5),
        ("scoring", 4.5, 6.0),
    ]


def test_thousands_of_features_are_not_all_in_the_report(tmp_path: Path) -> None:
    names = [f"sparse_{i}" for i in range(20_000)]
    start = Weights.from_arrays(names, [0.0] * len(names))
    last = Weights.from_arrays(names, [float(i % 1000) for i in range(len(names))])
    path = write_run(tmp_path / "run", events_of_a_run([start, last], scores=[31.0]))
    text = html(path, top=10)
    assert len(text) < 60_000
    assert len(set(re.findall(r"sparse_\d+", text))) == 10
    assert "20,000 features, of which 19,980 have moved" in text
    assert "All weights of" in text


def test_a_run_that_was_killed_is_shown_as_far_as_it_came(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])[:-1]
    path = write_run(tmp_path / "run", events)
    with (path / "events.jsonl").open("a") as log:
        log.write('{"event": "epoch_fin')
    text = Page(html(path)).text
    assert "has not ended, or was killed: 2 of 9 epochs done" in text
    assert "1 without a result" in text
    assert "33.25" in text


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [RunFailed(message="weights are not finite")])
    assert "failed: weights are not finite" in Page(html(path)).text


def test_a_run_that_failed_and_was_resumed_has_a_result(tmp_path: Path) -> None:
    first, *rest = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    again = [RunFailed(message="no disk"), RunResumed(epoch=1)]
    path = write_run(tmp_path / "run", [first, *again, *rest])
    assert read_run(path).failure is None


def test_a_run_that_has_only_begun_is_no_error(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [])
    assert "did not begin to learn" in Page(html(path)).text


def test_runs_are_called_by_what_tells_them_apart(
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


def test_an_epoch_that_was_learned_again_counts_once(tmp_path: Path) -> None:
    events = events_of_a_run(WEIGHTS, scores=[35.5, 33.25])
    again = [*events[:3], epoch(2, WEIGHTS[0], score=40.0)]
    replica = read_run(write_run(tmp_path / "run", again)).log
    assert [(e.epoch, e.tuning_score) for e in replica.epochs] == [(1, 35.5), (2, 40.0)]
    assert replica.history.row(2).tolist() == [1.0, 0.0]
    assert len(replica.history) == 3


def test_features_may_join_on_the_way(tmp_path: Path) -> None:
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
        (
            '{"event":"epoch_finished","epoch":1,"metric":"B","weights":{},"seconds":1}\n',
            r"events.jsonl: epoch 1 ended before the run started",
        ),
    ],
)
def test_a_broken_log_is_refused_with_its_place(content: str, message: str, tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", [])
    (path / "events.jsonl").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FormatError, match=message):
        read_run(path)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_run(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"neither config.toml nor events.jsonl"):
        read_run(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is not a directory"):
        read_run(tmp_path / "file")


def test_a_report_that_cannot_be_made_leaves_nothing_behind(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.html"
    target.parent.mkdir()
    with pytest.raises(DataError):
        write_report([run, tmp_path / "nothing"], target)
    with pytest.raises(FormatError, match="cannot be written"):
        write_report([run], tmp_path / "no" / "report.html")
    assert list(target.parent.iterdir()) == []


def test_options_that_make_no_sense_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one run"):
        write_report([], tmp_path / "r.html")
    with pytest.raises(ConfigError, match="top must be at least 1, got 0"):
        write_report([run], tmp_path / "r.html", top=0)


def test_without_plotly_the_message_says_what_would_do(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ConfigError, match=r"'plotly' .*: install it, or write a static report"):
        write_report([run], tmp_path / "r.html")
    assert write_report([run], tmp_path / "r.html", interactive=False) > 0
