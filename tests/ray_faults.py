"""Kill workers, nodes and drivers of commands on a Ray cluster at random moments.

``python tests/ray_faults.py [TIMES] [WORK-KILLED ...]`` kills each TIMES times, 20 by default, and
prints what came of the commands. WORK is mixing, async or train; KILLED is worker, node, driver, or
nothing. By default all are tried. A cluster of three nodes is started on this machine.
"""

import itertools
import json
import shutil
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

import hopefear
from candidate_files import write_candidates
from ray_clusters import Nodes, nodes
from small_models import sentence_pairs

COMMAND = str(Path(sys.executable).parent / "hopefear")
LIMIT = 600  # seconds, after which a command counts as hanging
KILLED = ("nothing", "worker", "node", "driver")


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    """Write a text."""
    path.write_text("".join(line + "\n" for line in lines))
    return path


class Work(ABC):
    """A command that is given again and again, and what it should come to."""

    resumable = True

    @abstractmethod
    def command(self, out: Path) -> list[str]:
        """Return its arguments."""

    @abstractmethod
    def judge(self, runs: Sequence[Path]) -> str:
        """Say what came of runs."""


class Mixing(Work):
    """Three learners on lists; every run has the same weights."""

    def __init__(self, folder: Path) -> None:
        files = write_candidates(folder, sentences=300, size=50)
        self._arguments = ["tune", "kbest-mira", "--nbest", str(files.nbest), "--refs"]
        self._arguments += [str(files.refs), "--tokenize", "none", "--strategy", "mixing"]
        self._arguments += ["--workers", "3", "--epochs", "40"]
        subprocess.run([COMMAND, *self.command(folder / "here")], check=True, capture_output=True)
        self._expected = (folder / "here" / "weights.tsv").read_bytes()

    def command(self, out: Path) -> list[str]:
        return [*self._arguments, "-o", str(out)]

    def judge(self, runs: Sequence[Path]) -> str:
        same = sum((run / "weights.tsv").read_bytes() == self._expected for run in runs)
        return f"{same} with the same weights"


class Async(Work):
    """Three learners that hear each other, around a decoder whose model is full of errors."""

    def __init__(self, folder: Path) -> None:
        random, pairs = Random(1), sentence_pairs()
        words = sorted({word for _, e in pairs for word in e.split()})

        def noisy(text: str, share: float) -> str:
            return " ".join(
                random.choice(words) if random.random() < share else word for word in text.split()
            )

        f = write_lines(folder / "train.f", [f for f, _ in pairs[::8]])
        e = write_lines(folder / "train.e", [noisy(e, 0.4) for _, e in pairs[::8]])
        hopefear.train(source=f, target=e, out=folder / "model", aligner="diagonal", lm_order=3)
        source = write_lines(folder / "tune.f", [f for f, _ in pairs[3::5]])
        refs = write_lines(folder / "tune.e", [noisy(e, 0.1) for _, e in pairs[3::5]])
        self._arguments = ["tune", "mira", "--model", str(folder / "model"), "--source"]
        self._arguments += [str(source), "--refs", str(refs), "--parses", str(folder / "parses")]
        self._arguments += ["--start", "ones", "--strategy", "async", "--workers", "3"]
        self._arguments += ["--epochs", "20", "--no-report"]

    def command(self, out: Path) -> list[str]:
        return [*self._arguments, "-o", str(out)]

    def judge(self, runs: Sequence[Path]) -> str:
        events = [json.loads((run / "events.jsonl").read_text().splitlines()[-1]) for run in runs]
        scores = np.array([event["tuning_score"] for event in events])
        deviation = scores.std(ddof=1) if len(scores) > 1 else 0.0
        return f"BLEU {scores.mean():.2f} ± {deviation:.2f}, from {min(scores):.2f} on"


class Train(Work):
    """The training of a model; every one has the same files."""

    resumable = False  # the same command goes on

    def __init__(self, folder: Path) -> None:
        pairs = [
            (f"{f} , {g}", f"{e} , {h}")
            for (f, e), (g, h) in itertools.product(sentence_pairs()[::9], sentence_pairs()[::5])
        ]
        source = write_lines(folder / "long.f", [f for f, _ in pairs])
        target = write_lines(folder / "long.e", [e for _, e in pairs])
        self._arguments = ["train", "-s", str(source), "-t", str(target)]
        self._arguments += ["--aligner", "diagonal", "--lm-order", "3"]
        subprocess.run([COMMAND, *self.command(folder / "here")], check=True, capture_output=True)
        self._expected = self._files(folder / "here")

    def command(self, out: Path) -> list[str]:
        return [*self._arguments, "-o", str(out)]

    def judge(self, runs: Sequence[Path]) -> str:
        return f"{sum(self._files(run) == self._expected for run in runs)} with the same files"

    @staticmethod
    def _files(model: Path) -> dict[str, bytes]:
        files = {path for path in model.rglob("*") if path.parent.name != "stages"}
        names = {str(path.relative_to(model)): path for path in files if path.is_file()}
        names |= {f"stages/{path.name}": path for path in (model / "stages").glob("*/*")}
        return {name: path.read_bytes() for name, path in names.items() if name != "train.toml"}


class Experiments:
    """Commands on a cluster, which are disturbed."""

    def __init__(self, folder: Path, cluster: Nodes, times: int) -> None:
        self._folder, self._cluster, self._times = folder, cluster, times
        self._random = Random(1)

    def carry_out(self, work: Work, name: str, killed: str, seconds: float) -> float:
        """Give the command several times, and kill something each time.

        Returns for how many seconds there were workers. That is when something is killed.
        """
        runs: list[Path] = []
        lost, taken = 0, []
        self._working = 0.0
        for number in range(self._times):
            out = self._folder / f"{name}-{killed}-{number}"
            began = time.monotonic()
            output = self._once(work, out, killed, self._random.uniform(0, seconds))
            taken.append(time.monotonic() - began)
            lost += "was lost" in output
            if (out / "weights.tsv").exists():
                runs.append(out)
            else:
                print(output, flush=True)
            if killed == "node":
                self._cluster.join()
            print(
                f"{name}, {killed} killed: {len(runs)} of {number + 1} ended, {work.judge(runs)}; "
                f"{lost} lost a worker; {np.mean(taken):.1f} s, at most {max(taken):.1f} s",
                flush=True,
            )
        for run in runs:
            shutil.rmtree(run)
        return self._working

    def _once(self, work: Work, out: Path, killed: str, moment: float) -> str:
        command = [COMMAND, *work.command(out), "--cluster", self._cluster.address]
        process = self._start(command)
        while process.poll() is None and not self._cluster.workers():
            time.sleep(0.05)
        began = time.monotonic()
        kill: dict[str, Callable[[], object]] = {
            "nothing": lambda: None,
            "worker": lambda: self._cluster.kill_worker(self._random),
            "node": self._cluster.kill_node,
            "driver": lambda: process.send_signal(signal.SIGKILL),
        }
        try:
            output = process.communicate(timeout=moment)[0]  # it was faster
        except subprocess.TimeoutExpired:
            kill[killed]()
            output = process.communicate(timeout=LIMIT)[0]
        self._working = time.monotonic() - began
        if killed == "driver" and process.returncode == -signal.SIGKILL:
            if work.resumable and (out / "checkpoint").exists():
                command = [COMMAND, "tune", "--resume", "-o", str(out)]
                command += ["--cluster", self._cluster.address]
            elif work.resumable:
                shutil.rmtree(out, ignore_errors=True)  # it had not begun
            output += self._start(command).communicate(timeout=LIMIT)[0]
        return output

    @staticmethod
    def _start(command: list[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )


def main(times: int, wanted: list[str]) -> None:
    """Carry out experiments."""
    kinds: dict[str, Callable[[Path], Work]] = {"mixing": Mixing, "async": Async, "train": Train}
    with TemporaryDirectory() as folder, nodes(further=2) as cluster:
        experiments = Experiments(Path(folder), cluster, times)
        for name, kind in kinds.items():
            chosen = [k for k in KILLED if not wanted or f"{name}-{k}" in wanted]
            if not chosen:
                continue
            (Path(folder) / name).mkdir()
            work, seconds = kind(Path(folder) / name), 0.0
            for killed in dict.fromkeys(["nothing", *chosen]):
                taken = experiments.carry_out(work, name, killed, seconds)
                seconds = seconds or taken


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:])
