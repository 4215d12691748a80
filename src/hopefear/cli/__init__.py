"""The command line: it parses arguments, calls the library and shows results; no logic."""

from hopefear.cli.program import main

__all__ = ["main"]
