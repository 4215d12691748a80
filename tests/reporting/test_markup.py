from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hopefear.reporting.markup import Markup, element, join


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


PRINTABLE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn")))


@given(PRINTABLE)
def test_any_text_is_seen_as_it_is_and_makes_no_tag(text: str) -> None:
    reader = seen(element("p", text))
    assert (reader.tags, reader.text) == (["p"], text)


@given(PRINTABLE)
def test_any_attribute_is_seen_as_it_is(text: str) -> None:
    assert seen(element("p", title=text)).attributes == [("title", text)]


def test_markup_is_not_escaped_again() -> None:
    assert join(element("b", "<"), Markup("<hr>"), "&") == "<b>&lt;</b><hr>&amp;"


def test_what_no_file_can_hold_is_replaced() -> None:
    assert element("p", "a\x00b\ud800c\x1b") == "<p>a\ufffdb\ufffdc\ufffd</p>"


def test_attributes_that_are_none_are_left_out_and_names_are_those_of_html() -> None:
    made = element("g", class_=None, aria_label="x", stroke_width=2)
    assert made == '<g aria-label="x" stroke-width="2"></g>'
