"""MIRA: the least change of the weights that puts every fear below the hope by its loss.

Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems, JMLR 3;
Tsochantaridis et al. (2004), ICML, for cutting planes; Chiang (2012), Hope and fear for
discriminative training of SMT, JMLR 13, algorithm 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.learners.base import learners
from hopefear.learners.hope_fear import HopeFearLearner
from hopefear.learners.online import Outcome, Visit
from hopefear.learners.working_set import WorkingSet
from hopefear.settings import require
from hopefear.types import FloatArray

__all__ = ["Mira"]


@learners.register("mira")
@dataclass(frozen=True, kw_only=True)
class Mira(HopeFearLearner):
    """min_w′ 1/2η ‖w′ − w‖² + max_d [B(hope) − B(d) − w′·(h(hope) − h(d))] over derivations d.

    The derivations are found one by one: the fear under the weights so far is added to a working
    set, as long as it is worse than all that are in it; then the problem is solved anew, from the
    weights before the sentence.

    Parameters
    ----------
    tolerance : float
        ε: by how much a fear has to be worse than the working set.
    rounds : int
        How often a fear is looked for, at most.
    fears : int
        How many are taken each time. Chiang et al. (2008b) took 10 once: ``rounds = 1``.
    """

    tolerance: float = 0.01
    rounds: int = 50
    fears: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require.non_negative(self, "tolerance")
        require.integer(self, "rounds", 1)
        require.integer(self, "fears", 1)

    def update(self, visit: Visit) -> Outcome:
        """Grow the working set until nothing worse is found."""
        example, document = visit.example, visit.document
        hope = self.reference.choose(example, self.search, document, visit.epoch)
        if hope is None:
            return Outcome()
        working, scores, first = WorkingSet(hope, document), example.scores, 0.0
        tolerance = self.tolerance * document.scale
        x: FloatArray | None = None
        for _ in range(self.rounds):
            fears = self.search.find(example, scores, document, -1.0, count=self.fears)
            worst = max(working.violation(fear, visit.trial) for fear in fears)
            if not worst > max(working.violations(visit.trial)) + tolerance:
                break
            first = first or worst
            for fear in fears:
                if fear not in working:
                    working.add(fear)
            x = working.solve(visit.start, visit.rates)
            # w(α) = w + η Σ α (h(hope) − h(d))
            ids = working.ids
            visit.trial[ids] = visit.start[ids] + visit.rates[ids] * x
            scores = example.forest.score_edges(visit.trial)
        if x is None:
            return Outcome()
        ids = working.ids
        visit.move(ids, visit.rates[ids] * x)
        self.learn_rates(visit.rates, ids, x)
        return Outcome(constraints=len(working) - 1, violation=first)

    def learn_rates(self, rates: FloatArray, ids: NDArray[np.int32], x: FloatArray) -> None:
        """Change the rates after a step; MIRA's stay."""
