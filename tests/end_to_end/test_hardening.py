"""Short forms of what `make fuzz` and `make crash` do at length."""

import gc
import io
import json
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hardening.audit import audited
from hardening.fuzz.readers import READERS
from hardening.fuzz.seeds import write_seeds

from hopefear import __version__
from hopefear.cli.program import run
from hopefear.errors import HopefearError

ROOT = Path(__file__).parents[2]
JUNK = [b"", b"\0", b"\xff" * 8, b"-1", b"1e999", b"nan", b"9" * 30, b"\n", b" ||| ", b"[X]", b"{"]


@pytest.mark.filterwarnings("ignore::hopefear.errors.HopefearWarning")
@pytest.mark.parametrize("reader", READERS)
def test_what_is_written_is_read_and_what_is_garbled_is_read_or_refused(
    reader: str, tmp_path: Path
) -> None:
    write_seeds(reader, tmp_path / "seeds")
    stream = random.Random(reader)
    for path in sorted((tmp_path / "seeds").iterdir()):
        seed = path.read_bytes()
        for _ in range(25):
            begin = stream.randrange(len(seed))
            end = begin + stream.choice([0, 1, 1, 2, 8])
            garbled = seed[:begin] + stream.choice(JUNK) + seed[end:]
            with suppress(HopefearError):
                READERS[reader](garbled, tmp_path / "input")


@pytest.mark.unsanitized("the layer that breaks things replaces functions that sanitizers replace")
def test_commands_that_are_killed_and_starved_end_with_an_error_or_the_same_result() -> None:
    if shutil.which("make") is None or shutil.which("g++") is None:
        pytest.skip("needs make and g++, to build the layer that breaks things")
    subprocess.run(["make", "-s", "build/crash/faults.so"], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "hardening.crash", "lists", "decoder", "translate"]
    done = subprocess.run([*command, "--points", "4"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_audit_that_looked_nothing_up_does_not_say_that_all_is_well() -> None:
    unknown = {"name": "a", "skip_reason": "not found"}
    vulnerable = {"name": "b", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}
    found = audited(json.dumps({"dependencies": [unknown, vulnerable]}))
    assert found == (1, ["a"], ["b 1: X-1, mended in ['2']"])
    assert audited(json.dumps({"dependencies": [unknown]})) == (0, ["a"], [])


class HalfTaken(io.RawIOBase):
    """A file that takes half of what it is given, as a disk does that becomes full."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        given = bytes(data)
        taken = given[: (len(given) + 1) // 2]
        self.taken += taken
        return len(taken)


def test_output_that_is_not_taken_at_once_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = HalfTaken()
    unbuffered = io.TextIOWrapper(cast(Any, raw), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", unbuffered)  # as PYTHONUNBUFFERED has it
    assert run(["--version"]) == 0
    sys.stdout.flush()
    assert raw.taken.decode() == f"hopefear {__version__}\n"
    assert sys.stdout is unbuffered
    assert not raw.closed
    streams = len([one for one in gc.get_objects() if isinstance(one, io.TextIOWrapper)])
    for _ in range(3):
        assert run(["--version"]) == 0
    assert len([one for one in gc.get_objects() if isinstance(one, io.TextIOWrapper)]) == streams
