"""Sentence boundaries: ``<s>`` and ``</s>`` stand in the target sides of some forests.

They are no words of a translation. What is learned from, scored or printed is without them; what is
converted keeps them.
"""

from hopefear.forest.forest import Forest

__all__ = ["BOUNDARIES", "without_boundaries"]

BOUNDARIES = ("<s>", "</s>")


def without_boundaries(forest: Forest) -> Forest:
    """Return the forest without ``<s>`` and ``</s>`` in target sides; itself if it has none."""
    found = [forest.words.find(word) for word in BOUNDARIES]
    return forest.without_words([number for number in found if number is not None])
