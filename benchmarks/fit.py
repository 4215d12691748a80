"""How much `hopefear.fit` adds to its learner on 100,000 candidates with ten features in memory.

The learner alone is what goes on in epochs; the rest is making lists of arrays, the metric of every
candidate, checks, and measuring the result. A million candidates are read from columns, too.
"""

import time
import warnings
from typing import Any

import numpy as np

import hopefear
from hopefear.candidates.tabulate import tabulate
from hopefear.events import CrossValidated, EpochFinished

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


def run() -> list[tuple[str, str]]:
    """Fit with several learners, and read a million candidates."""
    warnings.simplefilter("ignore")
    table, references = columns(SENTENCES)
    rows = []
    for learner in ("auto", "kbest-mira", "mert", "pro", "lbfgs"):
        began = time.perf_counter()
        fitted = hopefear.fit(table, references, learner=learner, tokenize="none", threads=1)
        whole = time.perf_counter() - began
        alone = sum(
            event.seconds
            for event in fitted.events
            if isinstance(event, EpochFinished | CrossValidated)
        )
        rows.append((f"fit, {learner}: time / that of its epochs", f"{whole / alone:.2f}"))
        rows.append((f"fit, {learner}: seconds beside its epochs", f"{whole - alone:.2f}"))
    table, references = columns(10 * SENTENCES)
    began = time.perf_counter()
    lists = tabulate(table).lists()
    rows.append(
        (f"lists of {len(lists.nbest):,} candidates", f"{time.perf_counter() - began:.1f} s")
    )
    return rows
