"""The number of threads, which Python and the core count alike."""

import os
import subprocess
import sys

from hopefear._core import thread_count

COUNT = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from hopefear._core import thread_count
print(thread_count(0), thread_count(3))
"""


def test_zero_means_one_thread_per_core_that_the_process_may_use() -> None:
    assert thread_count(0) == len(os.sched_getaffinity(0))
    found = subprocess.run(
        [sys.executable, "-c", COUNT], check=True, capture_output=True, text=True
    )
    assert found.stdout.split() == ["1", "3"]
