"""Batch k-best MIRA: what most people who tune a translation system run.

Cherry and Foster (2012), Batch tuning strategies for statistical machine translation, NAACL.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypedDict

from hopefear import _core
from hopefear.learners.base import (
    DataTypes,
    ProgressCallback,
    TuningData,
    TuningSet,
    learners,
    random_stream,
)
from hopefear.settings import require
from hopefear.types import FloatArray, IntArray

__all__ = ["KBestMira", "KBestMiraProgress"]


class MiraOptions(TypedDict):
    """The options that the core takes."""

    max_step: float
    decay: float
    hope_context: bool


@dataclass(frozen=True, kw_only=True)
class KBestMiraProgress:
    """The state: the core's, the mean over all steps so far, and the weights to try."""

    core: _core.KBestMiraState
    mean: FloatArray
    weights: FloatArray
    epochs: int = 0


@learners.register("kbest-mira")
@dataclass(frozen=True, kw_only=True)
class KBestMira:
    """For each sentence the least change of w that puts the hope above the fear by their gain.

    ½‖w′ − w‖² + C max(0, B(hope) − B(fear) − w′·(h(hope) − h(fear))), where B is the gain of a
    hypothesis in the context of a decaying document of earlier ones. The weights of an epoch are
    the mean over its steps.

    Parameters
    ----------
    max_step : float
        C, the most that one step moves along h(hope) − h(fear).
    decay : float
        What the document keeps from sentence to sentence.
    context : {"hope", "model"}
        What the document takes up: the hope, or the 1-best.
    line_search : int
        Every so many epochs, the weights are the best for the metric on the line through the mean
        over all steps and that over the epoch's (as in Watanabe, 2012, 4.2); 0 for never.
    epochs : int
        Passes over the sentences.
    """

    learns_from: ClassVar[DataTypes] = (TuningSet,)

    max_step: float = 0.01
    decay: float = 0.999
    context: Literal["hope", "model"] = "hope"
    line_search: int = 5
    epochs: int = 60

    def __post_init__(self) -> None:
        require.positive(self, "max_step")
        require.probability(self, "decay")
        require.one_of(self, "context", ["hope", "model"])
        require.integer(self, "line_search", 0)
        require.integer(self, "epochs", 1)

    def init(self, data: TuningData, weights: FloatArray) -> KBestMiraProgress:
        """Start at `weights`, with a small document to judge the first sentence in."""
        core = _core.KBestMiraState(weights, data.corpus_score.first_document())
        return KBestMiraProgress(core=core, mean=weights, weights=weights)

    def epoch(
        self,
        data: TuningData,
        state: KBestMiraProgress,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> KBestMiraProgress:
        """Visit every sentence once, in random order."""
        order = random_stream(seed).permutation(data.sentence_count)
        core = self._visit(data, order, state.core)
        epochs, mean = state.epochs + 1, core.average()
        # mean = ((epochs − 1) old mean + the epoch's mean) / epochs
        weights = epochs * mean - (epochs - 1) * state.mean
        if self.line_search and epochs % self.line_search == 0:
            weights = data.line_search(mean, weights - mean)
        return KBestMiraProgress(core=core, mean=mean, weights=weights, epochs=epochs)

    def weights(self, state: KBestMiraProgress) -> FloatArray:
        """Return the weights of the last epoch."""
        return state.weights

    def _visit(
        self, data: Any, order: IntArray, state: _core.KBestMiraState
    ) -> _core.KBestMiraState:
        """Take a step for each sentence."""
        return _core.kbest_mira_epoch(
            data.nbest.core, data.corpus_score, order, **self._options, state=state
        )

    @property
    def _options(self) -> MiraOptions:
        return {
            "max_step": self.max_step,
            "decay": self.decay,
            "hope_context": self.context == "hope",
        }
