"""Searching forests for hope and fear: good and bad derivations that the model likes."""

from hopefear.search.base import Example, Found, Search, searches
from hopefear.search.methods import Linear, NBestSearch, Rerank
from hopefear.search.reference import (
    Bold,
    Hope,
    Local,
    MaxBleu,
    ReferenceDerivation,
    reference_derivations,
)

__all__ = [
    "Bold",
    "Example",
    "Found",
    "Hope",
    "Linear",
    "Local",
    "MaxBleu",
    "NBestSearch",
    "ReferenceDerivation",
    "Rerank",
    "Search",
    "reference_derivations",
    "searches",
]
