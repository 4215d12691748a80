"""Reports in a real browser: Debian's Chromium, driven by Playwright."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples.report_pictures import photograph

from hopefear.events import EventLog, Warned
from hopefear.reporting import watching, write_report
from hopefear.reporting.watching import ReportServer
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run, write_sentence_lines

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "<img src=x onerror='document.title=1'></title><script>document.title = 'evil'</script>"
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768)}

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.unsanitized("a browser is another program, and does not run so"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="there is no Playwright (pip install 'hopefear[browser]')"
    )
    if CHROMIUM is None:
        pytest.skip("there is no chromium to show a page in")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of two runs, with hostile text wherever there can be text."""
    folder = tmp_path_factory.mktemp("runs")
    runs = []
    for name, score, walk in (("first", 33.0, "long"), ("second", 32.0, "short")):
        weights = [Weights({EVIL: w, "lm": 1.0}) for w in (1.0, 2.0, 1.5)]
        events = [Warned(message=EVIL), *events_of_a_run(weights, scores=[31.0, score])]
        run = write_run(folder / name, events, settings=f"name = '{name}'\n# {EVIL}\n")
        texts = [
            ("one small dog", f"one {EVIL} dog", "one big dog"),
            ("two cats sleep", "two cats sat", "two cats sat"),
            ("three birds", "three birds", "three birds"),
            ("a long walk " * 5, f"a {walk} walk " * 5, "a short walk " * 5),
        ]
        write_sentence_lines(run, texts)
        runs.append(run)
    path = folder / "report.html"
    write_report(runs, path)
    return path


class Shown:
    """A page in the browser, and what went wrong in it."""

    def __init__(
        self, browser: Any, report: Path | str, *, size: str = "laptop", **options: Any
    ) -> None:
        width, height = SIZES[size]
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else "",
        )
        self.page.goto(report.as_uri() if isinstance(report, Path) else report)

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, kind: object, *others: object) -> None:
        self.context.close()
        if kind is None:
            assert self.errors == []


def test_the_script_runs_and_hostile_text_does_not(browser: Any, report: Path) -> None:
    with Shown(browser, report) as page:
        assert page.title() == "Tuning: first, second"
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 1
        assert page.locator(".key[aria-pressed=true]").count() > 0
        assert EVIL in page.locator("#sentence-list").text_content()
        assert EVIL in page.locator("#weights").text_content()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_fit_the_screen(browser: Any, report: Path, size: str, theme: str) -> None:
    with Shown(browser, report, size=size, color_scheme=theme) as page:
        page.get_by_role("button", name="Open all").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(252, 252, 251)") == (theme == "light")
        assert len(page.screenshot(full_page=True)) > 20_000


def test_pages_are_printed_on_white(browser: Any, report: Path) -> None:
    with Shown(browser, report, color_scheme="dark") as page:
        page.get_by_role("button", name="Colors: system").click()
        page.get_by_role("button", name="Colors: light").click()
        assert page.pdf(format="A4").startswith(b"%PDF")
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(35, 39, 46)"
        assert not page.locator("nav").is_visible()
        assert not page.locator("#tools").is_visible()


OVERLAPS = """() => {
  const boxes = (query) => [...document.querySelectorAll(query)]
    .map((item) => item.getBoundingClientRect()).filter((box) => box.width && box.height);
  const content = boxes(".key, .ticks-x, .ticks-y, figcaption, h2, h3, table, #sentence-list");
  const meet = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes(".tools, nav").filter((tool) => content.some((item) => meet(tool, item))).length;
}"""


@pytest.mark.parametrize("size", SIZES)
def test_no_toolbar_covers_anything(browser: Any, report: Path, size: str) -> None:
    with Shown(browser, report, size=size) as page:
        page.get_by_role("button", name="Open all").click()
        for chart in page.locator("svg.chart").all():
            chart.focus()
            page.keyboard.press("+")
        assert page.locator("figure .tools:visible").count() > 3
        for share in (0.0, 0.5, 1.0):
            page.evaluate(f"scrollTo(0, {share} * document.body.scrollHeight)")
            assert page.evaluate(OVERLAPS) == 0


def visible_sentences(page: Any) -> list[str]:
    found: list[str] = page.locator("#sentence-list > li:visible").evaluate_all(
        "items => items.map((item) => item.dataset.number)"
    )
    return found


def test_sentences_are_searched_and_ordered_by_keys_alone(browser: Any, report: Path) -> None:
    with Shown(browser, report) as page:
        assert len(visible_sentences(page)) == 3
        page.keyboard.press("/")
        page.keyboard.type("CATS two")
        assert visible_sentences(page) == ["1"]
        assert page.locator("#sentences output").first.text_content() == "1 of 3"
        page.keyboard.press("Escape")
        assert len(visible_sentences(page)) == 3
        page.keyboard.press("Tab")
        order = page.get_by_label("Order of the sentences").first
        order.select_option("order of the data")
        assert visible_sentences(page) == ["0", "1", "3"]
        order.select_option("largest gain")
        assert visible_sentences(page)[0] in ("1", "3")


def test_sentences_are_ordered_by_the_run_that_is_chosen(browser: Any, report: Path) -> None:
    with Shown(browser, report) as page:
        order = page.get_by_label("Order of the sentences")
        run = page.get_by_label("Run of the order")
        assert order.input_value() == "runs differ most"
        assert not run.is_visible()
        assert visible_sentences(page)[0] == "3"
        order.select_option("largest gain")
        run.select_option("first")
        assert visible_sentences(page)[0] == "1"
        run.select_option("second")
        assert visible_sentences(page)[0] == "3"


def test_charts_can_be_used_with_keys(browser: Any, report: Path) -> None:
    with Shown(browser, report) as page:
        chart = page.locator("#curves svg.chart").first
        chart.focus()
        page.keyboard.press("ArrowRight")
        assert "epoch 0: 28" in page.locator(".tip").text_content()
        page.keyboard.press("ArrowRight")
        assert "epoch 1: 29" in page.locator(".tip").text_content()
        reset = page.locator("#curves figure").first.get_by_role("button", name="Reset zoom")
        assert not reset.is_visible()
        page.keyboard.press("+")
        assert reset.is_visible()
        page.keyboard.press("Escape")
        assert not reset.is_visible()
        key = chart.locator(".key").first
        key.focus()
        page.keyboard.press("Enter")
        assert key.get_attribute("aria-pressed") == "false"


def test_what_can_be_focused_has_a_name(browser: Any, report: Path) -> None:
    with Shown(browser, report) as page:
        nameless = page.locator("button, input, select, [tabindex='0'], svg.chart").evaluate_all(
            "items => items.filter((item) => !item.ariaLabel && !item.textContent.trim()).length"
        )
        assert nameless == 0
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_a_page_that_is_served_follows_its_run_and_stays_where_it_is(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "FRESH", 0.0)
    monkeypatch.setattr(watching, "REST", 0)
    weights = [Weights({"lm": w, EVIL: 1.0}) for w in (1.0, 2.0, 1.5, 3.0)]
    events = events_of_a_run(weights, scores=[31.0, 32.0, 33.0])
    run = write_run(tmp_path / "run", events[:3])
    texts = [("a cat", "a dog", "a dog"), ("x", EVIL, "y")]
    ended = write_sentence_lines(write_run(tmp_path / "ended", events), texts)
    with ReportServer([run, ended]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with Shown(browser, server.url) as page:
                page.locator("#weights summary").first.click()
                page.locator("#curves .key").first.click()
                page.keyboard.press("/")
                page.locator("#weights").evaluate("item => scrollTo(0, item.offsetTop + 90)")
                place = "document.getElementById('weights').getBoundingClientRect().top"
                before = page.evaluate(place)
                with EventLog(run / "events.jsonl") as log:
                    for event in events[3:]:
                        log.write(event)
                write_sentence_lines(run, texts)
                page.locator("#sentences table").wait_for(state="attached")
                assert page.evaluate("document.activeElement.type") == "search"
                assert page.evaluate(place) == pytest.approx(before, abs=1)
                assert page.locator("#weights details").first.evaluate("item => item.open")
                assert page.locator("#curves .key").first.get_attribute("aria-pressed") == "false"
                assert page.locator("nav a").last.text_content() == "Environment"
                assert page.locator("#sentences input").is_visible()
                assert page.locator("img").count() == 0
                assert page.locator("#tools [role=status]").text_content() == "Live"
        finally:
            server.shutdown()
            thread.join()


def test_the_pictures_of_the_documentation_can_be_taken(
    browser: Any, report: Path, tmp_path: Path
) -> None:
    for picture in photograph(browser, report, tmp_path):
        assert picture.read_bytes().startswith(b"\x89PNG")
        committed = Path(__file__).parents[2] / "docs" / "pictures" / picture.name
        assert committed.stat().st_size < 150_000
