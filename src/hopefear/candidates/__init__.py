"""Candidates: what learners learn from, and what they can do (see `hopefear.candidates.base`)."""

from hopefear.candidates.base import (
    Aside,
    Candidates,
    HasBlockLists,
    HasForests,
    HasForestSets,
    HasLists,
    HasSurface,
    HasUnits,
    Translations,
)
from hopefear.candidates.command import CommandDecoder, CommandSet
from hopefear.candidates.decoded import DecodedSet, Parses, write_parses
from hopefear.candidates.forests import ForestSet
from hopefear.candidates.lists import ListSet

__all__ = [
    "Aside",
    "Candidates",
    "CommandDecoder",
    "CommandSet",
    "DecodedSet",
    "ForestSet",
    "HasBlockLists",
    "HasForestSets",
    "HasForests",
    "HasLists",
    "HasSurface",
    "HasUnits",
    "ListSet",
    "Parses",
    "Translations",
    "write_parses",
]
