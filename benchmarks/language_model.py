"""Language models: speed and memory of estimation, and loading time."""

import hashlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.decoder import shared_data
from hopefear.formats.files import read_lines
from hopefear.translation.language_model import load_language_model
from hopefear.translation.training.estimate import KneserNey, Structure, write_kenlm_binary

ORDER = 5
STRUCTURES: tuple[Structure, ...] = ("probing", "trie")


def made_up_lines(tokens: int) -> list[str]:
    """Return sentences whose words follow each other roughly as in a language."""
    rng = np.random.default_rng(1)
    ranks = np.minimum(rng.zipf(1.3, (tokens // 12, 12)), 20_000)
    ranks[:, 1::2] = (7 * ranks[:, ::2] + ranks[:, 1::2] % 10) % 20_000
    return [" ".join(f"w{rank}" for rank in row) for row in ranks]


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the shortest CPU time of several runs, child processes included."""
    spent = []
    for _ in range(times):
        start = _cpu_seconds()
        work()
        spent.append(_cpu_seconds() - start)
    return min(spent)


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def count_in_python(lines: list[str]) -> Counter[tuple[str, ...]]:
    """Count the n-grams of all orders as a script would, the first step of an estimation."""
    counts: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        words = ["<s>", *line.split(" "), "</s>"]
        for n in range(1, ORDER + 1):
            counts.update(zip(*(words[i:] for i in range(n)), strict=False))
    return counts


def estimating(name: str, lines: list[str], directory: Path) -> list[tuple[str, str]]:
    """Return the speed of estimating a model, converting it to a binary and loading it."""
    text, arpa = directory / "text", directory / "arpa"
    text.write_text("\n".join(lines) + "\n")
    summary = KneserNey(order=ORDER).estimate([text], arpa)
    ngrams = sum(order.ngrams for order in summary.orders)
    ours = seconds(lambda: KneserNey(order=ORDER).estimate([text], arpa))
    script = seconds(lambda: count_in_python(lines), 1)
    rows = [
        (
            f"estimate order {ORDER} of {name} ({ngrams:,} n-grams)",
            f"{script / ours:.1f} times as fast as counting in Python ({ours:.2f} CPU s here)",
        )
    ]
    if peer := shutil.which("lmplz"):
        files = ["--text", str(text), "--arpa", str(directory / "peer")]
        command = [peer, "-o", str(ORDER), "-S", "1G", *files]
        theirs = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
        rows.append(("the same by lmplz -S 1G", f"{theirs / ours:.1f} times our CPU time"))
    return rows + loading(arpa)


def loading(arpa: Path) -> list[tuple[str, str]]:
    """Return the loading times of a model."""
    rows = []
    from_text = seconds(lambda: load_language_model(arpa))
    binary = arpa.with_suffix(".binary")
    for structure in STRUCTURES:
        write_kenlm_binary(arpa, binary, structure=structure)
        mapped = seconds(lambda: load_language_model(binary))
        size = binary.stat().st_size / arpa.stat().st_size
        figure = f"{size:.2f} times the size of ARPA, loaded {from_text / mapped:.0f} times as fast"
        rows.append((f"KenLM binary, {structure}", f"{figure} ({1e3 * mapped:.1f} ms here)"))
    return rows


PEAK = """
import sys
from pathlib import Path
from hopefear.translation.training.estimate import KneserNey

def status(name):
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0]) / 1024

text, arpa, memory = sys.argv[1:]
before = status("VmRSS")
KneserNey(memory=int(memory) << 20).estimate([text], arpa)
print(status("VmHWM") - before)
"""


def memory(lines: list[str], directory: Path) -> list[tuple[str, str]]:
    """Return the peak memory of estimations with different limits, and whether models agree."""
    text = directory / "large"
    text.write_text("\n".join(lines) + "\n")
    rows, models = [], set()
    for limit in (1024, 64, 16):
        arpa = directory / f"arpa.{limit}"
        command = [sys.executable, "-c", PEAK, str(text), str(arpa), str(limit)]
        start = _cpu_seconds()
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        spent = _cpu_seconds() - start
        figure = f"{float(run.stdout):.0f} MiB at the peak ({spent:.1f} CPU s here)"
        rows.append((f"{len(lines):,} sentences, memory limit {limit} MiB", figure))
        models.add(hashlib.sha256(arpa.read_bytes()).hexdigest())
    return [*rows, ("the models of all limits", "equal" if len(models) == 1 else "DIFFERENT")]


def run() -> list[tuple[str, str]]:
    """Return all figures, those of the shared corpus if it is found."""
    file = shared_data() / "multi30k-cs-en/train.en.gz"
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rows = estimating("generated text", made_up_lines(300_000), directory)
        if file.exists():
            rows += estimating("multi30k train.en", read_lines(file), directory)
        return rows + memory(made_up_lines(3_000_000), directory)
