"""How much `hopefear.fit` adds to its learner on 100,000 candidates with ten features in memory.

The learner alone has lists. It computes the metric of every candidate and the start weights, and
learns as `fit` does, for no learner can do without; the rest is making lists of arrays, settings
and checks. CPU time, on one thread, the least of three. A million candidates are read from columns,
too.
"""

import time
import warnings
from typing import Any

import numpy as np

import hopefear
from hopefear.candidates import ListSet
from hopefear.candidates.tabulate import tabulate
from hopefear.metrics import Bleu, References
from hopefear.parallel import Serial
from hopefear.runs.course import plan
from hopefear.runs.loop import About, learn
from hopefear.runs.regression import regression_weights
from hopefear.types import Weights

SENTENCES, SIZE, FEATURES, WORDS = 1000, 100, 10, 12


def columns(sentences: int) -> tuple[dict[str, Any], list[str]]:
    """Return made-up candidates as columns, and their references."""
    random = np.random.default_rng(1)
    names = np.array([f"w{i}" for i in range(1000)])
    right = random.integers(1000, size=(sentences, 1, WORDS))
    wrong = random.random((sentences, SIZE, WORDS)) < random.random((sentences, SIZE, 1))
    words = np.where(wrong, random.integers(1000, size=wrong.shape), right)
    rows = sentences * SIZE
    noise = random.standard_normal((rows, FEATURES))
    noise -= np.linspace(0, 0.5, FEATURES) * wrong.sum(axis=2).reshape(-1, 1)
    table: dict[str, Any] = {
        "sentence": np.repeat(np.arange(sentences), SIZE),
        "text": [" ".join(one) for one in names[words.reshape(rows, WORDS)]],
    }
    table |= {f"f{i}": noise[:, i] * 10.0 ** (i % 3) for i in range(FEATURES)}
    return table, [" ".join(one) for one in names[right[:, 0]]]


def alone(table: dict[str, Any], references: list[str], fitted: hopefear.Fitted) -> float:
    """Return the CPU seconds of the learner of a fit, on lists that are there."""
    settings, metric = fitted.settings, Bleu(tokenize="none")
    lists = tabulate(table).lists().nbest
    began = time.process_time()
    metric.prepare(References([[text] for text in references])).set_statistics(lists, threads=1)
    data = ListSet(nbest=lists, metric=metric, threads=1)
    start = regression_weights(data)
    course = plan(
        data,
        settings.learner,
        settings.rhythm,
        Serial(),
        origin=start,
        seed=settings.seed,
        scaled=settings.scale_features,
    )
    for _ in learn(course, Weights.from_vector(data.feature_names, start), About(name="")):
        pass
    return time.process_time() - began


def run() -> list[tuple[str, str]]:
    """Fit with several learners, and read a million candidates."""
    warnings.simplefilter("ignore")
    table, references = columns(20)
    for learner in ("lbfgs", "mert"):  # loads all modules, SciPy among them
        hopefear.fit(table, references, learner=learner, tokenize="none")
    table, references = columns(SENTENCES)
    rows = []
    for learner in ("auto", "kbest-mira", "lbfgs", "mert"):
        start: dict[str, Any] = {} if learner == "auto" else {"start": "regression"}
        pairs = []
        for _ in range(3):
            began = time.process_time()
            fitted = hopefear.fit(
                table, references, learner=learner, tokenize="none", threads=1, **start
            )
            whole = time.process_time() - began
            pairs.append((whole, alone(table, references, fitted)))
        whole, own = map(min, zip(*pairs, strict=True))
        added = f"{whole / own:.2f}, {whole - own:.2f} s more than {own:.2f} s"
        rows.append((f"fit, {learner}: time / that of the learner", added))
    table, references = columns(10 * SENTENCES)
    began = time.process_time()
    lists = tabulate(table).lists()
    spent = time.process_time() - began
    rows.append((f"lists of {len(lists.nbest):,} candidates", f"{spent:.1f} s"))
    return rows
