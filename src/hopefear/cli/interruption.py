"""The end of a command that the user stopped, with what is to be said about it."""

__all__ = ["InterruptedRunError"]


class InterruptedRunError(Exception):
    """The user stopped a command; the message says how to go on."""
