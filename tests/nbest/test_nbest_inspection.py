"""What is counted in n-best lists before anything is learned from them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError
from hopefear.nbest import NBest, NBestBuilder

ROWS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.lists(st.sampled_from(["a", "b", " ", ""]), max_size=4).map(" ".join),
        st.dictionaries(st.sampled_from("xyz"), st.floats(-8, 8), max_size=3),
    ),
    max_size=20,
)


def build(rows: list[tuple[int, str, dict[str, float]]], memory_limit: int = 0) -> NBest:
    builder = NBestBuilder(memory_limit=memory_limit)
    for sentence, text, features in rows:
        builder.add(sentence, text, features)
    return builder.finish(5)


@given(rows=ROWS)
def test_features_are_counted_where_they_are_written(
    rows: list[tuple[int, str, dict[str, float]]],
) -> None:
    lists = build(rows)
    counts = lists.count_features()
    by_sentence = [[lists.features_of(row) for row in lists.rows(s)] for s in range(5)]
    for i, name in enumerate(list(lists.feature_names)):
        having = [features for features in by_sentence if any(name in row for row in features)]
        assert counts.hypotheses[i] == sum(name in row for rows in by_sentence for row in rows)
        assert counts.lists[i] == len(having)
        assert counts.hypotheses_of_lists[i] == sum(map(len, having))


@given(rows=ROWS)
def test_rows_without_words_are_those_with_a_blank_text(
    rows: list[tuple[int, str, dict[str, float]]],
) -> None:
    lists = build(rows)
    expected = [row for row in range(len(lists)) if not lists.text(row).strip()]
    assert lists.rows_without_words().tolist() == expected


@pytest.mark.parametrize("memory_limit", [0, 1])
@given(rows=ROWS)
def test_scaled_lists_differ_in_the_values_of_features_alone(
    memory_limit: int, rows: list[tuple[int, str, dict[str, float]]]
) -> None:
    lists = build(rows, memory_limit)
    names = list(lists.feature_names)
    factors = {name: 3.0 + i for i, name in enumerate(names)}
    if len(lists):
        lists.set_statistics(np.arange(2.0 * len(lists)).reshape(-1, 2))
    scaled = lists.scaled(np.array([factors[name] for name in names]))
    assert scaled.offsets.tolist() == lists.offsets.tolist()
    assert scaled.spilled == lists.spilled
    for row in range(len(lists)):
        assert scaled.text(row) == lists.text(row)
        expected = {name: x * factors[name] for name, x in lists.features_of(row).items()}
        assert scaled.features_of(row) == expected
    if len(lists):
        np.testing.assert_array_equal(scaled.statistics, lists.statistics)


def test_factors_must_reach_all_features() -> None:
    with pytest.raises(DataError, match="weights for 1 features, but the lists have 2"):
        build([(0, "a", {"x": 1.0, "y": 2.0})]).scaled(np.ones(1))


@given(rows=ROWS, bound=st.floats(0, 8))
def test_the_first_large_value_is_found(
    rows: list[tuple[int, str, dict[str, float]]], bound: float
) -> None:
    lists = build(rows)
    names = list(lists.feature_names)
    large = [
        (row, names.index(name), value)
        for row in range(len(lists))
        for name, value in sorted(
            lists.features_of(row).items(), key=lambda feature: names.index(feature[0])
        )
        if abs(value) > bound
    ]
    assert lists.find_value_above(bound) == (large[0] if large else None)


def kept(rows: list[tuple[int, str, dict[str, float]]]) -> set[object]:
    """Return the hypotheses that lists have: equal ones once, blanks around texts do not count."""
    return {(s, text.strip(), frozenset(features.items())) for s, text, features in rows}


@given(rows=ROWS.filter(bool), place=st.randoms(use_true_random=False))
def test_the_checksum_knows_lists_features_and_statistics(
    rows: list[tuple[int, str, dict[str, float]]], place: Any
) -> None:
    def checksum(rows: list[tuple[int, str, dict[str, float]]], statistic: float = 0.0) -> int:
        lists = build(rows)
        statistics = np.zeros((len(lists), 3))
        statistics[-1, 1] = statistic
        lists.set_statistics(statistics)
        assert build(rows, memory_limit=1).checksum() == build(rows).checksum()
        return lists.checksum()

    before = checksum(rows)
    assert checksum(rows) == before
    assert checksum(rows, statistic=1e-300) != before
    i = place.randrange(len(rows))
    sentence, text, features = rows[i]
    for other in ((sentence, text, features | {"x": 9.0}), ((sentence + 1) % 5, text, features)):
        changed = [*rows[:i], other, *rows[i + 1 :]]
        if kept(changed) != kept(rows):
            assert checksum(changed) != before
