import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopefear.errors import DataError
from hopefear.formats import load_nbest
from hopefear.nbest import BarLayout, NBest, NBestBuilder, Vocabulary

Added = tuple[int, str, dict[str, float]]

WORDS = st.sampled_from(["a", "b", "the", "house", "ü", "," * 30])
SPACES = st.sampled_from([" ", " ", " ", "  ", "\t", "\u00a0", " \u3000"])
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.5, 1e300, 5e-324])
FEATURES = st.dictionaries(st.sampled_from(["lm", "tm_0", "tm_1", "=", "é"]), NUMBERS)


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = draw(st.lists(WORDS, max_size=8))
    return "".join(word + draw(SPACES) for word in words).strip()


ADDED = st.lists(st.tuples(st.integers(0, 5), texts(), FEATURES), max_size=120)


def build(added: list[Added], memory_limit: int = 0) -> NBest:
    builder = NBestBuilder(memory_limit=memory_limit)
    for sentence, text, features in added:
        builder.add(sentence, text, features)
    return builder.finish()


def contents(lists: NBest) -> list[Added]:
    return [
        (sentence, lists.text(row), lists.features_of(row))
        for sentence in range(lists.sentence_count)
        for row in lists.rows(sentence)
    ]


def expected(added: list[Added]) -> list[Added]:
    """Return what lists hold: the first of equal hypotheses, sorted by sentence."""
    kept: list[Added] = []
    for one in added:
        if one not in kept:
            kept.append(one)
    return sorted(kept, key=lambda one: one[0])


@given(ADDED)
def test_lists_keep_the_first_of_equal_hypotheses_in_order_of_arrival(added: list[Added]) -> None:
    assert contents(build(added)) == expected(added)


@settings(max_examples=30)
@given(ADDED)
def test_lists_beyond_the_memory_limit_are_equal(added: list[Added]) -> None:
    lists = build(added, memory_limit=1)
    assert contents(lists) == expected(added)
    assert lists.spilled or not added


@given(ADDED)
def test_the_words_of_a_hypothesis_are_those_that_split_finds(added: list[Added]) -> None:
    lists = build(added)
    for row in range(len(lists)):
        words = [lists.words[int(word)] for word in lists.word_ids(row)]
        assert words == lists.text(row).split()


@given(ADDED, ADDED, st.booleans())
def test_merged_lists_equal_those_built_of_everything(
    first: list[Added], second: list[Added], shared: bool
) -> None:
    builder = NBestBuilder(Vocabulary(), Vocabulary())
    both = [build(first), build(second)]
    if shared:
        names = both[0].words, both[0].feature_names
        builder = NBestBuilder(*names)
    new = [builder.merge(lists) for lists in both]
    merged = builder.finish()
    in_order = expected(first) + expected(second)
    assert contents(merged) == expected(in_order)
    assert sum(new) == len(merged)


@given(ADDED, ADDED, st.booleans())
def test_merged_lists_keep_the_statistics_of_their_hypotheses(
    first: list[Added], second: list[Added], judged: bool
) -> None:
    both = [build(first), build(second)]
    for number, lists in enumerate(both):
        if number == 0 or judged:
            lists.set_statistics(np.arange(2.0 * len(lists)).reshape(-1, 2) + 0.5 * number)
    merged = both[0].merged(both[1])
    assert contents(merged) == expected(expected(first) + expected(second))
    if not judged:
        assert merged.statistics is None
        return
    rows = [(contents(lists), lists.statistics) for lists in both]
    known = [
        (one, row.tolist())
        for hypotheses, statistics in rows
        if statistics is not None
        for one, row in zip(hypotheses, statistics, strict=True)
    ]
    found = merged.statistics
    assert found is not None
    for one, row in zip(contents(merged), found.tolist(), strict=True):
        assert row == next(statistics for known_one, statistics in known if known_one == one)


@given(ADDED)
def test_all_texts_and_features_can_be_read_at_once(added: list[Added]) -> None:
    lists = build(added)
    texts = [text for sentence in range(lists.sentence_count) for text in lists.texts(sentence)]
    assert texts == [lists.text(row) for row in range(len(lists))]
    sizes, ids, values = lists.feature_rows()
    names = [lists.feature_names[int(i)] for i in ids]
    ends = np.cumsum(sizes).tolist()
    rows = [
        dict(zip(names[end - size : end], values[end - size : end].tolist(), strict=True))
        for size, end in zip(sizes.tolist(), ends, strict=True)
    ]
    assert rows == [lists.features_of(row) for row in range(len(lists))]


def test_sentences_without_hypotheses_are_reported() -> None:
    builder = NBestBuilder()
    builder.add(2, "x", {})
    lists = builder.finish(sentences=5)
    assert lists.sentence_count == 5
    assert lists.empty_sentences.tolist() == [0, 1, 3, 4]
    assert lists.offsets.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_not_finite_is_an_error_that_names_it(value: float) -> None:
    builder = NBestBuilder()
    builder.add(3, "a house", {"lm": 1.0})
    with pytest.raises(DataError, match=f"sentence 3, hypothesis 'the house': .*'lm' is {value}"):
        builder.add(3, "the house", {"tm": 0.0, "lm": value})
    assert len(builder) == 1


def test_a_huge_sentence_number_is_an_error() -> None:
    builder = NBestBuilder()
    builder.add(4_000_000_000, "x", {})
    with pytest.raises(DataError, match="sentence 4000000000: the number is too large"):
        builder.finish()


def test_statistics_stay_readable_when_others_are_set() -> None:
    lists = build([(0, "a", {}), (1, "b", {})])
    first = np.array([[1.0, 2.0], [3.0, 4.0]])
    lists.set_statistics(first)
    found = lists.statistics
    assert found is not None
    lists.set_statistics(np.zeros((2, 3)))
    assert np.array_equal(found, first)
    found[0, 0] = 7.0
    again = lists.statistics
    assert again is not None
    assert not again.any()


def test_lists_have_no_statistics_until_they_are_set() -> None:
    assert build([(0, "a", {})]).statistics is None


def test_statistics_of_another_number_of_rows_are_an_error() -> None:
    lists = build([(0, "a", {}), (1, "b", {})])
    with pytest.raises(DataError, match="statistics of 2 hypotheses, 3 each, are 6 numbers, got 9"):
        lists.set_statistics(np.zeros((3, 3)))


@pytest.mark.parametrize("sentence", [-1, 2])
def test_a_sentence_that_does_not_exist_is_an_error_that_names_it(sentence: int) -> None:
    lists = build([(0, "a", {}), (1, "b", {})])
    message = f"sentence {sentence} does not exist: there are 2"
    with pytest.raises(DataError, match=message):
        lists.rows(sentence)
    with pytest.raises(DataError, match=message):
        lists.sentence_scores(sentence, np.zeros(0))


@pytest.mark.parametrize("row", [-1, 2])
def test_a_row_that_does_not_exist_is_an_error_that_names_it(row: int) -> None:
    lists = build([(0, "a", {}), (1, "b", {})])
    with pytest.raises(DataError, match=f"row {row} does not exist: there are 2"):
        lists.text(row)


def test_lists_that_grow_into_large_pages_keep_their_content(tmp_path: Path) -> None:
    """The array of values moves to large pages and then grows in them: 160 MB."""
    rows, features = 20_000, 1000
    path, others = tmp_path / "lists", " ".join(["1"] * (features - 1))
    with path.open("w") as file:
        for row in range(rows):
            file.write(f"{row} ||| a ||| f= {row} {others} ||| 0\n")
    lists = load_nbest([path], "moses")
    first = np.zeros(features)
    first[0] = 1.0
    assert lists.scores(first).tolist() == list(range(rows))
    np.testing.assert_array_equal(lists.scores(np.ones(features)), np.arange(rows) + features - 1.0)


FILES = [
    "nbest-moses/europarl100.nbest.gz",
    "nbest-moses/it-en-5sent-14runs-3refs/run1.nbest.gz",
    "multi30k-cs-en/peers/val.nbest.moses.gz",
]


def read(content: bytes) -> NBest:
    builder = NBestBuilder()
    builder.parse([content], BarLayout(), "list")
    return builder.finish()


def split(line: str) -> tuple[int, str, list[float]]:
    sentence, text, features, *_ = line.split("|||")
    numbers = [float(token) for token in features.split() if token[-1] not in "=:"]
    return int(sentence), text.strip(), numbers


@pytest.mark.parametrize("file", FILES)
def test_a_moses_list_has_the_content_of_its_lines(shared_data: Path, file: str) -> None:
    content = gzip.decompress((shared_data / file).read_bytes())
    expected = list(dict.fromkeys(map(str, map(split, content.decode().splitlines()))))
    lists = read(content)
    found = [
        str((sentence, lists.text(row), lists.feature_values(row).tolist()))
        for sentence in range(lists.sentence_count)
        for row in lists.rows(sentence)
    ]
    assert found == expected


def test_a_moses_list_takes_at_most_one_and_a_half_times_the_size_of_its_numbers(
    shared_data: Path,
) -> None:
    lists = read(gzip.decompress((shared_data / FILES[2]).read_bytes()))
    assert len(lists) == 115_696
    assert lists.nbytes <= 1.5 * len(lists) * 8 * 8


def test_runs_are_merged_without_duplicates(shared_data: Path) -> None:
    folder = shared_data / "nbest-moses/it-en-5sent-14runs-3refs"
    runs = [gzip.decompress((folder / f"run{i}.nbest.gz").read_bytes()) for i in range(1, 15)]
    lines = [split(line) for run in runs for line in run.decode().splitlines()]
    expected = sorted(dict.fromkeys((s, t, tuple(n)) for s, t, n in lines), key=lambda x: x[0])
    builder = NBestBuilder()
    for run in runs:
        builder.merge(read(run))
    lists = builder.finish()
    assert 0 < len(expected) < len(lines)
    assert [(lists.text(row), tuple(lists.feature_values(row))) for row in range(len(lists))] == [
        (text, numbers) for _, text, numbers in expected
    ]


def test_lists_with_other_features_share_everything_else() -> None:
    builder = NBestBuilder()
    builder.add(0, "a b", {"x": 1.0, "y": 2.0})
    builder.add(1, "c", {})
    lists = builder.finish()
    lists.set_statistics(np.array([[1.0], [2.0]]))
    names = Vocabulary()
    x, z = names.add("x"), names.add("z")
    offsets, ids, values = lists.feature_arrays()
    assert (offsets.tolist(), ids.tolist(), values.tolist()) == ([0, 2, 2], [0, 1], [1.0, 2.0])
    other = lists.with_features(
        names, np.array([0, 1, 4]), np.array([z, z, x, z], dtype=np.int32), np.array([3.0, 1, 2, 4])
    )
    assert [other.features_of(row) for row in (0, 1)] == [{"z": 3.0}, {"x": 2.0, "z": 5.0}]
    assert other.text(0) == "a b"
    assert other.sum_statistics(np.array([0, 1])).tolist() == [3.0]
    with pytest.raises(DataError, match="row 1: feature 2 has the value 2"):
        lists.with_features(
            names, np.array([0, 1, 2]), np.array([1, 2], dtype=np.int32), np.array([3.0, 2.0])
        )
    with pytest.raises(DataError, match="offsets of rows do not fit"):
        lists.with_features(
            names, np.array([0, 1, 3]), np.array([1, 1], dtype=np.int32), np.array([3.0, 2.0])
        )
    with pytest.raises(DataError, match="2 hypotheses"):
        lists.with_features(names, np.array([0, 1]), np.array([1], dtype=np.int32), np.ones(1))
