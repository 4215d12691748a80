"""Kill workers, nodes and drivers of tuning runs on a Ray cluster at random moments.

``python tests/ray_faults.py [TIMES] [worker] [node] [driver] [async]`` kills each TIMES times, 20
by default, and prints what came of the runs. A cluster of three nodes is started on this machine.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import hopefear
from candidate_files import CandidateFiles, write_candidates
from hopefear.events import EpochFinished, Event, Warned
from hopefear.formats import read_weights
from hopefear.types import Weights
from ray_clusters import Nodes, nodes
from small_models import sentence_pairs, write_bitext

EPOCHS = 40
ASYNC_EPOCHS = 10


def lists_run(files: CandidateFiles, **settings: Any) -> hopefear.TuneResult:
    """Mix three learners on lists."""
    return hopefear.tune(
        "kbest-mira",
        nbest=[files.nbest],
        refs=[files.refs],
        tokenize="none",
        strategy="mixing",
        workers=3,
        epochs=EPOCHS,
        **settings,
    )


def model_run(folder: Path, **settings: Any) -> hopefear.TuneResult:
    """Let three learners hear each other, around the decoder of a model."""
    return hopefear.tune(
        "mira",
        model=folder / "model",
        source=folder / "tune.f",
        refs=folder / "tune.e",
        parses=folder / "parses",
        start="ones",
        strategy="async",
        workers=3,
        epochs=ASYNC_EPOCHS,
        **settings,
    )


def write_model(folder: Path) -> None:
    """Train a small model."""
    source, target = write_bitext(folder, every=7)
    hopefear.train(source=source, target=target, out=folder / "model")
    pairs = sentence_pairs()[3::20]
    (folder / "tune.f").write_text("".join(f"{f}\n" for f, _ in pairs))
    (folder / "tune.e").write_text("".join(f"{e}\n" for _, e in pairs))


class Moment:
    """Makes something happen once: at a random moment of a random epoch."""

    def __init__(self, random: Random, epochs: int, happen: Callable[[], object]) -> None:
        self._epoch, self._delay = random.randrange(1, epochs), random.uniform(0.0, 0.1)
        self._happen = happen

    def __call__(self, event: Event) -> None:
        if isinstance(event, EpochFinished) and event.epoch == self._epoch:
            threading.Timer(self._delay, self._happen).start()


def lost_a_worker(result: hopefear.TuneResult) -> bool:
    """Whether the run says that it lost a worker."""
    return any(isinstance(e, Warned) and "was lost" in e.message for e in result.events)


def driver(files: CandidateFiles, run: Path, cluster: Nodes, epoch: int, delay: float) -> Weights:
    """Kill a driver in the middle of an epoch, go on with its run, and return the weights."""
    program = [str(Path(sys.executable).parent / "hopefear"), "tune", "kbest-mira", "-o", str(run)]
    program += ["--nbest", str(files.nbest), "--refs", str(files.refs), "--tokenize", "none"]
    program += ["--strategy", "mixing", "--workers", "3", "--epochs", str(EPOCHS)]
    program += ["--cluster", cluster.address]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    weights = run / "weights" / f"{epoch:02}.tsv"
    while not weights.exists() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if (run / "weights.tsv").exists():  # it was over
        return read_weights(run / "weights.tsv")
    return hopefear.resume_tuning(run, cluster=cluster.address).weights


class Experiments:
    """Runs on a cluster, some of which are disturbed."""

    def __init__(self, path: Path, cluster: Nodes, times: int) -> None:
        self._path, self._cluster, self._times = path, cluster, times
        self._random = Random(1)
        self._files = write_candidates(path, sentences=300, size=50)
        self._expected = lists_run(self._files).weights
        began = time.monotonic()
        found = lists_run(self._files, cluster=cluster.address)
        seconds, self._epochs = time.monotonic() - began, epochs_of(found)
        same = found.weights == self._expected
        tell(f"undisturbed: {self._epochs} epochs, {seconds:.1f} s, same weights: {same}")

    def worker(self) -> None:
        """Kill a worker."""
        self._mixed("worker", self._kill_worker)

    def node(self) -> None:
        """Kill a node; another one joins before the next run."""
        self._mixed("node", self._cluster.kill_node)

    def driver(self) -> None:
        """Kill the process of the run, and resume."""
        right = 0
        for number in range(self._times):
            epoch = self._random.randrange(1, self._epochs)
            delay, run = self._random.uniform(0.0, 0.1), self._path / f"run-{number}"
            weights = driver(self._files, run, self._cluster, epoch, delay)
            right += weights == self._expected
            tell(f"driver: {right} of {number + 1} runs with the same weights")

    def asynchronous(self) -> None:
        """Kill a worker while all hear each other."""
        write_model(self._path)
        address = self._cluster.address
        alone = [model_run(self._path, cluster=address) for _ in range(max(2, self._times // 2))]
        tell(f"async, undisturbed: {spread_of(alone)}")
        lost = []
        for _ in range(self._times):
            moment = Moment(self._random, ASYNC_EPOCHS, self._kill_worker)
            lost.append(model_run(self._path, cluster=address, on_event=moment))
        noted = sum(map(lost_a_worker, lost))
        tell(f"async, a worker killed: {spread_of(lost)}; {noted} say that they lost a worker")

    def _kill_worker(self) -> bool:
        return self._cluster.kill_worker(self._random)

    def _mixed(self, name: str, kill: Callable[[], object]) -> None:
        right = noted = 0
        longest = 0.0
        for number in range(self._times):
            began = time.monotonic()
            moment = Moment(self._random, self._epochs, kill)
            found = lists_run(self._files, cluster=self._cluster.address, on_event=moment)
            right += found.weights == self._expected
            noted += lost_a_worker(found)
            longest = max(longest, time.monotonic() - began)
            if name == "node":
                self._cluster.join()
            tell(
                f"{name}: {right} of {number + 1} runs with the same weights, {noted} say that "
                f"they lost a worker, the longest took {longest:.1f} s"
            )


def main(times: int, kinds: list[str]) -> None:
    """Carry out experiments."""
    with TemporaryDirectory() as folder, nodes(further=2) as cluster:
        experiments = Experiments(Path(folder), cluster, times)
        for kind in kinds or ["worker", "node", "driver", "async"]:
            getattr(experiments, "asynchronous" if kind == "async" else kind)()


def tell(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def spread_of(results: list[hopefear.TuneResult]) -> str:
    """Return the mean and the deviation of scores."""
    scores = [result.tuning_score or 0.0 for result in results]
    return f"{np.mean(scores):.2f} ± {np.std(scores, ddof=1):.2f} BLEU in {len(scores)} runs"


def epochs_of(result: hopefear.TuneResult) -> int:
    """Return how many epochs there were."""
    return sum(isinstance(event, EpochFinished) for event in result.events)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:])
