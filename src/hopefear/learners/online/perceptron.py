"""The structured perceptron: towards the reference derivation, away from the 1-best.

Collins (2002), Discriminative training methods for hidden Markov models, EMNLP; Chiang (2012), Hope
and fear for discriminative training of SMT, JMLR 13, 3.1.
"""

from dataclasses import dataclass

from hopefear.learners.base import learners
from hopefear.learners.online.base import Visit
from hopefear.learners.online.sgd import OnlineSgd
from hopefear.search import Found

__all__ = ["Perceptron"]


@learners.register("perceptron")
@dataclass(frozen=True, kw_only=True)
class Perceptron(OnlineSgd):
    """max over the 1-best alone of B(hope) − B(d) − w·(h(hope) − h(d)), by subgradient steps."""

    def rival(self, visit: Visit) -> Found:
        """Return the 1-best."""
        return visit.example.best
