"""Metrics: how good hypotheses are, from statistics that add up over sentences."""

from hopefear.metrics.base import (
    Metric,
    Prepared,
    Score,
    Statistics,
    TextMetric,
    evaluate,
    metrics,
)
from hopefear.metrics.bleu import Bleu
from hopefear.metrics.oracle_document import OracleDocument
from hopefear.metrics.references import References

__all__ = [
    "Bleu",
    "Metric",
    "OracleDocument",
    "Prepared",
    "References",
    "Score",
    "Statistics",
    "TextMetric",
    "evaluate",
    "metrics",
]
