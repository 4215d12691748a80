"""Tune and translate again and again in one process, and watch what grows.

    python -m hardening.soak [--minutes 60]

Prints memory, open files and temporary files every minute. The exit status is 1 if, between the
end of the first tenth and the end, memory grew by more than 5 % or anything else by one.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def measured(folder: Path) -> tuple[float, int, int]:
    """Return the resident memory in MB, the number of open files, and of files in the folder."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    memory = pages * resource.getpagesize() / 1e6
    files = sum(1 for path in folder.rglob("*") if path.is_file())
    return memory, len(list(Path("/proc/self/fd").iterdir())), files


def main() -> int:
    """Run for the time that was asked for; return the exit status."""
    sys.path.insert(0, str(ROOT))
    from hardening.crash.tasks import TASKS, write_inputs
    from hardening.crash.trial import warm_up

    parser = argparse.ArgumentParser(prog="python -m hardening.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / "work"
        tempfile.tempdir = made  # so that temporary files count, too
        write_inputs(folder)
        began, told, rounds = time.monotonic(), 0.0, 0
        first: tuple[float, int, int] | None = None
        while (passed := time.monotonic() - began) < 60 * minutes:
            for task in TASKS.values():
                warm_up(task.command, folder, task.stdin)
                rounds += 1
            now = measured(Path(made))
            if first is None and passed > 6 * minutes:
                first = now
            if passed - told >= 60 or not told:
                told = passed
                print(
                    f"{passed / 60:5.1f} min {rounds:7,} commands {now[0]:8.1f} MB "
                    f"{now[1]} open files {now[2]} files",
                    flush=True,
                )
    assert first is not None
    grown = now[0] > 1.05 * first[0] or now[1] > first[1] or now[2] > first[2]
    print(
        f"{rounds:,} commands; from minute {0.1 * minutes:.0f} on: memory {first[0]:.1f} to "
        f"{now[0]:.1f} MB, open files {first[1]} to {now[1]}, files {first[2]} to {now[2]}"
    )
    return grown


if __name__ == "__main__":
    sys.exit(main())
