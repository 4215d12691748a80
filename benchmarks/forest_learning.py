"""Learning from forests: what an epoch of forest MIRA and MERT cost, and the memory.

Times are of one core, in CPU time for each edge of the forests as they are; the number in brackets
is how many times as long as Viterbi, measured in the same run.
"""

import time
from collections.abc import Callable

from benchmarks._course import course_of, epochs_of
from benchmarks._hiero import HieroForests
from hopefear.candidates import ForestSet
from hopefear.forest import Forest
from hopefear.learners import ForestMira, Mert
from hopefear.metrics import Bleu, References

LENGTHS = (8, 10, 12, 14, 16, 18)
FORESTS = 60
EPOCHS = 10
MANY = 3_400_000  # edges: what a decoder leaves of a thousand sentences


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest CPU time of several tries."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return max(min(times), 1e-9)


def made(count: int) -> tuple[ForestSet, Callable[[], object]]:
    """Return forests with references, and Viterbi on all of them.

    A reference is a derivation's string of each forest that is not its best.
    """
    corpus = HieroForests(seed=1, vocabulary_size=2000)
    weights = corpus.weights()
    forests: list[Forest] = [corpus.forest(LENGTHS[i % len(LENGTHS)]) for i in range(count)]
    texts = [
        [forest.distribution(weights, temperature=3.0).sample(1, seed=i)[0].text]
        for i, forest in enumerate(forests)
    ]
    data = ForestSet(forests, References(texts), Bleu(tokenize="none"), threads=1)
    scores = [forest.score_edges(weights) for forest in forests]

    def viterbi() -> None:
        for forest, own in zip(forests, scores, strict=True):
            forest.viterbi(edge_scores=own)

    return data, viterbi


def run() -> list[tuple[str, str]]:
    """Measure forest MIRA, one line search of MERT, and MERT."""
    data, viterbi = made(FORESTS)
    weights = HieroForests(seed=1).weights()
    edges = data.core.edge_count
    base = seconds(viterbi)

    def figure(time_taken: float) -> str:
        return f"{time_taken / edges * 1e9:8.1f} ns an edge  ({time_taken / base:.1f})"

    splitting = seconds(lambda: data.bleu_forests, 1)
    split = data.bleu_forests
    if split is None:
        raise RuntimeError("BLEU of words has statistics on edges")
    course = course_of(ForestMira(line_search=0), data, weights, epochs=EPOCHS)
    start = course.start(weights)
    epoch = seconds(lambda: epochs_of(course, start), 2) / EPOCHS
    direction = weights[::-1].copy()
    search = seconds(lambda: data.line_search(weights, direction), 2)
    mert = course_of(Mert(), data, weights, epochs=1)
    restarts = seconds(lambda: epochs_of(mert, mert.start(weights)), 1)
    memory = sum(forest.core.nbytes for forest in data.forests if forest is not None)
    return [
        ("forests", f"{FORESTS}, {edges:,} edges"),
        ("Viterbi", figure(base)),
        ("statistics on edges, once", figure(splitting)),
        ("edges with statistics", f"{split.edge_count / edges:8.2f} of each edge"),
        ("forest MIRA, an epoch", figure(epoch)),
        ("a line search of MERT", figure(search)),
        ("MERT, 20 restarts", figure(restarts)),
        ("the same, 3.4 million edges", f"{restarts / edges * MANY:8.1f} s of one core"),
        ("memory of forests", f"{memory / edges:8.1f} bytes an edge"),
        ("memory of statistics", f"{split.nbytes / edges:8.1f} bytes an edge"),
    ]
