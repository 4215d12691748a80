"""Claims of papers as checks: each names the rows that it speaks of and judges what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
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
    """One row is better than another on the test data."""

    text: str
    where: str
    better: Row
    worse: Row

    @property
    def rows(self) -> Sequence[Row]:
        """The two rows."""
        return (self.better, self.worse)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over replicas, by stratified approximate randomization."""
        found = outcomes.compare(self.better, self.worse)
        means = [float(np.mean(scores)) for scores in (found.scores, found.baseline_scores)]
        evidence = f"test: {_listed(self.rows, means)}; {p_text(found.p_value)}"
        if found.p_value >= SIGNIFICANT:
            return Verdict(result="undecided", evidence=evidence)
        return Verdict.of(holds=found.difference > 0, evidence=evidence)


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
        evidence = f"{self.data}: {_listed(self.rows, values)}; range {width:.2f}"
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
        evidence = f"test: {_listed(self.rows, means)}"
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
    """Each row has better first epochs than the next, or better last ones."""

    text: str
    where: str
    rows: Sequence[Row]
    data: Literal["tuning", "dev"] = "dev"
    end: Literal["first", "last"] = "first"
    epochs: int = EARLY

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the means over these epochs; differences within the noise decide nothing."""
        part = slice(self.epochs) if self.end == "first" else slice(-self.epochs, None)
        found = [
            [float(np.mean(curve[part])) for curve in outcomes[row].curves(self.data)]
            for row in self.rows
        ]
        means = [float(np.mean(scores)) for scores in found]
        epochs = "epoch" if self.epochs == 1 else f"{self.epochs} epochs"
        evidence = f"mean {self.data} of the {self.end} {epochs}: "
        evidence += _listed(self.rows, means, [deviation(scores) for scores in found])
        pairs = [
            (mean - other, _noise(scores, others))
            for (mean, scores), (other, others) in pairwise(zip(means, found, strict=True))
        ]
        if any(gain < -noise for gain, noise in pairs):
            return Verdict(result="does not hold", evidence=evidence)
        ends = means[0] - means[-1] > _noise(found[0], found[-1])
        clear = ends and all(gain >= 0 for gain, _ in pairs)
        return Verdict(result="holds" if clear else "undecided", evidence=evidence)


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
        """Compare the standard deviations of test scores over replicas."""
        deviations = [outcomes[row].deviation() for row in self.rows]
        found = [0.0 if one is None else one for one in deviations]
        evidence = f"deviation over replicas: {_listed(self.rows, found)}"
        pairs = zip(self.rows, deviations, strict=True)
        if any(row.random and one is None for row, one in pairs):
            return Verdict(result="undecided", evidence=f"{evidence}; there are no replicas")
        return Verdict.of(holds=all(found[0] <= other for other in found[1:]), evidence=evidence)


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
            f"tuning: {_listed(self.rows, tuning)}; test: {_listed(self.rows, test)}; "
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


def _listed(
    rows: Sequence[Row], values: Sequence[float], deviations: Sequence[float | None] = ()
) -> str:
    named = zip_longest(rows, values, deviations)
    return ", ".join(
        f"{row.label.replace(',', '')} {value:.2f}" + (f" ± {spread:.2f}" if spread else "")
        for row, value, spread in named
    )
