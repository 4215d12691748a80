"""The process that fuzzes one reader: ``python -m hardening.fuzz.child READER [OPTION ...]``.

The options are libFuzzer's. Atheris traces the package's Python code and has libFuzzer inside. The
core's readers are traced by g++; coverage.cpp makes that the counters that libFuzzer looks at.
"""

import contextlib
import ctypes
import importlib
import importlib.util
import sys
import tempfile
import warnings
from pathlib import Path

# Rooms of the package that look at bytes; tracing all of it would take seconds at every start.
TRACED = [
    *("formats", "settings", "events", "parallel.codec", "runs.checkpoint", "runs.options"),
    *("runs.sentences", "runs.run_directory", "inspection.cloud", "reporting.run_record"),
    *("translation.language_model", "translation.model", "translation.features.bins"),
]


def main() -> None:
    """Fuzz until libFuzzer's limits are reached; it ends the process."""
    atheris = importlib.import_module("atheris")  # which has no types
    # Atheris traces what Python itself finds; an editable installation has a finder of its own.
    sys.meta_path[:] = [f for f in sys.meta_path if not hasattr(f, "known_source_files")]
    with atheris.instrument_imports(include=[f"hopefear.{name}" for name in TRACED]):
        core = importlib.import_module("hopefear._core")
        readers = importlib.import_module("hardening.fuzz.readers")
        errors = importlib.import_module("hopefear.errors")
    read, expected = readers.READERS.get(sys.argv[1], readers.read_any), errors.HopefearError
    folder = tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    path = Path(folder) / "input"
    warnings.simplefilter("ignore")

    def once(data: bytes) -> None:
        with contextlib.suppress(expected):
            read(data, path)

    atheris.Setup([sys.argv[0], *sys.argv[2:]], once)
    _trace(ctypes.CDLL(str(core.__file__)))
    atheris.Fuzz()


def _trace(core: ctypes.CDLL) -> None:
    """Show libFuzzer, which atheris has inside, what the core reaches and compares."""
    found = importlib.util.find_spec("atheris.core_with_libfuzzer")
    assert found is not None
    fuzzer = ctypes.CDLL(str(found.origin))
    told = [core[f"hopefear_{n}"] for n in ("counters", "blocks", "counter_count", "compared")]
    for function in told:
        function.restype = ctypes.c_size_t
    counters, blocks, count, compared = (function() for function in told)
    for begin, size, what in ((counters, 1, "8bit_counters"), (blocks, 16, "pcs")):
        register = fuzzer[f"__sanitizer_cov_{what}_init"]
        register(ctypes.c_void_p(begin), ctypes.c_void_p(begin + size * count))
    functions = (ctypes.c_void_p * 5).from_address(compared)
    for place, what in enumerate(("cmp1", "cmp2", "cmp4", "cmp8", "switch")):
        traced = fuzzer[f"__sanitizer_cov_trace_{what}"]
        functions[place] = ctypes.cast(traced, ctypes.c_void_p).value


if __name__ == "__main__":
    main()
