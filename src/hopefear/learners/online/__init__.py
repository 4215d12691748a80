"""Learners that take a step after every sentence, towards the hope and away from the fear."""

from hopefear.learners.online.arow import Arow
from hopefear.learners.online.base import OnlineLearner, OnlineState
from hopefear.learners.online.min_risk import MinRisk
from hopefear.learners.online.mira import Mira
from hopefear.learners.online.perceptron import Perceptron
from hopefear.learners.online.sgd import OnlineSgd

__all__ = ["Arow", "MinRisk", "Mira", "OnlineLearner", "OnlineSgd", "OnlineState", "Perceptron"]
