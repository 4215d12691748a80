"""The versions of what runs on a machine, which must be the same on all machines of a cluster."""

import hashlib
import platform
from collections.abc import Mapping
from pathlib import Path

import hopefear

__all__ = ["differences", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of what runs here.

    Checkouts of one version may differ: the digest is that of the package's files.
    """
    digest, package = hashlib.sha256(), Path(hopefear.__file__).parent
    for path in sorted(package.rglob("*.py*")):
        if path.suffix in {".py", ".pyi"}:  # the core's interface, which all builds share
            digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return {
        "hopefear": f"{hopefear.__version__} ({digest.hexdigest()[:8]})",
        "Python": platform.python_version(),
    }


def differences(theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Say what differs; nothing if all is the same.

    Examples
    --------
    >>> differences({"Python": "3.10.2"}, {"Python": "3.11.7"})
    'Python 3.10.2 instead of 3.11.7'
    """
    return ", ".join(
        f"{name} {theirs.get(name)} instead of {version}"
        for name, version in ours.items()
        if theirs.get(name) != version
    )
