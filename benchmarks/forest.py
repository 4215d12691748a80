"""Forests: how fast inference over them is, and how small and fast their store is.

Speeds are in edges per second on one core; the number in brackets is how many times as long as
Viterbi, measured in the same run.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks._hiero import HieroForests, forest_json
from hopefear.forest import Forest
from hopefear.formats.forests.moses import MosesHypergraphs
from hopefear.formats.forests.store import ForestStore
from hopefear.types import FloatArray

LENGTHS = (10, 14, 18, 22, 26, 30)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest CPU time of several tries, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return max(min(times), 1e-9)


def inference(forests: list[Forest], weights: FloatArray) -> list[tuple[str, str]]:
    """Measure what is done with each forest, its edges being scored."""
    edges = sum(forest.edge_count for forest in forests)
    scored = [(forest, forest.score_edges(weights)) for forest in forests]
    direction = np.random.default_rng(3).normal(size=len(weights))
    slopes = [forest.score_edges(direction) for forest in forests]
    distributions = [forest.distribution(edge_scores=scores) for forest, scores in scored]
    tasks: dict[str, tuple[Callable[[], object], int]] = {
        "Viterbi": (lambda: [f.viterbi(edge_scores=s) for f, s in scored], 50),
        "scores of edges": (lambda: [f.score_edges(weights) for f in forests], 50),
        "max marginals": (lambda: [f.max_marginals(edge_scores=s) for f, s in scored], 50),
        "log partition": (
            lambda: [f.distribution(edge_scores=s).log_partition for f, s in scored],
            20,
        ),
        "posteriors, given that": (lambda: [d.posteriors() for d in distributions], 20),
        "covariance, given that": (
            lambda: [d.covariance(s) for d, s in zip(distributions, slopes, strict=True)],
            20,
        ),
        "1000 samples, given that": (lambda: [d.sample(1000, seed=1) for d in distributions], 5),
        "100-best": (lambda: [f.kbest(k=100, edge_scores=s) for f, s in scored], 10),
        "100-best, distinct": (
            lambda: [f.kbest(k=100, edge_scores=s, distinct=True) for f, s in scored],
            10,
        ),
        "upper envelope": (
            lambda: [
                f.envelope(edge_scores=s, edge_slopes=d)
                for (f, s), d in zip(scored, slopes, strict=True)
            ],
            5,
        ),
        "count": (lambda: [f.count() for f in forests], 10),
    }
    rows = []
    viterbi = 0.0
    for name, (work, repeats) in tasks.items():
        time_taken = seconds(work, repeats)
        viterbi = viterbi or time_taken
        speed = edges / time_taken / 1e6
        rows.append((name, f"{speed:8.2f} million edges/s  ({time_taken / viterbi:.1f})"))
    return rows


def storage(forests: list[Forest]) -> list[tuple[str, str]]:
    """Compare the store with JSON, and with Moses' text in gzip."""
    edges = sum(forest.edge_count for forest in forests)
    json_size = sum(len(forest_json(forest)) for forest in forests)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.forests"
        write = seconds(lambda: ForestStore.write(path, enumerate(forests)), 3)
        MosesHypergraphs().write(enumerate(forests), Path(folder) / "moses")
        moses_size = sum(file.stat().st_size for file in (Path(folder) / "moses").iterdir())
        size = path.stat().st_size
        with ForestStore.open(path) as store:
            read = seconds(lambda: list(store.values()), 5)
    return [
        ("JSON / store", f"{json_size / size:8.1f}  ({size / edges:.1f} bytes an edge)"),
        ("Moses' text, gzip / store", f"{moses_size / size:8.1f}"),
        ("memory / store", f"{sum(f.core.nbytes for f in forests) / size:8.1f}"),
        ("reading the store", f"{edges / read / 1e6:8.2f} million edges/s"),
        ("writing the store", f"{edges / write / 1e6:8.2f} million edges/s"),
    ]


def run() -> list[tuple[str, str]]:
    """Measure everything on forests of sentences of different lengths."""
    corpus = HieroForests(seed=1)
    forests = [corpus.forest(length) for length in LENGTHS]
    edges = [forest.edge_count for forest in forests]
    size = ("forests", f"{len(edges)}, of {min(edges):,} to {max(edges):,} edges")
    return [size, *inference(forests, corpus.weights()), *storage(forests)]
