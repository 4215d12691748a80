"""What all functions share: keyword arguments that become settings."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar, cast

from hopefear.settings import config
from hopefear.settings.tree import keyword_options

__all__ = ["PathLike", "Progress", "decode", "decode_assignments"]

PathLike = str | Path
Progress = Callable[[str, int, int], None]
"""Called now and then with what is being done, how much of it is done, and of how much (or 0)."""

T = TypeVar("T")


def decode(kind: type[T], keywords: Mapping[str, object], source: str) -> T:
    """Make settings from keyword arguments; None stands for the default."""
    return config.decode(kind, keyword_options(kind, keywords, source), source=source)


def decode_assignments(given: Sequence[str]) -> Sequence[str]:
    """Check settings as in ``learner.max_step=0.1``."""
    return cast("tuple[str, ...]", config.decode_value(tuple[str, ...], given, "set"))
