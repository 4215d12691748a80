"""A claim about the shape that bins learned: whether a logarithm describes it.

Clark, Dyer and Lavie (2014), Locally non-linear learning for SMT, TACL, figure 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.reporting.shapes import fitted_curve
from hopefear.reproduction.claims import Verdict
from hopefear.reproduction.outcomes import Outcomes
from hopefear.reproduction.paper import Row
from hopefear.translation.features.bins import run_bins

__all__ = ["LikeLogarithm"]


@dataclass(frozen=True, kw_only=True)
class LikeLogarithm:
    """A logarithm explains at least this share of how the weights of a feature's bins vary.

    If it is `rising`, the last bin has to have more weight than the first.
    """

    text: str
    where: str
    row: Row
    feature: str
    rising: bool = True
    share: float = 0.7

    @property
    def rows(self) -> Sequence[Row]:
        """The row that learned the bins."""
        return (self.row,)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Fit a logarithm to the bins."""
        outcome = outcomes[self.row]
        bins = run_bins(outcome.run)[self.feature]
        shape = np.array([outcome.weights.get(name, 0.0) for name in bins.names(self.feature)])
        formula, _, explained = fitted_curve(bins, shape)
        rises = not self.rising or shape[-1] > shape[0]
        evidence = f"{formula} explains {100 * explained:.0f} % of {len(bins)} bins"
        return Verdict.of(holds=bool(rises) and explained >= self.share, evidence=evidence)
