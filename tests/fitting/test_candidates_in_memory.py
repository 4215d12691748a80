"""Candidates of every kind become the same lists, and come back as the same kind."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear.candidates.table import Columns
from hopefear.candidates.tabulate import tabulate
from hopefear.errors import DataError

ROWS: dict[str, list[Any]] = {
    "sentence": [0, 0, 1, 1, 1],
    "text": ["a b", "a c", "d", "d e", "é"],
    "lm": [-1.0, -2.5, -0.5, -3.0, -4.0],
    "words": [2, 2, 1, 2, 1],
    "system": ["x", "y", "x", "y", "z"],
}
RECORDS: list[dict[str, Any]] = [
    dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)
]
LISTS = [
    [
        {name: one[name] for name in ("text", "lm", "words")}
        for one in RECORDS
        if one["sentence"] == i
    ]
    for i in range(2)
]


def pandas(rows: dict[str, list[Any]]) -> Any:
    pytest.importorskip("pandas")
    return import_module("pandas").DataFrame(rows)


def polars(rows: dict[str, list[Any]]) -> Any:
    pytest.importorskip("polars")
    return import_module("polars").DataFrame(rows)


def arrow(rows: dict[str, list[Any]]) -> Any:
    pytest.importorskip("pyarrow")
    return import_module("pyarrow").table(rows)


class DataSet:
    """What we use of a data set of Hugging Face's library: its columns, and its rows as Arrow."""

    def __init__(self, rows: dict[str, list[Any]]) -> None:
        self.rows = rows

    @property
    def column_names(self) -> list[str]:
        return list(self.rows)

    def with_format(self, name: str) -> Any:
        assert name == "arrow"
        return _Sliced(arrow(self.rows))

    def select(self, rows: list[int]) -> "DataSet":
        return DataSet({name: [column[i] for i in rows] for name, column in self.rows.items()})


class _Sliced:
    def __init__(self, table: Any) -> None:
        self.table = table

    def __getitem__(self, rows: slice) -> Any:
        assert rows == slice(None)
        return self.table


def arrays(rows: dict[str, list[Any]]) -> dict[str, Any]:
    return {name: np.array(column) for name, column in rows.items()}


def features(candidates: object, **named: Any) -> list[tuple[str, dict[str, float]]]:
    nbest = tabulate(candidates, Columns(**named)).lists().nbest
    return [(nbest.text(row), nbest.features_of(row)) for row in range(len(nbest))]


EXPECTED = [(one["text"], {"lm": one["lm"], "words": float(one["words"])}) for one in RECORDS]


@pytest.mark.parametrize(
    "make",
    [dict, arrays, pandas, polars, arrow, DataSet],
    ids=["columns", "arrays", "pandas", "polars", "arrow", "datasets"],
)
def test_columns_of_every_kind_are_the_same_lists(make: Callable[[Any], Any]) -> None:
    frame = make(ROWS)
    table = tabulate(frame)
    assert features(frame) == EXPECTED
    assert table.sentences.tolist() == ROWS["sentence"]
    assert table.count == 2


@pytest.mark.parametrize("index", ["sentence", ["sentence", "system"], "system"])
def test_sentences_may_be_an_index_of_pandas(index: str | list[str]) -> None:
    frame = pandas(ROWS).set_index(index)
    assert features(frame) == EXPECTED
    assert tabulate(frame).sentences.tolist() == ROWS["sentence"]
    renamed = frame.reset_index().rename(columns={"sentence": "line"}).set_index(["line", "system"])
    table = tabulate(renamed, Columns(sentence="line"))
    assert table.sentences.tolist() == ROWS["sentence"]


def test_records_and_lists_of_records_are_the_same_lists() -> None:
    assert features(RECORDS) == EXPECTED
    assert features(LISTS) == EXPECTED
    nested = [{"id": "s", "candidates": found, "ref": "a"} for found in LISTS]
    assert features(nested) == EXPECTED
    assert tabulate(nested).references == [["a"], ["a"]]


def test_features_in_a_mapping_and_features_that_only_some_have() -> None:
    lists = [[{"text": "a", "features": {"lm": 1.0, "x": 2.0}}, {"text": "b", "scores": {"y": 3}}]]
    assert features(lists) == [("a", {"lm": 1.0, "x": 2.0}), ("b", {"y": 3.0})]
    assert features([[{"text": "a", "lm": 1.0}, {"text": "b", "x": 2.0}]]) == [
        ("a", {"lm": 1.0}),
        ("b", {"x": 2.0}),
    ]


def test_texts_as_lists_and_a_matrix_of_features() -> None:
    texts = [["a", "b"], ["c", "d"]]
    matrix = np.arange(12.0).reshape(2, 2, 3)
    found = features({"text": texts, "logprob": np.array([[1.0, 2], [3, 4]]), "x": matrix})
    assert found[1] == ("b", {"logprob": 2.0, "x_0": 3.0, "x_1": 4.0, "x_2": 5.0})
    assert features({"text": texts, "x": matrix}, features=["x_1"])[2] == ("c", {"x_1": 7.0})


def test_columns_of_numbers_are_not_copied() -> None:
    column = np.arange(5.0)
    matrix = np.arange(10.0).reshape(5, 2)
    table = tabulate({**ROWS, "lm": column, "m": matrix})
    assert np.shares_memory(table.columns["lm"], column)
    assert np.shares_memory(table.columns["m_1"], matrix)


def test_missing_values_are_absent_features() -> None:
    rows = {"sentence": [0, 0], "text": ["a", "b"], "x": [1.0, None], "y": [np.nan, 2.0]}
    assert features(rows) == [("a", {"x": 1.0}), ("b", {"y": 2.0})]
    with pytest.raises(DataError, match="feature 'x' is inf"):
        features({"sentence": [0], "text": ["a"], "x": [np.inf]})


def test_sentences_with_keys_are_numbered_as_they_come() -> None:
    rows = {"utt_id": ["u2", "u1", "u2"], "hyp": ["a", "b", "c"], "am": [1.0, 2, 3]}
    table = tabulate(rows)
    assert table.keys == ("u2", "u1")
    assert table.sentences.tolist() == [0, 1, 0]


def test_columns_can_be_named_chosen_and_ignored() -> None:
    rows = {"seg": [0, 0], "mt": ["a", "b"], "lm": [1.0, 2.0], "rank": [1, 2]}
    named = {"sentence": "seg", "text": "mt"}
    assert features(rows, **named, ignore=["rank"])[0] == ("a", {"lm": 1.0})
    assert features(rows, **named, features=["rank"])[0] == ("a", {"rank": 1.0})
    with pytest.raises(DataError, match="there is no column of numbers 'tm'"):
        features(rows, **named, features=["tm"])


def test_a_value_that_is_no_number_is_named() -> None:
    rows = {"sentence": [0, 0], "text": ["a", "b"], "lm": [1.0, "high"]}
    with pytest.raises(DataError, match=r"candidate 1: 'lm' must be a number.*'high'"):
        tabulate(rows)
    with pytest.raises(DataError, match="candidate 1: the text must be a string, got 3"):
        features({"sentence": [0, 0], "text": ["a", 3], "lm": [1.0, 2.0]})


@pytest.fixture
def fitted() -> hopefear.Fitted:
    texts = [["a b c d", "x y z v"], ["e f g h", "x y z w"]]
    rows = {
        "text": texts,
        "lm": np.array([[1.0, 2], [1, 2]]),
        "words": np.array([[1.0, 1], [1, 2]]),
    }
    return hopefear.fit(
        rows, ["a b c d", "e f g h"], learner="kbest-mira", start={"lm": 1.0}, tokenize="none"
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [pandas, polars, arrow, DataSet, arrays, dict])
def test_a_reranked_frame_is_the_same_frame_in_another_order(
    fitted: hopefear.Fitted, make: Callable[[Any], Any]
) -> None:
    found = fitted.rerank(make(ROWS))
    assert isinstance(found, type(make(ROWS)))
    columns = found.rows if isinstance(found, DataSet) else found
    assert [str(text) for text in columns["text"]] == _sorted_texts(fitted)


@pytest.mark.filterwarnings("ignore")
def test_reranked_lists_and_records_are_the_same_in_another_order(fitted: hopefear.Fitted) -> None:
    expected = _sorted_texts(fitted)
    assert [one["text"] for one in fitted.rerank(RECORDS)] == expected
    assert [one["text"] for found in fitted.rerank(LISTS) for one in found] == expected
    nested = [{"key": i, "candidates": found} for i, found in enumerate(LISTS)]
    ranked = fitted.rerank(nested)
    assert [one["text"] for found in ranked for one in found["candidates"]] == expected
    assert [record["key"] for record in ranked] == [0, 1]
    assert fitted.predict(RECORDS) == [expected[0], expected[2]]


def _sorted_texts(fitted: hopefear.Fitted) -> list[str]:
    def score(one: dict[str, Any]) -> float:
        return fitted.weights.dot({"lm": one["lm"], "words": one["words"]})

    return [one["text"] for found in LISTS for one in sorted(found, key=score, reverse=True)]


@pytest.mark.parametrize("numbers", [[-1.0, -2.5], np.array([-1.0, -2.5])])
def test_plain_texts_have_their_numbers_in_lists_beside_them(numbers: Any) -> None:
    table = tabulate([{"id": "q", "candidates": ["a b", "a"], "lm": numbers, "who": ["x", "y"]}])
    assert (table.texts, table.keys) == (["a b", "a"], ("q",))
    assert {name: list(column) for name, column in table.columns.items()} == {"lm": [-1.0, -2.5]}


def test_numbers_in_other_mappings_are_features_and_texts_are_not() -> None:
    table = tabulate([[{"text": "a", "scores": {"lm": -1.0}, "meta": {"who": "x", "size": 2}}]])
    assert (table.sparse.names, table.sparse.values.tolist()) == (["lm", "size"], [-1.0, 2.0])
    with pytest.raises(DataError, match="scores 'lm' must be a number"):
        tabulate([[{"text": "a", "scores": {"lm": "high"}}]])
