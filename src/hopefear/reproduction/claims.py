"""Claims of papers as checks: each names the rows that it speaks of and judges what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product, zip_longest
from math import sqrt
from typing import Literal, Protocol

import numpy as np

from hopefear.evaluation import deviation
from hopefear.reproduction.outcomes import Outcomes
from hopefear.reproduction.paper import Row

__all__ = [
    "Above",
    "Claim",
    "Close",
    "Early",
    "Ordered",
    "Overfits",
    "Steadier",
    "Verdict",
    "listed",
    "p_text",
]

SIGNIFICANT = 0.05
LEAST_P = 0.001  # that is printed
EARLY = 3  # epochs
NOISE = 0.2  # points by which curves of the same learner differ from seed to seed


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came out for a claim, with the figures; "undecided" is what may be luck."""

    result: Literal["holds", "undecided", "does not hold"]
    evidence: str

    @classmethod
    def of(cls, *, holds: bool, evidence: str) -> "Verdict":
        """Return a verdict without a test of significance."""
        return cls(result="holds" if holds else "does not hold", evidence=evidence)


class Claim(Protocol):
    """What a paper says of some of its rows."""

    @property
    def text(self) -> str:
        """The claim, in our words."""

    @property
    def where(self) -> str:
        """The section, table or figure that it is made in."""

    @property
    def rows(self) -> Sequence[Row]:
        """The rows that have to be there."""

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Say whether the claim holds here."""


@dataclass(frozen=True, kw_only=True)
class Above:
    """Each of some rows is better than each of others on the test data."""

    text: str
    where: str
    better: Row | tuple[Row, ...]
    worse: Row | tuple[Row, ...]

    @property
    def rows(self) -> Sequence[Row]:
        """All rows."""
        return (*_several(self.better), *_several(self.worse))

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over replicas, by stratified approximate randomization."""
        pairs = product(_several(self.better), _several(self.worse))
        found = [outcomes.compare(one, other) for one, other in pairs]
        evidence = f"test: {listed(self.rows, [outcomes[row].mean() for row in self.rows])}; "
        evidence += ", ".join(p_text(pair.p_value) for pair in found)
        sure = [pair.difference > 0 for pair in found if pair.p_value < SIGNIFICANT]
        if all(sure) and len(sure) < len(found):
            return Verdict(result="undecided", evidence=evidence)
        return Verdict.of(holds=all(sure), evidence=evidence)


@dataclass(frozen=True, kw_only=True)
class Close:
    """Rows differ by no more than `within` points, whatever the order.

    They are compared on the test data, or by the ends of their curves on held-out data.
    """

    text: str
    where: str
    rows: Sequence[Row]
    within: float = 0.5
    data: Literal["test", "dev at the end"] = "test"

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the highest and the lowest score; up to `NOISE` more decides nothing."""
        found = [outcomes[row] for row in self.rows]
        values = [one.mean() if self.data == "test" else one.curve()[-1] for one in found]
        width = float(np.ptp(values))
        evidence = f"{self.data}: {listed(self.rows, values)}; range {width:.2f}"
        evidence += f", at most {self.within:g}"
        if self.within < width <= self.within + NOISE:
            return Verdict(result="undecided", evidence=evidence)
        return Verdict.of(holds=width <= self.within, evidence=evidence)


@dataclass(frozen=True, kw_only=True)
class Ordered:
    """Each row is at least as good as the next on the test data, up to `slack` points."""

    text: str
    where: str
    rows: Sequence[Row]
    slack: float = 0.0

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over replicas; it does not hold if a row is significantly worse."""
        means = [outcomes[row].mean() for row in self.rows]
        evidence = f"test: {listed(self.rows, means)}"
        if all(one >= other - self.slack for one, other in pairwise(means)):
            return Verdict(result="holds", evidence=evidence)
        pairs = [outcomes.compare(one, other) for one, other in pairwise(self.rows)]
        worse = [pair.p_value for pair in pairs if pair.difference < -self.slack]
        evidence += f"; {p_text(min(worse))}"
        if min(worse) >= SIGNIFICANT:
            return Verdict(result="undecided", evidence=evidence)
        return Verdict(result="does not hold", evidence=evidence)


@dataclass(frozen=True, kw_only=True)
class Early:
    """Each row has better first epochs than the next, or better last ones.

    With `than`, each of the rows is compared with each of those. With `ties`, it is enough that
    none is worse.
    """

    text: str
    where: str
    better: Sequence[Row]
    than: Sequence[Row] = ()
    data: Literal["tuning", "dev"] = "dev"
    end: Literal["first", "last"] = "first"
    epochs: int = EARLY
    ties: bool = False

    @property
    def rows(self) -> Sequence[Row]:
        """All rows."""
        return (*self.better, *self.than)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over these epochs; differences within the noise decide nothing."""
        part = slice(self.epochs) if self.end == "first" else slice(-self.epochs, None)
        curves = {row.name: [c[part] for c in outcomes[row].curves(self.data)] for row in self.rows}
        found = {name: [float(np.mean(scores)) for scores in some] for name, some in curves.items()}
        means = [float(np.mean(found[row.name])) for row in self.rows]
        spreads = [deviation(found[row.name]) for row in self.rows]
        longest = max(len(scores) for some in curves.values() for scores in some)
        epochs = "epoch" if longest == 1 else f"{longest} epochs"
        evidence = f"mean {self.data} of the {self.end} {epochs}: "
        evidence += listed(self.rows, means, spreads)
        pairs = product(self.better, self.than) if self.than else pairwise(self.better)
        gains = [self._gain(found[one.name], found[other.name]) for one, other in pairs]
        if any(gain < -noise for gain, noise in gains):
            return Verdict(result="does not hold", evidence=evidence)
        if not self.than and not self.ties:  # neighbors may be close, but not the first and last
            ends = self._gain(*(found[row.name] for row in (self.rows[0], self.rows[-1])))
            clear = ends[0] > ends[1] and all(gain >= 0 for gain, _ in gains)
        else:
            clear = all(gain >= 0 if self.ties else gain > noise for gain, noise in gains)
        return Verdict(result="holds" if clear else "undecided", evidence=evidence)

    @staticmethod
    def _gain(scores: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
        return float(np.mean(scores)) - float(np.mean(others)), _noise(scores, others)


@dataclass(frozen=True, kw_only=True)
class Steadier:
    """One row varies less over its replicas than others."""

    text: str
    where: str
    steady: Row
    others: Sequence[Row]

    @property
    def rows(self) -> Sequence[Row]:
        """All rows."""
        return (self.steady, *self.others)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the standard deviations of test scores over replicas, by F tests."""
        deviations = [outcomes[row].deviation() for row in self.rows]
        found = [0.0 if one is None else one for one in deviations]
        evidence = f"deviation over replicas: {listed(self.rows, found)}"
        pairs = zip(self.rows, deviations, strict=True)
        if any(row.random and one is None for row, one in pairs):
            return Verdict(result="undecided", evidence=f"{evidence}; there are no replicas")
        counts = [len(outcomes[row].replicas) for row in self.rows]
        likely = [
            _variance_p(found[0], other, counts[0], count)
            for other, count in zip(found[1:], counts[1:], strict=True)
        ]
        evidence += f"; {', '.join(map(p_text, likely))}"
        sure = [
            found[0] < other for other, p in zip(found[1:], likely, strict=True) if p < SIGNIFICANT
        ]
        if all(sure) and len(sure) < len(likely):
            return Verdict(result="undecided", evidence=evidence)
        return Verdict.of(holds=all(sure), evidence=evidence)


@dataclass(frozen=True, kw_only=True)
class Overfits:
    """One row is above another on tuning data and below it on test data."""

    text: str
    where: str
    overfit: Row
    other: Row

    @property
    def rows(self) -> Sequence[Row]:
        """The two rows."""
        return (self.overfit, self.other)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over replicas; the test score decides about significance."""
        found = outcomes.compare(self.overfit, self.other)
        tuning = [outcomes[row].mean("tuning") for row in self.rows]
        test = [outcomes[row].mean() for row in self.rows]
        evidence = (
            f"tuning: {listed(self.rows, tuning)}; test: {listed(self.rows, test)}; "
            f"{p_text(found.p_value)}"
        )
        if tuning[0] > tuning[1] and found.p_value >= SIGNIFICANT:
            return Verdict(result="undecided", evidence=evidence)
        return Verdict.of(holds=tuning[0] > tuning[1] and test[0] < test[1], evidence=evidence)


def p_text(p: float) -> str:
    """Return a p-value as it is printed."""
    return f"p = {p:.3f}" if p >= LEAST_P else f"p < {LEAST_P}"


def _noise(first: Sequence[float], second: Sequence[float]) -> float:
    """Return by how much means may differ by chance: two standard errors, and at least `NOISE`."""
    variances = [
        float(np.var(scores, ddof=1)) / len(scores) for scores in (first, second) if len(scores) > 1
    ]
    return max(NOISE, 2 * sqrt(sum(variances)))


def _variance_p(deviation: float, other: float, count: int, others: int) -> float:
    """Return how likely a ratio of variances as far from 1 is by chance, of a row that varies.

    A row that draws no random numbers varies less than any that differs from run to run.
    """
    if count < 2 or others < 2 or not deviation or not other:
        return 1.0 if deviation == other else 0.0
    # The F distribution as a beta distribution of sin² θ, of which tan θ is the ratio.
    theta = np.linspace(0.0, np.pi / 2, 10_001)
    density = np.sin(theta) ** (count - 2) * np.cos(theta) ** (others - 2)
    ratio = np.arctan(deviation / other * sqrt((count - 1) / (others - 1)))
    below = float(density[theta <= ratio].sum() / density.sum())
    return 2 * min(below, 1 - below)


def _several(rows: Row | tuple[Row, ...]) -> tuple[Row, ...]:
    return rows if isinstance(rows, tuple) else (rows,)


def listed(
    rows: Sequence[Row], values: Sequence[float], deviations: Sequence[float | None] = ()
) -> str:
    """Return rows with their values as they are printed."""
    named = zip_longest(rows, values, deviations)
    return ", ".join(
        f"{row.label.replace(',', '')} {value:.2f}" + (f" ± {spread:.2f}" if spread else "")
        for row, value, spread in named
    )
