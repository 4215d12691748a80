"""Forests: all derivations of a sentence as an acyclic hypergraph, and inference over them."""

from hopefear.forest.builder import Arc, ForestBuilder, lattice_forest, nbest_forest
from hopefear.forest.derivation import Derivation, SparseFeatures
from hopefear.forest.forest import Forest, without_boundaries
from hopefear.forest.inference import Distribution, Envelope, Posteriors

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
