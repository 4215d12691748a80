"""Bins of a real-valued feature, each an indicator feature with a weight of its own.

Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation via
discretization and structured regularization, TACL, sections 3 and 4.1.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from hopefear import _core
from hopefear.errors import FormatError
from hopefear.formats.files import PathLike
from hopefear.formats.texts import read_feature_table, write_feature_table
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, IntArray, Weights

__all__ = [
    "BINS_FILE",
    "Bins",
    "Discretization",
    "FeatureBins",
    "bin_name",
    "read_bins",
    "run_bins",
    "shared_units",
    "split_bin_name",
    "spread",
    "write_bins",
]

FeatureBins = Mapping[str, "Bins"]
"""Bins by the features that they replace."""

BINS_FILE = "bins.tsv"
"""Where the directory of a run has the bins of its features."""

_NAME = re.compile(r"(.+)#(\d+)")


def bin_name(feature: str, number: int) -> str:
    """Return the name of the indicator feature of a bin: i ⌢ BIN(x) in equation 4."""
    return f"{feature}#{number}"


def split_bin_name(name: str) -> tuple[str, int] | None:
    """Return the feature and the number of the bin that a feature is an indicator of, if it is.

    Examples
    --------
    >>> split_bin_name("p_e_given_f#12"), split_bin_name("LM0")
    (('p_e_given_f', 12), None)
    """
    found = _NAME.fullmatch(name)
    return None if found is None else (found[1], int(found[2]))


def shared_units(names: Iterable[str], units: FloatArray) -> FloatArray:
    """Return units of features, 1 for 0, with one for all bins of a feature.

    With units of their own, bins on a line would not be on one any more.

    Examples
    --------
    >>> shared_units(["p#0", "p#1", "p#2", "lm", "none"], np.array([3.0, 4.0, 0.0, 2.0, 0.0]))
    array([3.53553391, 3.53553391, 3.53553391, 2.        , 1.        ])
    """
    features: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        if (found := split_bin_name(name)) is not None:
            features.setdefault(found[0], []).append(i)
    shared = np.array(units)
    for places in features.values():
        own = units[places]
        shared[places] = np.sqrt(np.square(own).sum() / max(np.count_nonzero(own), 1))
    return np.where(shared > 0, shared, 1.0)


@settings
class Discretization:
    """Which features are cut into bins, and how many bins there are."""

    bits: int = setting(
        8,
        "Every feature has up to 2^bits bins; 0 for no bins, so that a grid can choose that too.",
        least=0,
        most=16,
    )
    features: tuple[str, ...] = setting(
        ("*",),
        "Features to discretize, with wildcards. Language models of a model are never discretized: "
        "they are not local to a rule.",
    )
    kept: tuple[str, ...] | None = setting(
        None,
        "Of these, features that also stay as they are, with wildcards.",
        shown="WordPenalty of a model, as in the paper; all of lists and forests",
    )
    overlap: bool = setting(False, "A value also belongs to the bins before and after its own.")
    start: Literal["values", "ranks"] = setting(
        "values",
        "Where the bins of features that do not stay start: at the feature's weight times the mean "
        "of a bin's values, or times a line from -10 to 0 over the bins, as if the feature were a "
        "log probability. Increasing functions of a feature have the same line. Where every value "
        "has a bin, its values count.",
    )

    def __bool__(self) -> bool:
        """Whether there are to be bins."""
        return self.bits > 0

    def chooses(self, name: str) -> bool:
        """Whether a feature is to be discretized."""
        return any(fnmatchcase(name, pattern) for pattern in self.features)

    def learn(
        self,
        name: str,
        values: FloatArray,
        frequencies: IntArray | None = None,
        *,
        kept: tuple[str, ...],
    ) -> "Bins":
        """Return the bins of a feature that has these values, each once or as often as given.

        `kept` are the features that stay as they are if the settings do not say it.
        """
        patterns = kept if self.kept is None else self.kept
        return Bins.learned(
            values,
            1 << self.bits,
            frequencies=frequencies,
            kept=any(fnmatchcase(name, pattern) for pattern in patterns),
            overlap=self.overlap,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Bins:
    """The bins of a feature, in the order of their values.

    Attributes
    ----------
    lowest, highest : array
        The range of the values that a bin was made of.
    mean : array
        Their mean.
    count : array
        Their number.
    kept : bool
        Whether the feature also stays as it is.
    overlap : bool
        Whether a value also belongs to the bins before and after its own (equation 8).
    """

    lowest: FloatArray
    highest: FloatArray
    mean: FloatArray
    count: IntArray
    kept: bool = False
    overlap: bool = False

    def __len__(self) -> int:
        return len(self.lowest)

    @classmethod
    def learned(
        cls,
        values: FloatArray,
        most: int,
        *,
        frequencies: IntArray | None = None,
        kept: bool = False,
        overlap: bool = False,
    ) -> "Bins":
        """Return at most so many bins of nearly the same number of values.

        Which values share a bin depends on their order and their frequencies alone, so that any
        increasing function of the feature has the same bins.
        """
        distinct, places = np.unique(values, return_inverse=True)
        weights = np.bincount(places, weights=frequencies).astype(np.float64)
        begins = _core.uniform_bins(weights, min(most, len(distinct)))
        count = np.add.reduceat(weights, begins)
        lowest, highest = distinct[begins], distinct[np.append(begins[1:], len(distinct)) - 1]
        # Sums of products overflow before means do.
        shares = weights / np.repeat(count, np.diff(begins, append=len(distinct)))
        return cls(
            lowest=lowest,
            highest=highest,
            mean=np.clip(np.add.reduceat(distinct * shares, begins), lowest, highest),
            count=count.astype(np.int64),
            kept=kept,
            overlap=overlap,
        )

    @cached_property
    def borders(self) -> FloatArray:
        """The largest numbers of all bins but the last: what is not above them belongs to them.

        A value between two bins belongs to the nearer one.
        """
        low, high = self.highest[:-1], self.lowest[1:]
        middle = low + (high - low) / 2
        # Between neighboring numbers there is no middle.
        return np.where(middle < high, middle, low)

    @property
    def ranks(self) -> FloatArray:
        """A line over the bins, whatever their values; or these, if every value has a bin."""
        if (self.lowest == self.highest).all():
            return self.mean
        return RANGE * ((np.arange(len(self)) + 0.5) / len(self) - 1)

    def core(self, feature: str) -> _core.FeatureBins:
        """Return the bins of a feature of rules as the core needs them."""
        return _core.FeatureBins(feature, self.borders, self.kept, self.overlap)

    def find(self, values: FloatArray) -> IntArray:
        """Return the bin of each value."""
        return np.searchsorted(self.borders, values, side="left")

    def names(self, feature: str) -> list[str]:
        """Return the names of the indicator features."""
        return [bin_name(feature, number) for number in range(len(self))]

    def fired(self, values: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the places of the values and the bins that they are in, overlapping ones too."""
        own, places = self.find(values), np.arange(len(values))
        if not self.overlap:
            return places, own
        bins = np.concatenate([own - 1, own, own + 1])
        there = (bins >= 0) & (bins < len(self))
        return np.tile(places, 3)[there], bins[there]


RANGE = 10.0  # about that of log probabilities of rules


def spread(
    weights: Weights, bins: FeatureBins, *, start: Literal["values", "ranks"] = "values"
) -> Weights:
    """Return weights of bins with which discretized features count as they did, nearly.

    Every bin gets the weight of its feature times the mean of its values, or times what stands for
    them (see `Discretization`); a third of it, if three bins overlap.
    """
    table: dict[str, float] = {}
    for name, weight in weights.items():
        found = bins.get(name)
        if found is None or found.kept:
            table[name] = weight
            if found is None:
                continue
        share = 0.0 if found.kept else weight / (3 if found.overlap else 1)
        values = found.ranks if start == "ranks" else found.mean
        table |= zip(found.names(name), (share * values).tolist(), strict=True)
    return Weights(table)


_FIELDS = ("lowest", "highest", "mean", "count")
_KINDS = {
    (kept, overlap): ("kept " if kept else "") + ("overlapping" if overlap else "bin")
    for kept in (False, True)
    for overlap in (False, True)
}


def write_bins(path: PathLike, bins: FeatureBins) -> None:
    """Write bins to a table: kind, feature, number, lowest, highest and mean value, count."""

    def rows() -> Iterator[tuple[str, ...]]:
        for name, own in bins.items():
            kind, columns = _KINDS[own.kept, own.overlap], [getattr(own, f) for f in _FIELDS]
            for number, fields in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
                yield (kind, name, str(number), *map(repr, fields))

    write_feature_table(rows(), path)


def read_bins(path: PathLike) -> FeatureBins:
    """Read bins that `write_bins` wrote."""
    kinds = {kind: flags for flags, kind in _KINDS.items()}
    tables: dict[str, tuple[str, list[list[float]]]] = {}
    for line, row in enumerate(read_feature_table(path), 1):
        try:
            kind, name, number, *fields = row
            numbers = [float(field) for field in fields]
            own_kind, own = tables.setdefault(name, (kind, []))
            if kind not in kinds or kind != own_kind or int(number) != len(own):
                raise ValueError
            low, high, mean, count = numbers
            if not low <= mean <= high or not count >= 1 or (own and not own[-1][1] < low):
                raise ValueError
        except ValueError:
            raise FormatError(
                f"{path}:{line}: expected the next bin of a feature, found {list(row)}"
            ) from None
        own.append(numbers)
    return {name: _of_columns(*kinds[kind], own) for name, (kind, own) in tables.items()}


def run_bins(run: object) -> FeatureBins:
    """Return the bins of a run's features by its directory; none for anything else."""
    path = Path(run) / BINS_FILE if isinstance(run, str | Path) else None
    return read_bins(path) if path is not None and path.is_file() else {}


def _of_columns(kept: bool, overlap: bool, rows: Iterable[list[float]]) -> Bins:
    lowest, highest, mean, count = np.array(list(rows)).T
    return Bins(
        lowest=lowest,
        highest=highest,
        mean=mean,
        count=count.astype(np.int64),
        kept=kept,
        overlap=overlap,
    )
