"""Decoders in the loop: the built-in one, and any other by a command."""

from hopefear.candidates.command import CommandDecoder
from hopefear.candidates.command_set import CommandSet
from hopefear.candidates.decoded_set import DecodedSet
from hopefear.candidates.parses import Parses, write_parses

__all__ = ["CommandDecoder", "CommandSet", "DecodedSet", "Parses", "write_parses"]
