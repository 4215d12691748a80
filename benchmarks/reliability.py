"""What safety costs: opening verified grammars, and the memory and time of long lines.

``HOPEFEAR_RULES=13000000 python -m benchmarks reliability`` opens a grammar of 13 million rules.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._bitext import new_sentences, train_model
from hopefear.grammar import Grammar, GrammarBuilder, RuleTable

RULES = int(os.environ.get("HOPEFEAR_RULES", "1300000"))
LENGTHS = (1000, 10_000, 32_000)

Rows = list[tuple[str, str]]


def run() -> Rows:
    """Return all figures."""
    with tempfile.TemporaryDirectory(prefix="hopefear-bench-") as folder:
        return [*_opening(Path(folder)), *_long_lines(Path(folder))]


def _pieces() -> Iterator[bytes]:
    for first in range(0, RULES, 10_000):
        lines = []
        for i in range(first, min(first + 10_000, RULES)):
            words = f"s{i % 40000} s{i // 40000} s{i % 7}", f"t{i % 30011} t{i % 50021} t{i % 13}"
            gap = f"s{i % 40000} [X,1] s{i // 13 % 90000}", f"t{i % 30011} [1] t{i * 7 % 50021}"
            source, target = gap if i % 3 else words
            values = " ".join(
                f"{name}={i % n / 10}" for name, n in zip("ABCD", PRIMES, strict=True)
            )
            lines.append(f"[X] ||| {source} ||| {target} ||| {values}\n")
        yield "".join(lines).encode()


PRIMES = (97, 89, 83, 79)


def _opening(folder: Path) -> Rows:
    builder, path = GrammarBuilder(), folder / "rules.bin"
    builder.parse(_pieces(), RuleTable.hiero, "Rule", "rules", negate=False)
    builder.write(path)
    rows = []
    for verify in (True, False):
        taken = []
        for _ in range(5):
            begin = time.perf_counter(), time.process_time()
            grammar = Grammar(path, verify=verify)
            taken.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
        what = f"open {len(grammar):,} rules, {grammar.nbytes >> 20} MiB"
        how = "verified" if verify else "not verified"
        seconds, busy = map(min, zip(*taken, strict=True))
        rows.append((f"{what}, {how}", f"{seconds:.3f} s, {busy:.3f} CPU seconds (the best of 5)"))
    return rows


MEASURED = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "from hopefear.cli import main; main()",
    "translate", *sys.argv[1:]], stdin=open("line"), stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(status, usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
"""


def _long_lines(folder: Path) -> Rows:
    train_model(folder)
    words = " ".join(source for source, _ in new_sentences(4000)).split()
    rows = []
    for length in LENGTHS:
        (folder / "line").write_text(" ".join(words[:length]) + "\n")
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, "model", "--threads", "1"],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        status, kilobytes, seconds = done.stdout.split()
        assert status == "0", done.stderr
        figures = f"{int(kilobytes) / 1e6:.2f} GB, {float(seconds):.1f} CPU seconds"
        rows.append((f"a line of {length:,} words", figures))
    return rows
