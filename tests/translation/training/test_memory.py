"""Training takes memory as it needs it."""

import shlex
import subprocess
from pathlib import Path

import pytest

from command_line import program
from small_models import write_bitext


@pytest.mark.unsanitized("sanitizers reserve terabytes of addresses")
def test_training_reserves_no_memory_that_it_does_not_use(tmp_path: Path) -> None:
    source, target = write_bitext(tmp_path)
    command = program(["train", "-s", source, "-t", target, "-o", tmp_path / "m", "--threads", "2"])
    limited = f"ulimit -v 700000; exec {shlex.join(command)} --set alignment.aligner=diagonal"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False)
    assert (done.returncode, "Model(" in done.stderr) == (0, True), done.stderr
