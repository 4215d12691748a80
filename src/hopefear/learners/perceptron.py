"""The structured perceptron: towards the reference derivation, away from the 1-best.

Collins (2002), Discriminative training methods for hidden Markov models, EMNLP; Chiang (2012), Hope
and fear for discriminative training of SMT, JMLR 13, 3.1.
"""

import numpy as np

from hopefear.learners.base import learners
from hopefear.learners.online_sgd import OnlineSgd
from hopefear.learners.visit import Taught, Visit
from hopefear.search import Found
from hopefear.settings import setting, settings

__all__ = ["Perceptron"]


@learners.register("perceptron")
@settings
class Perceptron(OnlineSgd):
    """max over the 1-best alone of B(hope) − B(d) − w·(h(hope) − h(d)), by subgradient steps."""

    constant_length: bool = setting(
        False,
        "Keep ‖w‖ as it is at the start. Nothing scores higher than the 1-best, so small steps "
        "towards the hope make w shorter; and the shorter it is, the more gains count when the "
        "hope is chosen.",
    )

    def update(self, visit: Visit) -> Taught | None:
        """Take one step, and go back to the length before it if that is to stay."""
        length = np.linalg.norm(visit.start) if self.constant_length else 0.0
        taught = super().update(visit)
        w = visit.start
        # A step to zero leaves no direction to be long in.
        if taught is not None and length > 0 and (shorter := np.linalg.norm(w)) > 0:
            ids = np.arange(len(w), dtype=np.int32)
            visit.move(ids, w * (length / shorter - 1.0))
        return taught

    def rival(self, visit: Visit) -> Found:
        """Return the 1-best."""
        return visit.example.best
