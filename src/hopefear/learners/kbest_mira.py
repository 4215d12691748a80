"""Batch k-best MIRA: what most people who tune a translation system run.

Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypedDict

import numpy as np

from hopefear import _core
from hopefear.candidates import Candidates, HasSurface, ListSet
from hopefear.learners.base import learners
from hopefear.learners.regularized import Regularized, visit_between
from hopefear.nbest import NBest
from hopefear.rhythm import Block, Rhythm, Step
from hopefear.settings import setting, settings
from hopefear.types import FloatArray

__all__ = ["BatchMira", "KBestMira", "MiraState"]


class MiraOptions(TypedDict):
    """The settings that the kernel takes."""

    max_step: float
    decay: float
    hope_context: bool


Kernel = Callable[[Block, _core.KBestMiraState], _core.KBestMiraState]


@dataclass(frozen=True, kw_only=True)
class MiraState:
    """The kernel's state, the mean over all steps so far, and the weights of the last epoch.

    The start of the run is what a regularizer may pull to.
    """

    core: _core.KBestMiraState
    mean: FloatArray
    weights: FloatArray
    origin: FloatArray
    epochs: int = 0


@settings
class BatchMira(Regularized):
    """What k-best MIRA and forest MIRA have in common: all but where hope and fear come from.

    The weights of an epoch are the mean over its steps. A regularizer has proximal steps between
    them, in which C is the rate: a step is argmin ½‖w′ − w‖² + C · loss.
    """

    rhythm: ClassVar[Rhythm] = Rhythm(epochs=60)

    max_step: float = setting(
        0.01, "C, the most that one step moves along h(hope) − h(fear).", above=0
    )
    decay: float = setting(
        0.999, "What the document keeps from sentence to sentence.", least=0, most=1
    )
    context: Literal["hope", "model"] = setting(
        "hope", "What the document takes up: the hope, or the model's 1-best."
    )
    line_search: int = setting(
        5,
        "After so many epochs each, take the weights with the best metric on the line through the "
        "mean over all steps and the mean over the epoch (as in Watanabe, 2012, 4.2); 0 for never.",
        least=0,
    )

    @property
    def options(self) -> MiraOptions:
        """The settings as the kernel takes them."""
        return {
            "max_step": self.max_step,
            "decay": self.decay,
            "hope_context": self.context == "hope",
        }

    def started(self, data: Candidates, weights: FloatArray, origin: FloatArray) -> MiraState:
        """Start at `weights`, with a small document to judge the first sentence in."""
        core = _core.KBestMiraState(weights, data.corpus_score.first_document())
        return MiraState(core=core, mean=weights, weights=weights, origin=origin)

    def kbest_epoch(self, lists: NBest, score: _core.CorpusScore) -> Kernel:
        """Return the kernel of lists."""
        return lambda block, core: _core.kbest_mira_epoch(
            lists, score, block, **self.options, state=core
        )

    def visit(self, state: MiraState, data: HasSurface, block: Block, epoch: Kernel) -> MiraState:
        """Return the state after the kernel has visited a block."""
        if self.regularized:
            penalty = self.penalty(data, state.origin)
            share = self.max_step / max(data.sentence_count, 1)
            core = visit_between(epoch, state.core, block, penalty, share)
        else:
            core = epoch(block, state.core)
        epochs, mean = state.epochs + 1, core.average()
        # mean = ((epochs − 1) old mean + the epoch's mean) / epochs
        weights = epochs * mean - (epochs - 1) * state.mean
        if self.line_search and epochs % self.line_search == 0:
            weights = data.line_search(mean, weights - mean)
        return replace(state, core=core, mean=mean, weights=weights, epochs=epochs)

    def weights(self, state: MiraState) -> FloatArray:
        """Return the weights of the last epoch."""
        return state.weights

    def merge(self, states: Sequence[MiraState]) -> MiraState:
        """Return the mean of the weights, over all steps of all states."""
        core = _core.KBestMiraState.merged([state.core for state in states])
        weights = np.mean([state.weights for state in states], axis=0)
        return replace(states[0], core=core, mean=core.average(), weights=weights)


@learners.register("kbest-mira")
@settings
class KBestMira(BatchMira):
    """For each sentence the least change of w that puts the hope above the fear by their gain.

    ½‖w′ − w‖² + C max(0, B(hope) − B(fear) − w′·(h(hope) − h(fear))), where B is the gain of a
    hypothesis in the context of a decaying document of earlier ones. The step is in the core,
    learn/kbest_mira.cpp.
    """

    def start(self, data: ListSet, weights: FloatArray, origin: FloatArray) -> MiraState:
        """Start at `weights`."""
        return self.started(data, weights, origin)

    def learn(
        self, state: MiraState, data: ListSet, block: Block, step: Step, heard: Sequence[None] = ()
    ) -> tuple[MiraState, None]:
        """Visit the sentences, one step each."""
        epoch = self.kbest_epoch(data.nbest, data.corpus_score)
        return self.visit(state, data, block, epoch), None
