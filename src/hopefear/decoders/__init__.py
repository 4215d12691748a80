"""Decoders in the loop: the built-in one, and any other by a command."""

from hopefear.decoders.command import CommandDecoder
from hopefear.decoders.command_set import CommandSet
from hopefear.decoders.decoded_set import DecodedSet
from hopefear.decoders.parses import Parses, write_parses

__all__ = ["CommandDecoder", "CommandSet", "DecodedSet", "Parses", "write_parses"]
