"""How much of an input is taken at once, and what happens to lines that cannot be translated."""

from typing import Literal

__all__ = ["LONGEST_LINE", "WINDOW", "OnError"]

LONGEST_LINE = 4 << 20
"""Bytes of a line to translate; a long novel has fewer."""

WINDOW = 500
"""Words that are translated at once; sentences are shorter."""

OnError = Literal["stop", "skip", "copy"]
