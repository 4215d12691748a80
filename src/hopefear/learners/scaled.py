"""Any learner, but with all features at the same scale.

A learner that takes steps in all features alike (k-best MIRA, SGD, RAMPION, ORO), or that has a
penalty, depends on the units in which features are written. Here each feature is divided by how
much it varies within a list, and the weights are those of the features as they were.
"""

from dataclasses import dataclass
from typing import Any

from hopefear.errors import ConfigError
from hopefear.learners.base import (
    DataTypes,
    EpochFigures,
    Figured,
    Learner,
    ProgressCallback,
    TuningData,
)
from hopefear.types import FloatArray

__all__ = ["Scaled", "ScaledState"]


@dataclass(frozen=True, kw_only=True)
class ScaledState:
    """The state of the learner within, and the unit of each feature."""

    inner: Any
    unit: FloatArray


@dataclass(frozen=True, kw_only=True)
class Scaled:
    """The learner `learner` on features of unit spread.

    Parameters
    ----------
    learner : Learner
        Any but one whose options are in the units of features: bounds of weights.
    """

    learner: Learner

    def __post_init__(self) -> None:
        if getattr(self.learner, "bounds", None):
            raise ConfigError(
                "bounds of weights are in the units of the features: they cannot be scaled as well"
            )

    @property
    def learns_from(self) -> DataTypes:
        """What the learner within learns from."""
        return self.learner.learns_from

    @property
    def epochs(self) -> int:
        """How many epochs it takes."""
        return self.learner.epochs

    def init(self, data: TuningData, weights: FloatArray) -> ScaledState:
        """Start at `weights`."""
        unit = data.feature_unit
        return ScaledState(inner=self.learner.init(data.scaled, weights * unit), unit=unit)

    def epoch(
        self,
        data: TuningData,
        state: ScaledState,
        seed: tuple[int, int],
        progress: ProgressCallback,
    ) -> ScaledState:
        """Return the state after one more epoch of the learner within."""
        inner = self.learner.epoch(data.scaled, state.inner, seed, progress)
        return state if inner is state.inner else ScaledState(inner=inner, unit=state.unit)

    def weights(self, state: ScaledState) -> FloatArray:
        """Return the weights of the features as they were."""
        return self.learner.weights(state.inner) / state.unit

    def figures(self, state: ScaledState) -> EpochFigures | None:
        """Return what the last epoch of the learner within was like, if it tells."""
        return self.learner.figures(state.inner) if isinstance(self.learner, Figured) else None
