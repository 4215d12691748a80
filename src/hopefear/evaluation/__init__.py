"""Scores of whole systems, and whether their differences are significant."""

from hopefear.evaluation.bootstrap import Comparison, Interval, compare, interval, resampled_sums
from hopefear.evaluation.systems import (
    Evaluation,
    MetricResult,
    SystemResult,
    choose_metrics,
    evaluate,
)

__all__ = [
    "Comparison",
    "Evaluation",
    "Interval",
    "MetricResult",
    "SystemResult",
    "choose_metrics",
    "compare",
    "evaluate",
    "interval",
    "resampled_sums",
]
