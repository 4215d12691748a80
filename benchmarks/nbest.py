"""N-best lists: how fast they are read and scored, and how much memory they take."""

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hopefear.nbest import BarLayout, NBest, NBestBuilder

LABELS = ("LM0=", "WordPenalty0=", "PhrasePenalty0=", "TranslationModel0=", "TranslationModel1=")


def moses_text(sentences: int, size: int) -> bytes:
    """Return n-best lists as Moses writes them: each hypothesis changes some words of the last."""
    rng = np.random.default_rng(1)
    words = [f"word{i}" for i in range(2500)]
    lines = []
    for sentence in range(sentences):
        text = rng.choice(words, 14)
        choices = rng.choice(words, (15, 2))
        for numbers in rng.normal(-10, 5, (size, 8)).round(4):
            begin = int(rng.integers(0, 9))
            text[begin : begin + 6] = choices[np.arange(begin, begin + 6), rng.integers(0, 2, 6)]
            values = [str(number) for number in numbers]
            groups = [values[0], values[1], values[2], " ".join(values[3:7]), values[7]]
            features = " ".join(f"{a} {b}" for a, b in zip(LABELS, groups, strict=True))
            lines.append(f"{sentence} ||| {' '.join(text)}  |||  {features} ||| {values[0]}\n")
    return "".join(lines).encode()


def read(content: bytes) -> NBest:
    """Read with the parser of the core."""
    builder = NBestBuilder()
    builder.parse([content], BarLayout(), "list")
    return builder.finish()


def read_in_python(content: bytes) -> list[tuple[int, list[str], dict[str, float]]]:
    """Read as a script would: split each line, and each field."""
    hypotheses = []
    for line in content.decode().splitlines():
        sentence, text, features, _ = line.split("|||")
        named: dict[str, float] = {}
        label = ""
        for token in features.split():
            if token.endswith("="):
                label = token
            else:
                named[f"{label}{len(named)}"] = float(token)
        hypotheses.append((int(sentence), text.split(), named))
    return hypotheses


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the shortest CPU time of several."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def reading(name: str, content: bytes) -> list[tuple[str, str]]:
    """Return how fast lists are read, and how much memory they take."""
    lists = read(content)
    ours = seconds(lambda: read(content))
    script = seconds(lambda: read_in_python(content), 1)
    numbers = 8 * sum(len(lists.feature_ids(row)) for row in range(len(lists)))
    speed = len(content) / ours / 1e6
    ratio = f"{script / ours:.0f} times as fast as a Python script ({speed:.0f} MB/s here)"
    return [
        (f"read {name} ({len(lists):,} hypotheses)", ratio),
        (f"memory of {name}", f"{lists.nbytes / numbers:.2f} times its numbers"),
    ]


def kernels(lists: NBest) -> list[tuple[str, str]]:
    """Return how fast lists are scored, and searched along a line."""
    weights = np.linspace(-1, 1, len(lists.feature_names))
    dense = np.zeros((len(lists), len(weights)))
    for feature in range(len(weights)):
        dense[:, feature] = lists.column(feature)
    lists.set_statistics(np.random.default_rng(2).integers(0, 20, (len(lists), 9)).astype(float))
    origins, slopes = lists.scores(weights), lists.column(0)
    product = seconds(lambda: (dense * weights).sum(axis=1), 9)
    scores = seconds(lambda: lists.scores(weights, 1), 9)
    surface = seconds(lambda: lists.error_surface(origins, slopes, 1), 9)
    speed = f"{len(lists) / scores / 1e6:.0f} million hypotheses/s here"
    return [
        ("score them, one thread", f"{product / scores:.1f} times as fast as NumPy ({speed})"),
        (
            "error surface along a line, one thread",
            f"the time of scoring them {surface / scores:.1f} times ({1e3 * surface:.1f} ms here)",
        ),
    ]


MILLION = """
import numpy as np
from pathlib import Path
from hopefear.nbest import BarLayout, NBestBuilder

def status(name):
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0]) / 1024

tails = [
    b" ".join(b"f%d=0.%d" % (20 * i + j, 1 + j) for j in range(20)) for i in range(50_000)
]

def pieces():
    for first in range(0, 1_000_000, 1000):
        yield b"".join(
            b"%d ||| the hypothesis %d of many ||| g%d=1 %s ||| 0\\n"
            % (i // 1000, i, i // 50_000, tails[i % 50_000])
            for i in range(first, first + 1000)
        )

before = status("VmRSS")
builder = NBestBuilder(memory_limit=256 << 20)
builder.parse(pieces(), BarLayout(), "million")
lists = builder.finish()
lists.best(np.ones(len(lists.feature_names)))
assert (len(lists), len(lists.feature_names)) == (1_000_000, 1_000_020)
print(status("VmHWM") - before, lists.nbytes / 2**20)
"""


def million() -> list[tuple[str, str]]:
    """Return the peak memory for a million hypotheses with a million features."""
    run = subprocess.run(
        [sys.executable, "-c", MILLION], check=True, capture_output=True, text=True
    )
    peak, size = map(float, run.stdout.split())
    figure = f"{peak:.0f} MiB at most for {size:.0f} MiB of data, read, scored and searched"
    return [("a million hypotheses, a million features, memory limit 256 MiB", figure)]


def run() -> list[tuple[str, str]]:
    """Measure everything; lists of the shared corpora only where they are."""
    content = moses_text(200, 100)
    rows = reading("made-up lists", content) + kernels(read(content))
    shared = Path(os.environ.get("HOPEFEAR_SHARED", Path(__file__).parents[2] / "shared"))
    file = shared / "data/multi30k-cs-en/peers/val.nbest.moses.gz"
    if file.exists():
        content = gzip.decompress(file.read_bytes())
        rows += reading(file.name, content) + kernels(read(content))
    return rows + million()
