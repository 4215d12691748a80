"""Forests: all derivations of a sentence as an acyclic hypergraph, and inference over them."""

from hopefear.forest.boundaries import without_boundaries
from hopefear.forest.builder import Arc, ForestBuilder, lattice_forest, nbest_forest
from hopefear.forest.derivation import Derivation, SparseFeatures
from hopefear.forest.distribution import Distribution, Posteriors
from hopefear.forest.envelope import Envelope
from hopefear.forest.forest import Forest

__all__ = [
    "Arc",
    "Derivation",
    "Distribution",
    "Envelope",
    "Forest",
    "ForestBuilder",
    "Posteriors",
    "SparseFeatures",
    "lattice_forest",
    "nbest_forest",
    "without_boundaries",
]
