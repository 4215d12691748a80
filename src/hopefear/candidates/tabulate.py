"""Candidates that are in memory: records, columns, or somebody's frame, as one table.

::

    [[{"text": "the house", "lm": -2.0}, ...], ...]     a list of records for each sentence
    [{"sentence": 0, "text": "the house", "lm": -2.0}]  records that name their sentence
    {"sentence": [0, 0], "text": [...], "lm": array}    columns; a matrix is several of them
    a frame                                             of pandas, polars, Arrow or datasets

Frames are known by what they can do: none of these libraries is imported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from numbers import Real
from typing import Any, cast

import numpy as np

from hopefear.candidates.table import Columns, SparseColumns, Table
from hopefear.errors import DataError
from hopefear.formats.nbest.columns import (
    FEATURES,
    LIST_KEYS,
    LISTS,
    REFERENCES,
    SENTENCE,
    TEXT,
)
from hopefear.types import FloatArray, IntArray

__all__ = ["reordered", "tabulate"]

EXAMPLE = (
    'expected a list of records for each sentence, as in [[{"text": "the house", "lm": -2.0}, '
    '{"text": "a house", "lm": -2.5}]], or columns, as in {"sentence": [0, 0], "text": '
    '["the house", "a house"], "lm": [-2.0, -2.5]}, or a frame with such columns'
)


def tabulate(candidates: object, columns: Columns | None = None) -> Table:
    """Return candidates of any kind as a table; see the head of this file.

    Sentences that have numbers keep them, and they are places in a list of references. Sentences
    with other keys are numbered in the order in which they come.
    """
    named = columns or Columns()
    if isinstance(candidates, Mapping):
        return _from_columns(_flat_columns(candidates, named), named)
    if (frame := _frame_columns(candidates, named)) is not None:
        return _from_columns(frame, named)
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise DataError(f"candidates: {EXAMPLE}; got {candidates!r:.80}")
    records = list(candidates)
    if not records:
        raise DataError(f"candidates: there are none; {EXAMPLE}")
    first = records[0]
    if isinstance(first, Mapping):
        if (inner := _first_of(LISTS, first)) is not None and not isinstance(first[inner], str):
            return _from_sentences(records, inner, named)
        return _from_columns(_record_columns(records, named), named)
    return _from_lists(records, named)


def _from_lists(lists: Sequence[object], named: Columns) -> Table:
    """Read a list of records for each sentence."""
    for number, records in enumerate(lists):
        if isinstance(records, str | Mapping) or not isinstance(records, Iterable):
            raise DataError(f"candidates of sentence {number}: {EXAMPLE}; got {records!r:.80}")
    rows = [list(cast(Iterable[object], records)) for records in lists]
    found = _record_columns(list(chain.from_iterable(rows)), named)
    sizes = [len(records) for records in rows]
    sentences = np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
    return _table(found, named, sentences, len(rows))


def _from_sentences(records: Sequence[Any], inner: str, named: Columns) -> Table:
    """Read one record for each sentence, with its candidates in a list, and perhaps references."""
    for number, record in enumerate(records):
        if not isinstance(record, Mapping) or inner not in record:
            raise DataError(f"sentence {number}: has no '{inner}', which sentence 0 has")
    table = _from_lists([_opened(record, inner) for record in records], named)
    first = records[0]
    key = named.references or _first_of(REFERENCES, first)
    if key is not None:
        given = [_texts_of(record.get(key), f"sentence {i}") for i, record in enumerate(records)]
        table = replace(table, references=given)
    name = named.sentence or _first_of(LIST_KEYS, first)
    if name is None:
        return table
    keys = tuple(str(record.get(name)) for record in records)
    if len(set(keys)) < len(keys):
        if named.sentence is None and name not in SENTENCE:  # an `id` may be that of anything
            return table
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"two sentences are called '{repeated}' ('{name}')")
    return replace(table, keys=keys)


def _opened(record: Mapping[str, Any], inner: str) -> Any:
    """Return the candidates; plain texts, as records with their numbers in lists beside them."""
    texts = record[inner]
    if isinstance(texts, str) or not isinstance(texts, Sequence | np.ndarray) or not len(texts):
        return texts
    if not all(isinstance(text, str) for text in texts):
        return texts
    beside = {
        name: list(values)
        for name, values in record.items()
        if isinstance(values, Sequence | np.ndarray)
        and not isinstance(values, str)
        and len(values) == len(texts)
        and all(value is None or isinstance(value, Real) for value in values)
    }
    return [
        {"text": text} | {name: values[i] for name, values in beside.items()}
        for i, text in enumerate(texts)
    ]


@dataclass
class _Found:
    """Columns by name, as they were found, and features that only some records have."""

    columns: dict[str, Any]
    sparse: SparseColumns = field(default_factory=SparseColumns)


def _record_columns(records: Sequence[Any], named: Columns) -> _Found:
    """Return the columns of records; if these have different keys, their features are sparse."""
    if not records:
        raise DataError(f"candidates: there are none; {EXAMPLE}")
    for i, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise DataError(
                f"candidate {i}: expected a record with its text and features, as in "
                f'{{"text": "the house", "lm": -2.0}}, got {record!r:.60}'
            )
    keys = list(records[0])
    nested = [key for key in keys if isinstance(records[0][key], Mapping)]
    alike = not nested and all(len(record) == len(keys) for record in records)
    if alike:
        with suppress(KeyError):
            return _Found({key: [record[key] for record in records] for key in keys})
    return _ragged_columns(records, named)


def _ragged_columns(records: Sequence[Mapping[str, Any]], named: Columns) -> _Found:
    """Return texts, sentences and references as columns, everything with a number as sparse."""
    plain = [
        key
        for given, usual in (
            (named.text, TEXT),
            (named.sentence, SENTENCE),
            (named.references, REFERENCES),
            (named.score, ()),
        )
        if (key := given or _first_of(usual, records[0])) is not None
    ]
    found: dict[str, list[object]] = {key: [] for key in plain}
    ids: dict[str, int] = {}
    offsets, entries, values = [0], [], []
    for i, record in enumerate(records):
        for key in plain:
            if key not in record:
                raise DataError(f"candidate {i}: has no '{key}'")
            found[key].append(record[key])
        for name, value in _numbers_of(record, plain, i):
            if named.is_feature(name):
                entries.append(ids.setdefault(name, len(ids)))
                values.append(value)
        offsets.append(len(entries))
    sparse = SparseColumns(
        names=list(ids),
        offsets=np.array(offsets, dtype=np.int64),
        ids=np.array(entries, dtype=np.int32),
        values=np.array(values, dtype=np.float64),
    )
    return _Found(dict(found), sparse)


def _numbers_of(
    record: Mapping[str, Any], plain: Sequence[str], place: int
) -> Iterator[tuple[str, float]]:
    """Give the features of a record: its numbers, and those of the mappings in it."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            for inner, number in value.items():
                if isinstance(number, Real):
                    yield str(inner), float(number)
                elif name in FEATURES and number is not None:
                    raise DataError(
                        f"candidate {place}: {name} '{inner}' must be a number, got {number!r:.60}"
                    )
        elif isinstance(value, Real) and name not in plain:
            yield name, float(value)


def _flat_columns(given: Mapping[str, Any], named: Columns) -> _Found:
    """Return columns whose entries are candidates; lists for each sentence are joined."""
    columns = dict(given)
    key = named.text or _first_of(TEXT, columns)
    if key is None or key not in columns:
        return _Found(columns)
    texts = list(columns[key])
    if not texts or isinstance(texts[0], str):
        return _Found(columns)
    sizes = [len(one) for one in texts]
    sentence = named.sentence or _first_of(SENTENCE, columns)
    for name, column in columns.items():
        if name == sentence or len(column) != len(texts):
            continue
        if name == named.references or name in REFERENCES:
            columns[name] = list(
                chain.from_iterable([one] * n for one, n in zip(column, sizes, strict=True))
            )
        elif getattr(column, "ndim", 1) > 1:
            columns[name] = column.reshape(-1, *column.shape[2:])
        elif not isinstance(column[0], str | Real):
            columns[name] = list(chain.from_iterable(column))
    keys = range(len(texts)) if sentence is None else list(columns[sentence])
    columns[sentence or SENTENCE[0]] = [
        key for key, n in zip(keys, sizes, strict=True) for _ in range(n)
    ]
    return _Found(columns)


def _frame_columns(frame: Any, named: Columns) -> _Found | None:
    """Return the columns of a frame of pandas, polars or Arrow, or of a data set; None if none."""
    if hasattr(frame, "with_format") and hasattr(frame, "column_names"):  # datasets
        frame = frame.with_format("arrow")[:]
    if hasattr(frame, "column_names") and hasattr(frame, "column"):  # Arrow
        return _Found({name: frame.column(name) for name in frame.column_names})
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):  # pandas, polars
        columns = {str(name): frame[name] for name in frame.columns}
        # Where pandas made an index of the sentences, it is a column, too.
        levels = getattr(getattr(frame, "index", None), "names", ())
        name = named.sentence or _first_of(SENTENCE, columns) or _first_of(SENTENCE, levels)
        if name is not None and name in levels and name not in columns:
            columns[name] = frame.index.get_level_values(name)
        return _Found(columns)
    return None


def _has_lists(found: _Found, named: Columns) -> bool:
    """Whether a frame has a row for each sentence, with the candidates in a list."""
    flat = named.text is not None or _first_of(TEXT, found.columns) is not None
    return not flat and _first_of(LISTS, found.columns) is not None


def _sentence_records(found: _Found) -> list[dict[str, Any]]:
    lists = {key: _listed(column) for key, column in found.columns.items()}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _from_columns(found: _Found, named: Columns) -> Table:
    """Make a table whose sentences are numbered."""
    name = named.sentence or _first_of(SENTENCE, found.columns)
    if _has_lists(found, named):
        inner = cast(str, _first_of(LISTS, found.columns))
        return _from_sentences(_sentence_records(found), inner, named)
    if name is None or name not in found.columns:
        raise DataError(
            f"candidates: no column says which sentence a candidate is of; the columns are "
            f"{', '.join(found.columns)}. Call it 'sentence', or name it: "
            'columns={"sentence": "..."}'
        )
    values = found.columns[name]
    array = values if isinstance(values, np.ndarray) else np.asarray(_listed(values))
    if array.dtype.kind in "iu":
        numbers = array.astype(np.int64)
        if len(numbers) and numbers.min() < 0:
            raise DataError(f"candidates: sentence {numbers.min()} in column '{name}' is below 0")
        return _table(found, named, numbers, int(numbers.max(initial=-1)) + 1, without=name)
    keys: dict[str, int] = {}
    numbers = np.array([keys.setdefault(str(k), len(keys)) for k in array.tolist()], dtype=np.int64)
    return _table(found, named, numbers, len(keys), without=name, keys=tuple(keys))


def _table(
    found: _Found,
    named: Columns,
    sentences: IntArray,
    count: int,
    *,
    without: str = "",
    keys: tuple[str, ...] = (),
) -> Table:
    columns = dict(found.columns)
    columns.pop(without, None)
    key = named.text or _first_of(TEXT, columns)
    if key is None or key not in columns:
        raise DataError(
            f"candidates: no column has their texts; the columns are {', '.join(columns)}. Call it "
            '\'text\', or name it: columns={"text": "..."}'
        )
    texts = _listed(columns.pop(key))
    references = None
    key = named.references or _first_of(REFERENCES, columns)
    if key is not None and key in columns:
        references = _references(_listed(columns.pop(key)), sentences, count)
    scores = None
    if named.score is not None:
        if named.score not in columns:
            raise DataError(
                f"candidates: there is no column '{named.score}'; the columns are "
                f"{', '.join(columns)}"
            )
        scores = _numbers(columns.pop(named.score), named.score)
        if scores is None:
            raise DataError(f"candidates: the column '{named.score}' has no numbers")
    features: dict[str, FloatArray] = {}
    for name, column in columns.items():
        for label, values in _features(name, column, named):
            features[label] = values
    if named.features is not None:
        known = {*features, *found.sparse.names}
        if missing := [name for name in named.features if name not in known]:
            raise DataError(
                f"candidates: there is no column of numbers '{missing[0]}'; there are "
                f"{', '.join(sorted(known)) or 'none'}"
            )
    return Table(
        texts=texts,
        sentences=sentences,
        count=count,
        keys=keys,
        columns=features,
        sparse=found.sparse,
        scores=scores,
        references=references,
    )


def _features(name: str, column: Any, named: Columns) -> Iterator[tuple[str, FloatArray]]:
    """Give the features in a column; those of a matrix are numbered."""
    if getattr(column, "ndim", 1) == 2:
        for i in range(column.shape[1]):
            label = f"{name}_{i}"
            if named.is_feature(label) or named.is_feature(name):
                yield label, np.asarray(column[:, i], dtype=np.float64)
    elif named.is_feature(name) and (values := _numbers(column, name)) is not None:
        yield name, values


def _numbers(column: Any, name: str) -> FloatArray | None:
    """Return a column of numbers without a copy where that is possible; None if it has texts."""
    array = column
    if not isinstance(array, np.ndarray):
        array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.ndim == 1 and array.dtype.kind in "fiub":
        return cast(FloatArray, np.asarray(array, dtype=np.float64))
    values = _listed(column)
    numbers = [isinstance(value, Real) or value is None for value in values]
    if not any(isinstance(value, Real) for value in values):
        return None
    if not all(numbers):
        wrong = numbers.index(False)
        raise DataError(
            f"candidate {wrong}: '{name}' must be a number as in other candidates, got "
            f"{values[wrong]!r:.60}; if it is no feature, ignore it: ignore=['{name}']"
        )
    return np.array([np.nan if value is None else float(value) for value in values])


def _listed(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return cast("list[Any]", getattr(column, method)())
    return list(column)


def _references(column: Sequence[Any], sentences: IntArray, count: int) -> list[list[str]]:
    """Return the references of each sentence, of which every candidate has the same."""
    found: list[list[str]] = [[] for _ in range(count)]
    for i in np.unique(sentences, return_index=True)[1].tolist():
        found[sentences[i]] = _texts_of(column[i], f"candidate {i}")
    return found


def _texts_of(value: object, place: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable):
        return [str(text) for text in value]
    raise DataError(f"{place}: expected a reference or several, got {value!r:.60}")


def _first_of(names: Iterable[str], known: Iterable[str]) -> str | None:
    present = set(known)
    return next((name for name in names if name in present), None)


def reordered(candidates: Any, table: Table, order: IntArray, columns: Columns) -> Any:
    """Return candidates of any kind in another order, as candidates of the same kind.

    `order` has the rows of the table by sentence. Lists of columns become columns, and a frame of
    lists becomes a list of records.
    """
    rows = order.tolist()
    if isinstance(candidates, Mapping):
        flat = _flat_columns(candidates, columns).columns
        return {name: _taken(column, rows) for name, column in flat.items()}
    found = _frame_columns(candidates, columns)
    if found is not None and not _has_lists(found, columns):
        for method in ("take", "select"):  # of Arrow, of datasets
            if hasattr(candidates, "column_names") and hasattr(candidates, method):
                return getattr(candidates, method)(rows)
        return candidates.iloc[rows] if hasattr(candidates, "iloc") else candidates[rows]
    records = list(candidates) if found is None else _sentence_records(found)
    first = records[0]
    if not isinstance(first, Mapping):
        return _regrouped(list(chain.from_iterable(records)), table, rows)
    inner = _first_of(LISTS, first)
    if inner is None or isinstance(first[inner], str):
        return [records[row] for row in rows]
    lists = _regrouped([one for record in records for one in record[inner]], table, rows)
    return [{**record, inner: own} for record, own in zip(records, lists, strict=True)]


def _regrouped(records: Sequence[Any], table: Table, rows: Sequence[int]) -> list[list[Any]]:
    lists: list[list[Any]] = [[] for _ in range(table.count)]
    for row in rows:
        lists[table.sentences[row]].append(records[row])
    return lists


def _taken(column: Any, rows: Sequence[int]) -> Any:
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows]
