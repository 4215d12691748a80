"""Fitting weights to candidates that are in memory."""

from hopefear.fitting.estimator import Reranker
from hopefear.fitting.fitted import Fitted
from hopefear.fitting.fitting import fit

__all__ = ["Fitted", "Reranker", "fit"]
