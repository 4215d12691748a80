"""How long work tells how far it is."""

from collections.abc import Callable

__all__ = ["Progress"]

Progress = Callable[[str, int, int], None]
"""Called now and then with a stage, how much of it is done, and of how much (0: not known)."""
