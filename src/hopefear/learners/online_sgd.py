"""Stochastic gradient descent on the hinge loss of hope and fear.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, algorithm 1.
"""

from hopefear.learners.base import learners
from hopefear.learners.online import HopeFearLearner
from hopefear.learners.visit import Taught, Visit
from hopefear.learners.working_set import WorkingSet
from hopefear.search import Found
from hopefear.settings import settings

__all__ = ["OnlineSgd"]


@learners.register("online-sgd")
@settings
class OnlineSgd(HopeFearLearner):
    """max_d [B(hope) − B(d) − w·(h(hope) − h(d))], by w ← w + η (h(hope) − h(fear))."""

    def update(self, visit: Visit) -> Taught | None:
        """Take one step, and those that were heard."""
        for other in visit.heard:
            visit.climb(other)
        example, document = visit.example, visit.document
        hope = self.reference.choose(example, self.search, document, visit.epoch)
        if hope is None:
            return None
        working = WorkingSet(hope, document)
        fear = self.rival(visit)
        violation = working.violation(fear, visit.start)
        if not violation > 0:
            return None
        working.add(fear)
        taught = working.taught(violation)
        visit.climb(taught)
        return taught

    def rival(self, visit: Visit) -> Found:
        """Return the derivation to move away from: the fear."""
        return self.search.find(visit.example, visit.example.scores, visit.document, -1.0)[0]
