"""Systems whose output is a reference with some words replaced."""

import numpy as np

__all__ = ["REFERENCES", "garbled"]

WORDS = ["the", "a", "cat", "dog", "sat", "lay", "on", "under", "mat", "moon"]
_RANDOM = np.random.default_rng(7)
REFERENCES = [[" ".join(_RANDOM.choice(WORDS, 12)) for _ in range(60)] for _ in range(2)]


def garbled(texts: list[str], rate: float, seed: int) -> list[str]:
    """Return the texts with this share of their words replaced."""
    random = np.random.default_rng(seed)
    return [
        " ".join(word if random.random() > rate else "zzz" for word in text.split())
        for text in texts
    ]
