"""From a bitext with word alignments to a usable model: CPU time and memory, beside Moses.

Needs the corpora of `HOPEFEAR_SHARED`; figures of peers are in their README.
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

from hopefear.grammar import Grammar, Nonterminal
from hopefear.translation.training.align import DiagonalAligner, read_alignments, symmetrize

MOSES_SECONDS = 695.0
MOSES_FILTER_SECONDS = 63.0
CALIBRATION = 1.11  # CPU seconds of calibrate.py where Moses was measured

Rows = list[tuple[str, str]]

MEASURED = """
import sys, hopefear
hopefear.train(out=sys.argv[1], source=sys.argv[2], target=sys.argv[3], alignments=sys.argv[4],
    inputs=sys.argv[6:], memory=int(sys.argv[5]))
"""


def run() -> Rows:
    """Return all figures."""
    shared = Path(os.environ.get("HOPEFEAR_SHARED", Path(__file__).parents[2] / "shared"))
    data = shared / "data" / "multi30k-cs-en"
    if not data.is_dir():
        return [("multi30k-cs-en", "is not here; set HOPEFEAR_SHARED to the folder of data/")]
    calibrate = runpy.run_path(str(shared / "data" / "calibrate.py"))["workload"]
    rows: Rows = []
    with tempfile.TemporaryDirectory(prefix="hopefear-bench-") as folder:
        for memory in (1 << 31, 1 << 28):
            out = Path(folder, f"all{memory}")
            what = f"all rules, in {memory >> 20} MiB beside the bitext"
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
    rows.append(_align(shared / "data" / "gold-align-grc-en"))
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
    return what, f"{seconds:.1f} CPU s as calibrated, {megabytes:.0f} MB at the peak; {ratio}"


def _train(data: Path, out: Path, memory: int, inputs: list[Path]) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes at the peak of a training of its own."""
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
    """Give the sides of each rule of Moses' table, and its scores."""
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
    """Return how many rules are Moses', and how far scores are from its own."""
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
    # Moses keeps lexical probabilities with seven digits behind the point.
    shares = ", ".join(f"{agreeing(t):.2%} within {t:g}" for t in (2e-5, 1e-3, 1e-2))
    return "rules for 200 sentences", f"{counts}; all four scores: {shares}"


def _align(gold: Path) -> tuple[str, str]:
    """Return the error rate of our aligner against manual alignments, and its CPU time."""
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
