"""Feature templates: what decoding costs with more features than the small model's."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hopefear import Model, train
from hopefear.decoder import Decoder
from hopefear.features import Template
from hopefear.grammar import Rule

SENTENCES = 60


def corpus(pairs: int, seed: int) -> list[tuple[str, str]]:
    """Draw sentence pairs whose words follow Zipf's law; neighbors often change places."""
    random = np.random.default_rng(seed)
    ranks = 1 / np.arange(1, 2001)
    found = []
    for _ in range(pairs):
        length = int(random.integers(6, 16))
        words = random.choice(2000, size=length, p=ranks / ranks.sum()).tolist()
        target = [f"e{word if random.random() < 0.8 else word // 2}" for word in words]
        for i in range(0, length - 1, 2):
            if words[i] % 3 == 0:
                target[i], target[i + 1] = target[i + 1], target[i]
        found.append((" ".join(f"f{word}" for word in words), " ".join(target)))
    return found


def one_more(rule: Rule) -> Mapping[str, float]:
    """Return a feature of the simplest template in Python."""
    return {"length": float(len(rule.target))}


def seconds(decoder: Decoder, sentences: Sequence[Sequence[str]]) -> float:
    """Return the CPU time of translating all of them on one thread."""
    start = time.process_time()
    for words in sentences:
        decoder.forest(words)
    return time.process_time() - start


def measured(model: Model, sentences: Sequence[Sequence[str]], *more: Template) -> list[float]:
    """Return the times for sentences that are new, and for those that were met."""
    decoder = model.decoder()
    if more:
        decoder = Decoder(
            model.grammars, model.language_models, model.weights, templates=list(more)
        )
    first = seconds(decoder, sentences)
    return [first, min(seconds(decoder, sentences) for _ in range(3))]


def run() -> list[tuple[str, str]]:
    """Compare models with more and more features."""
    pairs = corpus(4000, 1)
    sentences = [source.split() for source, _ in corpus(SENTENCES, 2)]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for i, side in enumerate("fe"):
            (folder / side).write_text("".join(f"{pair[i]}\n" for pair in pairs))
        plain: list[float] = []
        for features in (["small"], ["large"], ["patterns"], ["large", "patterns"]):
            model = train(
                out=folder / "model",
                source=folder / "f",
                target=folder / "e",
                aligner="diagonal",
                lm_order=3,
                features=features,
            )
            times = measured(model, sentences)
            plain = plain or times
            ratios = [own / small for own, small in zip(times, plain, strict=True)]
            rows.append(
                (
                    f"{' + '.join(features)}: forests, rules new / met before",
                    f"{ratios[0]:.2f} / {ratios[1]:.2f} times small",
                )
            )
        times = measured(model, sentences, one_more)
        ratios = [own / small for own, small in zip(times, plain, strict=True)]
        rows.append(
            ("one feature from Python: the same", f"{ratios[0]:.2f} / {ratios[1]:.2f} times small")
        )
    return rows
