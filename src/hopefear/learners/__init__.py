"""Learners: each finds weights for a tuning set in its own way, and fits on a screen or two."""

from hopefear.candidates.forest_set import ForestSet
from hopefear.candidates.sources import BatchListData, ForestData, ListData
from hopefear.learners.arow import Arow
from hopefear.learners.base import (
    EpochFigures,
    Figured,
    Learner,
    ProgressCallback,
    TuningData,
    TuningSet,
    learners,
)
from hopefear.learners.forest_mira import ForestMira
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
from hopefear.learners.relisting import Relisting, learns, misfit, suited
from hopefear.learners.scaled import Scaled
from hopefear.learners.sgd import Sgd
from hopefear.learners.structured_svm import StructuredSvm

__all__ = [
    "Arow",
    "BatchListData",
    "EpochFigures",
    "Figured",
    "ForestData",
    "ForestMira",
    "ForestSet",
    "KBestMira",
    "Lbfgs",
    "Learner",
    "ListData",
    "Mert",
    "MinRisk",
    "Mira",
    "OnlineLearner",
    "OnlineSgd",
    "Oro",
    "Perceptron",
    "Pro",
    "ProgressCallback",
    "Rampion",
    "Relisting",
    "Scaled",
    "Sgd",
    "StructuredSvm",
    "TuningData",
    "TuningSet",
    "learners",
    "learns",
    "misfit",
    "suited",
]
