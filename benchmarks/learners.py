"""MERT, k-best MIRA and PRO on the lists on which Moses' tools were measured, on one thread.

Times are CPU seconds over those of a fixed workload, measured in the same run on either side of the
learners: the ratio means the same on another machine. Memory is the peak of a process that does
nothing else, and how much of that is beyond an idle one with the same modules: what the lists and
the learner take. Python, NumPy and the modules are the rest, and the command has some more.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._course import course_of
from hopefear.candidates import ListSet
from hopefear.events import RunFinished
from hopefear.formats import load_nbest, read_lines
from hopefear.learners import AnyLearner, KBestMira, Mert, Pro
from hopefear.metrics import Bleu, References
from hopefear.runs.loop import About, learn
from hopefear.types import Weights

SHARED = Path(os.environ.get("HOPEFEAR_SHARED", Path(__file__).parents[2] / "shared")) / "data"
FOLDER = SHARED / "multi30k-cs-en"
# Moses' own start, divided by its L1 norm.
START = Weights(
    {
        "LM0": 0.5,
        "WordPenalty0": -1.0,
        "PhrasePenalty0": 0.2,
        **{f"TranslationModel0_{i}": 0.2 for i in range(4)},
        "TranslationModel1": 1.0,
    }
)
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Peer:
    """What Moses' tool took: CPU seconds where the workload took 1.11, MB, and BLEU."""

    learner: AnyLearner
    seconds: float
    memory: float
    bleu: float


WORKLOAD = 1.11
# Of Moses' extractor, which reads and scores the lists for all three tools.
READING, READING_MEMORY = 1.0, 40
PEERS = {
    "mert": Peer(Mert(), 16.7, 33, 36.71),
    "kbest-mira": Peer(KBestMira(), 1.62, 35, 36.67),
    "pro": Peer(Pro(), 0.9, 21, 35.48),
}


def workload_seconds() -> float:
    """Return the CPU time of the fixed workload now."""
    spec = importlib.util.spec_from_file_location("calibrate", SHARED / "calibrate.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(SHARED / "calibrate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    began = time.process_time()
    module.workload()
    return time.process_time() - began


def peak() -> float:
    """Return the peak memory of this process so far, in MB."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def measure(name: str) -> None:
    """Read the lists and learn from them; print what that took as JSON."""
    idle = peak()
    began = time.process_time()
    lists = load_nbest(FOLDER / "peers" / "val.nbest.moses.gz")
    references = References([[line] for line in read_lines(FOLDER / "val.en.gz")])
    metric = Bleu(tokenize="none")
    metric.prepare(references).set_statistics(lists, threads=1)
    read = time.process_time() - began
    start = START / START.norm(1)
    spent, scores = [], []
    for seed in SEEDS:
        data = ListSet(nbest=lists, metric=metric, threads=1)
        began = time.process_time()
        first = start.vector(data.feature_names)
        course = course_of(PEERS[name].learner, data, first, seed=seed)
        for event in learn(course, start, About(name=name, seed=seed)):
            if isinstance(event, RunFinished):
                scores.append(event.tuning_score)
        spent.append(time.process_time() - began)
    memory = peak()  # before the workload, which has its own
    found = {"read": read, "spent": spent, "scores": scores, "idle": idle, "peak": memory}
    print(json.dumps(found | {"workload": workload_seconds()}))


def measure_command(name: str) -> None:
    """Do the same with the command, and print its peak on the last line."""
    from hopefear.cli.program import run as run_command  # the other measurements do without

    start = " ".join(f"{feature}={weight}" for feature, weight in (START / START.norm(1)).items())
    with TemporaryDirectory() as folder:
        files = [
            f"--nbest={FOLDER / 'peers' / 'val.nbest.moses.gz'}",
            f"--refs={FOLDER / 'val.en.gz'}",
        ]
        options = ["--tokenize=none", f"--start={start}", "--threads=1", f"--out={folder}/run"]
        code = run_command(["tune", name, *files, *options])
    print(peak())
    sys.exit(code)


def printed(call: str) -> str:
    """Return the last line that a function of this file prints in a process of its own."""
    command = f"import benchmarks.learners as own; own.{call}"
    run = subprocess.run(
        [sys.executable, "-c", command], check=True, capture_output=True, text=True
    )
    return run.stdout.splitlines()[-1]


def run() -> list[tuple[str, str]]:
    """Compare each learner with Moses' tool; the lists are not part of the project."""
    if not (FOLDER / "peers" / "val.nbest.moses.gz").exists():
        return [("Moses' lists", f"are not here: {FOLDER}")]
    rows: list[tuple[str, str]] = []
    for name, peer in PEERS.items():
        before = workload_seconds()
        found = json.loads(printed(f"measure({name!r})"))
        workload = (before + found["workload"]) / 2
        time_ratio = peer.seconds / WORKLOAD / (np.mean(found["spent"]) / workload)
        read_ratio = READING / WORKLOAD / (found["read"] / workload)
        if not rows:
            rows.append(("read and score the lists", f"Moses' time / {read_ratio:.1f}"))
        growth = found["peak"] - found["idle"]
        rows += [
            (f"{name}, three seeds", f"Moses' time / {time_ratio:.1f}"),
            (f"{name}: time / workload", f"{np.mean(found['spent']) / workload:.3f}"),
            (f"{name}: BLEU, mean", f"{np.mean(found['scores']):.2f} (Moses {peer.bleu:.2f})"),
            (
                f"{name}: memory",
                f"{found['peak']:.0f} MB, of which {growth:.0f} beyond an idle process "
                f"(Moses {peer.memory:.0f} MB, and {READING_MEMORY} MB to read the lists)",
            ),
            (
                f"{name}: memory of the command",
                f"{float(printed(f'measure_command({name!r})')):.0f} MB",
            ),
        ]
    return rows
