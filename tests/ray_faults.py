"""Kill workers, nodes and drivers of tuning runs on a Ray cluster at random moments.

``python tests/ray_faults.py [TIMES]`` kills each TIMES times, 20 by default, and prints what came
of the runs. A cluster of three nodes is started on this machine.
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


def main(times: int) -> None:
    """Carry out all experiments."""
    random = Random(1)
    with TemporaryDirectory() as folder, nodes(further=2) as cluster:
        path = Path(folder)
        files = write_candidates(path, sentences=300, size=50)
        expected = lists_run(files).weights
        began = time.monotonic()
        found = lists_run(files, cluster=cluster.address)
        seconds, epochs = time.monotonic() - began, epochs_of(found)
        same = found.weights == expected
        print(f"undisturbed: {epochs} epochs, {seconds:.1f} s, same weights: {same}", flush=True)
        kills: dict[str, Callable[[], object]] = {
            "worker": lambda: cluster.kill_worker(random),
            "node": cluster.kill_node,
        }
        for name, kill in kills.items():
            right = noted = 0
            longest = 0.0
            for _ in range(times):
                began = time.monotonic()
                moment = Moment(random, epochs, kill)
                found = lists_run(files, cluster=cluster.address, on_event=moment)
                right += found.weights == expected
                noted += lost_a_worker(found)
                longest = max(longest, time.monotonic() - began)
                if name == "node":
                    cluster.join()
            print(
                f"{name}: {right} of {times} runs with the same weights, {noted} say that they "
                f"lost a worker, the longest took {longest:.1f} s",
                flush=True,
            )
        right = 0
        for number in range(times):
            epoch, delay = random.randrange(1, epochs), random.uniform(0.0, 0.1)
            right += driver(files, path / f"run-{number}", cluster, epoch, delay) == expected
        print(f"driver: {right} of {times} runs with the same weights", flush=True)
        write_model(path)
        scores = [tuning_score(path, cluster) for _ in range(max(2, times // 2))]
        print(
            f"async: {np.mean(scores):.2f} ± {np.std(scores, ddof=1):.2f} BLEU, undisturbed",
            flush=True,
        )
        lost, noted = [], 0
        for _ in range(times):
            moment = Moment(random, ASYNC_EPOCHS, kills["worker"])
            found = model_run(path, cluster=cluster.address, on_event=moment)
            lost.append(found.tuning_score or 0.0)
            noted += lost_a_worker(found)
        print(
            f"async, worker: {np.mean(lost):.2f} ± {np.std(lost, ddof=1):.2f} BLEU, {noted} of "
            f"{times} say that they lost a worker"
        )


def epochs_of(result: hopefear.TuneResult) -> int:
    """Return how many epochs there were."""
    return sum(isinstance(event, EpochFinished) for event in result.events)


def tuning_score(path: Path, cluster: Nodes) -> float:
    """Return the score of an undisturbed asynchronous run."""
    return model_run(path, cluster=cluster.address).tuning_score or 0.0


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
