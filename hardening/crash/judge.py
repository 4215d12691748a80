"""Whether a command under faults did what is promised."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from hardening.crash.tasks import Task
from hardening.crash.trial import Fault, Outcome, carry_out, cut_power, litter, results, warm_up

__all__ = ["Judge"]

# Calls that are counted by themselves; all other kinds strike calls that change files.
COUNTED = {"eio-read": "eio-read", "new": "new", "malloc": "malloc"}

# Binary files, which have checksums; what people edit has none.
CHECKED = {".bin", ".forests", ".kenlm", ".npz"}


class Judge:
    """Trials of one task, against its undisturbed run."""

    def __init__(self, task: Task, folder: Path, stream: random.Random) -> None:
        self._task, self._folder, self._stream = task, folder, stream
        self._calls: dict[str, int] = {}
        warm_up(task.command, folder, task.stdin)
        whole = self._run(task.command, Fault("count"))
        if whole.code != 0:
            raise SystemExit(f"{task.command[0]} fails undisturbed: {whole.err}")
        self._calls["count"] = whole.calls
        self._expected = self._found(whole)
        self._history = set(results(folder, task.history))

    def try_one(self, kind: str) -> tuple[str, str]:
        """Let something go wrong once; return how it ended, and the problem, if there is one."""
        if kind == "damage":
            return self._damage()
        fault = Fault(kind, 1 + self._stream.randrange(max(1, self._count(kind))))
        shutil.rmtree(self._folder / "out", ignore_errors=True)
        first = self._run(self._task.command, fault)
        ended = {0: "done", -9: "killed"}.get(first.code, "refused")
        problem = self._ended_well(kind, first) or self._resumes(kind)
        return ended, f"{kind} at call {fault.call}: {problem}" if problem else ""

    def _damage(self) -> tuple[str, str]:
        """Flip a bit of a binary file, or truncate one, where a stopped command goes on."""
        shutil.rmtree(self._folder / "out", ignore_errors=True)
        if self._task.stdin is None:
            stop = 1 + self._stream.randrange(self._count("kill"))
            self._run(self._task.command, Fault("kill", stop))
        place = self._folder / ("in/model" if self._task.stdin else "out")
        files = sorted(path for path in place.rglob("*") if path.suffix in CHECKED)
        if not files:
            return "nothing there", ""
        path = self._stream.choice(files)
        whole = path.read_bytes()
        path.write_bytes(self._damaged(whole))
        then = self._run(self._task.resume)
        path.write_bytes(whole)
        problem = ""
        if not then.clean:
            problem = f"exit {then.code}: {then.err[-2000:]}"
        elif then.code == 0 and (found := self._differing(then, "power")):
            problem = f"no error, and other content: {found}"
        ended = "same result" if then.code == 0 else "refused"
        return ended, f"damaged {path.name}: {problem}" if problem else ""

    def _damaged(self, content: bytes) -> bytes:
        place = self._stream.randrange(max(1, len(content)))
        if self._stream.random() < 0.25:
            return content[:place]
        flipped = bytearray(content or b"\0")
        flipped[place] ^= 1 << self._stream.randrange(8)
        return bytes(flipped)

    def _ended_well(self, kind: str, first: Outcome) -> str:
        if first.code == -9 and kind in ("kill", "power"):
            if kind == "power":
                cut_power(self._folder, names=self._stream.random() < 0.5)
            return ""
        if not first.clean:
            return f"exit {first.code}: {first.err[-2000:]}"
        if kind == "short" and first.code != 0:
            return f"reads and writes of fewer bytes are no error: {first.err[-500:]}"
        if first.code == 0 and (found := self._differing(first, kind)):
            return f"no error, and other content: {found}: {first.err[-500:]}"
        if left := litter(self._folder):
            return f"left behind: {left}"
        return ""

    def _resumes(self, kind: str) -> str:
        """Go on without faults; where nothing can be resumed, start again."""
        then = self._run(self._task.resume)
        if then.clean and then.code != 0:
            then = self._run(self._task.again)
        if then.code != 0 or not then.clean:
            return f"resuming: exit {then.code}: {then.err[-2000:]}"
        if found := self._differing(then, kind):
            return f"after resuming, other content: {found}"
        left = litter(self._folder)
        return f"left behind after resuming: {left}" if left else ""

    def _differing(self, outcome: Outcome, kind: str) -> list[str]:
        """Return the files that are not as after an undisturbed run."""
        found, expected = self._found(outcome), self._expected
        if kind == "power":
            expected = {n: c for n, c in expected.items() if n in found or n not in self._history}
        return sorted(n for n in found.keys() | expected.keys() if found.get(n) != expected.get(n))

    def _found(self, outcome: Outcome) -> dict[str, bytes]:
        found = results(self._folder, [*self._task.results, *self._task.history])
        return found | {"standard output": outcome.out} if self._task.stdin else found

    def _run(self, arguments: Sequence[str], fault: Fault | None = None) -> Outcome:
        return carry_out(arguments, self._folder, fault, self._task.stdin)

    def _count(self, kind: str) -> int:
        """Return how many calls such a fault can strike."""
        counted = COUNTED.get(kind, "count")
        if counted not in self._calls:
            shutil.rmtree(self._folder / "out", ignore_errors=True)
            self._calls[counted] = self._run(self._task.command, Fault(counted)).calls
        return self._calls[counted]
