from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import DataError
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import FloatArray

WEIGHTS = np.array([0.5, -1.0, 0.25, 2.0])


def random_lists(seed: int, memory_limit: int = 0) -> NBest:
    """Return lists with ties, sentences without hypotheses, and features in all combinations."""
    rng = np.random.default_rng(seed)
    builder = NBestBuilder(memory_limit=memory_limit)
    for name in "abcd":
        builder.feature_names.add(name)
    for i in range(int(rng.integers(0, 120))):
        names = [name for name in "abcd" if rng.random() < 0.7]
        values = rng.integers(-2, 3, len(names)) / 4
        features = {name: float(value) for name, value in zip(names, values, strict=True)}
        builder.add(int(rng.integers(0, 20)), f"text {i}", features)
    return builder.finish(sentences=25)


def dense(lists: NBest) -> FloatArray:
    rows = [lists.features_of(row) for row in range(len(lists))]
    return np.array([[row.get(name, 0.0) for name in "abcd"] for row in rows]).reshape(-1, 4)


def first_best(lists: NBest, scores: FloatArray) -> list[int]:
    best = []
    for sentence in range(lists.sentence_count):
        rows = lists.rows(sentence)
        best.append(max(rows, key=lambda row: (scores[row], -row)) if rows else -1)
    return best


SEEDS = st.integers(0, 1 << 32)


@given(SEEDS, st.integers(0, 3), st.booleans())
def test_scores_are_dot_products(seed: int, threads: int, spilled: bool) -> None:
    lists = random_lists(seed, int(spilled))
    expected = dense(lists) @ WEIGHTS  # exact: all are small multiples of 1/16
    assert np.array_equal(lists.scores(WEIGHTS, threads), expected)
    for sentence in range(lists.sentence_count):
        rows = lists.rows(sentence)
        found = lists.sentence_scores(sentence, WEIGHTS)
        assert np.array_equal(found, expected[rows.start : rows.stop])


@given(SEEDS, st.integers(0, 3))
def test_the_best_row_is_the_first_with_the_greatest_score(seed: int, threads: int) -> None:
    lists = random_lists(seed)
    scores = dense(lists) @ WEIGHTS
    assert lists.best(WEIGHTS, threads=threads).tolist() == first_best(lists, scores)
    assert lists.best_of(scores).tolist() == first_best(lists, scores)


@given(SEEDS, st.integers(0, 3), st.sampled_from([1.0, -1.0, 0.5, 0.0]))
def test_gains_are_added_to_scores(seed: int, threads: int, scale: float) -> None:
    lists = random_lists(seed)
    scores = dense(lists) @ WEIGHTS
    gains = np.random.default_rng(seed).integers(-3, 4, len(lists)) / 4
    expected = first_best(lists, scores + scale * gains)
    assert lists.best(WEIGHTS, gains, scale, threads).tolist() == expected
    assert lists.best_of(scores, gains, scale).tolist() == expected


@given(SEEDS)
def test_the_statistics_of_chosen_rows_are_summed_up(seed: int) -> None:
    lists = random_lists(seed)
    statistics = np.random.default_rng(seed).integers(0, 9, (len(lists), 3)).astype(float)
    lists.set_statistics(statistics)
    best = lists.best(WEIGHTS)
    assert np.array_equal(lists.sum_statistics(best), statistics[best[best >= 0]].sum(axis=0))


@given(SEEDS, st.integers(0, 3))
def test_a_column_has_the_values_of_one_feature(seed: int, threads: int) -> None:
    lists = random_lists(seed)
    for feature in range(4):
        assert np.array_equal(lists.column(feature, threads), dense(lists)[:, feature])


def test_weights_may_be_longer_than_needed_but_not_shorter() -> None:
    lists = random_lists(1)
    longer = np.append(WEIGHTS, 1e9)
    assert np.array_equal(lists.scores(longer), lists.scores(WEIGHTS))
    with pytest.raises(DataError, match="weights for 3 features, but the lists have 4"):
        lists.scores(WEIGHTS[:3].copy())


def test_numbers_that_are_not_finite_are_errors_that_name_them() -> None:
    lists = random_lists(1)
    gains = np.zeros(len(lists))
    gains[7] = np.inf
    with pytest.raises(DataError, match="weight 2 is nan"):
        lists.best(np.array([0.0, 1.0, np.nan, 1.0]))
    with pytest.raises(DataError, match="gain 7 is inf"):
        lists.best(WEIGHTS, gains)
    with pytest.raises(DataError, match="score 7 is inf"):
        lists.best_of(gains)


def test_scores_that_overflow_are_an_error_that_names_the_sentence() -> None:
    builder = NBestBuilder()
    builder.add(0, "x", {"a": 1.0})
    builder.add(3, "x", {"a": 1e300})
    with pytest.raises(DataError, match="sentence 3, row 1: the score is inf"):
        builder.finish().scores(np.array([1e300]))


def test_numbers_for_other_rows_are_errors() -> None:
    lists = random_lists(1)
    with pytest.raises(DataError, match=f"3 gains for {len(lists)} hypotheses"):
        lists.best(WEIGHTS, np.zeros(3))
    with pytest.raises(DataError, match=f"3 scores for {len(lists)} hypotheses"):
        lists.best_of(np.zeros(3))
    with pytest.raises(DataError, match="no statistics"):
        lists.sum_statistics(np.array([0]))
    lists.set_statistics(np.zeros((len(lists), 1)))
    for row in (-2, len(lists)):
        with pytest.raises(DataError, match=f"row {row} does not exist"):
            lists.sum_statistics(np.array([row]))


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
def test_feature_counts_include_values_of_zero(
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
def test_scaled_lists_differ_only_in_feature_values(
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


def test_there_must_be_a_factor_for_every_feature() -> None:
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
def test_the_checksum_depends_on_lists_features_and_statistics(
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
