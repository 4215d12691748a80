"""Stochastic gradient descent on the hinge loss of hope and fear.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, algorithm 1.
"""

from dataclasses import dataclass

from hopefear.learners.base import learners
from hopefear.learners.hope_fear import HopeFearLearner
from hopefear.learners.online import Outcome, Visit
from hopefear.learners.working_set import WorkingSet
from hopefear.search import Found

__all__ = ["OnlineSgd"]


@learners.register("online-sgd")
@dataclass(frozen=True, kw_only=True)
class OnlineSgd(HopeFearLearner):
    """max_d [B(hope) − B(d) − w·(h(hope) − h(d))], by w ← w + η (h(hope) − h(fear))."""

    def update(self, visit: Visit) -> Outcome:
        """Take one step."""
        example, document = visit.example, visit.document
        hope = self.reference.choose(example, self.search, document, visit.epoch)
        if hope is None:
            return Outcome()
        working = WorkingSet(hope, document)
        fear = self.rival(visit)
        violation = working.violation(fear, visit.start)
        if not violation > 0:
            return Outcome()
        working.add(fear)
        ids = working.ids
        visit.move(ids, visit.rates[ids] * working.rows[1])
        return Outcome(constraints=1, violation=violation)

    def rival(self, visit: Visit) -> Found:
        """Return the derivation to move away from: the fear."""
        return self.search.find(visit.example, visit.example.scores, visit.document, -1.0)[0]
