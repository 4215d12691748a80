"""Several learners on two threads beside one learner: sentences a second, as a ratio.

Epochs of all strategies take turns, so that a busy moment of the machine meets all of them, and
medians count. Where other programs keep all cores busy, two threads get twice the time of one
whatever they do; what several learners cost in addition is then seen in the CPU time, in brackets,
also as a ratio to one learner. On Multi30k where the shared corpora are, on made-up sentences
elsewhere.
"""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.decoder import shared_data
from benchmarks.epoch import made_up, multi30k, parsed
from hopefear.candidates import DecodedSet
from hopefear.learners import Arow, MinRisk, Mira, OnlineSgd
from hopefear.learners.online import OnlineLearner
from hopefear.metrics import Bleu, References
from hopefear.parallel import Asynchronous, Mixing, Serial, Strategy
from hopefear.runs.course import plan
from hopefear.types import FloatArray

THREADS = 2
TRIES = 5
SENTENCES = 150
LEARNERS: dict[str, OnlineLearner] = {
    "SGD": OnlineSgd(),
    "minimum risk": MinRisk(),
    "MIRA": Mira(),
    "AROW": Arow(feature_rates={"LM*": 0.01, "p_*": 0.01}),
}
STRATEGIES: dict[str, Strategy] = {
    "one learner": Serial(),
    "mixing": Mixing(workers=THREADS),
    "async": Asynchronous(workers=THREADS),
}


def measured(learner: OnlineLearner, data: DecodedSet, weights: FloatArray) -> list[str]:
    """Return how many times as fast each strategy is as one learner."""
    courses = {
        name: plan(data, learner, learner.rhythm, strategy, origin=weights, seed=1)
        for name, strategy in STRATEGIES.items()
    }
    states = {name: course.start(weights) for name, course in courses.items()}
    wall: dict[str, list[float]] = {name: [] for name in courses}
    spent: dict[str, list[float]] = {name: [] for name in courses}
    for epoch in range(TRIES + 1):
        for name, course in courses.items():
            start, used = time.perf_counter(), time.process_time()
            found = course.epoch(states[name], epoch, lambda done, total: None)
            assert found is not None
            states[name] = found[0]
            if epoch:  # the first one fills caches
                wall[name].append(time.perf_counter() - start)
                spent[name].append(time.process_time() - used)
    alone, *others = courses
    return [
        f"{name} {median(wall[alone]) / median(wall[name]):.2f} "
        f"({median(spent[name]) / median(spent[alone]):.2f})"
        for name in others
    ]


def run() -> list[tuple[str, str]]:
    """Measure epochs of each learner."""
    shared = shared_data() / "multi30k-cs-en"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, sources, references = (
            multi30k(shared, folder) if shared.is_dir() else made_up(folder)
        )
        sentences = [source.split() for source in sources][:SENTENCES]
        parses, rescorer, weights = parsed(model, model.decoder(), sentences, folder / "parses")
        texts = References([[text] for text in references[:SENTENCES]])
        data = DecodedSet(parses, rescorer, texts, Bleu(tokenize="none"), threads=THREADS)
        rows = [
            (f"{what}, {THREADS} threads", ", ".join(measured(learner, data, weights)))
            for what, learner in LEARNERS.items()
        ]
    load = f"{os.getloadavg()[0]:.1f} programs on {os.cpu_count()} cores"
    return [("sentences", f"{len(sentences)}"), ("running at the same time", load), *rows]
