"""Bins of rule features: what decoding with 12 bits costs, as a ratio to the same model without.

Both models translate the same sentences in turns, so that what else the machine does slows both.
With the shared corpora the model is one of real text, else one of a made-up bitext.
"""

import gzip
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks._bitext import new_sentences, train_model
from benchmarks.decoder import shared_data
from hopefear import Model, train
from hopefear.candidates.discretized import learn_rule_bins
from hopefear.translation.features.bins import Discretization
from hopefear.translation.model import RunFeatures

BITS = 12
ROUNDS = 5
PAIRS, SENTENCES = 10_000, 200


def real_model(folder: Path, corpus: Path) -> tuple[Model, list[list[str]]]:
    """Train on the first sentence pairs of Multi30k; return the model and other sentences."""
    for side, language in (("f", "cs"), ("e", "en")):
        with gzip.open(corpus / f"train.{language}.gz", "rt", encoding="utf-8") as lines:
            texts = [line for line, _ in zip(lines, range(PAIRS), strict=False)]
        (folder / side).write_text("".join(texts), encoding="utf-8")
    model = train(
        out=folder / "model", source=folder / "f", target=folder / "e", aligner="diagonal"
    )
    with gzip.open(corpus / "val.cs.gz", "rt", encoding="utf-8") as lines:
        return model, [line.split() for line, _ in zip(lines, range(SENTENCES), strict=False)]


def seconds(model: Model, sentences: Sequence[Sequence[str]]) -> tuple[float, list[str]]:
    """Return the CPU time of a new decoder and of translating with it, and what it found."""
    start = time.process_time()
    found = model.decoder().translate_all(sentences, threads=1)
    texts = [translation.text for translation in found]
    return time.process_time() - start, texts


def run() -> list[tuple[str, str]]:
    """Return the ratio of the times."""
    with tempfile.TemporaryDirectory() as name:
        corpus = shared_data() / "multi30k-cs-en"
        if corpus.is_dir():
            dense, sentences = real_model(Path(name), corpus)
        else:
            dense = train_model(Path(name))
            sentences = [source.split() for source, _ in new_sentences(SENTENCES)]
        bins = learn_rule_bins(dense.decoder(), sentences, Discretization(bits=BITS), threads=1)
        binned = dense.with_features(RunFeatures(), bins)
        ratios = []
        for _ in range(ROUNDS):
            plain, _ = seconds(dense, sentences)
            own, _ = seconds(binned, sentences)
            ratios.append(own / plain)
    total = sum(len(own) for own in bins.values())
    low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
    return [
        (
            f"translate with {total:,} bins of {len(bins)} features ({BITS} bits)",
            f"{middle:.2f} times the dense model ({low:.2f} to {high:.2f})",
        )
    ]
