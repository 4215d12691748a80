"""Fuzz readers one after the other, count executions, and report findings.

    python -m hardening.fuzz [READER ...] [--seconds S | --runs N]

Without names, a time is spent on all readers in one process, and runs on each in one of its own.
An input that crashes a reader, hangs, takes more than 2 GB or raises anything but a HopefearError
is saved in the folder of findings, and the exit status is 1. What libFuzzer found to reach new code
is kept, so that the next run begins where the last one ended.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "fuzz"
LIMITS = ("-timeout=30", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1")


def fuzz(reader: str, limit: str, seed: int) -> tuple[int, int, bool]:
    """Fuzz one reader; return how often it ran, how much code was reached, and whether all held."""
    corpus, findings = BUILT / "corpus" / reader, BUILT / "findings" / reader
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    core = next(BUILT.glob("_core*.so"))
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(ROOT / "hardening" / "site")])
    known = {"HOPEFEAR_CORE": str(core), "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    child = [sys.executable, "-m", "hardening.fuzz.child", reader, str(corpus)]
    options = [*LIMITS, limit, f"-seed={seed}", f"-artifact_prefix={findings}{os.sep}"]
    done = subprocess.run(
        [*child, *options], env=os.environ | known, cwd=ROOT, capture_output=True, text=True
    )
    (BUILT / f"{reader}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    executed = re.findall(r"^stat::number_of_executed_units: (\d+)|^#(\d+)", done.stderr, re.M)
    reached = re.findall(r"\bcov: (\d+)", done.stderr)
    runs = max((int(a or b) for a, b in executed), default=0)
    return runs, int(reached[-1]) if reached else 0, done.returncode == 0


def main() -> int:
    """Fuzz what was asked for; return the exit status."""
    sys.path.insert(0, str(ROOT))
    from hardening.fuzz.readers import READERS
    from hardening.fuzz.seeds import write_seeds

    parser = argparse.ArgumentParser(prog="python -m hardening.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", choices=[*READERS, "all", []])
    parser.add_argument("--seconds", type=int, default=60, help="for all readers together")
    parser.add_argument("--runs", type=int, help="executions of each reader, instead of a time")
    parser.add_argument("--seed", type=int, default=1, help="libFuzzer's random numbers")
    arguments = parser.parse_args()
    readers = arguments.readers or (list(READERS) if arguments.runs else ["all"])
    share = max(1, arguments.seconds // len(readers))
    limit = f"-runs={arguments.runs}" if arguments.runs else f"-max_total_time={share}"
    total, broken = 0, []
    for reader in readers:
        write_seeds(reader, BUILT / "corpus" / reader)
        runs, reached, clean = fuzz(reader, limit, arguments.seed)
        total += runs
        print(f"{reader:12}{runs:>12,} executions{reached:>8,} blocks", flush=True)
        if not clean:
            broken.append(reader)
            print(f"  FINDING: see {BUILT / reader}.log and {BUILT / 'findings' / reader}")
    print(
        f"{'total':12}{total:>12,} executions; findings in {len(broken)} of {len(readers)} readers"
    )
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
