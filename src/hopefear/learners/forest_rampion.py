"""RAMPION on whole forests: the concave-convex procedure over all derivations.

Beyond the papers: Gimpel and Smith (2012), algorithm 1, with the gains of Chiang (2012), A.3, which
add up over edges. Watanabe (2012), section 7, leaves softmax losses on forests to future work.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, cast

import numpy as np

from hopefear import _core
from hopefear.candidates import ForestSet
from hopefear.errors import OptionError
from hopefear.learners.base import learners
from hopefear.learners.online import OnlineLearner
from hopefear.learners.rampion import ConcaveConvex
from hopefear.learners.sgd import Descent
from hopefear.metrics import Metric, OracleDocument
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["ForestRampion"]


@learners.register("forest-rampion")
@settings
class ForestRampion(ConcaveConvex):
    """R(w) + Σᵢ [M(s + b c) − M(s + a c)] over all derivations, where the cost is c = −α B.

    B is linear BLEU, in words, at oracle documents of the 1-best translations (Chiang, 2.4). It is
    held for a round, as is what goes up: the mean of the expansions at the documents after each
    sentence. At one document of all sentences the brevity penalty would count fully or not at all,
    and rounds would make translations too long and too short by turns.

    Of a soft side, M = log Σ exp, the expected features go up or down. `log` is the softmax loss of
    Watanabe's ranks: the derivations of the largest B against the whole forest. A forest whose
    nodes would have to be split too often for statistics on its edges is passed over.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=10, order="given")

    cost_scale: float = setting(3.0, "α: how much the gain, in words, counts in scores.", above=0)
    rate: float = setting(0.001, "η, the learning rate.", above=0)
    decay: float = setting(
        0.9, "What the oracle document keeps from sentence to sentence.", least=0, most=1
    )

    def check(self) -> None:
        """Refuse losses that have no two sides on a forest."""
        loss = self.loss.core()
        if loss.risk or loss.up.pool not in (_core.Pool.all, _core.Pool.least_cost):
            raise OptionError(
                self,
                "loss",
                ": on forests, choose a ramp loss, or the reference 'max-metric' or 'hope'; others "
                "need lists, from which 'rampion' and 'sgd' learn",
            )

    @staticmethod
    def check_metric(metric: Metric) -> None:
        """Refuse a metric whose gains do not add up over edges."""
        OnlineLearner.check_metric(metric)

    def start(self, data: ForestSet, weights: FloatArray, origin: FloatArray) -> Descent:
        """Start at `weights`."""
        self.check_metric(data.metric)
        return self.started(data, weights, origin)

    def learn(
        self, state: Descent, data: ForestSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[Descent, None]:
        """Hold what goes up under the current weights and take `passes` passes."""
        loss, scale, weights = self.loss.core(), self.cost_scale, state.core.weights()
        forests = (data.core, cast(_core.BleuForests, data.bleu_forests), self._gain(data, weights))
        # qₑ = ∂M(s + a c)/∂sₑ;  h⁺ = Σₑ qₑ h(e)
        held = _core.raised_edges(*forests, weights, scale, loss, data.threads)
        epoch = partial(_core.forest_subgradient_epoch, *forests, loss, held, cost_scale=scale)
        return self.descend(state, data, block, step, epoch), None

    def _gain(self, data: ForestSet, weights: FloatArray) -> FloatArray:
        """Return the coefficients of B."""
        document = OracleDocument(statistics=data.corpus_score.first_document(), decay=self.decay)
        gains = []
        for statistics in data.best_statistics(weights):
            document = document.add(statistics)
            gains.append(document.linear_gain())
        return np.asarray(np.mean(gains, axis=0))
