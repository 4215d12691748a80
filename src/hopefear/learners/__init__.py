"""Learners: one file a paper's step. `hopefear.learners.base` says what a learner is."""

from hopefear.learners.arow import Arow
from hopefear.learners.base import (
    AnyLearner,
    Figures,
    Learner,
    Mergeable,
    held_features,
    is_scale_free,
    learners,
    needed_data,
)
from hopefear.learners.forest_mira import ForestMira
from hopefear.learners.forest_rampion import ForestRampion
from hopefear.learners.kbest_mira import KBestMira
from hopefear.learners.lbfgs import Lbfgs
from hopefear.learners.mert import Mert
from hopefear.learners.min_risk import MinRisk
from hopefear.learners.mira import Mira
from hopefear.learners.online import OnlineLearner
from hopefear.learners.online_sgd import OnlineSgd
from hopefear.learners.oro import Oro
from hopefear.learners.perceptron import Perceptron
from hopefear.learners.pro import Pro
from hopefear.learners.rampion import Rampion
from hopefear.learners.sgd import Sgd
from hopefear.learners.structured_svm import StructuredSvm

__all__ = [
    "AnyLearner",
    "Arow",
    "Figures",
    "ForestMira",
    "ForestRampion",
    "KBestMira",
    "Lbfgs",
    "Learner",
    "Mergeable",
    "Mert",
    "MinRisk",
    "Mira",
    "OnlineLearner",
    "OnlineSgd",
    "Oro",
    "Perceptron",
    "Pro",
    "Rampion",
    "Sgd",
    "StructuredSvm",
    "held_features",
    "is_scale_free",
    "learners",
    "needed_data",
]
