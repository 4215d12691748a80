"""MIRA: the least change of the weights that puts every fear below the hope by its loss.

Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems, JMLR 3;
Tsochantaridis et al. (2004), ICML, for cutting planes; Chiang (2012), Hope and fear for
discriminative training of SMT, JMLR 13, algorithm 2, and algorithm 4 for working sets of others.
"""

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from hopefear.learners.base import learners
from hopefear.learners.online import HopeFearLearner
from hopefear.learners.visit import Taught, Visit
from hopefear.learners.working_set import WorkingSet, solve_together
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["Mira"]


@learners.register("mira")
@settings
class Mira(HopeFearLearner):
    """min_w′ 1/2η ‖w′ − w‖² + max_d [B(hope) − B(d) − w′·(h(hope) − h(d))] over derivations d.

    The derivations are found one by one: the fear under the weights so far is added to a working
    set, as long as it is worse than all that are in it; then the problem is solved anew, from the
    weights before the sentence. Working sets of other learners are part of the problem, but only
    the own one grows; unlike the paper, they count also where no own fear is found.
    """

    tolerance: float = setting(
        0.01, "ε: by how much a fear has to be worse than the working set.", least=0
    )
    rounds: int = setting(50, "How often a fear is looked for, at most.", least=1)
    fears: int = setting(1, "How many fears are taken each time.", least=1)
    first: Literal["fears", "union"] = setting(
        "fears",
        "What the working set begins with: fears, or as many fears, hopes and best derivations of "
        "the model. Chiang et al. (2008b) took 10 of each, once (footnote 4): fears = 10, "
        "rounds = 1.",
    )

    def update(self, visit: Visit) -> Taught | None:
        """Grow the working set until nothing worse is found."""
        example, document = visit.example, visit.document
        sets = heard = [WorkingSet.of(taught, document) for taught in visit.heard]
        solved = solve_together(sets, visit) if sets else []
        hope = self.reference.choose(example, self.search, document, visit.epoch)
        violation = 0.0
        if hope is not None:
            own = WorkingSet(hope, document)
            tolerance = self.tolerance * document.scale
            scores = example.forest.score_edges(visit.trial) if heard else example.scores
            for number in range(self.rounds):
                fears = self.search.find(example, scores, document, -1.0, count=self.fears)
                if number == 0 and self.first == "union":
                    hopes = self.search.find(example, scores, document, 1.0, count=self.fears)
                    fears = [*fears, *hopes, *example.nbest(self.fears, distinct=False)]
                worst = max(own.violation(fear, visit.trial) for fear in fears)
                if not worst > own.violations(visit.trial).max() + tolerance:
                    break
                violation = violation or worst
                for fear in fears:
                    if fear not in own:
                        own.add(fear)
                # w(α) = w + η Σ α (h(hope) − h(d))
                sets = [own, *heard]
                solved = solve_together(sets, visit)
                scores = example.forest.score_edges(visit.trial)
        steps = [(one.ids, x) for one, x in zip(sets, solved, strict=True)]
        for ids, x in steps:
            visit.step(ids, x)
        for ids, x in steps:
            self.learn_rates(visit.rates, ids, x)
        return own.taught(violation) if violation else None

    def throttled(self, factor: float) -> Self:
        """Return the same learner: one problem over all working sets needs no lower rates."""
        return self

    def learn_rates(self, rates: FloatArray, ids: NDArray[np.int32], x: FloatArray) -> None:
        """Change the rates after a step; MIRA's stay."""
