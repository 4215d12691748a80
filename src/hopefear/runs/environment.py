"""The machine and the programs that a run is carried out with."""

import os
import platform
import resource
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hopefear import __version__

__all__ = ["describe_environment", "peak_memory"]


def describe_environment() -> Mapping[str, str]:
    """Return what results and times may depend on; nothing that names a user or a machine.

    Examples
    --------
    >>> list(describe_environment())[:3]
    ['hopefear', 'Python', 'NumPy']
    """
    system = os.uname()
    found = {"hopefear": __version__, "Python": platform.python_version()}
    for name in ("NumPy", "sacreBLEU"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    found["system"] = f"{system.sysname} {system.release} {system.machine}"
    found["processor"] = _processor()
    found["cores"] = str(len(os.sched_getaffinity(0)))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    found["memory"] = f"{memory / 2**30:.0f} GiB"
    return {name: value for name, value in found.items() if value}


def _processor() -> str:
    """Return what the system calls the processor, if it does."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return ""


def peak_memory() -> int:
    """Return the most bytes that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
