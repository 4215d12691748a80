"""Fitting weights to candidates that are in memory."""

from hopefear.fitting.fitted import Fitted, fit

__all__ = ["Fitted", "fit"]
