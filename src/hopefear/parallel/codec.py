"""States and lessons as arrays, and back: one codec for checkpoints and for messages.

A value is made of arrays, numbers, kernels of the core that can be saved, sparse matrices, n-best
lists, and dataclasses and tuples of these. Nothing that is read is ever executed, and nothing is
trusted: a value of the same kind is the pattern by which arrays become a value again. An array has
the type and shape of the pattern's; fields that are annotated "grows" may have more rows, each as
many as the others; "free" ones may have any number of rows, and one that is annotated "derived" is
not written and taken from the pattern.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, cast, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from hopefear.candidates import Candidates, ListSet
from hopefear.errors import DataError
from hopefear.nbest import NBest, NBestBuilder
from hopefear.settings import type_hints

__all__ = [
    "Arrays",
    "decode",
    "encode",
    "join_messages",
    "pack",
    "split_messages",
    "unpack",
]

Arrays = dict[str, NDArray[Any]]
KIND = re.compile(r"[<>|][biuf][1248]")  # NumPy would read much more into a text
_write_json = json.JSONEncoder(separators=(",", ":")).encode
WIDTH = 8  # bytes of a size in messages
SPARSE = ("data", "indices", "indptr", "shape")  # of a matrix of SciPy


def encode(value: Any, name: str = "state") -> Arrays:
    """Return a value as arrays, each named by its place in it."""
    if isinstance(value, np.ndarray):
        return {name: value}
    if value is None:
        return {}
    if isinstance(value, ListSet):
        return _encode_lists(value.nbest, name)
    if hasattr(value, "save"):
        return {name: value.save()}
    if hasattr(value, "indptr"):
        return {f"{name}.{part}": np.asarray(getattr(value, part)) for part in SPARSE}
    if is_dataclass(value):
        parts = {part: getattr(value, part) for part, _ in _parts(cast(type, type(value)))}
    elif isinstance(value, tuple):
        parts = {str(i): part for i, part in enumerate(value)}
    else:
        return {name: np.asarray(value)}
    return {
        key: array
        for part, inner in parts.items()
        for key, array in encode(inner, f"{name}.{part}").items()
    }


def decode(
    pattern: Any,
    arrays: Mapping[str, NDArray[Any]],
    data: Candidates,
    name: str = "state",
    *,
    grows: bool = False,
) -> Any:
    """Return the value that the arrays are, of the kind of `pattern`.

    Raises
    ------
    DataError
        If the arrays are not those of such a value.
    """
    if isinstance(pattern, np.ndarray):
        return _decode_array(pattern, _array(arrays, name), name, grows=grows)
    if pattern is None:
        found = f"{name}.offsets" in arrays
        return _decode_lists(arrays, data, name) if found else None
    if hasattr(pattern, "save"):
        return _decode_kernel(pattern, _array(arrays, name), name)
    if hasattr(pattern, "indptr"):
        return _decode_sparse(pattern, arrays, name)
    if is_dataclass(pattern) and not isinstance(pattern, type):
        marks = _parts(cast(type, type(pattern)))
        parts = {
            part: decode(
                getattr(pattern, part), arrays, data, f"{name}.{part}", grows=mark is not None
            )
            for part, mark in marks
        }
        rows = {part: parts[part].shape[0] for part, mark in marks if mark == "grows"}
        if len(set(rows.values())) > 1:
            raise DataError(f"'{name}' has parts of different lengths: {rows}")
        return replace(pattern, **parts)
    if isinstance(pattern, tuple):
        return tuple(
            decode(part, arrays, data, f"{name}.{i}", grows=grows) for i, part in enumerate(pattern)
        )
    array = _array(arrays, name)
    kind = np.asarray(pattern).dtype.kind
    if array.ndim != 0 or array.dtype.kind not in ("fi" if kind == "f" else kind):
        raise DataError(f"'{name}' has {array.dtype} {array.shape}, expected a number or text")
    return type(pattern)(array.item())


def pack(arrays: Arrays) -> bytes:
    """Return arrays as one message: their names, types and shapes, and then their numbers."""
    table = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    head = _write_json(table).encode()
    head += b" " * (-len(head) % WIDTH)  # so that numbers need not be moved when they are unpacked
    return b"".join([_size(len(head)), head, *(one.tobytes() for one in arrays.values())])


def unpack(message: bytes) -> Arrays:
    """Return the arrays of a message.

    Raises
    ------
    DataError
        If it is not one.
    """
    begin = WIDTH + _read_size(message)
    try:
        table = json.loads(message[WIDTH:begin])
        arrays: Arrays = {}
        for name, kind, shape in table:
            if not all(isinstance(n, int) and n >= 0 for n in shape):
                raise DataError(f"it has an array with the shape {shape}")
            array = np.frombuffer(message, _kind(kind), math.prod(shape), begin)
            # The core reads numbers at addresses that are multiples of their size.
            placed = array if array.flags.aligned else array.copy()
            arrays[name] = placed if len(shape) == 1 else placed.reshape(shape)
            begin += array.nbytes
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        raise DataError(f"a message is damaged: {error}") from error
    if begin != len(message):
        raise DataError(f"a message is damaged: it has {len(message)} bytes, expected {begin}")
    return arrays


@cache
def _kind(name: str) -> np.dtype[Any]:
    if not KIND.fullmatch(name):
        raise DataError(f"it has an array of {name}")
    return np.dtype(name)


def join_messages(messages: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return several messages as one array, each after its size."""
    joined = b"".join(part for one in messages for part in (_size(len(one)), one))
    return np.frombuffer(joined, dtype=np.uint8)


def split_messages(joined: NDArray[np.uint8]) -> tuple[bytes, ...]:
    """Return the messages of an array."""
    data, found, begin = joined.tobytes(), [], 0
    while begin < len(data):
        end = begin + WIDTH + _read_size(data, begin)
        found.append(data[begin + WIDTH : end])
        begin = end
    if begin != len(data):
        raise DataError("the last of several messages is cut off")
    return tuple(found)


def _size(number: int) -> bytes:
    return number.to_bytes(WIDTH, "little")


def _read_size(data: bytes, begin: int = 0) -> int:
    return int.from_bytes(data[begin : begin + WIDTH], "little")


@cache
def _parts(kind: type) -> tuple[tuple[str, str | None], ...]:
    """Return the fields of a dataclass that are written, with "grows", "free" or None."""
    hints, parts = type_hints(kind), []
    for field in fields(kind):
        hint = hints[field.name]
        marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        if "derived" not in marks:
            mark = next((mark for mark in ("grows", "free") if mark in marks), None)
            parts.append((field.name, mark))
    return tuple(parts)


def _decode_array(
    pattern: NDArray[Any], array: NDArray[Any], name: str, *, grows: bool
) -> NDArray[Any]:
    fixed = pattern.shape[1:] if grows else pattern.shape
    shape = array.shape[1:] if grows and array.ndim else array.shape
    if array.dtype != pattern.dtype or shape != fixed or array.ndim != pattern.ndim:
        raise DataError(
            f"'{name}' has {array.dtype} {array.shape}, expected {pattern.dtype} {pattern.shape}"
        )
    return array


def _array(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays:
        raise DataError(f"'{name}' is missing")
    return arrays[name]


def _decode_kernel(pattern: Any, array: NDArray[Any], name: str) -> Any:
    """Load what a kernel saved; the kernel checks its own numbers, the pattern their extent."""
    if array.dtype != np.float64 or array.ndim != 1:
        raise DataError(f"'{name}' has {array.dtype} in {array.ndim} dimensions")
    loaded = type(pattern).load(array)
    if len(loaded) != len(pattern):
        raise DataError(f"'{name}' has {len(loaded)} weights, expected {len(pattern)}")
    return loaded


def _decode_sparse(pattern: Any, arrays: Mapping[str, NDArray[Any]], name: str) -> Any:
    values, indices, begin, shape = (_array(arrays, f"{name}.{part}") for part in SPARSE)
    size = tuple(shape.tolist())
    if len(size) != 2 or size[1] != pattern.shape[1]:
        raise DataError(f"'{name}' has the shape {size}, expected {pattern.shape[1]} columns")
    for part, array, kind in (("data", values, "f"), ("indices", indices, "i"), ("", begin, "i")):
        if array.ndim != 1 or array.dtype.kind != kind:
            raise DataError(f"'{name}.{part}' has {array.dtype} in {array.ndim} dimensions")
    made = type(pattern)((values, indices, begin), shape=size)
    made.check_format(full_check=True)  # a ValueError if an index is out of bounds
    return made


def _encode_lists(nbest: NBest, name: str) -> Arrays:
    # A text may contain any white space. As one list of objects all texts would fill the memory.
    texts = (json.dumps(nbest.texts(i), ensure_ascii=False) for i in range(nbest.sentence_count))
    joined = f"[{','.join(filter(None, (text[1:-1] for text in texts)))}]"
    sizes, ids, values = nbest.feature_rows()
    statistics = nbest.statistics
    return {
        f"{name}.offsets": np.array(nbest.offsets),
        f"{name}.texts": np.frombuffer(joined.encode(), dtype=np.uint8),
        f"{name}.sizes": sizes,
        f"{name}.ids": ids,
        f"{name}.values": values,
        f"{name}.statistics": np.empty((0, 0)) if statistics is None else statistics,
    }


def _decode_lists(arrays: Mapping[str, NDArray[Any]], data: Candidates, name: str) -> ListSet:
    def part(key: str, kind: str, axes: int = 1) -> NDArray[Any]:
        array = _array(arrays, f"{name}.{key}")
        if array.dtype.kind != kind or array.ndim != axes:
            raise DataError(f"'{name}.{key}' has {array.dtype} in {array.ndim} dimensions")
        return array

    names = data.feature_names
    texts = json.loads(part("texts", "u").tobytes())
    offsets, sizes = part("offsets", "i"), part("sizes", "i")
    statistics = part("statistics", "f", 2)
    ids, values = part("ids", "i").tolist(), part("values", "f").tolist()
    if len(offsets) != data.sentence_count + 1:
        raise DataError(f"'{name}' has {len(offsets) - 1} lists, expected {data.sentence_count}")
    if statistics.shape != (len(texts), data.metric.corpus_score().dimension):
        raise DataError(f"'{name}.statistics' has the shape {statistics.shape}")
    begin = np.append(0, np.cumsum(sizes))
    fits = len(texts) == len(sizes) == offsets[-1] and len(ids) == len(values) == begin[-1]
    ordered = offsets[0] == 0 and (np.diff(offsets) >= 0).all() and (sizes >= 0).all()
    if not fits or not ordered or not all(0 <= i < len(names) for i in ids):
        raise DataError(f"the lists of '{name}' do not fit together")
    builder = NBestBuilder(feature_names=names)
    for sentence in range(len(offsets) - 1):
        for row in range(int(offsets[sentence]), int(offsets[sentence + 1])):
            own = range(int(begin[row]), int(begin[row + 1]))
            builder.add(sentence, texts[row], {names[ids[i]]: values[i] for i in own})
    nbest = builder.finish(len(offsets) - 1)
    nbest.set_statistics(statistics)
    return ListSet(nbest=nbest, metric=data.metric, threads=data.threads)
