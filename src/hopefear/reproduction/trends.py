"""Claims about how scores move: from epoch to epoch, with the size of batches, and with starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

import numpy as np

from hopefear.reproduction.claims import NOISE, SIGNIFICANT, Verdict, listed, p_text
from hopefear.reproduction.outcomes import Outcome, Outcomes
from hopefear.reproduction.paper import Row

__all__ = ["NoTrend", "SameWeights", "Smoother"]

SAME = 0.95  # the cosine of weights that are nearly the same


@dataclass(frozen=True, kw_only=True)
class Smoother:
    """The curves of some rows fall less from one epoch to the next than those of others."""

    text: str
    where: str
    smooth: Sequence[Row]
    others: Sequence[Row]
    data: Literal["tuning", "dev"] = "dev"

    @property
    def rows(self) -> Sequence[Row]:
        """All rows."""
        return (*self.smooth, *self.others)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare the mean falls; what is within the noise of a curve decides nothing."""
        falls = [_fall(outcomes[row], self.data) for row in self.rows]
        evidence = f"falls from epoch to epoch on {self.data} data: {listed(self.rows, falls)}"
        smooth, others = falls[: len(self.smooth)], falls[len(self.smooth) :]
        gains = [other - one for one in smooth for other in others]
        if all(gain >= 0 for gain in gains):
            return Verdict(
                result="holds" if max(others) > NOISE else "undecided", evidence=evidence
            )
        return Verdict(
            result="does not hold" if min(gains) < -NOISE else "undecided", evidence=evidence
        )


@dataclass(frozen=True, kw_only=True)
class NoTrend:
    """The test scores of some rows, in their order, neither rise nor fall throughout."""

    text: str
    where: str
    rows: Sequence[Row]

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Look for a trend whose ends differ significantly."""
        means = [outcomes[row].mean() for row in self.rows]
        p = outcomes.compare(self.rows[-1], self.rows[0]).p_value
        evidence = f"test: {listed(self.rows, means)}; first and last {p_text(p)}"
        steps = [after - before for before, after in pairwise(means)]
        trend = all(step > 0 for step in steps) or all(step < 0 for step in steps)
        return Verdict.of(holds=not (trend and p < SIGNIFICANT), evidence=evidence)


@dataclass(frozen=True, kw_only=True)
class SameWeights:
    """All replicas of a row, which start from other weights, learn nearly the same ones."""

    text: str
    where: str
    row: Row

    @property
    def rows(self) -> Sequence[Row]:
        """The row."""
        return (self.row,)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Look at the smallest cosine of the weights of two replicas."""
        weights = [one.weights for one in outcomes[self.row].replicas]
        if len(weights) < 2:
            return Verdict(result="undecided", evidence="there are no replicas")
        names = sorted({name for one in weights for name in one})
        vectors = [np.array([one.get(name, 0.0) for name in names]) for one in weights]
        cosines = [
            float(a @ b / max(np.linalg.norm(a) * np.linalg.norm(b), np.finfo(float).tiny))
            for a, b in combinations(vectors, 2)
        ]
        evidence = f"cosines of the weights of {len(weights)} replicas: {min(cosines):.3f} to "
        evidence += f"{max(cosines):.3f}, at least {SAME}"
        return Verdict.of(holds=min(cosines) >= SAME, evidence=evidence)


def _fall(outcome: Outcome, data: str) -> float:
    """Return by how many points curves fall from an epoch to the next, on average."""
    falls = [
        max(0.0, before - after)
        for curve in outcome.curves(data)
        for before, after in pairwise(curve)
    ]
    return float(np.mean(falls)) if falls else 0.0
