"""Kill commands at random points, and starve them of disk, reads and memory.

    python -m hardening.crash [TASK ...] [--points 200] [--seed 1]

Of every trial either a message comes, or the result is that of an undisturbed run. Afterwards the
command resumes, or starts again, and the result must be the same to the last bit, without
temporary files. Exit status 1 if anything else happened.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIM = ROOT / "build" / "crash" / "faults.so"
# How often each kind strikes, for 200 kills.
SHARES = {"kill": 1.0, "power": 0.5, "full": 0.25, "eio-write": 0.25, "eio-read": 0.25}
SHARES |= {"damage": 1.0, "short": 0.01, "new": 0.5, "malloc": 0.25}


def main() -> int:
    """Carry out the trials; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m hardening.crash", description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--points", type=int, default=200, help="kills of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=list(SHARES), choices=list(SHARES))
    arguments = parser.parse_args()
    if str(SHIM) not in os.environ.get("LD_PRELOAD", ""):
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        known = {"LD_PRELOAD": str(SHIM), "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
        again = [sys.executable, "-m", "hardening.crash", *sys.argv[1:]]
        return subprocess.run(again, env=os.environ | known, cwd=ROOT).returncode

    from hardening.crash.judge import Judge
    from hardening.crash.tasks import TASKS, write_inputs
    from hopefear.runs import run_directory

    run_directory.CHECKPOINT_SECONDS = 0.0  # so that there is something to resume from

    problems = 0
    with tempfile.TemporaryDirectory() as made:
        inputs = Path(made).resolve() / "inputs"
        write_inputs(inputs)
        for name in arguments.tasks or TASKS:
            folder = inputs.with_name(name)
            shutil.copytree(inputs, folder)
            judge = Judge(TASKS[name], folder, random.Random(f"{arguments.seed} {name}"))
            told: Counter[str] = Counter()
            for kind in arguments.kinds:
                for _ in range(max(1, round(arguments.points * SHARES[kind]))):
                    ended, problem = judge.try_one(kind)
                    told[f"{kind}: {ended}"] += 1
                    if problem:
                        problems += 1
                        print(f"{name}: {problem}", flush=True)
            print(f"{name}: " + ", ".join(f"{k} {n}" for k, n in sorted(told.items())), flush=True)
            shutil.rmtree(folder)
    print(f"{problems} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
