"""What twice the sentences, features or list length cost each learner: CPU time, as a ratio.

A learner that goes on until it has converged takes as many steps as the data want, which is not
what is measured here: such learners get a fixed number of steps. The lists are larger than the
cache of a processor from the beginning: where the smaller ones fit and the larger ones do not, the
ratio is that of two kinds of memory.

The exhaustive PRO has a pair for each oracle with each other hypothesis. The longer the lists, the
more hypotheses are equally good, and so the pairs more than double; how much more is shown.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchmarks._lists import MadeUpLists
from hopefear import _core
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

BASE = MadeUpLists(sentences=10_000, size=100, dense=8)  # 64 MB of features
FEW = MadeUpLists(sentences=1000, size=100, dense=4, sparse=4000)
TRIES = 3
LEARNERS: dict[str, Learner] = {
    # A tolerance that no round reaches: one round of line searches from each start.
    "MERT, one round": Mert(restarts=0, tolerance=1e9),
    "PRO": Pro(),
    "PRO, all oracle pairs": Pro(pairs="oracle"),
    "k-best MIRA": KBestMira(epochs=5),
    "RAMPION": Rampion(epochs=1),
    "SGD, hinge": Sgd(loss=Hinge(), epochs=5),
    "SGD, ramp 2": Sgd(loss=Ramp2(), epochs=5),
    "L-BFGS, log": Lbfgs(loss=Log(), epochs=1, iterations=3),
    "L-BFGS, Bayes risk": Lbfgs(loss=BayesRisk(), epochs=1, iterations=3),
    "ORO": Oro(update="subgradient", epochs=1),
    "O-ORO": Oro(epochs=1),
    "O-ORO, softmax": Oro(loss="softmax", epochs=1),
    "structured SVM": StructuredSvm(epochs=20),
}
DENSE = {
    "base": BASE,
    "sentences": replace(BASE, sentences=2 * BASE.sentences),
    "features": replace(BASE, dense=2 * BASE.dense),
    "list length": replace(BASE, size=2 * BASE.size),
}
SPARSE = {"few": FEW, "many": replace(FEW, sparse=2 * FEW.sparse)}


def seconds(learner: Learner, data: TuningSet) -> float:
    """Return the CPU time of a run from equal weights."""
    start = np.full(len(data.feature_names), 1.0 / len(data.feature_names))
    fresh = replace(data)  # nothing cached
    began = time.process_time()
    state = learner.init(fresh, start)
    for epoch in range(learner.epochs):
        following = learner.epoch(fresh, state, (1, epoch), lambda done, total: None)
        if following is state:
            break
        state = following
    return time.process_time() - began


def least_seconds(learner: Learner, sets: Mapping[str, TuningSet]) -> dict[str, float]:
    """Return the least time on each set; they take turns, so that all meet the same neighbors."""
    tries = [{what: seconds(learner, data) for what, data in sets.items()} for _ in range(TRIES)]
    return {what: min(one[what] for one in tries) for what in sets}


def oracle_pairs(data: TuningSet) -> int:
    """Return how many pairs the exhaustive PRO learns from."""
    lists, sentences = data.nbest.core, np.arange(data.sentence_count)
    oracles = _core.corpus_oracles(lists, data.corpus_score, sentences)
    pairs = _core.oracle_pairs(lists, sentences, oracles, most=Pro().max_oracles)
    return len(pairs.better)


def run() -> list[tuple[str, str]]:
    """Measure every learner on dense features, and all but MERT on twice the sparse ones, too."""
    dense = {what: lists.tuning_set() for what, lists in DENSE.items()}
    sparse = {what: lists.tuning_set() for what, lists in SPARSE.items()}
    rows = []
    for name, learner in LEARNERS.items():
        times = least_seconds(learner, dense)
        ratios = {what: time / times["base"] for what, time in times.items() if what != "base"}
        if not isinstance(learner, Mert):
            few, many = least_seconds(learner, sparse).values()
            ratios["sparse features"] = many / few
        rows.append((f"{name} ({1000 * times['base']:.0f} ms)", figures(ratios)))
    pairs = {what: oracle_pairs(data) for what, data in dense.items()}
    more = {what: count / pairs["base"] for what, count in pairs.items() if what != "base"}
    return [*rows, ("oracle pairs", figures(more))]


def figures(ratios: Mapping[str, float]) -> str:
    """Return ratios with their names."""
    return ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items())
