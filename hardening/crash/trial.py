"""One command under faults, in a process of its own: a fork, so that a trial takes milliseconds."""

import ctypes
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.cli.program import run

__all__ = ["Fault", "Outcome", "carry_out", "cut_power", "litter", "results", "warm_up"]

PATIENCE = 600  # seconds, which no trial takes even on a busy machine


@dataclass(frozen=True)
class Fault:
    """What goes wrong (see faults.cpp), and at which call."""

    kind: str = "none"
    call: int = 0


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a command ended; `code` is negative if it was killed by a signal."""

    code: int
    out: bytes
    err: str
    calls: int

    @property
    def clean(self) -> bool:
        """Whether the command succeeded, or failed with a message of its own."""
        failed = self.code in (1, 2) and "hopefear: " in self.err
        return (self.code == 0 or failed) and "Traceback" not in self.err


def carry_out(
    arguments: Sequence[str], folder: Path, fault: Fault | None = None, stdin: str | None = None
) -> Outcome:
    """Run ``hopefear`` in `folder`, where the fault strikes files below it."""
    notes = folder.with_name(folder.name + ".notes")
    shutil.rmtree(notes, ignore_errors=True)
    (notes / "disk").mkdir(parents=True)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _child(arguments, folder, fault or Fault(), stdin, notes)
    _, status = os.waitpid(child, 0)
    read = {name: (notes / name).read_bytes() for name in ("out", "err")}
    calls = (notes / "calls").read_text() if (notes / "calls").exists() else "0"
    return Outcome(
        code=os.waitstatus_to_exitcode(status),
        out=read["out"],
        err=read["err"].decode(errors="replace"),
        calls=int(calls),
    )


def warm_up(arguments: Sequence[str], folder: Path, stdin: str | None) -> None:
    """Run a command in this process, so that forks of it find everything imported."""
    before = Path.cwd()
    os.chdir(folder)
    kept = [os.dup(number) for number in (0, 1, 2)]
    try:
        _redirect(stdin or os.devnull, os.devnull, os.devnull)
        if (code := run(list(arguments))) != 0:
            raise SystemExit(f"{arguments[0]} fails undisturbed: exit status {code}")
    finally:
        sys.stdout.flush()
        os.chdir(before)
        for number, old in enumerate(kept):
            os.dup2(old, number)
            os.close(old)
    shutil.rmtree(folder / "out", ignore_errors=True)


def _redirect(*names: str) -> None:
    """Let standard input, output and error be these files."""
    sys.stdout.flush()
    for number, name in enumerate(names):
        opened = os.open(name, os.O_CREAT | os.O_WRONLY if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)


def _child(
    arguments: Sequence[str], folder: Path, fault: Fault, stdin: str | None, notes: Path
) -> None:
    os.chdir(folder)
    _redirect(stdin or os.devnull, str(notes / "out"), str(notes / "err"))
    signal.alarm(PATIENCE)  # which ends a command that hangs, by SIGALRM
    faults = ctypes.CDLL(None)
    texts = (f"{folder}{os.sep}".encode(), str(notes / "disk").encode())
    faults.faults_arm(fault.kind.encode(), ctypes.c_long(fault.call), *texts)
    code = 99
    try:
        code = run(list(arguments))
    except BaseException:  # as Python would end: with a traceback
        faults.faults_arm(b"none", ctypes.c_long(0), *texts)
        sys.excepthook(*sys.exc_info())
    finally:
        calls = faults.faults_calls()
        faults.faults_arm(b"none", ctypes.c_long(0), *texts)
        (notes / "calls").write_text(str(calls))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def results(folder: Path, patterns: Sequence[str]) -> dict[str, bytes]:
    """Return the files that count, by their names."""
    out = folder / "out"
    return {
        str(path.relative_to(out)): path.read_bytes()
        for pattern in patterns
        for path in sorted(out.glob(pattern))
    }


def litter(folder: Path) -> list[str]:
    """Return temporary files that were left behind."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob(".*.part"))


def cut_power(folder: Path, *, names: bool) -> None:
    """Leave of ``out`` what the disk has: files as they were at their last fsync.

    With `names`, a directory has the names of now, as if the system had written names but no
    content; otherwise those of its own last fsync, and is empty if there was none.
    """
    disk, out = folder.with_name(folder.name + ".notes") / "disk", folder / "out"
    if out.is_dir():
        _cut(out, disk, names=names)


def _cut(directory: Path, disk: Path, *, names: bool) -> None:
    kept = disk / str(directory.stat().st_ino)
    lines = kept.read_text().splitlines() if kept.exists() else []
    known = {name: number for number, name in (line.split(" ", 1) for line in lines)}
    there = {path.name: path for path in directory.iterdir()}
    if names:
        known = {name: str(path.stat().st_ino) for name, path in there.items()}
    for name, path in there.items():
        if path.is_dir() and name in known:
            _cut(path, disk, names=names)
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, number in known.items():
        if not (directory / name).is_dir():
            content = disk / number
            (directory / name).write_bytes(content.read_bytes() if content.exists() else b"")
