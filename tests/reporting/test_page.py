"""Templates: any text is shown as it is, and never becomes markup."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, UndefinedError

from hopefear.reporting import page as page_module
from hopefear.reporting.page import Section, Table, render, render_page

PRINTABLE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn")), min_size=1)


class Seen(HTMLParser):
    """Collects the cells and the attributes that a browser sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.inside = False
        self.tags: list[str] = []
        self.labels: list[str | None] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.labels += [value for name, value in attrs if name == "aria-label"]
        if tag == "td":
            self.inside = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def page(text: str) -> str:
    table = Table(caption=text, header=["a"], rows=[[text]])
    section = Section(title="T", macro="environment", data={"tables": [table]})
    return render_page(text, text, [section])


@given(PRINTABLE)
def test_any_text_is_shown_as_it_is_and_makes_no_tag(text: str) -> None:
    seen = Seen(page(text))
    assert seen.cells == [text]
    assert text in seen.labels
    assert seen.tags == Seen(page("x")).tags


def test_characters_that_no_file_may_contain_are_replaced() -> None:
    assert "<td>a\ufffdb\ufffdc\ufffd</td>" in page("a\x00b\ud800c\x1b")


def test_a_missing_value_is_an_error_and_not_an_empty_text() -> None:
    with pytest.raises(UndefinedError):
        render("page.html", title="t")


def test_sections_without_data_are_left_out() -> None:
    section = Section(title="T", macro="warnings", data={"messages": []})
    assert render_page("t", "s", [section, None]).count("<section") == 1


def test_a_compact_table_drops_empty_columns_of_numbers() -> None:
    rows = [["", "", "1"], ["", "", ""]]
    table = Table(caption="c", header=["a", "b", "c"], rows=rows, compact=True)
    assert table.columns == [0, 2]


def test_only_our_own_style_and_script_are_inserted_without_escaping() -> None:
    folder = Path(page_module.__file__).parent / "templates"
    unescaped = [
        line.strip()
        for file in sorted(folder.glob("*.*"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if "|safe" in line.replace(" ", "") or "autoescape" in line
    ]
    assert unescaped == ["{{ style|safe }}</style>", "<script>{{ script|safe }}</script>"]


def test_templates_work_where_they_cannot_be_cached(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for directory in (tmp_path / "file", tmp_path / "file" / "inside", tmp_path / "new"):
        kept = page_module.CompiledTemplates(directory)
        templates = Environment(loader=DictLoader({"a": "{{ 1 + 1 }}"}), bytecode_cache=kept)
        assert templates.get_template("a").render() == "2"
    assert len(list((tmp_path / "new").iterdir())) == 1
