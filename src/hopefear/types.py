"""Values that the whole package exchanges: weights, and hypotheses with their features."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear._core import Vocabulary
from hopefear.errors import DataError

__all__ = [
    "BoolArray",
    "FloatArray",
    "Hypothesis",
    "IntArray",
    "Segment",
    "Vocabulary",
    "Weights",
    "check_features",
    "check_text",
]

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def check_text(text: object, what: str) -> None:
    """Raise DataError unless `text` is a valid string; `what` begins the message."""
    if not isinstance(text, str):
        raise DataError(f"{what} must be a string, got {text!r:.60}")
    if broken := next((c for c in text if "\ud800" <= c <= "\udfff"), ""):
        raise DataError(f"{what} contains {broken!r}, half of a surrogate pair")


def check_features(features: object, *, what: str = "feature") -> None:
    """Raise DataError unless `features` maps names to numbers, finite or not.

    `what` is what messages call an entry.
    """
    if not isinstance(features, Mapping):
        raise DataError(f"expected a mapping from features to numbers, got {features!r:.60}")
    for name, value in features.items():
        check_text(name, "the name of a feature")
        if isinstance(value, bool) or not isinstance(value, Real):
            raise DataError(f"{what} '{name}' must be a number, got {value!r:.60}")


class Weights(Mapping[str, float]):
    """A named vector: an immutable mapping from feature names to finite numbers.

    Features keep their order. In every computation an unlisted feature has weight 0, but
    ``weights[name]`` raises KeyError for it, and equal weights list the same features.

    Parameters
    ----------
    weights : mapping from names to numbers, or pairs of them
        Values must be finite and names must not repeat; DataError otherwise.

    Examples
    --------
    >>> w = Weights({"lm": 0.5, "length": -1.0})
    >>> w["lm"]
    0.5
    >>> w + Weights({"length": 0.25, "tm": 2.0})
    Weights(lm=0.5, length=-0.75, tm=2.0)
    >>> 2 * w / w.norm(1)
    Weights(lm=0.6666666666666666, length=-1.3333333333333333)
    """

    __slots__ = ("_array", "_index", "_names")

    def __init__(self, weights: Mapping[str, float] | Iterable[tuple[str, float]] = ()) -> None:
        try:
            pairs = list(weights.items() if isinstance(weights, Mapping) else weights)
            names, values = [name for name, _ in pairs], [value for _, value in pairs]
        except (TypeError, ValueError):
            expected = "a mapping from names to numbers, or pairs of them"
            raise DataError(f"weights: expected {expected}, got {weights!r:.60}") from None
        if not all(
            type(value) is float for value in values
        ):  # the usual case, perhaps with millions of weights
            for pair in zip(names, values, strict=True):
                check_features(dict([pair]), what="the weight of feature")
        self._set(tuple(names), values)

    @classmethod
    def from_arrays(cls, names: Sequence[str], values: ArrayLike) -> Self:
        """Make weights from parallel sequences; this is the fast way for many features."""
        weights = cls.__new__(cls)
        weights._set(tuple(names), values)
        return weights

    @classmethod
    def from_vector(cls, features: Vocabulary, vector: ArrayLike) -> Self:
        """Make weights from a vector that is indexed by the ids of `features`."""
        return cls.from_arrays(list(features), vector)

    def _set(self, names: tuple[str, ...], values: ArrayLike) -> None:
        try:
            array = np.array(values, dtype=np.float64)
        except (OverflowError, TypeError, ValueError) as error:
            raise DataError(f"weights must be numbers that fit a double: {error}") from None
        if array.shape != (len(names),):
            raise DataError(f"{len(names)} feature names but weights of shape {array.shape}")
        wrong = np.flatnonzero(~np.isfinite(array))
        if wrong.size:
            name, value = names[wrong[0]], array[wrong[0]]
            raise DataError(f"the weight of feature '{name}' is {value}; weights must be finite")
        array.flags.writeable = False
        index = {name: i for i, name in enumerate(names)}
        if len(index) < len(names):
            repeated = next(name for i, name in enumerate(names) if index[name] != i)
            raise DataError(f"feature '{repeated}' has two weights")
        self._names, self._array, self._index = names, array, index

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in order."""
        return self._names

    @property
    def array(self) -> FloatArray:
        """The values in the order of `names`, read-only."""
        return self._array

    def vector(self, features: Vocabulary) -> FloatArray:
        """Return a vector indexed by the ids of `features`, with 0 for features without weight.

        Features that are not in the vocabulary are left out.
        """
        ids = features.find_all(self._names)
        vector = np.zeros(len(features))
        known = ids >= 0
        vector[ids[known]] = self._array[known]
        return vector

    def norm(self, order: float = 2) -> float:
        """Return the norm: Euclidean, or of another `order` (1 or infinity)."""
        return float(np.linalg.norm(self._array, order)) if self._names else 0.0

    def dot(self, features: Mapping[str, float]) -> float:
        """Return w · h, where `features` is h."""
        index, array = self._index, self._array
        return float(sum(array[index[name]] * x for name, x in features.items() if name in index))

    def __add__(self, other: "Weights") -> "Weights":
        if not isinstance(other, Weights):
            return NotImplemented
        if self._names == other._names:
            return Weights.from_arrays(self._names, self._array + other._array)
        names = self._names + tuple(name for name in other._names if name not in self._index)
        total = np.zeros(len(names))
        total[: len(self._names)] = self._array
        place = {name: i for i, name in enumerate(names)}
        total[[place[name] for name in other._names]] += other._array
        return Weights.from_arrays(names, total)

    def __neg__(self) -> "Weights":
        return Weights.from_arrays(self._names, -self._array)

    def __sub__(self, other: "Weights") -> "Weights":
        if not isinstance(other, Weights):
            return NotImplemented
        return self + -other

    def __mul__(self, factor: float) -> "Weights":
        return Weights.from_arrays(self._names, self._array * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> "Weights":
        return Weights.from_arrays(self._names, self._array / divisor)

    def __getitem__(self, name: str) -> float:
        return float(self._array[self._index[name]])

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return NotImplemented
        if self._names == other._names:
            return bool(np.array_equal(self._array, other._array))
        if self._index.keys() != other._index.keys():
            return False
        places = [other._index[name] for name in self._names]
        return bool(np.array_equal(self._array, other._array[places]))

    def __reduce__(self) -> tuple[object, ...]:
        return Weights.from_arrays, (self._names, self._array)

    def __repr__(self) -> str:
        shown = [f"{name}={self._array[i]!s}" for i, name in enumerate(self._names[:8])]
        if len(self) > len(shown):
            shown.append(f"... {len(self):,} features")
        return f"Weights({', '.join(shown)})"

    def _repr_html_(self) -> str:
        """Return a table for notebooks, of the largest weights if there are many."""
        order = np.argsort(-np.abs(self._array), kind="stable") if len(self) > 100 else ()
        rows = "".join(
            f"<tr><td>{escape(self._names[i])}</td><td>{self._array[i]:.6g}</td></tr>"
            for i in (order[:100] if len(order) else range(len(self)))
        )
        more = f"<p>... {len(self) - 100:,} more</p>" if len(self) > 100 else ""
        return f"<table><tr><th>feature</th><th>weight</th></tr>{rows}</table>{more}"


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """One candidate translation: its text, its features and, if known, its model score."""

    text: str
    features: Mapping[str, float] = field(default_factory=dict)
    score: float | None = None


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Consecutive hypotheses of one sentence, in the order of the file.

    `sentence` is its number from 0, or a key such as an utterance id. A file may return to the same
    sentence later, in a separate segment.
    """

    sentence: int | str
    hypotheses: tuple[Hypothesis, ...]
