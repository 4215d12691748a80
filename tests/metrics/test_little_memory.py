"""A failed allocation while texts are taken from Python is an error that ends no process."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from hopefear import _core
from hopefear.types import Vocabulary

SCRIPT = """
import resource
import numpy as np
from hopefear import _core
references = _core.ReferenceWords([["a"]])
texts = ["x" * 100_000] * 20_000  # 2 GB as copies
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (200 << 20), -1))
calls = [
    lambda: _core.text_hypotheses(references, texts, np.zeros(len(texts), dtype=np.int64)),
    lambda: _core.ReferenceWords([texts]),
    lambda: _core.ChrfReferences([texts]),
]
for call in calls:
    try:
        call()
    except MemoryError:
        print("refused")
"""


@pytest.mark.unsanitized("sanitizers reserve terabytes of addresses")
def test_texts_that_do_not_fit_into_memory_are_refused() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n" * 3), done.stderr


def test_only_sequences_of_texts_are_taken() -> None:
    names = Vocabulary()
    names.add("a")
    assert names.find_all(["a", "b"]).tolist() == names.find_all(("a", "b")).tolist() == [0, -1]
    other: tuple[Any, ...] = ("a", ["a", 1], 5)
    for wrong in other:
        with pytest.raises(TypeError):
            names.find_all(wrong)
    with pytest.raises(UnicodeEncodeError):
        names.find_all(["\ud800"])
    references = _core.ReferenceWords([["a", "b"], ("c",)])
    assert len(references) == 2
    with pytest.raises(TypeError):
        _core.text_hypotheses(references, "ab", np.zeros(2, dtype=np.int64))
