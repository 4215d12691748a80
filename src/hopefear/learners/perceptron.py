"""The structured perceptron: towards the reference derivation, away from the 1-best.

Collins (2002), Discriminative training methods for hidden Markov models, EMNLP; Chiang (2012), Hope
and fear for discriminative training of SMT, JMLR 13, 3.1.
"""

from dataclasses import dataclass

import numpy as np

from hopefear.learners.base import learners
from hopefear.learners.online import Outcome, Visit
from hopefear.learners.online_sgd import OnlineSgd
from hopefear.search import Found

__all__ = ["Perceptron"]


@learners.register("perceptron")
@dataclass(frozen=True, kw_only=True)
class Perceptron(OnlineSgd):
    """max over the 1-best alone of B(hope) − B(d) − w·(h(hope) − h(d)), by subgradient steps.

    Parameters
    ----------
    constant_length : bool
        Whether ‖w‖ stays what it is at the start. Nothing has a better score than the 1-best, so
        that steps towards the hope make w shorter, if they are small; and the shorter it is, the
        more gains count when the hope is chosen.
    """

    constant_length: bool = False

    def update(self, visit: Visit) -> Outcome:
        """Take one step, and go back to the length before it, if that is to stay."""
        length = np.linalg.norm(visit.start) if self.constant_length else 0.0
        outcome = super().update(visit)
        w = visit.start
        # A step to zero leaves no direction to be long in.
        if outcome.constraints and length > 0 and (shorter := np.linalg.norm(w)) > 0:
            ids = np.arange(len(w), dtype=np.int32)
            visit.move(ids, w * (length / shorter - 1.0))
        return outcome

    def rival(self, visit: Visit) -> Found:
        """Return the 1-best."""
        return visit.example.best
