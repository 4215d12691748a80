"""Many sparse features: k-best MIRA on a million hypotheses with a hundred thousand features."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks._course import course_of
from benchmarks._lists import MadeUpLists
from hopefear.events import EpochFinished, RunStarted
from hopefear.learners import KBestMira
from hopefear.runs.loop import About, learn
from hopefear.types import Weights

LISTS = MadeUpLists(sentences=2000, size=500, dense=4, sparse=100_000)
EPOCHS = 10


def measure() -> None:
    """Read the lists and learn from them; print what that took as JSON."""
    start = time.perf_counter()
    data = LISTS.tuning_set(threads=0)
    read = time.perf_counter()
    names = data.feature_names
    counts = data.nbest.count_features().hypotheses
    weights = Weights.from_vector(names, np.where(counts == len(data.nbest), 1.0, 0.0))
    scores: list[float | None] = []
    course = course_of(KBestMira(), data, weights.vector(names), epochs=EPOCHS)
    for event in learn(course, weights, About(name="kbest-mira")):
        if isinstance(event, RunStarted | EpochFinished):
            scores.append(event.tuning_score)
    found = {
        "read": read - start,
        "learn": time.perf_counter() - read,
        "hypotheses": len(data.nbest),
        "features": len(names),
        "peak": int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024,
        "scores": scores,
    }
    print(json.dumps(found))


def run() -> list[tuple[str, str]]:
    """Measure in a process of its own, whose memory can be told."""
    command = "from benchmarks.sparse_lists import measure; measure()"
    output = subprocess.run(
        [sys.executable, "-c", command], check=True, capture_output=True, text=True
    ).stdout
    found = json.loads(output)
    epochs = len(found["scores"]) - 1
    size = f"{found['hypotheses']:,} hypotheses, {found['features']:,} features"
    return [
        (f"make up, read and score {size}", f"{found['read']:.0f} s here"),
        (f"k-best MIRA, {epochs} epochs", f"{found['learn']:.1f} s here"),
        ("BLEU before and after", f"{found['scores'][0]:.2f}, {found['scores'][-1]:.2f}"),
        ("peak memory of the process", f"{found['peak']:.0f} MiB"),
    ]
