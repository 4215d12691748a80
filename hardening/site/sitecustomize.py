"""Python runs this at its start if the folder is in PYTHONPATH.

All processes below one with HOPEFEAR_CORE then use that build of the core, such as one with a
sanitizer, in place of the installed one.
"""

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _OtherCore(MetaPathFinder):
    def __init__(self, path: str) -> None:
        self._path = path

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "hopefear._core":
            return None
        return importlib.util.spec_from_file_location(name, self._path)


if core := os.environ.get("HOPEFEAR_CORE"):
    sys.meta_path.insert(0, _OtherCore(core))
