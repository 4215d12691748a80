"""Scores of whole systems, and whether their differences are significant."""

from hopefear.evaluation.bootstrap import Comparison, Interval, compare, interval, resampled_sums
from hopefear.evaluation.randomization import (
    ReplicaComparison,
    compare_replicas,
    deviation,
    shuffled_sums,
    two_sided_p,
)
from hopefear.evaluation.results import (
    AgainstFirst,
    Bucket,
    Evaluation,
    MetricResult,
    SentenceDifference,
    SystemDifferences,
    SystemResult,
)
from hopefear.evaluation.systems import choose_metrics, evaluate

__all__ = [
    "AgainstFirst",
    "Bucket",
    "Comparison",
    "Evaluation",
    "Interval",
    "MetricResult",
    "ReplicaComparison",
    "SentenceDifference",
    "SystemDifferences",
    "SystemResult",
    "choose_metrics",
    "compare",
    "compare_replicas",
    "deviation",
    "evaluate",
    "interval",
    "resampled_sums",
    "shuffled_sums",
    "two_sided_p",
]
