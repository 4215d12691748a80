"""How much `hopefear.fit` adds to its learner on 100,000 candidates with ten features in memory.

The learner alone has lists with the metric of every candidate, and learns as `fit` does; the rest
is making lists of arrays, the metric, the start and checks. CPU time, on one thread. A million
candidates are read from columns, too.
"""

import time
import warnings
from typing import Any

import numpy as np

import hopefear
from hopefear.candidates import ListSet
from hopefear.candidates.tabulate import tabulate
from hopefear.metrics import Bleu
from hopefear.parallel import Serial
from hopefear.runs.course import plan
from hopefear.runs.given import given_data, load_given
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
    given = given_data(tabulate(table), references)
    data = load_given(given, Bleu(tokenize="none"), threads=1).candidates
    assert isinstance(data, ListSet)
    settings = fitted.settings
    start = regression_weights(data)
    began = time.process_time()
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
    hopefear.fit(table, references, learner="mert", tokenize="none")  # loads all modules
    table, references = columns(SENTENCES)
    rows = []
    for learner in ("auto", "kbest-mira", "lbfgs", "mert"):
        start: dict[str, Any] = {} if learner == "auto" else {"start": "regression"}
        began = time.process_time()
        fitted = hopefear.fit(
            table, references, learner=learner, tokenize="none", threads=1, **start
        )
        whole = time.process_time() - began
        own = alone(table, references, fitted)
        added = f"{whole / own:.2f}, {whole - own:.2f} s more than {own:.2f} s"
        rows.append((f"fit, {learner}: time / that of the learner", added))
    table, references = columns(10 * SENTENCES)
    began = time.process_time()
    lists = tabulate(table).lists()
    spent = time.process_time() - began
    rows.append((f"lists of {len(lists.nbest):,} candidates", f"{spent:.1f} s"))
    return rows
