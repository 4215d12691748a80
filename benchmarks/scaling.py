"""What twice the sentences, features or list length cost each learner: CPU time, as a ratio.

A pair is a run on the base and then one on the doubled data, each from the same start and with
nothing cached, on one thread. There are five pairs or more where a pair takes up to two seconds,
and at least three where it takes longer. The figure is the median of the pairs' ratios, with the
least, the greatest and their number: what else the machine does meets both runs of a pair, or makes
a pair that the median does not see.

A learner that goes on until it has converged takes as many steps as the data want, which is not
what is measured here: such learners get a fixed number of steps. The lists are larger than the
cache of a processor from the beginning: where the smaller ones fit and the larger ones do not, the
ratio is that of two kinds of memory.

The exhaustive PRO has a pair for each oracle with each other hypothesis. The longer the lists, the
more hypotheses are equally good, and so the pairs more than double; how much more is shown.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from benchmarks._course import course_of, epochs_of
from benchmarks._lists import MadeUpLists
from hopefear import _core
from hopefear.candidates import ListSet
from hopefear.learners import (
    AnyLearner,
    KBestMira,
    Lbfgs,
    Mert,
    Oro,
    Pro,
    Rampion,
    Sgd,
    StructuredSvm,
)
from hopefear.losses import BayesRisk, Hinge, Log, Ramp2

BASE = MadeUpLists(sentences=10_000, size=100, dense=8)  # 64 MB of features
FEW = MadeUpLists(sentences=1000, size=100, dense=4, sparse=4000)
# Pairs of runs: as many as fit into so many seconds of CPU time, within these bounds.
SECONDS, FEWEST, MOST = 10.0, 3, 15
# Each with its number of epochs.
LEARNERS: dict[str, tuple[AnyLearner, int]] = {
    # A tolerance that no round reaches: one round of line searches from each start.
    "MERT, one round": (Mert(restarts=0, tolerance=1e9), 1),
    "PRO": (Pro(), 1),
    "PRO, all oracle pairs": (Pro(pairs="oracle"), 1),
    "k-best MIRA": (KBestMira(), 5),
    "RAMPION": (Rampion(), 1),
    "SGD, hinge": (Sgd(loss=Hinge()), 5),
    "SGD, ramp 2": (Sgd(loss=Ramp2()), 5),
    "L-BFGS, log": (Lbfgs(loss=Log(), iterations=3), 1),
    "L-BFGS, Bayes risk": (Lbfgs(loss=BayesRisk(), iterations=3), 1),
    "ORO": (Oro(update="subgradient"), 1),
    "O-ORO": (Oro(), 1),
    "O-ORO, softmax": (Oro(loss="softmax"), 1),
    "structured SVM": (StructuredSvm(), 20),
}
DENSE = {
    "base": BASE,
    "sentences": replace(BASE, sentences=2 * BASE.sentences),
    "features": replace(BASE, dense=2 * BASE.dense),
    "list length": replace(BASE, size=2 * BASE.size),
}
SPARSE = {"few": FEW, "many": replace(FEW, sparse=2 * FEW.sparse)}


def seconds(learner: AnyLearner, epochs: int, data: ListSet) -> float:
    """Return the CPU time of a run from equal weights."""
    start = np.full(len(data.feature_names), 1.0 / len(data.feature_names))
    course = course_of(learner, replace(data), start, epochs=epochs)  # nothing cached
    began = time.process_time()
    epochs_of(course, course.start(start))
    return time.process_time() - began


def doubling(
    learner: AnyLearner, epochs: int, base: ListSet, doubled: ListSet
) -> tuple[float, list[float]]:
    """Return the least time on the base, and the ratios of all pairs of runs."""
    pairs: list[tuple[float, float]] = []
    wanted = MOST
    while len(pairs) < wanted:
        pairs.append((seconds(learner, epochs, base), seconds(learner, epochs, doubled)))
        wanted = min(MOST, max(FEWEST, int(SECONDS / sum(pairs[0]))))
    return min(one for one, _ in pairs), [two / one for one, two in pairs]


def oracle_pairs(data: ListSet) -> int:
    """Return how many pairs the exhaustive PRO learns from."""
    lists, sentences = data.nbest, np.arange(data.sentence_count)
    oracles = _core.corpus_oracles(lists, data.corpus_score, sentences)
    pairs = _core.oracle_pairs(lists, sentences, oracles, most=Pro().max_oracles)
    return len(pairs)


def run() -> list[tuple[str, str]]:
    """Measure every learner on dense features, and all but MERT on twice the sparse ones, too."""
    dense = {what: lists.tuning_set() for what, lists in DENSE.items()}
    base = dense.pop("base")
    few, many = (lists.tuning_set() for lists in SPARSE.values())
    rows = []
    for name, (learner, epochs) in LEARNERS.items():
        kinds = {what: (base, data) for what, data in dense.items()}
        if not isinstance(learner, Mert):
            kinds["sparse features"] = (few, many)
        found = {what: doubling(learner, epochs, *sets) for what, sets in kinds.items()}
        least = min(found[what][0] for what in dense)
        figures = [f"{what} {figure(ratios)}" for what, (_, ratios) in found.items()]
        rows.append((f"{name} ({1000 * least:.0f} ms)", "\n".join(figures)))
    pairs = {what: oracle_pairs(data) / oracle_pairs(base) for what, data in dense.items()}
    more = [f"{what} {ratio:.2f}" for what, ratio in pairs.items()]
    return [*rows, ("oracle pairs", "\n".join(more))]


def figure(ratios: Sequence[float]) -> str:
    """Return the median of ratios, with their range."""
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f} of {len(ratios)})"
