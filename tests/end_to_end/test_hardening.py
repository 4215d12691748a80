"""Short forms of what `make fuzz` and `make crash` do at length."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hardening.fuzz.readers import READERS
from hardening.fuzz.seeds import write_seeds

from hopefear.errors import HopefearError

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
