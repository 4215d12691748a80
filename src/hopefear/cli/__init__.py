"""The command line: it parses arguments, calls the library and shows results; no logic."""

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    # While modules are imported, an interrupt ends the process at once and without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from hopefear.cli.program import run
    from hopefear.cli.signals import heeding_signals

    with heeding_signals():
        sys.exit(run(sys.argv[1:]))
