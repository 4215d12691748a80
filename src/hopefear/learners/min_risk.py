"""Minimum risk: gradient steps on the expected loss over all derivations.

Smith and Eisner (2006), Minimum risk annealing for training log-linear models, ACL; Li and Eisner
(2009), EMNLP; Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, appendix A.
"""

import numpy as np

from hopefear.learners.base import learners
from hopefear.learners.online import OnlineLearner
from hopefear.learners.visit import Taught, Visit
from hopefear.settings import setting, settings

__all__ = ["MinRisk"]

COLDEST = 1e-6  # of temperatures: scores divided by less would overflow


@learners.register("min-risk")
@settings
class MinRisk(OnlineLearner):
    """−E_T[B] under P_T(d) ∝ exp(w·h(d)/T), by w ← w + η (E_T[Bh] − E_T[B] E_T[h])/T.

    B is linear BLEU, and there is no reference derivation. Unlike the paper, which multiplies
    vectors in a second-order semiring, the covariance comes from one inside and one outside pass:
    it is the sum over edges of p(e) (E[B | e] − E[B]) h(e).
    """

    temperature: float = setting(1.0, "T of the first epoch.", above=0)
    annealing: float = setting(
        1.0,
        "T is multiplied by this after every epoch. Below 1, the expected loss approaches that of "
        "the 1-best (A.1); rates and gains do not change with it.",
        above=0,
        most=1,
    )

    def update(self, visit: Visit) -> Taught:
        """Take a step along the gradient, and those that were heard."""
        split = visit.example.split
        temperature = max(self.temperature * self.annealing**visit.epoch, COLDEST)
        distribution = split.forest.distribution(
            edge_scores=visit.example.scores[split.edges], temperature=temperature
        )
        covariance = distribution.covariance(split.statistics @ visit.document.linear_gain())
        gradient = covariance.values / temperature
        taught = Taught(covariance.ids, gradient[np.newaxis], np.zeros(0))
        for step in (*visit.heard, taught):
            visit.climb(step)
        return taught
