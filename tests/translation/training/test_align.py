"""Pharaoh files, symmetrization and the door to eflomal."""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear._core import AlignmentParser
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.translation.training.align import (
    SYMMETRIZATIONS,
    Alignments,
    align,
    read_alignments,
    symmetrize,
    write_alignments,
)

Links = set[tuple[int, int]]


def alignments(tmp_path: Path, lines: Iterable[str]) -> Alignments:
    path = tmp_path / "links"
    path.write_text("".join(line + "\n" for line in lines))
    return read_alignments(path)


def parsed(*lines: str) -> Alignments:
    parser = AlignmentParser("links")
    parser.feed("".join(line + "\n" for line in lines).encode())
    return parser.finish()


def links_of(alignments: Alignments, sentence: int = 0) -> Links:
    pairs = (pair.split("-") for pair in alignments.text(sentence).split())
    return {(int(source), int(target)) for source, target in pairs}


def text_of(links: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{source}-{target}" for source, target in links)


# The pseudocode of Koehn's book (figure 4.14) over all cells of the matrix, target words outside.
NEIGHBORS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def free(links: Links, cell: tuple[int, int]) -> list[bool]:
    return [all(s != cell[0] for s, _ in links), all(t != cell[1] for _, t in links)]


def slow_grow(links: Links, union: Links, neighbors: list[tuple[int, int]], size: int) -> Links:
    cells = [(source, target) for target in range(size) for source in range(size)]
    before = None
    while before != len(links):
        before = len(links)
        for source, target in cells:
            for down, right in neighbors if (source, target) in links else []:
                new = (source + right, target + down)
                if new in union and any(free(links, new)):
                    links = links | {new}
    return links


def slow_symmetrize(forward: Links, reverse: Links, method: str, size: int) -> Links:
    union, links = forward | reverse, forward & reverse
    if method in ("union", "intersection"):
        return union if method == "union" else links
    links = slow_grow(links, union, NEIGHBORS if "diag" in method else NEIGHBORS[:4], size)
    needed = all if method.endswith("and") else any
    for direction in (forward, reverse) if "final" in method else ():
        for cell in sorted(direction - links, key=lambda cell: cell[::-1]):
            if needed(free(links, cell)):
                links = links | {cell}
    return links


@given(data=st.data(), method=st.sampled_from(sorted(SYMMETRIZATIONS)))
def test_symmetrization_equals_the_published_pseudocode(data: st.DataObject, method: str) -> None:
    size = data.draw(st.integers(1, 7))
    choices = st.lists(st.integers(-1, size - 1), min_size=size, max_size=size)
    forward = {(s, t) for t, s in enumerate(data.draw(choices)) if s >= 0}
    reverse = {(s, t) for s, t in enumerate(data.draw(choices)) if t >= 0}
    both = symmetrize(parsed(text_of(forward)), parsed(text_of(reverse)), method)
    assert links_of(both) == slow_symmetrize(forward, reverse, method, size)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("intersection", "0-0 1-1"),
        ("union", "0-0 0-4 1-1 1-2 2-3 5-6"),
        ("grow", "0-0 1-1 1-2"),  # 1-2 stands below 1-1 and gives target word 2 a link
        ("grow-diag", "0-0 1-1 1-2 2-3"),  # 2-3 touches 1-2 at a corner
        ("grow-diag-final", "0-0 0-4 1-1 1-2 2-3 5-6"),  # 0-4 gives target word 4 a link
        ("grow-diag-final-and", "0-0 1-1 1-2 2-3 5-6"),  # but source word 0 has one
        ("grow-final", "0-0 0-4 1-1 1-2 2-3 5-6"),
        ("grow-final-and", "0-0 1-1 1-2 2-3 5-6"),
    ],
)
def test_symmetrization_of_a_small_case_by_hand(method: str, expected: str) -> None:
    forward, reverse = parsed("0-0 1-1 1-2 0-4 5-6"), parsed("0-0 1-1 2-3")
    assert symmetrize(forward, reverse, method).text(0) == expected


def test_points_of_the_forward_alignment_are_tried_first_at_the_end() -> None:
    forward, reverse = parsed("2-0"), parsed("0-0")
    assert symmetrize(forward, reverse, "grow-diag-final-and").text(0) == "2-0"
    assert symmetrize(reverse, forward, "grow-diag-final-and").text(0) == "0-0"


def test_alignments_are_read_sorted_without_duplicates_and_written_back(tmp_path: Path) -> None:
    read = alignments(tmp_path, ["1-0 0-2 1-0", "", "3-3"])
    assert [read.text(i) for i in range(len(read))] == ["0-2 1-0", "", "3-3"]
    assert read.link_count == 3
    write_alignments(read, tmp_path / "links.gz")
    again = read_alignments(tmp_path / "links.gz")
    assert [again.text(i) for i in range(len(again))] == ["0-2 1-0", "", "3-3"]


@pytest.mark.parametrize(
    "wrong", ["0:1", "0-", "-1", "a-b", "0-1-2", "-1-0", "0-65535", "0-99999999999"]
)
def test_what_is_no_link_is_named_with_file_and_line(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"links:2: .*'{wrong}'"):
        alignments(tmp_path, ["0-0", f"1-1 {wrong}"])


def test_directions_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="has 2 sentences and the reverse one 1"):
        symmetrize(parsed("0-0", "0-0"), parsed("0-0"))


def test_an_unknown_symmetrization_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'grow-diag-final-and'"):
        symmetrize(parsed("0-0"), parsed("0-0"), "grow-diag-final-an")


def test_a_sentence_that_is_not_there_is_an_error() -> None:
    with pytest.raises(DataError, match="no sentence 1"):
        parsed("0-0").text(1)


def write_bitext(tmp_path: Path) -> tuple[Path, Path]:
    source, target = tmp_path / "f", tmp_path / "e"
    source.write_text("das haus\n")
    target.write_text("the  house\u00a0of \u2009\n")
    return source, target


def test_eflomal_is_run_in_both_directions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Aligner:
        def __init__(self, model: int, rel_iterations: float) -> None:
            assert (model, rel_iterations) == (2, 0.5)

        def align(
            self, source: Iterable[str], target: Iterable[str], forward: str, reverse: str
        ) -> None:
            assert list(source) == ["das haus"]
            assert list(target) == ["the house_of _"]  # words are what blanks divide
            Path(forward).write_text("0-0 1-1\n")
            Path(reverse).write_text("0-0\n")

    monkeypatch.setitem(sys.modules, "eflomal", SimpleNamespace(Aligner=Aligner))
    source, target = write_bitext(tmp_path)
    links = align(source, target, method="intersection", model=2, iterations=0.5)
    assert links.text(0) == "0-0"


def test_without_eflomal_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(ConfigError, match=r"pip install 'hopefear\[align\]'"):
        align(*write_bitext(tmp_path))


def test_eflomal_itself_finds_the_alignment_of_an_easy_bitext(tmp_path: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is an optional extra")
    source, target = tmp_path / "f", tmp_path / "e"
    words = [("eins", "one"), ("zwei", "two"), ("drei", "three"), ("vier", "four")]
    pairs = [(a, b) for a in words for b in words if a != b] * 10
    source.write_text("".join(f"{a[0]} {b[0]}\n" for a, b in pairs))
    target.write_text("".join(f"{b[1]} {a[1]}\n" for a, b in pairs))
    links = align(source, target)
    right = sum(links.text(i) == "0-1 1-0" for i in range(len(links)))
    assert right > 0.9 * len(links)
