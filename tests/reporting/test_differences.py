"""Differences between two texts: the pieces make the texts, and only what differs is marked."""

from hypothesis import given
from hypothesis import strategies as st

from hopefear.reporting.differences import LONGEST, Piece, compared

TEXT = st.text(st.sampled_from("abc  \t漢字ก"), max_size=30)


@given(TEXT, TEXT, st.lists(TEXT, max_size=2))
def test_the_pieces_make_the_texts_again(start: str, result: str, references: list[str]) -> None:
    for text, pieces in zip((start, result), compared(start, result, references), strict=True):
        assert "".join(piece.text for piece in pieces) == text


@given(TEXT, TEXT)
def test_what_is_not_marked_is_the_same_in_both(start: str, result: str) -> None:
    same = [
        "".join("".join(piece.text.split()) for piece in pieces if not piece.differs)
        for pieces in compared(start, result, [])
    ]
    assert same[0] == same[1]


def marked(pieces: list[Piece]) -> list[tuple[str, bool]]:
    return [(piece.text, piece.known) for piece in pieces if piece.differs]


def test_a_word_is_known_as_often_as_a_reference_has_it() -> None:
    _, result = compared("x", "the the cat", ["the cat", "a the"])
    assert marked(result) == [("the", True), ("the", False), ("cat", True)]


def test_languages_without_spaces_are_compared_by_letters() -> None:
    start, result = compared("我喜歡貓", "我喜歡狗", ["我喜歡狗"])
    assert (marked(start), marked(result)) == ([("貓", False)], [("狗", True)])


def test_texts_that_are_too_long_are_marked_as_a_whole() -> None:
    long = "a " * LONGEST + "b"
    assert compared(long, "a", [])[0] == [Piece(text=long, differs=True)]
    assert compared(long, long, [])[1] == [Piece(text=long)]
