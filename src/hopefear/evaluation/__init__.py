"""Scores of whole systems, and whether their differences are significant."""

from hopefear.evaluation.bootstrap import Comparison, Interval, compare, interval, resampled_sums
from hopefear.evaluation.randomization import (
    Exchange,
    ReplicaComparison,
    compare_replicas,
    deviation,
    shuffled_p,
    shuffled_sums,
)
from hopefear.evaluation.results import (
    AgainstFirst,
    Bucket,
    CandidateOracles,
    Evaluation,
    MetricOracles,
    MetricResult,
    OracleScores,
    SentenceDifference,
    SystemDifferences,
    SystemResult,
)
from hopefear.evaluation.systems import choose_metrics, evaluate_systems

__all__ = [
    "AgainstFirst",
    "Bucket",
    "CandidateOracles",
    "Comparison",
    "Evaluation",
    "Exchange",
    "Interval",
    "MetricOracles",
    "MetricResult",
    "OracleScores",
    "ReplicaComparison",
    "SentenceDifference",
    "SystemDifferences",
    "SystemResult",
    "choose_metrics",
    "compare",
    "compare_replicas",
    "deviation",
    "evaluate_systems",
    "interval",
    "resampled_sums",
    "shuffled_p",
    "shuffled_sums",
]
