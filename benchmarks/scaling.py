"""What twice the sentences, features or list length cost each learner: CPU time, as a ratio.

A learner that goes on until it has converged takes as many steps as the data want, which is not
what is measured here: such learners get a fixed number of steps.
"""

import time
from dataclasses import replace

import numpy as np

from benchmarks._lists import MadeUpLists
from hopefear.learners import (
    KBestMira,
    Lbfgs,
    Learner,
    Mert,
    Oro,
    Pro,
    Rampion,
    Sgd,
    StructuredSvm,
    TuningSet,
)
from hopefear.losses import BayesRisk, Hinge, Log, Ramp2

BASE = MadeUpLists(sentences=1000, size=100, dense=8)
SPARSE = MadeUpLists(sentences=1000, size=100, dense=4, sparse=4000)
TRIES = 3
LEARNERS: dict[str, Learner] = {
    # A tolerance that no round reaches: one round of line searches from each start.
    "MERT, one round": Mert(restarts=2, tolerance=1e9),
    "PRO": Pro(),
    "PRO, all oracle pairs": Pro(pairs="oracle"),
    "k-best MIRA": KBestMira(epochs=20),
    "RAMPION": Rampion(epochs=5),
    "SGD, hinge": Sgd(loss=Hinge(), epochs=20),
    "SGD, ramp 2": Sgd(loss=Ramp2(), epochs=20),
    "L-BFGS, log": Lbfgs(loss=Log(), epochs=1, iterations=10),
    "L-BFGS, Bayes risk": Lbfgs(loss=BayesRisk(), epochs=1, iterations=10),
    "ORO": Oro(update="subgradient", epochs=1),
    "O-ORO": Oro(epochs=1),
    "O-ORO, softmax": Oro(loss="softmax", epochs=1),
    "structured SVM": StructuredSvm(epochs=20),
}
DENSE = {
    "sentences": replace(BASE, sentences=2 * BASE.sentences),
    "features": replace(BASE, dense=2 * BASE.dense),
    "list length": replace(BASE, size=2 * BASE.size),
}


def seconds(learner: Learner, data: TuningSet) -> float:
    """Return the least CPU time of several runs from equal weights."""
    least = float("inf")
    start = np.full(len(data.feature_names), 1.0 / len(data.feature_names))
    for _ in range(TRIES):
        fresh = replace(data)  # nothing cached
        began = time.process_time()
        state = learner.init(fresh, start)
        for epoch in range(learner.epochs):
            following = learner.epoch(fresh, state, (1, epoch), lambda done, total: None)
            if following is state:
                break
            state = following
        least = min(least, time.process_time() - began)
    return least


def run() -> list[tuple[str, str]]:
    """Measure every learner on dense features, and all but MERT on twice the sparse ones, too."""
    base = BASE.tuning_set()
    doubled = {what: lists.tuning_set() for what, lists in DENSE.items()}
    sparse = SPARSE.tuning_set()
    twice = replace(SPARSE, sparse=2 * SPARSE.sparse).tuning_set()
    rows = []
    for name, learner in LEARNERS.items():
        one = seconds(learner, base)
        ratios = {what: seconds(learner, data) / one for what, data in doubled.items()}
        if not isinstance(learner, Mert):
            ratios["sparse features"] = seconds(learner, twice) / seconds(learner, sparse)
        figures = ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items())
        rows.append((f"{name} ({1000 * one:.0f} ms)", figures))
    return rows
