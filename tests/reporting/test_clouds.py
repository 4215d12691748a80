"""Charts and pages of clouds."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hopefear.errors import ConfigError
from hopefear.inspection import Chosen, Cloud, CloudPoint, write_cloud
from hopefear.reporting import read_run, report_html
from hopefear.reporting.chart import Line, Points
from hopefear.reporting.clouds import cloud_chart, cloud_html, format_counts, write_picture
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

EVIL = "<script>alert('x')</script>"


def chosen(text: str, score: float, worth: float) -> Chosen:
    return Chosen(
        point=CloudPoint(text=text, score=score, worth=worth),
        gain=worth / 100,
        features={"lm": score, EVIL: worth},
        statistics=(2, 1, 3, 2, 4),
        tree=("0: <s> [0]", f"  1: {EVIL}"),
    )


@pytest.fixture
def cloud() -> Cloud:
    best, hope, fear = chosen(EVIL, 3, 50), chosen("hope", 2, 90), chosen("fear", 2.5, 10)
    return Cloud(
        sentence=EVIL,
        metric="BLEU",
        worth="sentence BLEU+1",
        search="by luck",
        references=(EVIL,),
        size="3 derivations",
        listed=(best.point, fear.point),
        others=(CloudPoint(text="", score=0, worth=0),),
        best=best,
        hope=hope,
        fear=fear,
        listed_hope=best.point,
        listed_fear=fear.point,
        weights={"lm": 1.0, EVIL: 0.5},
    )


def test_marks_are_at_their_scores(cloud: Cloud) -> None:
    marks = {mark.name: mark for mark in cloud_chart(cloud, "t").marks if mark.name}
    assert list(marks) == [
        *["other candidates", "2 best by model score", "hope among them", "fear among them"],
        *["hope", "fear", "1-best"],
    ]
    hope = marks["hope"]
    assert isinstance(hope, Points)
    assert (list(hope.x), list(hope.y)) == ([90], [2])
    assert len({(mark.color, getattr(mark, "symbol", "")) for mark in marks.values()}) == 7


def test_a_box_surrounds_the_best_by_model_score(cloud: Cloud) -> None:
    (box,) = [mark for mark in cloud_chart(cloud, "t").marks if not mark.name]
    assert isinstance(box, Line)
    x, y = box.x, [value for value in box.y if value is not None]
    assert (min(x), max(x), min(y), max(y)) == (10, 50, 2.5, 3)


def test_hostile_text_is_escaped(cloud: Cloud) -> None:
    page = cloud_html(cloud)
    assert page.count("&lt;script&gt;alert(") >= 8
    assert "<script>alert" not in page
    assert page.count("<script") == 1


def test_the_file_name_decides_between_page_and_chart(cloud: Cloud, tmp_path: Path) -> None:
    write_picture(tmp_path / "a.svg", cloud)
    assert ET.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    write_picture(tmp_path / "a.html", cloud)
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    with pytest.raises(ConfigError, match=r"a\.png: .* must end in \.html or \.svg"):
        write_picture(tmp_path / "a.png", cloud)


def test_the_counts_of_bleu_are_shown(cloud: Cloud) -> None:
    assert format_counts(cloud, cloud.best) == {
        "1-grams": "2 of 3",
        "2-grams": "1 of 2",
        "reference length": "4",
    }


def test_a_report_shows_the_clouds_of_the_run_in_order(cloud: Cloud, tmp_path: Path) -> None:
    start = Weights({"lm": 1.0})
    run = write_run(tmp_path / "run", events_of_a_run([start, 2 * start], scores=[30.0]))
    (run / "clouds").mkdir()
    for name in ("10", "9"):
        fields = {field: getattr(cloud, field) for field in cloud.__dataclass_fields__}
        write_cloud(run / "clouds" / f"{name}.json", Cloud(**fields | {"sentence": name}))
    page = report_html([read_run(run)])
    assert page.index("sentence 9") < page.index("sentence 10")
    assert "Hope and fear" in page
