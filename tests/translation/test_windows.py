"""Long inputs: where they are cut, and what their translations consist of."""

from itertools import chain

import pytest

from hopefear import Weights
from hopefear.errors import DataError
from hopefear.forest import nbest_forest
from hopefear.translation.windows import check_line, join, windows
from hopefear.types import Hypothesis, Vocabulary

WEIGHTS = Weights({"a": 1.0})


def test_parts_are_whole_sentences_where_possible() -> None:
    words = [*"ab.cd.efg"]
    assert ["".join(part) for part in windows(words, 4)] == ["ab.", "cd.", "efg"]
    assert ["".join(part) for part in windows(words, 100)] == ["ab.cd.efg"]
    assert list(windows(words, 0)) == [words]
    assert list(windows([], 4)) == [[]]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
def test_parts_are_short_and_lose_nothing(size: int) -> None:
    words = [*"the quick. brown! fox jumps; over"]
    parts = list(windows(words, size))
    assert list(chain(*parts)) == words
    assert max(map(len, parts)) <= size


def test_the_best_translations_of_a_line_combine_those_of_its_parts() -> None:
    shared = Vocabulary(), Vocabulary()
    parts = []
    for values in ([5.0, 3.0], [4.0, 1.0]):
        some = [Hypothesis(text=f"w{value:.0f} x", features={"a": value}) for value in values]
        forest = nbest_forest(some, words=shared[0], feature_names=shared[1])
        parts.append((2, forest.kbest(WEIGHTS, 2)))
    found = join(parts).kbest(WEIGHTS, 10)
    assert [(one.text, one.score) for one in found] == [
        ("w5 x w4 x", 9.0),
        ("w3 x w4 x", 7.0),
        ("w5 x w1 x", 6.0),
        ("w3 x w1 x", 4.0),
    ]


def test_lines_are_checked_before_they_are_split() -> None:
    check_line("é" * (2 << 20))
    with pytest.raises(DataError, match="longer than 4 MiB"):
        check_line("é" * (2 << 20) + "a")
    with pytest.raises(DataError, match=r"not UTF-8 \(byte 5 of the line\)"):
        check_line(b"a\xc3\xa9b\xff".decode(errors="surrogateescape"))
    with pytest.raises(DataError, match="not UTF-8"):
        check_line("\ud800")
