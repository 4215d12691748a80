"""Metrics that score hypotheses by statistics that add up over sentences."""

from hopefear.metrics.base import Metric, Prepared, Score, Statistics, TextMetric, evaluate, metrics
from hopefear.metrics.bleu import Bleu
from hopefear.metrics.bleu_references import BleuReferences, ForestReranker, ForestStatistics
from hopefear.metrics.chrf import Chrf, ChrfPlusPlus
from hopefear.metrics.column import Column
from hopefear.metrics.oracle_document import OracleDocument
from hopefear.metrics.references import References, check_tokenization
from hopefear.metrics.ter import Ter
from hopefear.metrics.wer import Wer

__all__ = [
    "Bleu",
    "BleuReferences",
    "Chrf",
    "ChrfPlusPlus",
    "Column",
    "ForestReranker",
    "ForestStatistics",
    "Metric",
    "OracleDocument",
    "Prepared",
    "References",
    "Score",
    "Statistics",
    "Ter",
    "TextMetric",
    "Wer",
    "check_tokenization",
    "evaluate",
    "metrics",
]
