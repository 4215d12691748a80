import subprocess
import sys
from pathlib import Path

import hopefear


def test_the_committed_stubs_are_those_of_the_compiled_core(tmp_path: Path) -> None:
    generated = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "hopefear._core"]
    subprocess.run([*command, "-o", str(generated)], check=True)
    committed = Path(hopefear.__file__).with_name("_core.pyi")
    assert committed.read_text() == generated.read_text(), "run 'make format'"
