"""States of learners as arrays, and back: nothing that is read from a file is ever executed.

A state is made of arrays, numbers, values of the core that can be saved, and dataclasses and tuples
of these. What kind of thing is where is not written: a state at the start of a run, of the same
learner and data, is the pattern by which arrays become a state again.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.errors import DataError
from hopefear.learners import EpochFigures, TuningData, TuningSet
from hopefear.nbest import NBest, NBestBuilder

__all__ = ["Arrays", "decode_state", "encode_state"]

Arrays = dict[str, NDArray[Any]]
SPARSE = ("data", "indices", "indptr", "shape")  # of a matrix of SciPy


def encode_state(value: Any, name: str = "state") -> Arrays:
    """Return a state as arrays, each named by its place in it."""
    if value is None or isinstance(value, EpochFigures):
        return {}  # what an epoch was like is told, and not needed again
    if isinstance(value, TuningSet):
        return _encode_lists(value.nbest, name)
    if hasattr(value, "save"):
        return {name: value.save()}
    if hasattr(value, "indptr"):
        return {f"{name}.{part}": np.asarray(getattr(value, part)) for part in SPARSE}
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
    elif isinstance(value, tuple):
        parts = {str(i): part for i, part in enumerate(value)}
    else:
        return {name: np.asarray(value)}
    return {
        key: array
        for part, inner in parts.items()
        for key, array in encode_state(inner, f"{name}.{part}").items()
    }


def decode_state(
    pattern: Any, arrays: Mapping[str, NDArray[Any]], data: TuningData, name: str = "state"
) -> Any:
    """Return the state that the arrays are, with the types of `pattern`.

    Raises
    ------
    DataError
        If the arrays are not those of such a state.
    """
    if pattern is None:
        found = f"{name}.offsets" in arrays
        return _decode_lists(arrays, data, name) if found else None
    if hasattr(pattern, "save"):
        return type(pattern).load(_array(arrays, name))
    if hasattr(pattern, "indptr"):
        values, indices, begin, shape = (_array(arrays, f"{name}.{part}") for part in SPARSE)
        return type(pattern)((values, indices, begin), shape=tuple(shape.tolist()))
    if is_dataclass(pattern) and not isinstance(pattern, type):
        parts = {
            field.name: decode_state(
                getattr(pattern, field.name), arrays, data, f"{name}.{field.name}"
            )
            for field in fields(pattern)
        }
        return replace(pattern, **parts)
    if isinstance(pattern, tuple):
        return tuple(
            decode_state(part, arrays, data, f"{name}.{i}") for i, part in enumerate(pattern)
        )
    array = _array(arrays, name)
    if isinstance(pattern, np.ndarray):
        if array.dtype != pattern.dtype or array.ndim != pattern.ndim:
            raise DataError(f"'{name}' is {array.dtype} of {array.ndim} dimensions")
        return array
    if array.ndim != 0:
        raise DataError(f"'{name}' is an array; expected {type(pattern).__name__}")
    return type(pattern)(array.item())


def _array(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays:
        raise DataError(f"'{name}' is missing")
    return arrays[name]


def _encode_lists(nbest: NBest, name: str) -> Arrays:
    rows = range(len(nbest))
    ids = [nbest.core.feature_ids(row) for row in rows]
    values = [nbest.core.feature_values(row) for row in rows]
    # A text may have any blanks in it.
    texts = json.dumps([nbest.text(row) for row in rows], ensure_ascii=False)
    statistics = nbest.statistics
    return {
        f"{name}.offsets": np.array(nbest.offsets),
        f"{name}.texts": np.frombuffer(texts.encode(), dtype=np.uint8),
        f"{name}.sizes": np.array([len(row) for row in ids], dtype=np.int64),
        f"{name}.ids": np.concatenate([np.empty(0, dtype=np.int32), *ids]),
        f"{name}.values": np.concatenate([np.empty(0), *values]),
        f"{name}.statistics": np.empty((0, 0)) if statistics is None else statistics,
    }


def _decode_lists(arrays: Mapping[str, NDArray[Any]], data: TuningData, name: str) -> TuningSet:
    def part(key: str) -> NDArray[Any]:
        return _array(arrays, f"{name}.{key}")

    names = data.feature_names
    texts = json.loads(part("texts").tobytes())
    offsets, begin = part("offsets"), np.cumsum([0, *part("sizes").tolist()])
    ids, values = part("ids").tolist(), part("values").tolist()
    fits = len(texts) == len(begin) - 1 == offsets[-1] and len(ids) == len(values) == begin[-1]
    if not fits or not all(0 <= i < len(names) for i in ids):
        raise DataError(f"the lists of '{name}' do not fit together")
    builder = NBestBuilder(feature_names=names)
    for sentence in range(len(offsets) - 1):
        for row in range(int(offsets[sentence]), int(offsets[sentence + 1])):
            own = range(int(begin[row]), int(begin[row + 1]))
            builder.add(sentence, texts[row], {names[ids[i]]: values[i] for i in own})
    nbest = builder.finish(len(offsets) - 1)
    nbest.set_statistics(part("statistics"))
    return TuningSet(nbest=nbest, metric=data.metric, threads=data.threads)
