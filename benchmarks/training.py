"""Training from a bitext with word alignments: CPU time and memory, compared with Moses.

Needs the shared corpora; their README has the figures of Moses.
"""

import gzip
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.decoder import shared_data
from hopefear.grammar import Grammar, Nonterminal
from hopefear.translation.training.align import DiagonalAligner, read_alignments, symmetrize

MOSES_SECONDS = 695.0
MOSES_FILTER_SECONDS = 63.0
CALIBRATION = 1.11  # CPU seconds of calibrate.py on the machine of Moses

Rows = list[tuple[str, str]]

MEASURED = """
import sys, hopefear
hopefear.train(out=sys.argv[1], source=sys.argv[2], target=sys.argv[3], alignments=sys.argv[4],
    inputs=sys.argv[6:], memory=int(sys.argv[5]))
"""


def run() -> Rows:
    """Return all figures."""
    data = shared_data() / "multi30k-cs-en"
    if not data.is_dir():
        return [
            ("multi30k-cs-en", "not found; set HOPEFEAR_SHARED to the folder that contains data/")
        ]
    calibrate = runpy.run_path(str(shared_data() / "calibrate.py"))["workload"]
    rows: Rows = []
    with tempfile.TemporaryDirectory(prefix="hopefear-bench-") as folder:
        for memory in (1 << 31, 1 << 28):
            out = Path(folder, f"all{memory}")
            what = f"all rules, memory limit {memory >> 20} MiB"
            rows.append(_row(what, calibrate, data, out, memory, [], MOSES_SECONDS))
            rows.append((what, f"{len(Grammar(out / 'grammar.bin', verify=False)):,} rules"))
        inputs = [data / "val.cs.gz"]
        seconds = MOSES_SECONDS + MOSES_FILTER_SECONDS
        out = Path(folder, "val")
        rows.append(_row("rules for val", calibrate, data, out, 1 << 31, inputs, seconds))
        first = Path(folder, "first")
        with gzip.open(data / "val.cs.gz", "rb") as lines:
            first.write_bytes(b"".join(lines.readlines()[:200]))
        _train(data, Path(folder, "model200"), 1 << 31, [first])
        rows.append(_compare(data, Path(folder, "model200", "grammar.bin")))
    rows.append(_align(shared_data() / "gold-align-grc-en"))
    return rows


def _row(
    what: str,
    calibrate: Callable[[], object],
    data: Path,
    out: Path,
    memory: int,
    inputs: list[Path],
    moses: float,
) -> tuple[str, str]:
    began = time.process_time()
    calibrate()
    scale = CALIBRATION / (time.process_time() - began)
    seconds, megabytes = _train(data, out, memory, inputs)
    seconds *= scale
    ratio = f"Moses {moses:.0f} s, {moses / seconds:.1f} times as much"
    return what, f"{seconds:.1f} calibrated CPU s, {megabytes:.0f} MB at the peak; {ratio}"


def _train(data: Path, out: Path, memory: int, inputs: list[Path]) -> tuple[float, float]:
    """Return the CPU seconds and the peak megabytes of a training in its own process."""
    peers = data / "peers"
    alignments = peers / "train.eflomal-gdfa.align.gz"
    arguments = [out, data / "train.cs.gz", data / "train.en.gz", alignments, memory, *inputs]
    with subprocess.Popen([sys.executable, "-c", MEASURED, *map(str, arguments)]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("the training failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _moses_rules(table: Path) -> Iterator[tuple[object, tuple[float, ...]]]:
    """Yield the sides of each rule of Moses' table, and its scores."""
    with gzip.open(table, "rt", encoding="utf-8") as lines:
        for line in lines:
            source, target, scores, links = line.split(" ||| ")[:4]
            words, to = source.split()[:-1], target.split()[:-1]
            places = [i for i, word in enumerate(words) if word == "[X][X]"]
            partner = {}
            for pair in links.split():
                s, t = map(int, pair.split("-"))
                if words[s] == "[X][X]":
                    partner[t] = places.index(s)
            sides = (
                tuple("[X]" if word == "[X][X]" else word for word in words),
                tuple(partner[i] if word == "[X][X]" else word for i, word in enumerate(to)),
            )
            yield sides, tuple(map(float, scores.split()))


def _compare(data: Path, grammar: Path) -> tuple[str, str]:
    """Return how many rules we share with Moses, and how far their scores differ."""
    names = ("p_f_given_e", "lex_f_given_e", "p_e_given_f", "lex_e_given_f")
    ours = {
        (
            tuple(str(s) if isinstance(s, Nonterminal) else s for s in rule.source),
            rule.target,
        ): tuple(rule.features[name] for name in names)
        for rule in Grammar(grammar)
    }
    moses = dict(_moses_rules(data / "peers" / "val200.rule-table.moses.gz"))
    common = ours.keys() & moses.keys()

    def agreeing(tolerance: float) -> float:
        pairs = ((ours[rule], moses[rule]) for rule in common)
        near = sum(
            all(abs(a - b) <= tolerance * b for a, b in zip(*pair, strict=True)) for pair in pairs
        )
        return near / len(common)

    counts = f"ours {len(ours):,}, Moses {len(moses):,}, common {len(common):,}"
    # Moses rounds lexical probabilities to seven decimals.
    shares = ", ".join(f"{agreeing(t):.2%} within {t:g}" for t in (2e-5, 1e-3, 1e-2))
    return "rules for 200 sentences", f"{counts}; all four scores: {shares}"


def _align(gold: Path) -> tuple[str, str]:
    """Return the error rate of the built-in aligner against manual alignments, and its CPU time."""
    manual = read_alignments(gold / "all.align.gz")
    began = time.process_time()
    directed = DiagonalAligner().align(gold / "all.grc.gz", gold / "all.en.gz")
    found = symmetrize(*directed)
    seconds = time.process_time() - began
    right = sum(
        len({*found.text(i).split()} & {*manual.text(i).split()}) for i in range(len(manual))
    )
    error = 1 - 2 * right / (found.link_count + manual.link_count)
    return f"alignment of {len(manual):,} verses", f"AER {error:.3f}, {seconds:.1f} CPU s"
