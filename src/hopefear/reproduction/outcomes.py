"""What came out: the scores of every row and of each of its replicas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopefear.evaluation import ReplicaComparison, compare_replicas, deviation
from hopefear.metrics import Metric, Statistics
from hopefear.reproduction.paper import Row
from hopefear.types import Weights

__all__ = ["Outcome", "Outcomes", "ReplicaOutcome"]


@dataclass(frozen=True, kw_only=True)
class ReplicaOutcome:
    """One replica: its scores on tuning and held-out data after each epoch, and its test output.

    `tuning` and `dev` are the scores of the weights that it ended with, which are `weights`; curves
    begin with epoch 1.
    """

    tuning: float
    dev: float
    tuning_curve: Sequence[float]
    dev_curve: Sequence[float]
    weights: Mapping[str, float]
    statistics: Statistics


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A row, its replicas, what was chosen for it, and how long they took.

    `weights` are those of the run: the best replica's on held-out data.
    """

    row: Row
    run: Path
    weights: Weights
    metric: Metric
    replicas: Sequence[ReplicaOutcome]
    features: int
    seconds: float
    chosen: Mapping[str, str]

    @property
    def test(self) -> list[float]:
        """The test scores of the replicas."""
        return [float(self.metric.score(one.statistics.sum(axis=0))) for one in self.replicas]

    def scores(self, data: str) -> list[float]:
        """Return the scores of the replicas on "tuning", "dev" or "test" data."""
        return self.test if data == "test" else [getattr(one, data) for one in self.replicas]

    def mean(self, data: str = "test") -> float:
        """Return the mean over the replicas."""
        return float(np.mean(self.scores(data)))

    def deviation(self, data: str = "test") -> float | None:
        """Return the standard deviation over the replicas, if there are several."""
        return deviation(self.scores(data))

    def curve(self, data: str = "dev") -> list[float]:
        """Return the mean score after each epoch, as long as all replicas went on."""
        return [float(np.mean(scores)) for scores in zip(*self.curves(data), strict=False)]

    def curves(self, data: str = "dev") -> list[Sequence[float]]:
        """Return the scores of each replica after each epoch."""
        return [getattr(one, f"{data}_curve") for one in self.replicas]


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of all rows that were run."""

    found: Mapping[str, Outcome]

    def __contains__(self, row: Row) -> bool:
        return row.name in self.found

    def __getitem__(self, row: Row) -> Outcome:
        return self.found[row.name]

    def compare(self, better: Row, worse: Row) -> ReplicaComparison:
        """Compare the test outputs of two rows."""
        system, baseline = self[better], self[worse]
        return compare_replicas(
            [one.statistics for one in system.replicas],
            [one.statistics for one in baseline.replicas],
            system.metric,
        )
