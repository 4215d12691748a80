"""A made-up bitext, and the models that are trained on it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopefear import Model, train

PAIRS = 4000  # to train on
WORDS = 2000  # of each language


def sentence_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    """Draw sentence pairs whose words follow Zipf's law; neighbors often change places."""
    random = np.random.default_rng(seed)
    ranks = 1 / np.arange(1, WORDS + 1)
    found = []
    for _ in range(count):
        length = int(random.integers(6, 16))
        words = random.choice(WORDS, size=length, p=ranks / ranks.sum()).tolist()
        target = [f"e{word if random.random() < 0.8 else word // 2}" for word in words]
        for i in range(0, length - 1, 2):
            if words[i] % 3 == 0:
                target[i], target[i + 1] = target[i + 1], target[i]
        found.append((" ".join(f"f{word}" for word in words), " ".join(target)))
    return found


def train_model(folder: Path, features: Sequence[str] = ("small",)) -> Model:
    """Train on the bitext; further models in the same folder share what they can."""
    sides = folder / "f", folder / "e"
    for side, texts in zip(sides, zip(*sentence_pairs(PAIRS, seed=1), strict=True), strict=True):
        side.write_text("".join(f"{text}\n" for text in texts))
    source, target = sides
    return train(
        out=folder / "model",
        source=source,
        target=target,
        aligner="diagonal",
        lm_order=3,
        features=features,
    )


def new_sentences(count: int) -> list[tuple[str, str]]:
    """Return sentences that no model was trained on, with their translations."""
    return sentence_pairs(count, seed=2)
